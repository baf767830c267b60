"""Verdicts: what was seen, against what a mode says."""

from __future__ import annotations

from pathlib import Path

import pytest

from emu.litmus.count import Counted, Seen, Values
from emu.litmus.verdict import Judged, Verdict, judge, said
from tests.litmus.files import document, made

PROGRAM = [{"post": "read", "at": "x", "as": "r"}, {"post": "read", "at": "y", "as": "s"}]
OUTCOMES = {"good": {"r": 0}, "rare": {"r": 1, "s": [0, 1]}, "bad": {"r": 2}, "odd": {"r": 3}}
MODE = {
    "title": "a mode",
    "tables": ["./delays.yaml"],
    "allowed": ["good", "rare"],
    "forbidden": ["bad"],
    "not_here": {"odd": "it is too odd"},
}
GOOD, RARE = (0, 5), (1, 0)


def judged(directory: Path, *values: tuple[int | None, int | None], schedules: int = 300) -> Judged:
    test = made(directory, document({"a": PROGRAM}, OUTCOMES, modes={"only_mode": MODE}))
    seen: dict[Values, Seen] = {one: Seen(10 + number, number) for number, one in enumerate(values)}
    return judge(Counted(test, "only_mode", 1, 300, schedules, seen))


def test_all_that_is_allowed_and_nothing_else_holds(tmp_path: Path) -> None:
    found = judged(tmp_path, RARE, GOOD, (1, 1))
    assert found.ok
    assert (found.wrong, found.missing) == ((), ())
    # In the order of the file, and then of the values.
    assert [(row.outcome, row.values, row.count, row.first) for row in found.rows] == [
        ("good", GOOD, 11, 1),
        ("rare", (1, 0), 10, 0),
        ("rare", (1, 1), 12, 2),
    ]


@pytest.mark.parametrize(
    ("values", "outcome", "verdict"),
    (
        ((2, 0), "bad", Verdict.FORBIDDEN),
        ((3, 0), "odd", Verdict.NOT_HERE),
        ((1, 7), "", Verdict.UNNAMED),
        ((None, 0), "", Verdict.UNNAMED),
    ),
)
def test_what_should_not_be_there_fails(
    tmp_path: Path, values: tuple[int | None, int], outcome: str, verdict: Verdict
) -> None:
    found = judged(tmp_path, GOOD, RARE, values)
    assert not found.ok
    (row,) = found.wrong
    assert (row.outcome, row.values, row.verdict) == (outcome, values, verdict)


def test_what_is_missing_fails_when_there_were_enough(tmp_path: Path) -> None:
    found = judged(tmp_path, GOOD)
    assert (found.missing, found.ok) == (("rare",), False)
    few = judged(tmp_path, GOOD, schedules=299)
    assert (few.missing, few.is_enough, few.ok) == (("rare",), False, True)


def test_an_outcome_as_text(tmp_path: Path) -> None:
    found = judged(tmp_path, GOOD, RARE)
    assert said(found.counted, (None, 3)) == "r=none s=3"
