"""Parameters of plain types: numbers as they are written, lists as tuples, bounds with a unit."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.table import load
from emu.table.plain_types import as_typed
from tests.table.broken import HEAD, error_of, write
from tests.table.plain import Plain


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("parse", "overrides"):
        monkeypatch.setattr(f"emu.table.{module}.registry", lambda: {"plain": Plain})


def text(given_: str) -> str:
    entry = f"stage: plain, latency: 5 ns, {given_}, source: {{text: a test, kind: assumed}}"
    return HEAD + f"path:\n  - {{{entry}}}\n"


def read(folder: Path, given_: str, key: str, *overrides: str) -> Any:
    (entry,) = load(write(folder, "t.yaml", text(given_)), overrides=overrides).entries
    return getattr(entry.parameters, key)


@pytest.mark.parametrize(
    ("key", "written", "value"),
    (
        ("share", "0.3", 0.3),
        ("share", "1", 1.0),
        ("share", "2.5e-2", 0.025),
        ("exact", "0.3", Decimal("0.3")),
        ("exact", "-0.10", Decimal("-0.10")),
        ("exact", "3", Decimal(3)),
        ("ratio", "0.3", Fraction(3, 10)),
        ("ratio", "'0.3'", Fraction(3, 10)),
        ("ratio", "-2", Fraction(-2)),
        ("ratio", "2/7", Fraction(2, 7)),
        ("pair", "[2, 1]", (2, 1.0)),
        ("pair", "[2, 1.25]", (2, 1.25)),
        ("rest", "[]", ()),
        ("rest", "[0.1, 2, 1/3]", (Fraction(1, 10), Fraction(2), Fraction(1, 3))),
        ("levels", "{low: [0.1], high: [1, 2.0]}", {"low": [Decimal("0.1")], "high": [1, 2]}),
        ("either", "0.3", "0.3"),
        ("either", "3", 3.0),
    ),
)
def test_what_is_written_is_the_value(tmp_path: Path, key: str, written: str, value: Any) -> None:
    found = read(tmp_path, f"{key}: {written}", key)
    assert found == value
    assert type(found) is type(value)


def test_from_the_command_line_too(tmp_path: Path) -> None:
    assert read(tmp_path, "share: 0.3", "ratio", "plain.ratio=0.7") == Fraction(7, 10)
    assert read(tmp_path, "share: 0.3", "pair", "plain.pair=[3, 0.5]") == (3, 0.5)


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-1000, max_value=1000))
def test_a_number_is_exact(number: Decimal) -> None:
    written = f"{number:f}"
    assert as_typed(Fraction, written) == Fraction(written) == Fraction(number)
    assert str(as_typed(Decimal, written)) == str(Decimal(written))
    assert as_typed(float, written) == float(number)


@given(st.text())
def test_other_text_stays_as_it_is(written: str) -> None:
    for kind in (float, Decimal, Fraction):
        found = as_typed(kind, written)
        assert found == (written if isinstance(found, str) else kind(written))


CASES = {
    "share: many": (":42", ".share: 'many' does not fit; expected a number"),
    "share: true": (":42", ".share: true does not fit; expected a number"),
    "share: nan": (":42", ".share: 'nan' does not fit; expected a number"),
    "share: 1e400": (":42", ".share: '1e400' does not fit; expected a number"),
    "share: 1.5": (":42", ".share: '1.5' is out of bounds; expected at most 1"),
    "exact: 1_000": (":42", ".exact: '1_000' does not fit; expected a number"),
    "exact: [1]": (":42", ".exact: a list does not fit; expected a number"),
    "ratio: 1/0": (":42", ".ratio: '1/0' does not fit; expected a number"),
    "ratio: 1": (":42", ".ratio: 1 is out of bounds; expected less than 1"),
    "pair: 3": (":41", ".pair: 3 does not fit; expected a list of 2 values"),
    "pair: [1]": (":41", ".pair: a list of 1 does not fit; expected a list of 2 values"),
    "pair: [1, 2, 3]": (
        ":41",
        ".pair: a list is out of bounds; expected a length of at most 2",
    ),
    "pair: [0.5, 2]": (":42", ".pair[0]: '0.5' does not fit; expected a whole number"),
    "pair: [1, x]": (":45", ".pair[1]: 'x' does not fit; expected a number"),
    "rest: [0.5, -0.1]": (":47", ".rest[1]: '-0.1' is out of bounds; expected at least 0"),
    "gap: 2 ns": (":40", ".gap: '2 ns' is out of bounds; expected at most 1 ns"),
    "gap: 0 ns": (":40", ".gap: '0 ns' is out of bounds; expected more than 0 ps"),
    "speed: 51 GB/s": (":42", ".speed: '51 GB/s' is out of bounds; expected at most 50 GB/s"),
    "period: 3.5 ps": (":43", ".period: '3.5 ps' is out of bounds; expected less than 7/2 ps"),
}


@pytest.mark.parametrize("given_", CASES)
def test_what_does_not_fit_is_told_at_its_place(tmp_path: Path, given_: str) -> None:
    column, said = CASES[given_]
    assert error_of(tmp_path, text(given_)) == f"broken.yaml:6{column}: path[0] plain{said}\n"
