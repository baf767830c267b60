import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.fast.codes import CPU_CACHE, P_CACHE_MISS, P_SERVICE
from emu.fast.cpu_cache import KINDS, cpu_serve, make_cpu
from emu.fast.refusal import RefusalError
from emu.memory import Memory
from emu.request import Operation, Request
from stages.cpu_cache import CpuCache
from tests.fast.serving import Building, Kind, check, request

PROCESSORS = Kind(cpu_serve, make_cpu, KINDS)
LOAD, STORE = Operation.LOAD, Operation.STORE
POLICIES = ("write_back", "write_through", "uncacheable")
L1 = (1_000, 1_000, 1, 0, 0, 3, 0, P_SERVICE, 1_000)
L2 = (4_000, 4_000, 1, 0, 0, 3, 0, P_SERVICE, 4_000)
MISS = (70_000, 70_000, 0, 0, 0, 3, 0, P_CACHE_MISS, 70_000)


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


def answers(all_: list[Request], **changes: Any) -> list[tuple[int, ...]]:
    return check(PROCESSORS, lambda: cache(**changes), all_)


def loads(*lines: int) -> list[Request]:
    return [request(address=line * 64) for line in lines]


def test_a_hit_ends_the_access_at_the_cost_of_its_level() -> None:
    assert answers(loads(7, 7, 8, 9, 7, 7)) == [MISS, L1, MISS, MISS, L2, L1]


def test_a_line_that_the_second_level_drops_may_stay_in_the_first() -> None:
    assert answers(loads(1, 2, 1, 2), l1_lines=2, l2_lines=1) == [MISS, MISS, L1, L1]


def test_a_store_goes_on_if_it_is_written_through() -> None:
    stores = [request(operation=STORE), request(operation=STORE), request(operation=LOAD)]
    through = (1_000, 1_000, 0, *L1[3:])
    assert answers(stores, policy="write_through") == [MISS, through, L1]
    assert answers(stores) == [MISS, L1, L1]


def test_an_uncacheable_access_costs_a_miss() -> None:
    assert answers(loads(1, 1), policy="uncacheable") == [MISS, MISS]


def test_each_initiator_has_a_cache_and_each_destination_lines() -> None:
    apart = [request(initiator=one, destination=other) for one in (0, 9) for other in (0, 5)]
    assert answers(apart + apart) == [MISS] * 4 + [L1] * 4


def test_many_initiators_at_random_find_what_the_reference_finds() -> None:
    draws = random.Random(5)
    all_ = [
        request(
            operation=draws.choice((LOAD, STORE)),
            address=draws.randrange(40 * 64),
            initiator=draws.randrange(40),
            destination=draws.randrange(2),
        )
        for _ in range(20_000)
    ]
    rows = answers(all_, l1_lines=12, l2_lines=40, policy="write_through")
    levels = [sum(row[0] == kind[0] for row in rows) for kind in (L1, L2, MISS)]
    assert min(levels) > 2000


@given(
    accesses=st.lists(
        st.tuples(
            st.sampled_from((LOAD, STORE)),
            st.integers(0, 12 * 48),
            st.integers(0, 2),
            st.integers(0, 1),
        ),
        max_size=120,
    ),
    l1_lines=st.integers(1, 8),
    l2_lines=st.integers(1, 12),
    policy=st.sampled_from(POLICIES),
)
def test_any_accesses_find_what_the_reference_finds(
    accesses: list[tuple[Operation, int, int, int]], l1_lines: int, l2_lines: int, policy: str
) -> None:
    all_ = [request(0, *access) for access in accesses]
    answers(all_, line="48 B", l1_lines=l1_lines, l2_lines=l2_lines, policy=policy)


def test_its_code_is_that_of_a_processors_cache() -> None:
    assert make_cpu(cache(), Building())[0] == CPU_CACHE


def test_a_cache_that_keeps_values_is_refused() -> None:
    stage = cache()
    stage.use_memory(Memory())
    with pytest.raises(RefusalError, match=r"^stage cpu_cache keeps values$"):
        make_cpu(stage, Building())
