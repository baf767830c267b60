"""Entering: a request joins a station's channel, or comes to an actor; see `emu.kernel`."""

from __future__ import annotations

from typing import Any

from emu.fast import actors
from emu.fast.codes import DUE_REQUEST, NO_ACTOR, SERVES_NOTHING
from emu.fast.compiled import compiled
from emu.fast.due import put_due
from emu.fast.lane import has_waiting_room, put_in_lane
from emu.fast.layout import ALARM_T, hops, plans, requests, stations
from emu.fast.leaving import leave
from emu.fast.log import ACCEPTED, ALL, ARRIVED, EMITTED, log
from emu.fast.looks import contest, wake_at
from emu.fast.memory import push, view, words
from emu.fast.ring import peek
from emu.fast.serving import serve
from emu.fast.starting import start
from emu.fast.station import earliest, enter_places, is_ready, touch, watch


@compiled
def can_enter(world: Any, station: int, place: int) -> bool:
    """Whether there is room for one more request here, in the channel or at the actor."""
    at = stations(world)[station]
    if at.actor != NO_ACTOR:
        return actors.has_room(world, station, place)
    return has_waiting_room(world, at)


@compiled
def enter(world: Any, station: int, place: int) -> None:
    """The request leaves where it is and joins the station's channel."""
    leave(world, place)
    now_ps = world.now_ps
    request = requests(world)[place]
    request.hop += 1
    request.arrived_ps = now_ps
    log(world, now_ps, ARRIVED, request)
    at = stations(world)[station]
    hop_place = plans(world)[request.plan].first_hop + request.hop
    hop = hops(world)[hop_place]
    if at.actor != NO_ACTOR:
        actors.arrive(world, station, place)
        for index in range(hop.announces_count):
            later = words(world.lists)[hop.announces + index]
            actors.coming(world, later, place)
            is_ready(world, later)
        hear(world, station)
    elif at.plain:
        request.accepted_ps = now_ps
        log(world, now_ps, ACCEPTED, request)
        serve(world, place, hop_place)
        put_due(world, now_ps + hop.derived_ps + world.extra_ps, DUE_REQUEST, place)
    elif at.unbounded and hop.serve == SERVES_NOTHING and world.logs != ALL:
        # First in, first out, and no limit but interval and clock: all is known, and nobody
        # asks in between. So the wait costs no event.
        start(world, station, place, earliest(world, at, now_ps))
    else:
        lane = put_in_lane(world, station, place)
        is_ready(world, station)
        if at.can_be_blocked:
            watch(world, at, request, lane)
            touch(world, station)


@compiled
def hear(world: Any, station: int) -> None:
    """Does what an actor has asked for."""
    at = stations(world)[station]
    out = words(at.out)
    if at.out.count:
        first = out[0]
        for index in range(at.out.count):
            request = requests(world)[out[index]]
            request.emitted_ps = world.now_ps
            log(world, world.now_ps, EMITTED, request)
            request.finished = 1
            enter_places(world, at, out[index], 0)
        at.out.count = 0
        if peek(at.inside, 0) == first:
            push(world.next, first)
    if at.candidates.count > at.candidates_from:
        contest(world, station)
    if at.decides and not at.deciding:
        at.deciding = 1
        push(world.deciding, station)
    if at.alarms.count:
        wake_at(world, station, view(at.alarms, ALARM_T)[0].time_ps)
