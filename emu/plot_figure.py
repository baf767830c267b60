"""The picture of a figure: its lines, and beside them each number against what is expected."""

from __future__ import annotations

from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emu.figures.model import Figure, Point
from emu.picture import DPI, write_picture
from emu.plot import GREY, INK, LABEL, MARGIN, PALE, SMALL, TITLE, WIDTH

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure as Drawing
    from matplotlib.text import Text

#: Colour, dash and mark: lines stay apart for colour-blind readers, and without colour.
LINES = (
    ("#2f79bd", "-", "o"),
    ("#c4502b", "-", "s"),
    ("#12395f", "--", "^"),
    ("#f0b03c", "--", "D"),
    ("#6a3d9a", "-.", "v"),
    ("#366363", "-.", "P"),
    ("#d81b7a", ":", "X"),
    ("#855747", ":", "*"),
)
HOLDS, OFF = "#2b8a5f", "#c1121f"

# Inches from the lower left corner of the page.
HEIGHT = 7.5
TOP, BOTTOM = 1.0, 0.85
LEFT, PLOT_WIDTH = 1.15, 6.6
LIST_LEFT, LIST_ROWS, ROW_MOST = 8.15, 14, 0.62
BAND_WIDTH, BAND_HEIGHT = 1.1, 0.11
LEGEND_LINE, LEGEND_COLUMNS = 0.26, 3
#: Letters that the legend has room for in a line; a line's sample is as wide as so many.
LEGEND_LETTERS, LEGEND_SWATCH = 96, 7


def plot_figure(figure: Figure, file: Path) -> None:
    """Write the picture as PNG, SVG or PDF, by the suffix of `file`; same input, same bytes."""
    write_picture(lambda: draw(figure), file)


def draw(figure: Figure) -> Drawing:
    """The picture, drawn but not written."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Drawing

    drawing = Drawing(figsize=(WIDTH, HEIGHT), dpi=DPI, facecolor="white")
    FigureCanvasAgg(drawing)
    page = drawing.add_axes((0, 0, 1, 1), zorder=1)
    page.set_axis_off()
    page.set_xlim(0, WIDTH)
    page.set_ylim(0, HEIGHT)
    title = _text(page, MARGIN, HEIGHT - 0.56, figure.title, TITLE, weight="bold")
    # A long one is set smaller, so that it has room.
    title.set_fontsize(
        min(TITLE, TITLE * (WIDTH - 2 * MARGIN) * DPI / title.get_window_extent().width)
    )
    _draw_lines(drawing, figure)
    _list_points(page, figure.points)
    return drawing


def _draw_lines(drawing: Drawing, figure: Figure) -> None:
    from matplotlib.ticker import MaxNLocator

    longest = max((len(series.name) for series in figure.series), default=1)
    columns = max(1, min(LEGEND_COLUMNS, LEGEND_LETTERS // (longest + LEGEND_SWATCH)))
    legend = LEGEND_LINE * -(-len(figure.series) // columns)
    bottom = BOTTOM + legend
    place = (LEFT / WIDTH, bottom / HEIGHT, PLOT_WIDTH / WIDTH, 1 - (bottom + TOP) / HEIGHT)
    axes = drawing.add_axes(place, zorder=2)
    for series, (colour, dash, mark) in zip(figure.series, cycle(LINES), strict=False):
        axes.plot(
            list(series.x),
            list(series.y),
            label=series.name,
            color=colour,
            linestyle=dash,
            marker=mark,
            markersize=5,
            linewidth=1.8,
        )
    if figure.x_log:
        axes.set_xscale("log")
    if figure.y_log:
        axes.set_yscale("log")
    for axis, is_log in ((axes.xaxis, figure.x_log), (axes.yaxis, figure.y_log)):
        _plain_ticks(axis, is_log)
    if not figure.x_log and all(isinstance(x, int) for series in figure.series for x in series.x):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if not figure.y_log and min((y for series in figure.series for y in series.y), default=0) >= 0:
        axes.set_ylim(bottom=0)
    axes.set_xlabel(figure.x_label, fontsize=SMALL, parse_math=False)
    axes.set_ylabel(figure.y_label, fontsize=SMALL, parse_math=False)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(GREY)
    axes.tick_params(which="both", labelsize=SMALL, labelcolor=INK, color=GREY)
    axes.grid(color=PALE, linewidth=0.8)
    axes.set_axisbelow(True)
    if figure.series:
        drawing.legend(
            *axes.get_legend_handles_labels(),
            loc="lower left",
            bbox_to_anchor=(LEFT / WIDTH, 0.12 / HEIGHT),
            ncols=columns,
            frameon=False,
            fontsize=LABEL,
            borderaxespad=0,
            handlelength=2.4,
        )


def _plain_ticks(axis: Axis, is_log: bool) -> None:
    """Numbers as they are read, and not as powers of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    if is_log:
        low, high = axis.get_view_interval()
        # Within a few powers of ten, steps of 1, 2 and 5; beyond that the powers alone.
        steps = (1.0, 2.0, 5.0) if high < low * 2000 else (1.0,)
        axis.set_major_locator(LogLocator(subs=steps))
        axis.set_minor_formatter(NullFormatter())
    axis.set_major_formatter(FuncFormatter(lambda value, _: _number(value)))


def _list_points(page: Axes, points: tuple[Point, ...]) -> None:
    """A row a point: its name, expected and measured value, and where it is in what is allowed."""
    right, top = WIDTH - MARGIN, HEIGHT - TOP
    _text(page, LIST_LEFT, top + 0.06, "expected and measured", SMALL, weight="bold")
    _text(page, right, top + 0.06, "allowed", SMALL, colour=GREY, ha="right")
    top -= 0.12
    shown = _shown(points)
    row = min(ROW_MOST, (top - BOTTOM / 2) / max(1, len(shown)))
    for point in shown:
        room = right - BAND_WIDTH - 0.15 - LIST_LEFT
        name = _cut(point.name, room)
        _text(page, LIST_LEFT, top - 0.15, name, LABEL, colour=INK if point.ok else OFF)
        values = f"{_number(point.expected)}  →  {_number(point.measured)} {point.unit}"
        _text(page, LIST_LEFT, top - 0.32, values.rstrip(), LABEL, colour=GREY)
        _band(page, point, right - BAND_WIDTH / 2, top - 0.21)
        top -= row
    if len(shown) < len(points):
        off = sum(not point.ok for point in points) - sum(not point.ok for point in shown)
        rest = f"and {len(points) - len(shown)} more, of which {off or 'none'} off"
        _text(page, LIST_LEFT, top - 0.15, rest, LABEL, colour=OFF if off else GREY)


def _shown(points: tuple[Point, ...]) -> list[Point]:
    """The points that the list has room for, in their order: first of all those that are off."""
    chosen = sorted(range(len(points)), key=lambda index: (points[index].ok, index))[:LIST_ROWS]
    return [points[index] for index in sorted(chosen)]


def _band(page: Axes, point: Point, x: float, y: float) -> None:
    """The tolerance as a band around what is expected, and what was measured as a dot."""
    half = BAND_WIDTH / 2 * 0.8
    difference = point.measured - point.expected
    if point.tolerance > 0:
        place = difference / point.tolerance * half
    else:
        place = half if difference > 0 else -half if difference < 0 else 0.0
        place *= 1.2
    place = max(-BAND_WIDTH / 2, min(BAND_WIDTH / 2, place))
    page.barh(y, 2 * half, BAND_HEIGHT, left=x - half, color=PALE, linewidth=0)
    page.plot((x, x), (y - 0.09, y + 0.09), color=GREY, linewidth=1)
    dot: dict[str, Any] = {"marker": "o", "markersize": 6, "color": HOLDS if point.ok else OFF}
    page.plot((x + place,), (y,), linestyle="none", **dot)


def _cut(text: str, room: float) -> str:
    """A name that leaves the band its room, at 13 letters an inch."""
    most = int(room * 13)
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _number(value: float) -> str:
    """Up to five significant digits, with commas, and without an exponent where that is short."""
    if abs(value) >= 1000:
        return f"{value:,.1f}".rstrip("0").rstrip(".") if abs(value) < 10**9 else f"{value:.4g}"
    return f"{value:.5g}"


def _text(
    page: Axes, x: float, y: float, text: str, size: float, *, colour: str = INK, **how: Any
) -> Text:
    return page.text(x, y, text, size=size, color=colour, va="baseline", parse_math=False, **how)
