"""What an actor has of the compiled engine: an alarm clock, and the way out; see `emu.actor.Port`.

A station is given by its place, a request too. An actor of the compiled engine is a set of
functions, one for each method of `emu.actor.Actor` that it has; `emu.fast.actors` calls them.
"""

from __future__ import annotations

from typing import Any

from emu.fast.codes import FAILED, STAGE_FAULT
from emu.fast.compiled import compiled
from emu.fast.heap import rise
from emu.fast.layout import ALARM, ALARM_T, requests, stations
from emu.fast.memory import extend, push, view

_ALARM_BYTES = ALARM.itemsize


@compiled
def call_at(world: Any, station: int, time_ps: int, what: int, first: int, second: int) -> None:
    """Lets the actor hear of `what`, with two numbers, at a time that is not over.

    At the same time, first set is first heard.
    """
    at = stations(world)[station]
    alarms = at.alarms
    last = extend(alarms, 1, _ALARM_BYTES)
    heap = view(alarms, ALARM_T)
    tie = at.alarms_set
    at.alarms_set += 1
    alarm = heap[rise(heap, last, time_ps)]
    alarm.time_ps = time_ps
    alarm.tie = tie
    alarm.what = what
    alarm.first = first
    alarm.second = second


@compiled
def when_settled(world: Any, station: int) -> None:
    """Lets the actor decide in this instant, once all who come in it have come."""
    stations(world)[station].decides = 1


@compiled
def accept(world: Any, request: int) -> None:
    """Says that a request waits no more, and its service begins."""
    requests(world)[request].accepted_ps = world.now_ps


@compiled
def emit(world: Any, station: int, request: int) -> None:
    """Lets a request go, charged with all of the time since it arrived.

    Requests go on in the order in which they are emitted.
    """
    at = stations(world)[station]
    push(at.out, request)
    at.blocked += 1


@compiled
def fail(world: Any, station: int) -> None:
    """Says that something is wrong at the stage; the reference engine then says what."""
    world.status = FAILED
    world.fault = STAGE_FAULT
    world.fault_at = station
