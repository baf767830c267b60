"""One packet of eight is lost: FIGURES by hand, and the figure."""

from __future__ import annotations

import pytest

from emu.figures.loss import GO_BACK_N, SELECTIVE_REPEAT, figure, send


def test_every_point_is_what_is_expected() -> None:
    made = figure()
    assert [point.name for point in made.points if not point.ok] == []
    # 82 ns; two numbers for each packet lost by go-back-N, and four by selective repeat.
    assert len(made.points) == 1 + 8 * 2 + 8 * 4
    assert [tuple(series.y) for series in made.series] == [
        (32768, 28672, 24576, 20480, 16384, 12288, 8192, 4096),
        (4096,) * 8,
    ]


@pytest.mark.parametrize("lost", range(8))
def test_what_is_sent_again(lost: int) -> None:
    again = {
        recovery: send(recovery, [lost]).counts["bytes_repeated"]
        for recovery in (GO_BACK_N, SELECTIVE_REPEAT)
    }
    assert again == {GO_BACK_N: (8 - lost) * 4096, SELECTIVE_REPEAT: 4096}


def test_vectors_before_the_gap_are_there_and_those_behind_it_are_held() -> None:
    # Packet 2, of the second vector, is asked for 2 µs after packet 3 is sent, and then comes.
    held = send(SELECTIVE_REPEAT, [2])
    assert held.delivered_ns == [1163.84, 3409.6, 3409.6, 3409.6]
    assert held.held_ns == [0, 0, 3409.6 - 1491.52, 3409.6 - 1655.36]
    back = send(GO_BACK_N, [2])
    assert back.delivered_ns == [1163.84, 3491.52, 3655.36, 3819.2]
    assert back.held_ns == [0, 0, 0, 0]
