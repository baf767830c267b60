"""The picture of a figure: same bytes each time, and nothing leaves the page."""

from pathlib import Path

import pytest

from emu.figures.model import Figure, Point, Series
from emu.plot_figure import draw, plot_figure

POINT = Point("reads, 64 tags", "M/s", 60.9, 60.95, 0.3, "a test")
LINE = Series("reads", [1, 2, 4], [1.0, 2.0, 4.0])


def figure(points: int = 3, lines: int = 2, *, name: str = "line", log: bool = False) -> Figure:
    series = tuple(Series(f"{name} {n}", [1, 10, 100], [1, 10 + n, 100]) for n in range(lines))
    return Figure("made-up", "A figure", (POINT,) * points, series, "x", "y", log, log)


CASES = {
    "usual": figure(),
    "logarithmic": figure(log=True),
    "many": figure(40, 12),
    "no points": figure(0),
    "no lines": figure(lines=0),
    "long names": figure(lines=6, name="a line whose name is as long as a sentence about it"),
    "a long title": Figure("long", "What a title says " * 9, (POINT,), (LINE,), "x", "y"),
    "off": Figure(
        "off",
        "Off",
        (
            Point("too much", "M/s", 1, 9, 1, "a test"),
            Point("exact, and not", "", 11, 12, 0, "a test"),
            Point("exact, and less", "", 11, 10, 0, "a test"),
            Point("a name that is far too long to stand beside its own band " * 3, "", 1, 1, 0, ""),
        ),
        (LINE,),
        "x",
        "y",
    ),
    "below zero": Figure("low", "Low", (), (Series("low", [0.5, 1.5], [-1, 1]),), "x", "y"),
}


@pytest.mark.parametrize("name", list(CASES))
def test_all_text_is_on_the_page(name: str) -> None:
    drawing = draw(CASES[name])
    drawing.canvas.draw()
    width, height = drawing.get_size_inches() * drawing.dpi
    page, *axes = drawing.axes
    labels = [label for axis in axes for label in (axis.xaxis.label, axis.yaxis.label)]
    legend = [text for one in drawing.legends for text in one.get_texts()]
    for text in (*page.texts, *labels, *legend):
        box = text.get_window_extent()
        assert box.x0 >= 0, text.get_text()
        assert box.x1 <= width, text.get_text()
        assert box.y0 >= 0, text.get_text()
        assert box.y1 <= height, text.get_text()


@pytest.mark.parametrize("name", list(CASES))
def test_names_and_bands_of_points_do_not_touch(name: str) -> None:
    drawing = draw(CASES[name])
    page = drawing.axes[0]
    bands = [bar.get_window_extent() for bar in page.patches]
    for text in page.texts:
        box = text.get_window_extent()
        assert not any(box.overlaps(band) for band in bands), text.get_text()


@pytest.mark.parametrize("suffix", ("png", "svg", "pdf"))
def test_the_same_figure_gives_the_same_bytes(tmp_path: Path, suffix: str) -> None:
    first, second = tmp_path / f"first.{suffix}", tmp_path / f"second.{suffix}"
    plot_figure(CASES["usual"], first)
    plot_figure(CASES["usual"], second)
    assert first.read_bytes() == second.read_bytes()


def test_where_there_are_too_many_points_those_that_are_off_are_listed() -> None:
    points = [Point(f"point {n}", "", 1, 1, 0, "") for n in range(40)]
    points[33] = Point("wrong", "", 1, 2, 0, "")
    drawing = draw(Figure("many", "Many", tuple(points), (LINE,), "x", "y"))
    texts = [text.get_text() for text in drawing.axes[0].texts]
    assert "wrong" in texts
    assert "point 12" in texts
    assert "point 13" not in texts
    assert texts[-1] == "and 26 more, of which none off"


def test_numbers_start_at_zero_unless_they_go_below() -> None:
    assert draw(CASES["usual"]).axes[1].get_ylim()[0] == 0
    assert draw(CASES["below zero"]).axes[1].get_ylim()[0] < -1
