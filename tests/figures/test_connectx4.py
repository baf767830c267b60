import io

import pytest

from emu.figures.connectx4 import TOLERANCE, Measured, figure, mega_per_s, read_curve
from emu.table import load


def test_every_point_of_the_curve_is_met() -> None:
    made = figure()
    assert [point.expected for point in made.points] == [
        13.649,
        13.575,
        12.768,
        12.906,
        10.959,
        7.948,
        5.502,
        5.126,
        4.391,
    ]
    for point in made.points:
        assert point.tolerance == TOLERANCE * point.expected
        assert point.ok, (point.name, point.measured)


def test_with_room_for_all_nothing_slides() -> None:
    table = load("connectx4", overrides=["context_cache.capacity=4096 entries"])
    assert mega_per_s(table, 500) == pytest.approx(mega_per_s(table, 1), rel=0.01)


def test_a_curve_is_read_as_it_stands() -> None:
    text = "queue_pairs,mega_operations_per_s,source\n10,1.5,a paper\n"
    assert read_curve(io.StringIO(text)) == [Measured(10, 1.5, "a paper")]
