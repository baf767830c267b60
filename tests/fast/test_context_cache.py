import random
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.fast.blocks import contents
from emu.fast.codes import CONTEXT_CACHE
from emu.fast.context_cache import CACHE, KINDS, context_serve, make_context
from emu.random import Random
from emu.request import Request
from stages.context_cache import ContextCache
from tests.fast.serving import Building, Compiled, Kind, check, request

CONTEXTS = Kind(context_serve, make_context, KINDS)
KINDS_OF_RECORDS = ("jetty", "channel", "qp", "segment")
OWNERS = ("initiator", "destination", "pair", "all")
REPLACEMENTS = ("lru", "random", "none")
#: A step of the hash, 2 ** 64 being its modulus.
LARGE = 2**62


def cache(**changes: Any) -> ContextCache:
    given: Any = {
        "records": {"qp": "pair"},
        "capacity": "2 entries",
        "ways": "full",
        "replacement": "lru",
        **changes,
    }
    stage = ContextCache(ContextCache.Parameters(**given))
    stage.start(Random(7, "under test"))
    return stage


def of(pairs: Iterable[tuple[int, int]]) -> list[Request]:
    return [
        request(initiator=initiator, destination=destination) for initiator, destination in pairs
    ]


def uniform(count: int, initiators: int, destinations: int) -> list[Request]:
    draws = random.Random(3)
    return of((draws.randrange(initiators), draws.randrange(destinations)) for _ in range(count))


def hits(pairs: Iterable[tuple[int, int]], **changes: Any) -> list[int]:
    return [row[3] for row in check(CONTEXTS, lambda: cache(**changes), of(pairs))]


def test_a_hit_skips_the_fetch_and_lru_drops_what_was_unused_for_longest() -> None:
    pairs = [(0, destination) for destination in (1, 2, 1, 3, 1, 2)]
    assert hits(pairs) == [0, 0, 1, 0, 1, 0]


def test_without_replacement_what_came_first_stays() -> None:
    pairs = [(0, destination) for destination in (1, 2, 3, 3, 1, 2)]
    assert hits(pairs, replacement="none") == [0, 0, 0, 0, 1, 1]


@pytest.mark.parametrize("replacement", REPLACEMENTS)
@pytest.mark.parametrize("ways", ("full", 1, 4, 64))
def test_it_hits_and_misses_with_the_reference(replacement: str, ways: Any) -> None:
    rows = check(
        CONTEXTS,
        lambda: cache(capacity="3072 entries", ways=ways, replacement=replacement),
        uniform(20_000, 80, 80),
    )
    # Some of each, or nothing would be compared.
    assert 4000 < sum(row[3] for row in rows) < 16_000


@pytest.mark.parametrize("replacement", REPLACEMENTS)
def test_records_of_several_sizes_make_room_as_in_the_reference(replacement: str) -> None:
    records = {"jetty": "initiator", "qp": "pair", "segment": "destination", "channel": "all"}
    rows = check(
        CONTEXTS,
        lambda: cache(records=records, capacity="60 KiB", replacement=replacement),
        uniform(5000, 15, 15),
    )
    assert 500 < sum(row[3] for row in rows) < 4500


def test_a_large_record_makes_room_by_as_many_small_ones_as_it_takes() -> None:
    found = hits(
        [(0, 0), (1, 0), (1, 0), (1, 1), (1, 1), (0, 1), (1, 1)],
        records={"jetty": "initiator", "qp": "destination"},
        capacity="140 B",
        sizes={"jetty": "20 B", "qp": "100 B"},
    )
    assert found == [0, 0, 1, 0, 1, 0, 1]


@pytest.mark.parametrize("replacement", ("lru", "random"))
def test_large_and_small_records_make_room_for_one_another(replacement: str) -> None:
    rows = check(
        CONTEXTS,
        lambda: cache(
            records={"jetty": "initiator", "qp": "destination"},
            capacity="300 B",
            sizes={"jetty": "7 B", "qp": "90 B"},
            replacement=replacement,
        ),
        uniform(5000, 12, 4),
    )
    assert 500 < sum(row[3] for row in rows) < 4500


@pytest.mark.parametrize("ways", ("full", 4))
def test_a_full_cache_takes_no_more_memory(ways: Any) -> None:
    for replacement, records in (("lru", "lru_entries"), ("random", "cache_records")):
        stage = cache(capacity="64 entries", ways=ways, replacement=replacement)
        compiled = Compiled(CONTEXTS, stage)
        compiled.answers(uniform(2000, 40, 40))
        made = contents(compiled.world["caches"], CACHE)[0]
        block = made["lru"][records] if replacement == "lru" else made[records]
        assert block["count"] == 64
        compiled.give_back()


@pytest.mark.parametrize("replacement", REPLACEMENTS)
def test_large_numbers_pick_the_same_sets(replacement: str) -> None:
    pairs = [(i % 7 * LARGE // 9, i * i % 11 * LARGE) for i in range(500)]
    pairs = [(initiator, destination % (2 * LARGE)) for initiator, destination in pairs]
    assert sum(hits(pairs, capacity="12 entries", ways=3, replacement=replacement)) > 50


def test_sets_are_made_when_they_are_first_used() -> None:
    huge = {"capacity": f"{2**40} entries", "ways": 2**10}
    assert hits([(1, 1), (1, 2), (1, 1)], **huge) == [0, 0, 1]
    assert hits([(1, 1), (1, 2), (1, 1)], **huge, replacement="random") == [0, 0, 1]


PAIRS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=120)
RECORDS = st.dictionaries(
    st.sampled_from(KINDS_OF_RECORDS), st.sampled_from(OWNERS), min_size=1, max_size=4
)


@given(
    pairs=PAIRS,
    records=RECORDS,
    sets=st.integers(1, 5),
    ways=st.integers(1, 6),
    replacement=st.sampled_from(REPLACEMENTS),
)
def test_any_requests_find_what_the_reference_finds_in_sets(
    pairs: list[tuple[int, int]], records: Any, sets: int, ways: int, replacement: str
) -> None:
    capacity = f"{sets * ways} entries"
    hits(pairs, records=records, capacity=capacity, ways=ways, replacement=replacement)


@given(
    pairs=PAIRS,
    records=RECORDS,
    sizes=st.fixed_dictionaries({kind: st.integers(1, 90) for kind in KINDS_OF_RECORDS}),
    more=st.integers(0, 300),
    replacement=st.sampled_from(REPLACEMENTS),
)
def test_any_requests_find_what_the_reference_finds_in_bytes(
    pairs: list[tuple[int, int]], records: Any, sizes: dict[str, int], more: int, replacement: str
) -> None:
    given = {kind: f"{sizes[kind]} B" for kind in records}
    capacity = f"{max(sizes[kind] for kind in records) + more} B"
    hits(pairs, records=records, capacity=capacity, sizes=given, replacement=replacement)


def test_its_code_is_that_of_a_context_cache() -> None:
    assert make_context(cache(), Building())[0] == CONTEXT_CACHE
