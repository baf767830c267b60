"""Lanes: the lowest free place, and no more of them than were taken at once."""

from hypothesis import given
from hypothesis import strategies as st

from emu.trace.lanes import Lanes


def test_the_lowest_free_place_is_taken() -> None:
    lanes = Lanes()
    assert [lanes.take(0) for _ in range(4)] == [0, 1, 2, 3]
    lanes.free(2, 5)
    lanes.free(0, 5)
    assert [lanes.take(5), lanes.take(6), lanes.take(6)] == [0, 2, 4]


def test_a_place_is_not_free_before_it_was_left() -> None:
    lanes = Lanes()
    lanes.free(lanes.take(0), 9)
    # Somebody who came at 4 is only heard of now.
    assert lanes.take(4) == 1
    assert lanes.take(9) == 0


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), max_size=40))
def test_there_are_as_many_places_as_were_taken_at_once(spans: list[tuple[int, int]]) -> None:
    spans = [(start, start + length) for start, length in spans]
    lanes = Lanes()
    taken: dict[int, int] = {}
    most = 0
    # Those that leave at a time go before those that come.
    changes = [(end, 0, index) for index, (_, end) in enumerate(spans)]
    changes += [(start, 1, index) for index, (start, _) in enumerate(spans)]
    for time, is_start, index in sorted(changes):
        start, end = spans[index]
        if is_start and start < end:
            place = lanes.take(time)
            assert place not in taken.values()
            assert set(range(place)) <= set(taken.values())
            taken[index] = place
            most = max(most, len(taken))
        elif index in taken:
            lanes.free(taken.pop(index), time)
    assert max([lanes.take(10**6) for _ in range(most)], default=-1) == most - 1
