"""A compiled stage on its own, asked with request after request, beside the reference stage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numba
import numpy as np

from emu.fast import blocks
from emu.fast.clock import CLOCK
from emu.fast.codes import OPERATIONS, PARTS
from emu.fast.layout import HOP, PLAN, REQUEST, STATION, WORLD, requests
from emu.fast.memory import words
from emu.fast.random import RANDOM
from emu.plan import Plan
from emu.random import Random
from emu.request import Operation, Request
from emu.stage import Served, Stage

NOTHING = Served()


def request(
    sequence: int = 0,
    operation: Operation = Operation.LOAD,
    address: int = 0,
    initiator: int = 0,
    destination: int = 0,
) -> Request:
    """A request as a stage sees it."""
    plan = Plan(operation, 64, 0, (), 0)
    return Request(sequence, operation, 64, address, 0, plan, initiator, destination)


class Building:
    """A world with one station, at which one request stands, for what a maker adds."""

    def __init__(self, clock: bool = False) -> None:
        self.worlds = np.zeros(1, WORLD)
        station = np.zeros(1, STATION)
        station["clock"] = 0 if clock else -1
        for name, kind in (("requests", REQUEST), ("plans", PLAN), ("hops", HOP)):
            self.add(name, np.zeros(1, kind))
        self.add("stations", station)
        self.add("clocks", np.zeros(1, CLOCK))

    def add(self, name: str, record: np.ndarray[Any, Any]) -> int:
        """The first record of a block."""
        blocks.fill(self.worlds[0][name], record)
        return 0

    def random(self, random: Random) -> int:
        """The first generator."""
        state = np.zeros(1, RANDOM)
        state["state"] = random.state
        return self.add("randoms", state)

    def part(self, name: str) -> int:
        """The code of a part."""
        return PARTS.index(name)


class Compiled:
    """What a compiled stage says of requests, as the reference stage does."""

    def __init__(self, kind: Kind, stage: Stage, *, clock: bool = False) -> None:
        self._asked = kind.asked
        building = Building(clock)
        self.code, place = kind.make(stage, building)
        assert place == 0
        self._worlds = building.worlds
        self.world = building.worlds[0]
        self._kinds = kind.blocks | {"requests": REQUEST, "stations": STATION}

    def answers(self, all_: Sequence[Request]) -> list[tuple[int, ...]]:
        """Extra, extra in ps, ends, skips, status, and all charges, of each request."""
        given = np.array(
            [
                (
                    *(one.sequence, OPERATIONS.index(one.operation), one.address),
                    *(one.initiator, one.destination),
                )
                for one in all_
            ],
            np.int64,
        ).reshape(-1, 5)
        out = np.zeros((len(given), 9), np.int64)
        self._asked(self._worlds, given, out)
        return [tuple(row) for row in out.tolist()]

    def give_back(self) -> None:
        """Gives all memory back."""
        blocks.give_back(self._worlds, self._kinds)


class Kind:
    """A kind of stage: how it is asked, made, and given back."""

    def __init__(
        self,
        serve: Callable[[Any, int, int], None],
        make: Callable[[Any, Any], tuple[int, int]],
        kinds: dict[str, np.dtype[Any]],
    ) -> None:
        self.make = make
        self.blocks = kinds

        def asked(worlds: Any, given: Any, out: Any) -> None:
            world = worlds[0]
            request = requests(world)[0]
            for i in range(len(given)):
                request.sequence = given[i, 0]
                request.operation = given[i, 1]
                request.address = given[i, 2]
                request.initiator = given[i, 3]
                request.destination = given[i, 4]
                request.charges.count = 0
                world.extra = world.extra_ps = world.ends = world.skips = world.status = 0
                serve(world, 0, 0)
                out[i, 0] = world.extra
                out[i, 1] = world.extra_ps
                out[i, 2] = world.ends
                out[i, 3] = world.skips
                out[i, 4] = world.status
                out[i, 5] = request.charges.count
                for word in range(min(3, request.charges.count)):
                    out[i, 6 + word] = words(request.charges)[word]

        self.asked = numba.njit(asked)


def expected(stage: Stage, all_: Sequence[Request]) -> list[tuple[int, ...]]:
    """What `Compiled.answers` has to be, by the reference stage."""
    return [_row(stage.serve(one, 0) or NOTHING) for one in all_]


def _row(served: Served) -> tuple[int, ...]:
    charges = [
        number for part, cost in served.parts for number in (0, PARTS.index(part), cost.count)
    ]
    extra_ps = sum(cost.count for _, cost in served.parts)
    row = (extra_ps, extra_ps, int(served.ends), int(served.skips), 0, len(charges))
    return (*row, *charges, *(0,) * (3 - len(charges)))


def check(kind: Kind, stage: Callable[[], Stage], all_: Sequence[Request]) -> list[tuple[int, ...]]:
    """Compares the two on requests, one after the other; the answers."""
    compiled = Compiled(kind, stage())
    answers = compiled.answers(all_)
    compiled.give_back()
    assert answers == expected(stage(), all_)
    return answers
