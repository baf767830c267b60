"""Every figure holds, and what it measures comes out of its tables."""

import math

import pytest

from emu.errors import EmuError
from emu.figures import in_flight, pcie_tags, slots
from emu.figures.model import Point
from emu.figures.registry import FIGURES, reproduce
from tests.figures.changed import change, off


@pytest.mark.parametrize("name", list(FIGURES))
def test_every_point_holds(name: str) -> None:
    figure = reproduce(name, "auto")
    assert figure.name == name
    assert figure.points
    assert [point for point in figure.points if not point.ok] == []
    for point in figure.points:
        assert point.source
        assert math.isfinite(point.measured)
        # A tolerance so wide that nothing could be off would say nothing.
        assert 0 <= point.tolerance < (abs(point.expected) or 1)
    assert figure.series
    for series in figure.series:
        assert len(series.x) == len(series.y) > 1
        assert list(series.x) == sorted(series.x)
        assert all(math.isfinite(value) for value in (*series.x, *series.y))
    assert len({point.name for point in figure.points}) == len(figure.points)


def test_an_unknown_figure_is_told_the_near_one() -> None:
    with pytest.raises(EmuError, match=r"no figure 'pcie-tag'; .* did you mean 'pcie-tags'"):
        reproduce("pcie-tag")


# -- a table that is changed changes what is measured ---------------------------------------------


def test_a_longer_round_trip_needs_more_in_flight(monkeypatch: pytest.MonkeyPatch) -> None:
    change(monkeypatch, "wire_out.latency=1.1 us")
    assert off(in_flight.figure()) >= {
        "100 in flight",
        "390 in flight",
        "391 in flight",
        "fewest that fill the link",
    }


def test_a_slower_link_lowers_the_ceiling_and_not_what_tags_allow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    change(monkeypatch, "pcie.header=40 B")
    assert off(pcie_tags.figure()) == {
        "reads, 128 tags: 84 credits bind",
        "reads, neither",
        "reads, neither, bytes",
        "reads under way that fill the link",
        "posted writes, 1 tag",
    }


def test_completions_handled_sooner_free_slots_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    change(monkeypatch, "clocks.program.period=10 us")
    assert off(slots.figure()) == {"8 slots", "16 slots", "8 slots, burst: the ninth is submitted"}


# -- points ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measured", "ok"), ((10, True), (11, True), (9, True), (11.01, False), (8.99, False))
)
def test_the_tolerance_itself_still_holds(measured: float, ok: bool) -> None:
    assert Point("a", "M/s", 10, measured, 1, "a test").ok is ok
