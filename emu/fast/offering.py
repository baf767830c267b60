"""Offering: a request is finished where it is, and wants to go on; see `emu.kernel`."""

from __future__ import annotations

from typing import Any

from emu.fast.batch import bring_riders
from emu.fast.codes import DUE_REQUEST, SERVES_NOTHING
from emu.fast.compiled import compiled
from emu.fast.due import put_due
from emu.fast.entering import can_enter, enter
from emu.fast.layout import hop_of, hops, plans, requests, stations
from emu.fast.leaving import leave
from emu.fast.log import ACCEPTED, ALL, ARRIVED, EMITTED, SUBMITTED, log
from emu.fast.looks import contest
from emu.fast.memory import pop, push, words
from emu.fast.ring import peek
from emu.fast.tally import complete
from emu.fast.units import release


@compiled
def finish(world: Any, place: int, alone: bool) -> None:
    """The request's time at its stage is over, or it is submitted now."""
    request = requests(world)[place]
    request.emitted_ps = world.now_ps
    if request.hop < 0:
        log(world, world.now_ps, SUBMITTED, request)
    else:
        log(world, world.now_ps, EMITTED, request)
        hop = hop_of(world, request)
        for index in range(hop.returns_count):
            release(world, request, words(world.lists)[hop.returns + index])
        at = stations(world)[hop.station]
        if at.is_ordered and not request.rides:
            request.finished = 1
            if request.riders.count and hop.ends_batch:
                bring_riders(world, place)
                riders = words(request.riders)
                for index in range(request.riders.count):
                    requests(world)[riders[index]].finished = 1
                request.riders.count = 0
            if peek(at.inside, 0) != place:
                return
    _offer(world, place, alone)


@compiled
def offer_next(world: Any) -> None:
    """Offers those that have come to the front of their stages."""
    moving = world.moving
    while world.next.count:
        push(moving, pop(world.next))
    while moving.count:
        _offer(world, pop(moving), False)


@compiled
def _offer(world: Any, place: int, alone: bool) -> None:
    """The request is free to leave: into a plain delay at once, else as a candidate."""
    request = requests(world)[place]
    plan = plans(world)[request.plan]
    index = request.hop + 1
    if index == plan.hops:
        if alone:
            end(world, place)
        else:
            push(world.done, place)
        return
    hop = hops(world)[plan.first_hop + index]
    station = hop.station
    at = stations(world)[station]
    if not at.plain or hop.serve != SERVES_NOTHING:
        if (
            alone
            and at.candidates.count == at.candidates_from
            and (at.unbounded or can_enter(world, station, place))
        ):
            enter(world, station, place)
        else:
            push(at.candidates, place)
            contest(world, station)
        return
    leave(world, place)
    now_ps = world.now_ps
    request.arrived_ps = now_ps
    request.accepted_ps = now_ps
    if world.logs == ALL:
        request.hop = index
        log(world, now_ps, ARRIVED, request)
        log(world, now_ps, ACCEPTED, request)
        put_due(world, now_ps + hop.derived_ps, DUE_REQUEST, place)
    else:
        # Nothing is decided in a run of plain delays, and nobody asks: one event for all.
        request.hop = index + hop.run_hops - 1
        put_due(world, now_ps + hop.run_ps, DUE_REQUEST, place)


@compiled
def end(world: Any, place: int) -> None:
    """The request is complete."""
    leave(world, place)
    complete(world, place)
