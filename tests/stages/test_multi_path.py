"""Ways of different length: bounds, overtaking, and the same numbers for the same seed."""

from __future__ import annotations

import random
from typing import Any

import pytest

from emu.path import Path
from emu.table.schema import Table
from tests.build import READ, Run, delay, posts, run, table
from tests.stages.ordered import NS, check_sums, entry


def paths(spread: str, latency: str = "10 ns", **changes: Any) -> Table:
    """A network and nothing else but a way to it."""
    network = entry("multi_path", latency=latency, spread=spread, **changes)
    return table([delay("first", "1 ns"), network])


def extra_ps(made: Run) -> list[int]:
    """What the way of each request took beyond the shortest."""
    return [request.latency_ps - 11 * NS for request in made.requests]


def test_without_a_spread_there_is_one_way() -> None:
    made = run(paths("0 ns"), posts(*range(20)))
    assert made.completions_ps() == [number + 11 * NS for number in range(20)]
    assert made.parts_at(3, "multi_path") == {"service": 10 * NS}
    assert [request.sequence for request in made.completed] == list(range(20))


def test_a_way_may_take_no_time() -> None:
    made = run(paths("0 ns", "0 ns"), posts(0))
    assert made.completions_ps() == [1 * NS]
    assert made.parts_at(0, "multi_path") == {}


def test_each_way_is_as_likely_and_none_is_longer_than_the_spread() -> None:
    made = run(paths("3 ps"), posts(*[0] * 4000))
    found = extra_ps(made)
    assert set(found) == {0, 1, 2, 3}
    for way in range(4):
        # 1000 expected; six standard deviations are 164.
        assert abs(found.count(way) - 1000) < 164


def test_requests_overtake_each_other() -> None:
    made = run(paths("100 ns"), posts(*range(50)))
    order = [request.sequence for request in made.completed]
    assert order != sorted(order)
    assert sorted(order) == list(range(50))
    assert max(extra_ps(made)) <= 100 * NS
    check_sums(made)


@pytest.mark.parametrize("listen", (True, False))
def test_the_seed_alone_decides(listen: bool) -> None:
    source, load = paths("100 ns"), posts(*[0, 0, 5, 5, 9] * 4)
    plain = run(source, load).completions_ps()
    shuffled = run(source, load, listen=listen, shuffle=random.Random(3))
    assert shuffled.completions_ps() == plain
    assert run(source, load, seed=2).completions_ps() != plain


def test_two_networks_draw_numbers_of_their_own() -> None:
    network = {"stage": "multi_path", "latency": "0 ns", "spread": "1 us"}
    both = table([delay("first", "1 ns"), network | {"name": "a"}, network | {"name": "b"}])
    made = run(both, posts(0))
    assert made.parts_at(0, "a") != made.parts_at(0, "b")


def test_on_paper_it_is_the_shortest() -> None:
    assert Path(paths("1 us")).derived_ps(READ, 64) == 11 * NS
