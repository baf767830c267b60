from typing import Any

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.memory import Memory
from emu.request import Operation, Request
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


def test_only_loads_and_stores_are_the_processors_own() -> None:
    # An atomic that found its line here would never reach memory.
    stage = cache()
    assert {one for one in Operation if stage.applies(one, 8)} == {Operation.LOAD, Operation.STORE}


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


def test_each_initiator_has_a_cache_of_its_own_for_lines_of_all_nodes() -> None:
    stage = cache()
    for initiator, destination in ((0, 0), (1, 0), (0, 1)):
        made = request(Operation.LOAD, 0)
        made.initiator, made.destination = initiator, destination
        assert stage.serve(made, 0) == MISS
        assert stage.serve(made, 0) == Served(L1, ends=True)


# -- values ---------------------------------------------------------------------------------------

LOAD, STORE = Operation.LOAD, Operation.STORE


class Machine:
    """A cache in front of memory, in which an access that misses is at once."""

    def __init__(self, **changes: Any) -> None:
        self.memory = Memory()
        self.stage = cache(**changes)
        self.stage.use_memory(self.memory)
        self.hits = 0

    def access(
        self, operation: Operation, address: int, operand: int = 0, initiator: int = 0
    ) -> Request:
        """Brings an access to its end."""
        made = self.leave(operation, address, operand, initiator)
        if made.size_bytes:
            self.memory.touch(made, 0)
        return made

    def leave(
        self, operation: Operation, address: int, operand: int = 0, initiator: int = 0
    ) -> Request:
        """Brings an access to the cache; its size is 0 if it ends there."""
        made = request(operation, address)
        made.operand, made.initiator = operand, initiator
        if self.stage.serve(made, 0).ends:
            made.size_bytes = 0
            self.hits += 1
        return made

    def load(self, address: int, initiator: int = 0) -> int | None:
        return self.access(LOAD, address, initiator=initiator).value


@pytest.mark.parametrize("policy", ("write_back", "write_through"))
def test_a_hit_finds_what_the_miss_brought_whatever_others_have_written_since(policy: str) -> None:
    machine = Machine(policy=policy)
    machine.memory.write(0, 0, 1)
    machine.memory.write(0, 8, 2)
    assert machine.load(0) == 1
    machine.memory.write(0, 0, 10)
    machine.memory.write(0, 8, 20)
    # The other word of the line is as old as the first.
    assert [machine.load(0), machine.load(8)] == [1, 2]
    # Another processor has not loaded it yet.
    assert machine.load(0, initiator=1) == 10
    assert machine.hits == 2


def test_an_uncacheable_load_finds_what_is_there() -> None:
    machine = Machine(policy="uncacheable")
    assert machine.load(0) == 0
    machine.memory.write(0, 0, 10)
    assert machine.load(0) == 10


def test_a_line_that_was_dropped_is_brought_anew() -> None:
    machine = Machine(l1_lines=1, l2_lines=1)
    assert machine.load(0) == 0
    machine.memory.write(0, 0, 10)
    machine.load(64)
    assert machine.load(0) == 10


def test_a_line_that_is_in_either_level_keeps_its_values() -> None:
    machine = Machine(l1_lines=1, l2_lines=4)
    assert machine.load(0) == 0
    machine.memory.write(0, 0, 10)
    machine.load(64)
    assert machine.load(0) == 0


def test_a_flush_forgets_one_line_of_one_initiator() -> None:
    machine = Machine()
    for initiator in (0, 1):
        machine.load(0, initiator)
        machine.load(64, initiator)
    machine.memory.write(0, 0, 10)
    machine.memory.write(0, 64, 11)
    machine.stage.flush(0, 0, 56, 0)
    assert [machine.load(0), machine.load(64)] == [10, 0]
    assert [machine.load(0, 1), machine.load(64, 1)] == [0, 0]
    # Nothing is there to forget.
    machine.stage.flush(7, 3, 0, 0)


def test_written_through_a_store_is_seen_by_its_own_loads_and_in_memory() -> None:
    machine = Machine(policy="write_through")
    machine.load(0)
    machine.access(STORE, 0, 5)
    assert (machine.load(0), machine.memory.value(0, 0)) == (5, 5)
    # The line is held on, and the store of another does not reach it.
    machine.access(STORE, 0, 6, initiator=1)
    assert (machine.load(0), machine.memory.value(0, 0)) == (5, 6)


def test_written_back_a_store_that_hits_reaches_memory_when_its_line_is_dropped() -> None:
    machine = Machine(l1_lines=1, l2_lines=1)
    machine.load(0)
    machine.access(STORE, 8, 5)
    machine.access(STORE, 8, 6)
    machine.memory.write(0, 0, 9)
    assert (machine.load(8), machine.memory.value(0, 8)) == (6, 0)
    machine.load(64)
    # Only what was stored: the other word of the line is not written back.
    assert [machine.memory.value(0, address) for address in (0, 8)] == [9, 6]
    assert machine.load(8) == 6


def test_a_flush_writes_back() -> None:
    machine = Machine()
    machine.load(0)
    machine.access(STORE, 0, 5)
    assert machine.memory.value(0, 0) == 0
    machine.stage.flush(0, 0, 0, 0)
    assert machine.memory.value(0, 0) == 5
    machine.memory.write(0, 0, 6)
    machine.stage.flush(0, 0, 0, 0)
    assert machine.memory.value(0, 0) == 6


def test_a_store_that_misses_goes_to_memory_and_its_line_comes_with_it() -> None:
    machine = Machine()
    machine.memory.write(0, 8, 1)
    store = machine.leave(STORE, 0, 5)
    # It is not there yet, and its own processor sees it all the same.
    assert (machine.load(0), machine.memory.value(0, 0)) == (5, 0)
    machine.memory.write(0, 8, 2)
    machine.memory.touch(store, 0)
    machine.memory.write(0, 8, 3)
    assert [machine.load(0), machine.load(8), machine.memory.value(0, 0)] == [5, 2, 5]


def test_a_load_of_a_line_on_its_way_finds_what_memory_has() -> None:
    machine = Machine()
    first = machine.leave(LOAD, 0)
    machine.memory.write(0, 0, 1)
    assert machine.load(0) == 1
    machine.memory.write(0, 0, 2)
    machine.memory.touch(first, 0)
    machine.memory.write(0, 0, 3)
    assert (first.value, machine.load(0)) == (2, 2)


def test_a_store_to_a_line_on_its_way_is_newer_than_what_comes() -> None:
    machine = Machine(policy="write_back")
    first = machine.leave(LOAD, 0)
    machine.access(STORE, 0, 5)
    machine.memory.touch(first, 0)
    assert (first.value, machine.load(0)) == (0, 5)


def test_a_line_that_was_dropped_on_its_way_takes_nothing_with_it() -> None:
    machine = Machine(l1_lines=1, l2_lines=1)
    first = machine.leave(LOAD, 0)
    machine.load(64)
    machine.load(0)
    machine.memory.write(0, 0, 1)
    machine.memory.touch(first, 0)
    # The line that is there now is the one that the third access brought.
    assert machine.load(0) == 0


@given(
    policy=st.sampled_from(["write_back", "write_through"]),
    lines=st.integers(1, 3),
    steps=st.lists(
        st.tuples(st.sampled_from([LOAD, STORE]), st.integers(0, 30), st.integers(1, 100)),
        max_size=60,
    ),
)
def test_alone_a_processor_finds_what_it_stored_last(
    policy: str, lines: int, steps: list[tuple[Operation, int, int]]
) -> None:
    machine = Machine(policy=policy, line="16 B", l1_lines=lines, l2_lines=lines + 1)
    words = dict.fromkeys(range(31), 0)
    for operation, word, operand in steps:
        found = machine.access(operation, word * 8, operand)
        if operation is STORE:
            words[word] = operand
        else:
            assert found.value == words[word]
    for word in words:
        machine.stage.flush(0, 0, word * 8, 0)
    assert {word: machine.memory.value(0, word * 8) for word in words} == words
