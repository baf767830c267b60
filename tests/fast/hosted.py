"""One actor, of the reference or compiled, played by hand with all that an engine would tell it.

A story says what befalls each request. It is told to both actors, and what they let go is compared
after each step. The slots of compiled requests are used again as soon as they may be.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from heapq import heappop, heappush
from itertools import count
from typing import Any

import numba
import numpy as np

from emu.actor import Actor, Port
from emu.fast.blocks import contents, fill
from emu.fast.codes import FAILED, OPERATIONS, ORDERS, PARTS, SERVICES
from emu.fast.layout import ALARM, HOP, PLAN, REQUEST, STATION, WORLD
from emu.fast.random import RANDOM
from emu.memory import Memory
from emu.plan import Plan
from emu.random import Random
from emu.request import Operation, Request
from emu.stage import StageError

#: What is called of an actor, in a compiled function that takes one of these.
COMING, ARRIVE, PASSED, ALARM_RINGS, DECIDE, TOUCH = range(6)
Call = Callable[[Any, int, int, int, int, int], None]
Make = Callable[[Any, Any], tuple[int, int]]

#: The actor's station, and one further on.
HERE, BEHIND = 0, 1
SLOTS = 64


@dataclass(frozen=True)
class Told:
    """What befalls a request: when it is announced, touches memory and comes; -1 for never.

    One that never comes is lost after `away_ps`; all others have passed so long after they have
    been let go.
    """

    operation: Operation = Operation.WRITE
    order: str = "SO"
    service: str = "ROT"
    initiator: int = 0
    destination: int = 0
    address: int = 0
    announced_ps: int = -1
    touches_ps: int = -1
    comes_ps: int = -1
    away_ps: int = 0
    #: Its number instead of the next one.
    number: int | None = None


Let = tuple[int, int, int, tuple[tuple[str, int], ...]]


class Reference:
    """The reference's actor."""

    def __init__(self, actor: Actor, plan: Plan, memory: Memory) -> None:
        self.actor, self.port, self.memory = actor, Port("here"), memory
        self._plan = plan
        self.requests: dict[int, Request] = {}

    def begin(self, number: int, told: Told, numbered: int) -> None:
        self.requests[number] = Request(
            *(number, told.operation, 8, told.address, 0, self._plan, told.initiator),
            *(told.destination, told.order, told.service),
            transaction_number=numbered,
            packet_number=numbered,
            hop=0,
        )

    def coming(self, number: int) -> None:
        self.actor.coming(self.requests[number], self.port)

    def arrive(self, number: int) -> None:
        request = self.requests[number]
        request.arrived_ps = self.port.now_ps
        self.port.came(request)
        self.actor.arrive(request, self.port)

    def touch(self, number: int) -> None:
        self.memory.touch(self.requests[number], self.port.now_ps)

    def passed(self, number: int) -> None:
        self.actor.passed(self.requests[number], self.port)

    def ring(self) -> None:
        self.port.ring()

    def decide(self) -> bool:
        asked = self.port.decision is not None
        self.port.decide()
        return asked

    def next_ps(self) -> int:
        return self.port.alarms[0][0] if self.port.alarms else -1

    def let_go(self) -> list[Let]:
        for request, behind in self.port.told:
            if behind is None:
                request.accepted_ps = self.port.now_ps
        self.port.told.clear()
        out, self.port.out = self.port.out, []
        return [(one.sequence, one.accepted_ps, one.version, parts) for one, parts in out]

    def at(self, now_ps: int) -> None:
        self.port.now_ps = now_ps


@cache
def _compiled(call: Call) -> Call:
    """It is compiled once for all worlds."""
    made: Call = numba.njit(call)
    return made


class Compiled:
    """The compiled one, in a world of its own."""

    def __init__(self, stage: Actor, make: Make, call: Call, behind: int) -> None:
        self.world = np.zeros(1, WORLD)
        self._call = _compiled(call)
        self._fill("requests", np.zeros(SLOTS, REQUEST))
        self._fill("plans", np.array([(0, 2, 0, 0, 0, 0, 0)], PLAN))
        hops = np.zeros(2, HOP)
        hops["station"] = HERE, BEHIND
        self._fill("hops", hops)
        stations = np.zeros(2, STATION)
        stations["actor"][BEHIND] = behind
        self._fill("stations", stations)
        self.at_work = contents(self.world[0]["stations"], STATION)[HERE]
        self.at_work["actor"], self.at_work["place"] = make(stage, self)
        self.slots: dict[int, int] = {}
        self._free = list(range(SLOTS))

    # -- what a maker asks for ---------------------------------------------------------------

    def add(self, block: str, record: Any) -> int:
        self._fill(block, record)
        return 0

    def random(self, source: Random) -> int:
        self._fill("randoms", np.array([(source.state,)], RANDOM))
        return 0

    def station(self, name: str) -> int:
        return BEHIND

    # -- what is told --------------------------------------------------------------------------

    def begin(self, number: int, told: Told, numbered: int) -> None:
        self.slots[number] = self._free.pop()
        request = self._request(number)
        request["sequence"] = number
        request["operation"] = OPERATIONS.index(told.operation)
        request["order"] = ORDERS.index(told.order)
        request["service"] = SERVICES.index(told.service)
        request["transaction_number"] = request["packet_number"] = numbered
        request["version"] = -1
        for name in ("address", "initiator", "destination"):
            request[name] = getattr(told, name)
        request["charges"]["count"] = 0

    def coming(self, number: int) -> None:
        self._tell(COMING, number)

    def arrive(self, number: int) -> None:
        self._request(number)["arrived_ps"] = self.world[0]["now_ps"]
        self._tell(ARRIVE, number)

    def touch(self, number: int) -> None:
        self._tell(TOUCH, number)

    def passed(self, number: int) -> None:
        self._tell(PASSED, number)
        self._free.append(self.slots.pop(number))

    def ring(self) -> None:
        alarms = self._alarms()
        due = [alarm for alarm in alarms if alarm[0] <= self.world[0]["now_ps"]]
        self.at_work["alarms"]["count"] -= len(due)
        contents(self.at_work["alarms"], ALARM)[:] = np.array(alarms[len(due) :], ALARM)
        for _, _, what, first, second in due:
            self._call(self.world, ALARM_RINGS, 0, what, first, second)

    def decide(self) -> bool:
        asked = bool(self.at_work["decides"])
        self.at_work["decides"] = 0
        if asked:
            self._call(self.world, DECIDE, 0, 0, 0, 0)
        return asked

    def next_ps(self) -> int:
        alarms = self._alarms()
        return int(alarms[0][0]) if alarms else -1

    def let_go(self) -> list[Let]:
        out = contents(self.at_work["out"]).tolist()
        self.at_work["out"]["count"] = 0
        return [self._let(slot) for slot in out]

    def at(self, now_ps: int) -> None:
        self.world[0]["now_ps"] = now_ps
        if self.world[0]["status"] == FAILED:
            raise StageError("failed")

    # -- inside ----------------------------------------------------------------------------------

    def _tell(self, what: int, number: int) -> None:
        self._call(self.world, what, self.slots[number], 0, 0, 0)
        if self.world[0]["status"] == FAILED:
            assert self.world[0]["fault_at"] == HERE
            raise StageError("failed")

    def _fill(self, block: str, records: Any) -> None:
        fill(self.world[0][block], records)

    def _request(self, number: int) -> Any:
        return contents(self.world[0]["requests"], REQUEST)[self.slots[number]]

    def _alarms(self) -> list[tuple[int, ...]]:
        return sorted(tuple(alarm) for alarm in contents(self.at_work["alarms"], ALARM).tolist())

    def _let(self, slot: int) -> Let:
        request = contents(self.world[0]["requests"], REQUEST)[slot]
        charges = contents(request["charges"]).reshape(-1, 3).tolist()
        assert {hop for hop, _, _ in charges} <= {0}
        parts = tuple((PARTS[part], time_ps) for _, part, time_ps in charges)
        return int(request["sequence"]), int(request["accepted_ps"]), int(request["version"]), parts


def play(reference: Reference, compiled: Compiled, story: list[Told], seed: int = 0) -> list[Any]:
    """Tells both the same story, and gives what they let go, each with its time.

    What is wrong in it must be wrong for both: then `["wrong"]`.
    """
    return _Play(reference, compiled, story, seed).result


class _Play:
    def __init__(
        self, reference: Reference, compiled: Compiled, story: list[Told], seed: int
    ) -> None:
        self._both = (reference, compiled)
        self._story = story
        self._tie = count().__next__
        self._random = random.Random(seed)
        self._due: list[tuple[int, int, str, int]] = []
        self._numbers: dict[tuple[int, int], int] = {}
        self.result: list[Any] = []
        for number, told in enumerate(story):
            for at_ps, what in (
                (told.announced_ps, "coming"),
                (told.touches_ps, "touch"),
                (told.comes_ps, "arrive"),
            ):
                if at_ps >= 0:
                    self._add(at_ps, what, number)
            if told.comes_ps < 0:
                self._add(max(told.announced_ps, told.touches_ps) + told.away_ps, "passed", number)
        while self._due or self._next_ps() >= 0:
            at_ps = min(
                ps for ps in (self._next_ps(), *(due[0] for due in self._due[:1])) if ps >= 0
            )
            if not self._instant(at_ps):
                self.result = ["wrong"]
                return

    def _next_ps(self) -> int:
        reference, compiled = (one.next_ps() for one in self._both)
        assert reference == compiled
        return reference

    def _add(self, at_ps: int, what: str, number: int) -> None:
        heappush(self._due, (at_ps, self._tie(), what, number))

    def _instant(self, now_ps: int) -> bool:
        """What happens at a time; whether nothing was wrong."""
        for one in self._both:
            one.at(now_ps)
        while True:
            passed = []
            while self._due and self._due[0][0] == now_ps:
                _, _, what, number = heappop(self._due)
                if what == "passed":
                    passed.append(number)
                elif not self._tell(what, number, now_ps):
                    return False
            for one in self._both:
                one.ring()
            self._compare(now_ps)
            for number in sorted(passed):
                self._tell("passed", number, now_ps)
            asked = [one.decide() for one in self._both]
            assert asked[0] == asked[1]
            if not self._compare(now_ps) and not passed and not asked[0]:
                return True

    def _tell(self, what: str, number: int, now_ps: int) -> bool:
        told = self._story[number]
        if now_ps == min(
            at for at in (told.announced_ps, told.touches_ps, told.comes_ps) if at >= 0
        ):
            self._begin(number, told)
        wrong = []
        for one in self._both:
            try:
                getattr(one, what)(number)
                wrong.append(False)
            except StageError:
                wrong.append(True)
        assert wrong[0] == wrong[1], (what, number)
        return not wrong[0]

    def _begin(self, number: int, told: Told) -> None:
        if number in self._both[0].requests:
            return
        key = (told.initiator, told.destination)
        numbered = self._numbers.get(key, 0) if told.number is None else told.number
        self._numbers[key] = numbered + 1
        for one in self._both:
            one.begin(number, told, numbered)

    def _compare(self, now_ps: int) -> int:
        """What both have let go now; how many."""
        reference, compiled = (one.let_go() for one in self._both)
        assert [(let[0], let[1], let[3]) for let in reference] == [
            (let[0], let[1], let[3]) for let in compiled
        ]
        for number, accepted_ps, _, parts in reference:
            self.result.append((now_ps, number, accepted_ps, parts))
            self._add(now_ps + self._story[number].away_ps, "passed", number)
        return len(reference)
