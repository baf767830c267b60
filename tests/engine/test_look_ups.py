"""Stages that look up: what is found skips the rest of the stage, what is not pays for it."""

from __future__ import annotations

from typing import Any

import pytest

from emu.request import Request
from emu.stage import Served, Stage
from emu.time import Picoseconds
from tests.build import WRITE, Post, clocked, delay, run, station, table
from tests.engine.resources import pcie, use, user


class Knows(Stage):
    """Knows odd addresses; what it finds costs a nanosecond."""

    looks_up = True

    def serve(self, request: Request, now_ps: int) -> Served | None:
        """Found or not."""
        if request.address % 2:
            return Served((("service", Picoseconds(1000)),), skips=True)
        return None


class Remembers(Stage):
    """Knows every address that it has been asked for."""

    looks_up = True

    def __init__(self, parameters: Any) -> None:
        super().__init__(parameters)
        self._known: set[int] = set()

    def serve(self, request: Request, now_ps: int) -> Served | None:
        """Found or not, and known from now on."""
        found = request.address in self._known
        self._known.add(request.address)
        return Served(skips=True) if found else None


def addressed(*addresses: int, at_ps: int = 0) -> list[Post]:
    return [Post(at_ps, address=address) for address in addresses]


@pytest.mark.parametrize("listen", (True, False))
def test_a_hit_skips_and_a_miss_pays(listen: bool) -> None:
    path = [delay("a", "5 ns"), delay("x", "100 ns"), delay("z", "3 ns")]
    made = run(table(path, behaviour={"x": Knows}), addressed(1, 2, 3), listen=listen)
    assert made.completions_ps() == [9000, 108_000, 9000]
    assert made.parts(0) == {"service": 9000}
    assert made.parts(1) == {"service": 8000, "cache_miss": 100_000}


def test_depth_is_how_many_misses_overlap() -> None:
    path = [station("x", "100 ns", depth=2)]
    made = run(table(path, behaviour={"x": Knows}), addressed(0, 2, 4, 6, 1, 8))
    assert made.completions_ps() == [100_000, 100_000, 200_000, 200_000, 1000, 300_000]
    assert made.parts(5) == {"cache_miss": 100_000, "resource:x.depth": 200_000}


def test_a_full_queue_of_misses_holds_up_no_hit() -> None:
    path = [station("x", "100 ns", depth=1, queue=1)]
    made = run(table(path, behaviour={"x": Knows}), addressed(0, 2, 4, 1))
    assert made.completions_ps() == [100_000, 200_000, 300_000, 1000]


def test_a_miss_that_reads_over_pcie_holds_its_tag() -> None:
    path = [
        user("x", "100 ns", use("pcie", as_="read", to="device", bytes="44 B"), cut_through="64 B")
    ]
    source = table(path, resources={"pcie": pcie(tags=1)}, behaviour={"x": Knows})
    made = run(source, addressed(0, 2, 1))
    assert made.completions_ps() == [100_000, 200_000, 1000]
    assert made.parts(1) == {"cache_miss": 100_000, "resource:pcie.tags": 100_000}
    assert not made.held()


def test_a_clocked_miss_waits_for_an_edge_and_a_hit_does_not() -> None:
    path = [clocked("x", 5, 2)]
    load = [*addressed(0, 2, 4, at_ps=300), *addressed(1, at_ps=300)]
    made = run(table(path, behaviour={"x": Knows}), load)
    assert made.completions_ps() == [6000, 8000, 10_000, 1300]
    assert made.parts(0) == {"cache_miss": 5000, "alignment": 700}


def test_look_ups_of_an_instant_come_in_one_order() -> None:
    path = [station("a", "5 ns", when=["write"]), delay("b", "5 ns", when=["read"])]
    path.append(station("x", "100 ns", depth=9))
    load = [Post(0, address=7), Post(0, WRITE, address=7), Post(0, WRITE, address=7)]
    made = run(table(path, behaviour={"x": Remembers}), load)
    assert made.completions_ps() == [105_000, 5000, 5000]


def test_arbitration_says_who_looks_up_first() -> None:
    path = [station("a", "5 ns", when=["write"]), delay("b", "5 ns", when=["read"])]
    path.append(station("x", "100 ns", depth=9, arbitration=["a", "b"]))
    load = [Post(0, address=7), Post(0, WRITE, address=7), Post(0, address=7)]
    made = run(table(path, behaviour={"x": Remembers}), load)
    assert made.completions_ps() == [5000, 105_000, 5000]


def test_a_hit_takes_no_place_of_a_stage_that_is_full() -> None:
    path = [station("x", "100 ns", depth=1, queue=1, overflow="drop")]
    made = run(
        table(path, behaviour={"x": Knows}), addressed(0, at_ps=0) + addressed(2, 4, 1, at_ps=9)
    )
    assert made.completions_ps() == [100_000, 200_000, -1, 1009]
    assert not made.kernel.inside
