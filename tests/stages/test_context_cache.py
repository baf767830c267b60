import time
from collections.abc import Iterable
from math import sqrt
from typing import Any

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.random import Random
from emu.request import Request
from emu.stage import Served
from stages.context_cache import ContextCache, Key, mixed
from tests.stages.requests import request

HIT, MISS = Served(skips=True), None
QP = {"qp": "pair"}


def cache(seed: int = 1, **changes: Any) -> ContextCache:
    given = {
        "records": QP,
        "capacity": "2 entries",
        "ways": "full",
        "replacement": "lru",
        **changes,
    }
    stage = ContextCache(ContextCache.Parameters(**given))
    stage.start(Random(seed, "under test"))
    return stage


def of(initiator: int, destination: int) -> Request:
    made = request()
    made.initiator, made.destination = initiator, destination
    return made


def hits(stage: ContextCache, pairs: Iterable[tuple[int, int]]) -> list[bool]:
    return [stage.serve(of(*pair), 0) == HIT for pair in pairs]


def to(*destinations: int) -> list[tuple[int, int]]:
    """Requests of one initiator."""
    return [(0, destination) for destination in destinations]


def test_a_hit_skips_the_fetch_and_a_miss_takes_the_entrys_time() -> None:
    stage = cache()
    assert stage.serve(of(0, 0), 0) is MISS
    assert stage.serve(of(0, 0), 0) == HIT


def test_lru_drops_what_was_unused_for_longest() -> None:
    assert hits(cache(), to(1, 2, 1, 3, 1, 2)) == [False, False, True, False, True, False]


def test_without_replacement_what_came_first_stays() -> None:
    stage = cache(replacement="none")
    assert hits(stage, to(1, 2, 3, 3, 1, 2)) == [False, False, False, False, True, True]


def test_lru_used_in_turn_keeps_all_or_nothing() -> None:
    stage = cache(capacity="8 entries")
    assert hits(stage, to(*range(8), *range(8))) == [False] * 8 + [True] * 8
    assert not any(hits(cache(capacity="8 entries"), to(*range(9), *range(9))))


@pytest.mark.parametrize(
    ("owner", "known"),
    (
        ("initiator", [(1, 1), (1, 2)]),
        ("destination", [(1, 1), (2, 1)]),
        ("pair", [(1, 1)]),
        ("all", [(1, 1), (1, 2), (2, 1), (2, 2)]),
    ),
)
def test_there_is_one_record_for_each_owner(owner: str, known: list[tuple[int, int]]) -> None:
    for pair in ((1, 1), (1, 2), (2, 1), (2, 2)):
        stage = cache(records={"channel": owner}, capacity="9 entries")
        stage.serve(of(1, 1), 0)
        assert (stage.serve(of(*pair), 0) == HIT) is (pair in known)


def test_a_request_hits_only_with_all_its_records() -> None:
    records = {"jetty": "initiator", "channel": "destination"}
    stage = cache(records=records, capacity="9 entries")
    pairs = [(1, 1), (2, 2), (1, 2), (3, 1), (3, 2)]
    assert hits(stage, pairs) == [False, False, True, False, True]


def test_kinds_with_the_same_owner_are_different_records() -> None:
    records = {"jetty": "initiator", "qp": "initiator"}
    assert hits(cache(records=records), [(1, 0), (1, 0), (2, 0), (1, 0)]) == [
        False,
        True,
        False,
        False,
    ]


def test_the_order_in_which_records_are_written_changes_nothing() -> None:
    pairs = [(i % 3, i % 4) for i in range(60)]
    one = cache(records={"jetty": "initiator", "channel": "destination"}, capacity="5 entries")
    other = cache(records={"channel": "destination", "jetty": "initiator"}, capacity="5 entries")
    assert hits(one, pairs) == hits(other, pairs)


def test_bytes_hold_as_many_records_as_fit() -> None:
    stage = cache(capacity="1535 B")  # two queue pairs of 512 B, and not three
    assert hits(stage, to(1, 2, 1, 2, 3, 2, 1)) == [False, False, True, True, False, True, False]


def test_a_large_record_makes_room_by_as_many_small_ones_as_it_takes() -> None:
    stage = cache(
        records={"jetty": "initiator", "qp": "destination"},
        capacity="140 B",
        sizes={"jetty": "20 B", "qp": "100 B"},
    )
    # Jetties 0 and 1 with QP 0; QP 1 then leaves room for the Jetties used last alone.
    pairs = [(0, 0), (1, 0), (1, 0), (1, 1), (1, 1), (0, 1), (1, 1)]
    assert hits(stage, pairs) == [False, False, True, False, True, False, True]


def test_ways_bound_each_set_by_itself() -> None:
    stage = cache(capacity="8 entries", ways=2)
    sets: dict[int, list[int]] = {}
    for destination in range(64):
        sets.setdefault(mixed((2, 0, destination)) % 4, []).append(destination)
    full, other = sets[0][:2], sets[1][0]
    assert hits(stage, to(*full, other, *full, other)) == [False] * 3 + [True] * 3
    third = sets[0][2]
    assert hits(stage, to(third, full[1], full[0], other)) == [False, True, False, True]


def test_the_hash_is_the_same_in_every_run_and_fills_sets_evenly() -> None:
    assert mixed((2, 0, 1)) == 34_863_734_130_093_689
    counts = [0] * 64
    for initiator in range(80):
        for destination in range(80):
            counts[mixed((2, initiator, destination)) % 64] += 1
    # 6400 keys in 64 sets: 100 in each, and 10 is a standard deviation.
    assert min(counts) > 50
    assert max(counts) < 150


def test_random_replacement_is_the_same_with_the_same_seed() -> None:
    pairs = to(*(i % 5 for i in range(200)))
    again = [
        hits(cache(seed, capacity="3 entries", replacement="random"), pairs) for seed in (1, 1, 2)
    ]
    assert again[0] == again[1] != again[2]


@pytest.mark.parametrize("replacement", ("lru", "random", "none"))
@pytest.mark.parametrize(("records", "room"), ((200, 50), (1000, 900), (64, 60)))
def test_used_at_random_the_share_of_misses_is_what_does_not_fit(
    replacement: str, records: int, room: int
) -> None:
    stage = cache(capacity=f"{room} entries", replacement=replacement)
    random = Random(7, "uses")
    hits(stage, to(*range(records)))  # full from here on
    samples = 20_000
    missed = samples - sum(hits(stage, to(*(random.below(records) for _ in range(samples)))))
    share = 1 - room / records
    assert abs(missed / samples - share) < 4 * sqrt(share * (1 - share) / samples)


def test_a_million_queue_pairs_cost_as_much_as_a_few() -> None:
    started_s = time.perf_counter()
    made = request()
    for replacement, ways in (("lru", "full"), ("random", "full"), ("none", "full"), ("lru", 4)):
        stage = cache(capacity="100000 entries", ways=ways, replacement=replacement)
        for i in range(150_000):
            made.destination = i * 7 % 1_000_000
            assert stage.serve(made, 0) is MISS
    assert time.perf_counter() - started_s < 60


@pytest.mark.parametrize(
    ("change", "said"),
    (
        ({"capacity": "0 entries"}, "has no room"),
        ({"capacity": "many entries"}, "is no capacity"),
        ({"capacity": "-3 entries"}, "has no room"),
        ({"capacity": "2048"}, "is no capacity"),
        ({"capacity": 2048}, "is no capacity"),
        ({"capacity": "0 B"}, "has no room"),
        ({"ways": 0}, "is no number of ways"),
        ({"ways": True}, "is no number of ways"),
        ({"ways": 3, "capacity": "8 entries"}, "expected a multiple of the ways"),
        ({"ways": 2, "capacity": "1 MiB"}, "expected a capacity in entries"),
        ({"replacement": "fifo"}, "'lru', 'random' or 'none'"),
        ({"records": {}}, "at least 1"),
        ({"records": {"cq": "pair"}}, "'jetty', 'channel', 'qp' or 'segment'"),
        ({"records": {"qp": "peer"}}, "'initiator', 'destination', 'pair' or 'all'"),
        ({"sizes": {"qp": "512 B"}}, "of no use"),
        ({"sizes": {"jetty": "20 B"}, "capacity": "1 MiB"}, "no request needs a jetty"),
        ({"capacity": "511 B"}, "do not hold one qp"),
    ),
)
def test_refuses_what_means_nothing(change: dict[str, Any], said: str) -> None:
    with pytest.raises(pydantic.ValidationError, match=said):
        cache(**change)


class Naive:
    """The same sets as lists of (key, size), the record used last at the end."""

    def __init__(self, room: int, sets: int, replacement: str, seed: int) -> None:
        self.room = room
        self.sets: list[list[tuple[Key, int]]] = [[] for _ in range(sets)]
        self.replacement = replacement
        self.random = Random(seed, "under test")

    def use(self, key: Key, size: int) -> bool:
        held = self.sets[mixed(key) % len(self.sets) if len(self.sets) > 1 else 0]
        if (key, size) in held:
            if self.replacement == "lru":
                held.remove((key, size))
                held.append((key, size))
            return True
        while self.replacement != "none" and self.taken(held) + size > self.room:
            if self.replacement == "lru":
                del held[0]
            else:
                victim = self.random.below(len(held))
                held[victim] = held[-1]
                del held[-1]
        if self.taken(held) + size <= self.room:
            held.append((key, size))
        return False

    def taken(self, held: list[tuple[Key, int]]) -> int:
        return sum(size for _, size in held)


PAIRS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), max_size=80)
REPLACEMENTS = st.sampled_from(["lru", "random", "none"])


@given(
    ways=st.integers(1, 4),
    sets=st.integers(1, 4),
    replacement=REPLACEMENTS,
    seed=st.integers(0, 3),
    pairs=PAIRS,
)
def test_entries_as_lists_do_it(
    ways: int, sets: int, replacement: str, seed: int, pairs: list[tuple[int, int]]
) -> None:
    stage = cache(seed, capacity=f"{ways * sets} entries", ways=ways, replacement=replacement)
    naive = Naive(ways, sets, replacement, seed)
    assert hits(stage, pairs) == [naive.use((2, *pair), 1) for pair in pairs]


@given(room=st.integers(600, 1400), replacement=REPLACEMENTS, seed=st.integers(0, 3), pairs=PAIRS)
def test_bytes_as_a_list_does_it(
    room: int, replacement: str, seed: int, pairs: list[tuple[int, int]]
) -> None:
    records = {"jetty": "initiator", "channel": "destination", "qp": "pair", "segment": "all"}
    stage = cache(seed, records=records, capacity=f"{room} B", replacement=replacement)
    naive = Naive(room, 1, replacement, seed)
    expected = []
    for initiator, destination in pairs:
        found = [
            naive.use((0, initiator, 0), 20),
            naive.use((1, 0, destination), 56),
            naive.use((2, initiator, destination), 512),
            naive.use((3, 0, 0), 32),
        ]
        expected.append(all(found))
    assert hits(stage, pairs) == expected
