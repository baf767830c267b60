"""Actors: which functions are those of the actor at a station; see `emu.actor.Actor`."""

from __future__ import annotations

from typing import Any

from emu.fast.codes import MULTI_PATH, ORDERING_ENGINE, PCIE_ORDER, RELIABLE_WIRE, SCHEDULER
from emu.fast.compiled import compiled
from emu.fast.dispatcher import (
    dispatcher_alarm,
    dispatcher_answered,
    dispatcher_arrive,
    dispatcher_decide,
    dispatcher_has_room,
    dispatcher_left,
    dispatcher_passed,
)
from emu.fast.in_turn import (
    order_alarm,
    order_arrive,
    order_coming,
    order_decide,
    order_passed,
)
from emu.fast.layout import stations
from emu.fast.multi_path import multi_path_alarm, multi_path_arrive
from emu.fast.pcie_order import pcie_order_arrive, pcie_order_passed
from emu.fast.reliable_wire import wire_alarm, wire_arrive


@compiled
def _dispatches(actor: int) -> bool:
    return actor in (SCHEDULER, ORDERING_ENGINE)


@compiled
def has_room(world: Any, station: int, request: int) -> bool:
    """Whether the request can come now."""
    if stations(world)[station].actor == SCHEDULER:
        return bool(dispatcher_has_room(world, station, request))
    return True


@compiled
def arrive(world: Any, station: int, request: int) -> None:
    """Takes a request in."""
    actor = stations(world)[station].actor
    if _dispatches(actor):
        dispatcher_arrive(world, station, request)
    elif actor == RELIABLE_WIRE:
        wire_arrive(world, station, request)
    elif actor == MULTI_PATH:
        multi_path_arrive(world, station, request)
    elif actor == PCIE_ORDER:
        pcie_order_arrive(world, station, request)
    else:
        order_arrive(world, station, request)


@compiled
def coming(world: Any, station: int, request: int) -> None:
    """A request has come to the stage that announces."""
    order_coming(world, station, request)


@compiled
def passed(world: Any, station: int, request: int) -> None:
    """A request has left the stage that is watched, or goes no further."""
    actor = stations(world)[station].actor
    if _dispatches(actor):
        dispatcher_passed(world, station, request)
    elif actor == PCIE_ORDER:
        pcie_order_passed(world, station, request)
    else:
        order_passed(world, station, request)


@compiled
def left(world: Any, station: int, request: int) -> None:
    """What was emitted has gone on."""
    if _dispatches(stations(world)[station].actor):
        dispatcher_left(world, station, request)


@compiled
def alarm(world: Any, station: int, what: int, first: int, second: int) -> None:
    """What was set for now."""
    actor = stations(world)[station].actor
    if _dispatches(actor):
        dispatcher_alarm(world, station, what, first, second)
    elif actor == RELIABLE_WIRE:
        wire_alarm(world, station, what, first, second)
    elif actor == MULTI_PATH:
        multi_path_alarm(world, station, what, first, second)
    else:
        order_alarm(world, station, what, first, second)


@compiled
def decide(world: Any, station: int) -> None:
    """All who come in this instant have come."""
    if _dispatches(stations(world)[station].actor):
        dispatcher_decide(world, station)
    else:
        order_decide(world, station)


@compiled
def answered(world: Any, station: int, initiator: int) -> None:
    """An answer for an initiator has come from outside."""
    dispatcher_answered(world, station, initiator)
