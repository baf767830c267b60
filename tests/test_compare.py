"""A request alone, submitted at the instants of a clock period."""

from __future__ import annotations

from fractions import Fraction

import pytest

from emu.compare import PhaseSweep, phase_sweep, same_names
from tests.build import READ, clocked, delay, table


def swept(period: str, before: str) -> PhaseSweep:
    """A stage of one cycle behind a delay."""
    path = [delay("before", before), clocked("nic", 1)]
    return phase_sweep(table(path, clocks={"nic": {"period": period}}), READ, 64)


def test_of_a_short_period_every_instant_is_tried() -> None:
    assert swept("10 ps", "3 ps") == PhaseSweep(10, 10, 13, 17.5, 22)


def test_a_table_without_clocks_has_one_instant() -> None:
    assert phase_sweep(table([delay("x", "3 ps")]), READ, 64) == PhaseSweep(1, 1, 3, 3, 3)


@pytest.mark.parametrize("before_ps", (0, 1, 50_000, 62_500, 62_501, 937_501, 999_999))
def test_of_a_long_period_the_jump_is_found(
    monkeypatch: pytest.MonkeyPatch, before_ps: int
) -> None:
    monkeypatch.setattr("emu.compare.MOST_INSTANTS", 16)
    found = swept("1 us", f"{before_ps} ps")
    assert found.least_ps == before_ps + 10**6
    assert found.most_ps == before_ps + 10**6 + 999_999
    assert found.period_ps == 10**6
    # A jump is looked for by halves between two that are 62.5 ns apart.
    assert 16 < found.instants <= 16 + 1 + 16
    spaced = [-(before_ps + n * 62_500) % 10**6 for n in range(16)]
    assert found.mean_ps == before_ps + 10**6 + Fraction(sum(spaced), 16)


def test_the_search_for_jumps_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("emu.compare.MOST_INSTANTS", 16)
    monkeypatch.setattr("emu.compare.MOST_SEARCHED", 5)
    assert swept("1 us", "50 ns").instants == 16 + 5


def test_where_the_clock_is_passed_by_nothing_waits_and_nothing_is_looked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("emu.compare.MOST_INSTANTS", 16)
    path = [delay("x", "3 ps"), clocked("nic", 1, when=["write"])]
    assert phase_sweep(table(path, clocks={"nic": "1 MHz"}), READ, 64) == PhaseSweep(
        17, 10**6, 3, 3, 3
    )


def test_tables_are_told_apart_by_their_names() -> None:
    assert same_names([("a.yaml", "a"), ("b", "b")]) == []
    assert same_names([("a.yaml", "a"), ("b", "b"), ("c.yaml", "a"), ("d/a.yaml", "a")]) == [
        "c.yaml: there are two tables a; expected each once",
        "d/a.yaml: there are two tables a; expected each once",
    ]
