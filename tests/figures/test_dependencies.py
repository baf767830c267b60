"""A, B and C: FIGURES by hand, and the figure."""

from __future__ import annotations

from dataclasses import replace

import pytest

from emu.figures.dependencies import ORDERS, TIMERS_US, Order, done_ps, figure, post
from tests.figures.changed import change, off

TOTAL, NEEDED = ORDERS
US = 10**6


def test_every_point_is_what_is_expected() -> None:
    made = figure()
    assert [point.name for point in made.points if not point.ok] == []
    # Three on the link; for either order three that are done, and two of what C waits for.
    assert len(made.points) == 3 + 2 * (3 + 2)
    lines = {series.name: tuple(series.y) for series in made.series}
    assert lines["C, total order"] == (30.0, 35.01152, 40.01152, 50.01152, 70.01152)
    assert lines["C, A before B alone"] == (6.048,) * 5


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("timer_us", TIMERS_US)
def test_each_is_done_when_it_is_by_hand(order: Order, timer_us: int) -> None:
    assert post(order, timer_us).done_us == tuple(ps / US for ps in done_ps(order, timer_us))


def test_a_takes_20_us_and_a_recovery_and_b_2_us() -> None:
    lossless, lossy = post(TOTAL, 0), post(TOTAL, 10)
    assert lossless.link_us == (20.0, 2.0, 2.0)
    # Flight and answer take 1 µs each; the packet that is sent again 576 B.
    assert lossless.done_us[0] == 20 + 2
    assert lossy.done_us[0] == pytest.approx(20 + 10 + 0.01152 + 2, abs=1e-9)
    assert lossy.done_us[1] - lossy.done_us[0] == pytest.approx(2 + 2, abs=1e-9)


def test_c_waits_for_a_recovery_only_where_it_is_ordered_behind_it() -> None:
    assert post(TOTAL, 40).held_us[2] == post(TOTAL, 40).done_us[1]
    assert post(NEEDED, 40).held_us == (0.0, post(NEEDED, 40).done_us[0], 0.0)


def test_b_needs_its_order() -> None:
    free = replace(NEEDED, marks=("RO", "NO", "NO"))
    # It is on the channel of A, which delivers in sequence, but does not wait for the answer.
    assert post(free, 0).done_us[1] < post(NEEDED, 0).done_us[1]
    assert post(free, 0).held_us == (0.0, 0.0, 0.0)


def test_a_faster_link_changes_what_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    change(monkeypatch, "link.bandwidth=100 GB/s")
    names = off(figure())
    assert {"A on the link", "total order: C is done"} <= names
    assert "A before B alone: C is held" not in names
