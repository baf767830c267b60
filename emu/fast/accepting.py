"""Accepting: all that a station, or an actor, can do by itself; see `emu.kernel`."""

from __future__ import annotations

from typing import Any

from emu.fast import actors
from emu.fast.codes import ANSWERED, NO_ACTOR
from emu.fast.compiled import compiled
from emu.fast.entering import hear
from emu.fast.heap import drop_first
from emu.fast.lane import best_lane, next_change
from emu.fast.layout import ALARM_T, stations
from emu.fast.looks import wake_at
from emu.fast.memory import pop, push, view
from emu.fast.ring import peek
from emu.fast.starting import take
from emu.fast.station import earliest, has_place


@compiled
def accept_ready(world: Any) -> None:
    """Lets each station that may accept something do so."""
    moving = world.moving
    while world.ready.count:
        push(moving, pop(world.ready))
    # In the order in which they became ready.
    while moving.count:
        station = pop(moving)
        stations(world)[station].is_ready = 0
        _accept(world, station)


@compiled
def _accept(world: Any, station: int) -> None:
    """Accepts all that the station can by itself."""
    at = stations(world)[station]
    if at.actor != NO_ACTOR:
        _ring(world, station)
        hear(world, station)
        return
    while at.waiting:
        now_ps = world.now_ps
        lane = best_lane(world, at, False)
        if lane < 0:
            wake_at(world, station, next_change(world, at))
            return
        earliest_ps = earliest(world, at, now_ps)
        if earliest_ps > now_ps:
            wake_at(world, station, earliest_ps)
            return
        if not has_place(world, at):
            if at.refill_ps.count:
                wake_at(world, station, peek(at.refill_ps, 0))
            return
        if at.chooses:
            if not at.wanting:
                at.wanting = 1
                push(world.wanting, station)
            wake_at(world, station, next_change(world, at))
            return
        take(world, station, lane)


@compiled
def _ring(world: Any, station: int) -> None:
    """Lets an actor hear what is due; what that sets for this very instant it hears later."""
    at = stations(world)[station]
    before = at.alarms_set
    while at.alarms.count:
        alarms = view(at.alarms, ALARM_T)
        if alarms[0].time_ps > world.now_ps or alarms[0].tie >= before:
            return
        what, first, second = alarms[0].what, alarms[0].first, alarms[0].second
        drop_first(at.alarms, alarms)
        if what == ANSWERED:
            actors.answered(world, station, first)
        else:
            actors.alarm(world, station, what, first, second)
