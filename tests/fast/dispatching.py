"""A scheduler or an ordering engine alone, of the reference or compiled, played beside the other.

A story says when requests come, for how long each can't go on once it has been let go, and how long
its answer takes; and which answers come from outside. Both are told it, and must do the same at the
same times. The slots of compiled requests are used again as soon as they may be.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from types import SimpleNamespace
from typing import Any, Protocol

import numba
import numpy as np

from emu.actor import Port
from emu.fast.blocks import contents, fill, give_back
from emu.fast.clock import clock_record
from emu.fast.codes import OPERATIONS, ORDERS, PARTS, SERVICES
from emu.fast.dispatcher import (
    dispatcher_alarm,
    dispatcher_answered,
    dispatcher_arrive,
    dispatcher_decide,
    dispatcher_has_room,
    dispatcher_left,
    dispatcher_passed,
    make_engine,
    make_scheduler,
)
from emu.fast.dispatcher_records import DISPATCHER, KINDS
from emu.fast.layout import ALARM, HOP, PLAN, REQUEST, STATION, WORLD
from emu.request import Operation, Request
from emu.time import Clock
from stages.order.dispatcher import Dispatcher
from stages.ordering_engine import OrderingEngine
from stages.scheduler import Scheduler

SLOTS = 64
WORLD_KINDS = {**KINDS, "requests": REQUEST, "stations": STATION}


@dataclass(frozen=True)
class Comes:
    """A request, when it comes, and what befalls it."""

    at_ps: int
    operation: Operation = Operation.READ
    initiator: int = 0
    destination: int = 0
    order: str = ""
    service: str = ""
    fence: bool = False
    size_bytes: int = 32
    #: For how long it can't go on once it is in front of those that were let go.
    stays_ps: int = 0
    #: How long after that it is answered.
    away_ps: int = 0


@dataclass(frozen=True)
class Let:
    """What was let go: when, with which numbers, and what its stay consisted of."""

    number: int
    accepted_ps: int
    transaction_number: int
    packet_number: int
    parts: dict[str, int]


class Side(Protocol):
    """What is told to an actor, and what is asked of it."""

    def at(self, now_ps: int) -> None: ...
    def has_room(self, number: int) -> bool: ...
    def arrive(self, number: int) -> None: ...
    def left(self, number: int) -> None: ...
    def passed(self, number: int) -> None: ...
    def answered(self, initiator: int) -> None: ...
    def forget(self, number: int) -> None: ...
    def ring(self) -> None: ...
    def decide(self) -> bool: ...
    def next_ps(self) -> int | None: ...
    def let_go(self) -> list[Let]: ...


class Reference:
    """The reference's actor."""

    def __init__(self, actor: Dispatcher, clock: Clock | None, story: list[Comes]) -> None:
        self.actor, self.port = actor, Port("here", clock)
        self.requests = [
            Request(
                *(number, told.operation, told.size_bytes, 0, told.at_ps, plan_of(told)),
                *(told.initiator, told.destination, told.order, told.service, told.fence),
                hop=0,
            )
            for number, told in enumerate(story)
        ]

    def at(self, now_ps: int) -> None:
        self.port.now_ps = now_ps

    def has_room(self, number: int) -> bool:
        return self.actor.has_room(self.requests[number])

    def arrive(self, number: int) -> None:
        request = self.requests[number]
        request.arrived_ps = self.port.now_ps
        self.port.came(request)
        self.actor.arrive(request, self.port)

    def left(self, number: int) -> None:
        self.port.blocked -= 1
        self.actor.left(self.requests[number], self.port)

    def passed(self, number: int) -> None:
        self.actor.passed(self.requests[number], self.port)

    def answered(self, initiator: int) -> None:
        self.actor.answered(initiator, self.port)

    def forget(self, number: int) -> None:
        """An object stays as long as it is known."""

    def ring(self) -> None:
        self.port.ring()

    def decide(self) -> bool:
        asked = self.port.decision is not None
        self.port.decide()
        return asked

    def next_ps(self) -> int | None:
        return self.port.alarms[0][0] if self.port.alarms else None

    def let_go(self) -> list[Let]:
        for request, behind in self.port.told:
            if behind is None:
                request.accepted_ps = self.port.now_ps
        self.port.told.clear()
        out, self.port.out = self.port.out, []
        return [
            Let(
                one.sequence,
                one.accepted_ps,
                one.transaction_number,
                one.packet_number,
                dict(parts),
            )
            for one, parts in out
        ]


def plan_of(told: Comes) -> Any:
    return SimpleNamespace(hops=(SimpleNamespace(message_bytes=told.size_bytes),))


HAS_ROOM, ARRIVE, LEFT, PASSED, ANSWERED, DECIDE, RINGS = range(7)


@numba.njit  # type: ignore[untyped-decorator]  # numba has no types
def call(worlds: Any, told: int, what: int, first: int, second: int) -> bool:
    world = worlds[0]
    if told == HAS_ROOM:
        return dispatcher_has_room(world, 0, first)
    if told == ARRIVE:
        dispatcher_arrive(world, 0, first)
    elif told == LEFT:
        dispatcher_left(world, 0, first)
    elif told == PASSED:
        dispatcher_passed(world, 0, first)
    elif told == ANSWERED:
        dispatcher_answered(world, 0, first)
    elif told == DECIDE:
        dispatcher_decide(world, 0)
    else:
        dispatcher_alarm(world, 0, what, first, second)
    return True


class Compiled:
    """The compiled one, in a world of its own."""

    def __init__(self, actor: Dispatcher, clock: Clock | None, story: list[Comes]) -> None:
        self.world = np.zeros(1, WORLD)
        self._story = story
        self._fill("requests", np.zeros(SLOTS, REQUEST))
        self._fill("plans", np.zeros(len(story), PLAN))
        plans = contents(self.world[0]["plans"], PLAN)
        plans["first_hop"] = range(len(story))
        hops = np.zeros(len(story), HOP)
        hops["message_bytes"] = [told.size_bytes for told in story]
        self._fill("hops", hops)
        self._fill("stations", np.zeros(1, STATION))
        self.here = contents(self.world[0]["stations"], STATION)[0]
        self.here["clock"] = -1
        if clock is not None:
            self._fill("clocks", clock_record(clock))
            self.here["clock"] = 0
        make = make_scheduler if isinstance(actor, Scheduler) else make_engine
        self.here["actor"], self.here["place"] = make(actor, self)
        self._slots: dict[int, int] = {}
        self._free = list(range(SLOTS))

    def add(self, block: str, record: Any) -> int:
        self._fill(block, record)
        return 0

    def known(self) -> int:
        """Of how many requests it still knows."""
        dispatcher = contents(self.world[0]["dispatchers"], DISPATCHER)[0]
        return int(dispatcher["visits"]["count"] - dispatcher["free_visits"]["count"])

    def give_back(self) -> None:
        give_back(self.world, WORLD_KINDS)

    # -- what is told -----------------------------------------------------------------------------

    def at(self, now_ps: int) -> None:
        self.world[0]["now_ps"] = now_ps

    def has_room(self, number: int) -> bool:
        return bool(self._call(HAS_ROOM, self._slot(number)))

    def arrive(self, number: int) -> None:
        self._request(number)["arrived_ps"] = self.world[0]["now_ps"]
        self._call(ARRIVE, self._slot(number))

    def left(self, number: int) -> None:
        self.here["blocked"] -= 1
        self._call(LEFT, self._slot(number))

    def passed(self, number: int) -> None:
        self._call(PASSED, self._slot(number))

    def answered(self, initiator: int) -> None:
        self._call(ANSWERED, initiator)

    def forget(self, number: int) -> None:
        self._free.append(self._slots.pop(number))

    def ring(self) -> None:
        alarms = self._alarms()
        due = [alarm for alarm in alarms if alarm[0] <= self.world[0]["now_ps"]]
        self.here["alarms"]["count"] -= len(due)
        contents(self.here["alarms"], ALARM)[:] = np.array(alarms[len(due) :], ALARM)
        for _, _, what, first, second in due:
            call(self.world, RINGS, what, first, second)

    def decide(self) -> bool:
        asked = bool(self.here["decides"])
        self.here["decides"] = 0
        if asked:
            self._call(DECIDE, 0)
        return asked

    def next_ps(self) -> int | None:
        alarms = self._alarms()
        return int(alarms[0][0]) if alarms else None

    def let_go(self) -> list[Let]:
        out = contents(self.here["out"]).tolist()
        self.here["out"]["count"] = 0
        return [self._let(slot) for slot in out]

    # -- inside -----------------------------------------------------------------------------------

    def _call(self, told: int, first: int) -> bool:
        return bool(call(self.world, told, 0, first, 0))

    def _fill(self, block: str, records: Any) -> None:
        fill(self.world[0][block], records)

    def _slot(self, number: int) -> int:
        if number not in self._slots:
            self._slots[number] = self._free.pop()
            self._begin(number)
        return self._slots[number]

    def _begin(self, number: int) -> None:
        told, request = self._story[number], self._request(number)
        request["sequence"] = request["plan"] = number
        request["operation"] = OPERATIONS.index(told.operation)
        request["order"] = ORDERS.index(told.order)
        request["service"] = SERVICES.index(told.service)
        request["transaction_number"] = request["packet_number"] = -1
        for name in ("initiator", "destination", "fence"):
            request[name] = getattr(told, name)
        request["charges"]["count"] = 0

    def _request(self, number: int) -> Any:
        return contents(self.world[0]["requests"], REQUEST)[self._slot(number)]

    def _alarms(self) -> list[tuple[int, ...]]:
        return sorted(tuple(alarm) for alarm in contents(self.here["alarms"], ALARM).tolist())

    def _let(self, slot: int) -> Let:
        request = contents(self.world[0]["requests"], REQUEST)[slot]
        charges = contents(request["charges"]).reshape(-1, 3).tolist()
        return Let(
            int(request["sequence"]),
            int(request["accepted_ps"]),
            int(request["transaction_number"]),
            int(request["packet_number"]),
            {PARTS[part]: time_ps for _, part, time_ps in charges},
        )


# -- playing --------------------------------------------------------------------------------------


def play(
    side: Side, watches: bool, story: list[Comes], answers: list[tuple[int, int]]
) -> list[tuple[int, Let]]:
    """What an actor lets go, each with its time, as the kernel would play it.

    `watches` says whether it hears who has been answered; `answers` are those from outside: when,
    and to which initiator.
    """
    return _Play(side, watches, story, answers).result


class _Play:
    def __init__(
        self, side: Side, watches: bool, story: list[Comes], answers: list[tuple[int, int]]
    ) -> None:
        self._side, self._watches, self._story = side, watches, story
        self._tie = count().__next__
        self._due: list[tuple[int, int, str, int]] = []
        self._outside: list[int] = []
        self._out: deque[int] = deque()
        self.result: list[tuple[int, Let]] = []
        for number, told in enumerate(story):
            self._add(told.at_ps, "comes", number)
        for at_ps, initiator in answers:
            self._add(at_ps, "answered", initiator)
        while (now_ps := self._next_ps()) is not None:
            side.at(now_ps)
            self._instant(now_ps)

    def _add(self, at_ps: int, what: str, number: int) -> None:
        heappush(self._due, (at_ps, self._tie(), what, number))

    def _next_ps(self) -> int | None:
        times = (self._side.next_ps(), *(due[0] for due in self._due[:1]))
        return min((ps for ps in times if ps is not None), default=None)

    def _instant(self, now_ps: int) -> None:
        side = self._side
        goes_on = True
        while goes_on:
            goes_on, passed = False, []
            while self._due and self._due[0][0] == now_ps:
                goes_on = True
                _, _, what, number = heappop(self._due)
                if what == "comes":
                    self._outside.append(number)
                elif what == "answered":
                    side.answered(number)
                elif what == "goes":
                    self._goes(number, now_ps)
                else:
                    passed.append(number)
            side.ring()
            goes_on |= self._hear(now_ps)
            for number in sorted(passed):
                if self._watches:
                    side.passed(number)
                side.forget(number)
            if not goes_on:
                self._let_in()
                goes_on |= side.decide()
                goes_on |= self._hear(now_ps)

    def _let_in(self) -> None:
        waiting, self._outside = self._outside, []
        for number in waiting:
            if self._side.has_room(number):
                self._side.arrive(number)
            else:
                self._outside.append(number)

    def _hear(self, now_ps: int) -> bool:
        """Whether something is to be done in this instant still."""
        for let in self._side.let_go():
            self.result.append((now_ps, let))
            self._out.append(let.number)
            if len(self._out) == 1:
                self._add(now_ps + self._story[let.number].stays_ps, "goes", let.number)
        next_ps = self._next_ps()
        return next_ps is not None and next_ps <= now_ps

    def _goes(self, number: int, now_ps: int) -> None:
        self._out.popleft()
        self._side.left(number)
        self._add(now_ps + self._story[number].away_ps, "passed", number)
        if self._out:
            self._add(now_ps + self._story[self._out[0]].stays_ps, "goes", self._out[0])


def play_both(
    actor: type[Dispatcher],
    parameters: dict[str, Any],
    clock: Clock | None,
    story: list[Comes],
    answers: list[tuple[int, int]],
) -> list[tuple[int, Let]]:
    """What both let go, which must be the same."""
    kind: Any = actor
    reference = Reference(kind(kind.Parameters(**parameters)), clock, story)
    watches = bool(reference.actor.watched)
    expected = play(reference, watches, story, answers)
    compiled = Compiled(reference.actor, clock, story)
    try:
        assert play(compiled, watches, story, answers) == expected
        if watches:
            assert compiled.known() == 0
    finally:
        compiled.give_back()
    return expected


__all__ = ["Comes", "Let", "OrderingEngine", "Scheduler", "play_both"]
