from typing import Any

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.request import Operation
from emu.stage import Served
from emu.time import Picoseconds
from stages.cpu_cache import CpuCache
from tests.stages.requests import request

L1 = (("service", Picoseconds(1_000)),)
L2 = (("service", Picoseconds(4_000)),)
MISS = Served(parts=(("cache_miss", Picoseconds(70_000)),))


def cache(**changes: Any) -> CpuCache:
    """Two lines in the first level and four in the second, unless told otherwise."""
    given: Any = {
        "policy": "write_back",
        "line": "64 B",
        "l1_lines": 2,
        "l2_lines": 4,
        "l1_hit": "1 ns",
        "l2_hit": "4 ns",
        "miss": "70 ns",
        **changes,
    }
    return CpuCache(CpuCache.Parameters(**given))


def access(stage: CpuCache, line: int, operation: Operation = Operation.LOAD) -> str:
    """Where the first byte of a line is found: `L1`, `L2` or `miss`; a hit must end the access."""
    found = stage.serve(request(operation, line * 64), 0)
    if found == MISS:
        return "miss"
    assert found.ends
    return {L1: "L1", L2: "L2"}[found.parts]  # type: ignore[index]


def outcomes(stage: CpuCache, lines: list[int]) -> list[str]:
    return [access(stage, line) for line in lines]


def test_a_miss_fills_both_levels() -> None:
    assert outcomes(cache(), [7, 7]) == ["miss", "L1"]
    assert outcomes(cache(l1_lines=1), [7, 8, 7]) == ["miss", "miss", "L2"]


def test_a_hit_in_the_second_level_fills_the_first() -> None:
    assert outcomes(cache(l1_lines=1), [1, 2, 1, 1]) == ["miss", "miss", "L2", "L1"]


def test_drops_the_line_unused_for_longest() -> None:
    # 1 is used again, so that 2 is the one that the third line puts out of the first level.
    assert outcomes(cache(), [1, 2, 1, 3, 1, 2]) == ["miss", "miss", "L1", "miss", "L1", "L2"]


def test_a_hit_in_the_first_level_is_no_use_of_the_second() -> None:
    # 1 stays in the first level all along; in the second it is the oldest, and 5 puts it out. It
    # is still found in the first level, and once out of there too it is a miss.
    lines = [1, 2, 1, 3, 1, 4, 1, 5, 1, 6, 7, 1]
    assert outcomes(cache(), lines)[-4:] == ["L1", "miss", "miss", "miss"]


def test_looks_up_by_the_line_of_the_first_address() -> None:
    stage = cache()
    assert stage.serve(request(address=63), 0) == MISS
    assert stage.serve(request(address=0), 0) == Served(L1, ends=True)
    assert stage.serve(request(address=64), 0) == MISS


def test_an_uncacheable_access_always_costs_a_miss() -> None:
    assert outcomes(cache(policy="uncacheable"), [1, 1, 1]) == ["miss"] * 3


def test_a_store_is_found_as_a_load_is() -> None:
    stage = cache()
    assert access(stage, 1, Operation.STORE) == "miss"
    assert access(stage, 1, Operation.STORE) == "L1"
    assert access(stage, 1) == "L1"


def test_written_through_a_store_pays_the_lookup_and_goes_on() -> None:
    stage = cache(policy="write_through", l1_lines=1)
    assert stage.serve(request(Operation.STORE, 0), 0) == MISS
    assert stage.serve(request(Operation.STORE, 0), 0) == Served(L1, ends=False)
    assert access(stage, 0) == "L1"
    assert access(stage, 1) == "miss"
    assert stage.serve(request(Operation.STORE, 0), 0) == Served(L2, ends=False)


@pytest.mark.parametrize(
    "change",
    ({"line": "0 B"}, {"l1_lines": 0}, {"l2_lines": 0}, {"policy": "write_around"}, {"ways": 8}),
)
def test_refuses_what_means_nothing(change: dict[str, Any]) -> None:
    with pytest.raises(pydantic.ValidationError):
        cache(**change)


class Naive:
    """The same two levels as lists, the line used last at the end."""

    def __init__(self, l1_lines: int, l2_lines: int) -> None:
        self.l1: list[int] = []
        self.l2: list[int] = []
        self.sizes = (l1_lines, l2_lines)

    def access(self, line: int) -> str:
        if line in self.l1:
            self.use(self.l1, line)
            return "L1"
        if line in self.l2:
            self.use(self.l2, line)
            self.use(self.l1, line)
            return "L2"
        self.use(self.l1, line)
        self.use(self.l2, line)
        return "miss"

    def use(self, level: list[int], line: int) -> None:
        if line in level:
            level.remove(line)
        level.append(line)
        del self.l1[: -self.sizes[0]]
        del self.l2[: -self.sizes[1]]


@given(
    l1_lines=st.integers(1, 4),
    l2_lines=st.integers(1, 6),
    lines=st.lists(st.integers(0, 8), max_size=60),
)
def test_as_a_list_does_it(l1_lines: int, l2_lines: int, lines: list[int]) -> None:
    naive = Naive(l1_lines, l2_lines)
    stage = cache(l1_lines=l1_lines, l2_lines=l2_lines)
    assert outcomes(stage, lines) == [naive.access(line) for line in lines]
