"""Whatever the program: in strict order, one word behaves as if all took turns at it."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.litmus.count import Count
from tests.litmus.files import document, made

SCHEDULES = 8
VARY = {
    "wire_out.latency": {"from": "20 ns", "to": "500 ns"},
    "paths.spread": {"from": "100 ns", "to": "2 us"},
}
MODES: dict[str, dict[str, Any]] = {
    "initiator": {
        "tables": ["ub_ordered"],
        "vary": VARY,
        "marks": {"all": {"order": "SO", "service": "ROI"}},
    },
    "target": {
        "tables": ["ub_ordered"],
        "vary": VARY,
        "marks": {"all": {"order": "SO", "service": "ROT"}},
    },
    "early": {
        "tables": ["ub_ordered_early"],
        "vary": VARY,
        "marks": {"all": {"order": "SO", "service": "ROT"}},
    },
    "channel": {"tables": ["ub_ordered"], "vary": VARY, "marks": {"all": {"service": "ROL"}}},
    "connection": {"tables": ["rc_ordered"]},
}

#: What a thread does, one after the other: 0 reads, 1 writes a value of its own, 2 adds 100.
Threads = list[list[int]]


def programs_of(threads: Threads) -> dict[str, Any]:
    """Their programs; all that is found is observed."""
    programs: dict[str, list[Any]] = {}
    found: list[str] = []
    for number, steps in enumerate(threads):
        program: list[Any] = []
        for place, step in enumerate(steps):
            label = f"t{number}_{place}"
            post: dict[str, Any] = {"post": ("read", "write", "fetch_and_add")[step]}
            post |= {"at": "x", "as": label}
            if step:
                post["value"] = 100 if step == 2 else value(number, place)
            if step != 1:
                found.append(label)
            program.append(post)
        programs[f"t{number}"] = program
    outcomes = {"any": "otherwise", "named": dict.fromkeys([*found, "x"], "none")}
    modes = {
        name: {"title": name, **mode, "allowed": ["any"], "forbidden": ["named"]}
        for name, mode in MODES.items()
    }
    more = {"start": "300 ns", "gap": "100 ns"}
    return document(programs, outcomes, locations={"x": 9}, modes=modes, **more)


def value(thread: int, place: int) -> int:
    return 1 + 10 * thread + place


def is_coherent(threads: Threads, seen: dict[str, int | None]) -> bool:
    """Whether some interleaving, each thread in its own order, finds all that was found."""

    @cache
    def explains(done: tuple[int, ...], now: int) -> bool:
        if all(count == len(steps) for count, steps in zip(done, threads, strict=True)):
            return now == seen["x"]
        for number, steps in enumerate(threads):
            place = done[number]
            if place == len(steps):
                continue
            step = steps[place]
            if step != 1 and seen[f"t{number}_{place}"] != now:
                continue
            after = (now, value(number, place), now + 100)[step]
            rest = (*done[:number], place + 1, *done[number + 1 :])
            if explains(rest, after):
                return True
        return False

    return explains((0,) * len(threads), 0)


@given(
    threads=st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=4), min_size=2, max_size=3),
    seed=st.integers(1, 1000),
)
def test_in_strict_order_one_word_is_coherent(threads: Threads, seed: int) -> None:
    with tempfile.TemporaryDirectory() as directory:
        test = made(Path(directory), programs_of(threads))
    for counted in Count([(test, mode) for mode in MODES], seed, SCHEDULES).run(1):
        for values in counted.seen:
            seen = dict(zip(test.observed, values, strict=True))
            assert is_coherent(threads, seen), (counted.mode, seen)


@pytest.mark.parametrize(
    ("seen", "coherent"),
    (
        ({"t0_1": 1, "t1_0": 0, "x": 1}, True),
        ({"t0_1": 0, "t1_0": 0, "x": 1}, False),
        ({"t0_1": 1, "t1_0": 0, "x": 0}, False),
    ),
)
def test_the_judge_tells_what_can_be_explained(seen: dict[str, int | None], coherent: bool) -> None:
    assert is_coherent([[1, 0], [0]], seen) is coherent


def test_without_order_it_is_not() -> None:
    with tempfile.TemporaryDirectory() as directory:
        said = programs_of([[1, 0], [1, 0]])
        said["modes"]["initiator"]["marks"] = {"all": {"order": "NO"}}
        test = made(Path(directory), said)
    (counted,) = Count([(test, "initiator")], 1, 64).run(1)
    outcomes = [dict(zip(test.observed, values, strict=True)) for values in counted.seen]
    assert not all(is_coherent([[1, 0], [1, 0]], seen) for seen in outcomes)
