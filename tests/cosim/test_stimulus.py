"""Stimulus: patterns and items, the same for the same seed."""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.cosim.stimulus import (
    Always,
    Bursts,
    Pattern,
    Pauses,
    Stimulus,
    Willing,
    drawn,
    read_pattern,
)
from emu.errors import EmuError
from emu.random import Random

PATTERNS = st.one_of(
    st.just(Always()),
    st.builds(Pauses, st.integers(1, 99)),
    st.builds(Bursts, st.integers(1, 30), st.integers(1, 30)),
)


def cycles(pattern: Pattern, seed: int, count: int) -> list[bool]:
    """Whether the pattern is willing in each of the first cycles, straight from its runs."""
    found: list[bool] = []
    for pause, length in pattern.runs(Random(seed, "cycles")):
        found += [False] * min(pause, count)
        found += [True] * min(length, count)
        if len(found) >= count:
            return found[:count]
    raise AssertionError("runs never end")


@given(pattern=PATTERNS, seed=st.integers(0, 2**32))
def test_the_first_willing_cycle_and_the_next_change(pattern: Pattern, seed: int) -> None:
    expected = cycles(pattern, seed, 300)
    willing = Willing(pattern.runs(Random(seed, "cycles")))
    for cycle in range(150):
        later = [at for at in range(cycle, 300) if expected[at]]
        if not later:
            break
        assert willing.first(cycle) == later[0]
        other = [at for at in range(cycle, 300) if expected[at] != expected[cycle]]
        if other:
            assert willing.change(cycle) == other[0]
        else:
            assert willing.change(cycle) >= 300


@given(pattern=PATTERNS, seed=st.integers(0, 2**32))
def test_runs_have_a_length_and_pauses_between_them(pattern: Pattern, seed: int) -> None:
    runs = list(islice(pattern.runs(Random(seed, "cycles")), 50))
    assert all(length >= 1 for _, length in runs)
    assert all(pause >= 1 for pause, _ in runs[1:])
    assert runs[0][0] >= 0


@pytest.mark.parametrize("percent", (5, 50, 90))
def test_pauses_leave_the_share_that_they_are_asked_for(percent: int) -> None:
    found = cycles(Pauses(percent), 1, 20_000)
    assert abs(sum(found) / len(found) - percent / 100) < 0.02


@given(pattern=PATTERNS)
def test_a_pattern_is_read_as_it_is_shown(pattern: Pattern) -> None:
    assert read_pattern(str(pattern)) == pattern


@pytest.mark.parametrize(
    ("text", "what"),
    (
        (
            "allways",
            (
                "'allways' is no pattern; expected always, pauses(PERCENT) or "
                "bursts(OPEN_CYCLES, CLOSED_CYCLES)"
            ),
        ),
        ("pauses(100)", "pauses(100): expected a duty of 1 to 99 percent"),
        ("bursts(0, 3)", "bursts(0, 3): expected cycles from 1 on"),
    ),
)
def test_what_is_no_pattern_is_told(text: str, what: str) -> None:
    with pytest.raises(EmuError) as error:
        read_pattern(text)
    assert str(error.value) == what


def test_seeds_draw_all_kinds_of_patterns() -> None:
    kinds = {type(drawn(Random(seed, "offer"))) for seed in range(100)}
    assert kinds == {Always, Pauses, Bursts}


FIELDS = {"id": 4, "flag": 1, "order": 2, "wide": 100, "word": 64}


@given(seed=st.integers(0, 2**32), order=st.permutations(range(30)))
def test_item_k_is_the_same_however_they_are_asked_for(seed: int, order: list[int]) -> None:
    stimulus = Stimulus(seed=seed)
    in_turn = stimulus.items(FIELDS)
    expected = [in_turn[number] for number in range(30)]
    items = stimulus.items(FIELDS)
    assert [items[number] for number in order] == [expected[number] for number in order]


@given(seed=st.integers(0, 2**32))
def test_fields_hold_what_they_can(seed: int) -> None:
    items = Stimulus(seed=seed, limits=(("word", 3),)).items(FIELDS)
    for number in range(40):
        id_, flag, order, wide, word = items[number]
        assert id_ == number % 16
        assert flag < 2
        assert order < 3
        assert wide < 2**100
        assert word < 3


def test_random_fields_take_all_their_values() -> None:
    items = Stimulus().items({"a": 2, "b": 3, "order": 2})
    seen = [items[number] for number in range(300)]
    assert [{values[at] for values in seen} for at in range(3)] == [
        set(range(4)),
        set(range(8)),
        set(range(3)),
    ]


def test_an_item_is_gone_once_it_is_not_needed() -> None:
    items = Stimulus().items({"id": 8})
    assert items.take(0) == (0,)
    assert (items[3], items[1]) == ((3,), (1,))
    assert items.take(3) == (3,)
    for gone in (0, 3):
        with pytest.raises(KeyError):
            items[gone]
    assert items.take(4) == (4,)


@pytest.mark.parametrize(
    ("limits", "what"),
    (
        ({"x": 1}, "a limit for 'x', which is no field of what is sent"),
        ({"flag": 3}, "field 'flag' is held to 3 values; expected 1 to 2"),
        ({"id": 3}, "field 'id' counts the items; expected no limit for it"),
    ),
)
def test_limits_that_cannot_be_kept_are_told(limits: dict[str, int], what: str) -> None:
    with pytest.raises(EmuError) as error:
        Stimulus(limits=tuple(limits.items())).items(FIELDS)
    assert str(error.value) == what


def test_nothing_to_send_is_told() -> None:
    with pytest.raises(EmuError, match="0 requests; expected 1 or more"):
        Stimulus(requests=0)


def test_items_have_beats_up_to_the_most_and_the_same_each_time() -> None:
    stimulus = Stimulus(seed=4, most_beats=3)
    beats = list(islice(stimulus.beats_of_items(), 300))
    assert set(beats) == {1, 2, 3}
    assert beats == list(islice(stimulus.beats_of_items(), 300))
    with pytest.raises(EmuError, match="0 beats of a request; expected 1 or more"):
        Stimulus(most_beats=0)


def test_offer_and_ready_have_numbers_of_their_own() -> None:
    stimulus = Stimulus(seed=5, offer=Pauses(50), ready=Pauses(50))
    offers, readies = stimulus.may_offer(), stimulus.is_ready()
    assert [offers.first(c) for c in range(100)] != [readies.first(c) for c in range(100)]
