"""When a buffer may be written again, to the picosecond."""

from __future__ import annotations

import pytest

from emu.figures.buffer_reuse import CONSUMED_PS, DONE_PS, READ_PS, Sends, figure
from emu.trace.events import Kind


@pytest.mark.parametrize(
    ("again_ps", "reports", "found"),
    (
        (DONE_PS, 1, [2, 2]),
        (READ_PS - 1, 1, [2, 2]),
        (READ_PS, 1, [1, 2]),
        (CONSUMED_PS - 1, 1, [1, 2]),
        (CONSUMED_PS, 0, [1, 1]),
    ),
)
def test_what_is_reported_and_what_the_receiver_finds(
    again_ps: int, reports: int, found: list[int]
) -> None:
    sends = Sends(again_ps)
    assert (len(sends.reuses), sends.found) == (reports, found)
    assert sends.at_us(1, Kind.VISIBLE) == again_ps / 10**6


def test_the_report_says_which_sends_and_when() -> None:
    (reuse,) = Sends(10 * 10**6).reuses
    assert str(reuse) == (
        "buffer at node 1, address 0x0 written again by request 1 at 10 us, before what request 0 "
        "brought was consumed (visible at 4.594878 us, consumed until 12 us)"
    )


def test_every_point_is_what_is_expected() -> None:
    made = figure()
    assert [point.name for point in made.points if not point.ok] == []
    (reports,) = made.series
    assert [y for x, y in zip(reports.x, reports.y, strict=True) if x < 12] == [1] * 70
    assert [y for x, y in zip(reports.x, reports.y, strict=True) if x >= 12] == [0] * 21
