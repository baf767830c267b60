"""What sharing transport channels saves and costs."""

from __future__ import annotations

import pytest

from emu.figures.shared_channel import GROUPS, expected_us, figure, light


def test_every_point_is_what_is_expected() -> None:
    made = figure()
    assert [point.name for point in made.points if not point.ok] == []
    assert len(made.points) == 3 + 2 * len(GROUPS)
    (series,) = made.series
    # The less state, the longer the wait.
    assert list(series.x) == sorted(series.x)
    assert list(series.y) == sorted(series.y, reverse=True)


def test_behind_a_heavy_endpoint_a_light_one_waits_for_its_turn() -> None:
    # 128 requests and 63, of which 16 are under way and take 2 µs.
    assert expected_us(1) == 191 / 16 * 2
    assert light(1).latency_us == pytest.approx(191 / 16 * 2, rel=0.01)


def test_a_channel_of_its_own_never_waits() -> None:
    alone = light(64)
    assert alone.latency_us == 2
    assert alone.waited_us == 0
