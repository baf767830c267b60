"""The picture of a sweep: results against one axis, a line for each of the other values."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import radians, sin
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emu.errors import EmuError, did_you_mean, listed
from emu.line_styles import styles
from emu.picture import DPI, check_picture_file, write_picture
from emu.plot import GREY, HEADING, HEIGHT, INK, MARGIN, PALE, SMALL, TITLE, UNITS, WIDTH
from emu.sweep.swept import Column, Swept, read_swept

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: What can be drawn upwards: the result, and what it is called.
HEIGHTS = {
    "rate": ("rate_per_s", "Rate"),
    "mean": ("mean_ps", "Mean latency"),
    "p50": ("p50_ps", "Median latency"),
    "p99": ("p99_ps", "99th percentile of latency"),
    "p999": ("p999_ps", "99.9th percentile of latency"),
    "max": ("max_ps", "Largest latency"),
}
USUAL = ("rate", "mean")

RATE_UNITS = (("G/s", 1e9), ("M/s", 1e6), ("k/s", 1e3), ("/s", 1.0))
SIZE_UNITS = (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10))

# Inches, as in emu.plot.
TOP, PANEL_TOP, BETWEEN, LEFT, BELOW = 0.56, 1.42, 0.75, 0.55, 0.75
LINE, LEGEND_LINES, SAMPLE = 0.235, 6, 0.38
#: From here on a scale is logarithmic: the largest value over the smallest.
WIDE = 20
MOST_TICKS = 14
#: Of a value in the legend.
MOST_LETTERS = 28
#: Degrees by which names stand that are too long to stand level.
TILT = 20


def plot_sweep(file: Path, x: str | None, y: str | None, out: Path) -> None:
    """Draws the file of a sweep as PNG, SVG or PDF; `EmuError` where that cannot be done."""
    if y is not None and y not in HEIGHTS:
        hint = did_you_mean(y, HEIGHTS)
        raise EmuError(
            f"--y {y}: '{y}' cannot be drawn; expected {listed(HEIGHTS)}"
            + (f"; {hint}" if hint else "")
        )
    check_picture_file(out)
    shown = USUAL if y is None else (y,)
    swept = read_swept(file, [HEIGHTS[name][0] for name in shown])
    picture = _Picture(swept, _across(swept.columns, x), shown)
    write_picture(picture.drawn, out)


def _across(columns: tuple[Column, ...], wanted: str | None) -> Column:
    """The column that goes to the right: the one that is wanted, or the first with numbers."""
    if wanted is not None:
        for column in columns:
            if column.name == wanted:
                return column
        names = [column.name for column in columns]
        hint = did_you_mean(wanted, names)
        raise EmuError(
            f"--x {wanted}: the file has no such axis; expected {listed(names)}"
            + (f"; {hint}" if hint else "")
        )
    varied = [column for column in columns if len(column.texts) > 1] or columns[-1:]
    # A seed is a number, but its order means nothing.
    return min(varied, key=lambda column: (column.numbers is None, column.name == "seed"))


def is_geometric(numbers: Sequence[float]) -> bool:
    """Whether values stand more evenly on a logarithmic scale than on a plain one."""
    ordered = sorted(set(numbers))
    if len(ordered) < 2 or ordered[0] <= 0:
        return False
    if len(ordered) == 2:
        return ordered[1] / ordered[0] >= WIDE
    steps = [after - before for before, after in pairwise(ordered)]
    ratios = [after / before for before, after in pairwise(ordered)]
    return max(ratios) / min(ratios) < max(steps) / min(steps)


class _Picture:
    """Draws on a page that is measured in inches from its lower left corner."""

    def __init__(self, swept: Swept, across: Column, shown: Sequence[str]) -> None:
        self._swept = swept
        self._across = across
        self._shown = shown
        others = [column for column in swept.columns if column is not across]
        self._fixed = [column for column in others if len(column.texts) == 1]
        # Between things that are no numbers there is nothing, so no line leads there.
        self._joined = across.numbers is not None
        varied = [column for column in others if len(column.texts) > 1]
        self._styles = styles(varied, dashes=self._joined)
        self._numbers = across.numbers or tuple(range(len(across.texts)))

    def drawn(self) -> Figure:
        """The picture."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        drawing = Figure(figsize=(WIDTH, HEIGHT), dpi=DPI, facecolor="white")
        FigureCanvasAgg(drawing)
        self._page = drawing.add_axes((0, 0, 1, 1), zorder=0)
        self._page.set_axis_off()
        self._page.set_xlim(0, WIDTH)
        self._page.set_ylim(0, HEIGHT)
        title = self._title()
        fits = (WIDTH - 2 * MARGIN) / self._width(title, weight="bold")
        self._text(MARGIN, HEIGHT - TOP, title, min(TITLE, SMALL * fits), weight="bold")
        self._text(MARGIN, HEIGHT - TOP - 0.3, self._subtitle(), SMALL, color=GREY)
        panels = len(self._shown)
        width = (WIDTH - 2 * MARGIN - LEFT - (panels - 1) * (BETWEEN + LEFT)) / panels
        labels = self._labels()
        widest = self._width(max(labels, key=len)) + 0.12
        tilted = not self._joined and widest * len(labels) > width
        if self._joined:
            # Not every value has a label where they would run into one another.
            every = max(1, -(-int(widest * len(labels) * DPI) // int(width * DPI)))
            labels = [label if at % every == 0 else "" for at, label in enumerate(labels)]
        below = BELOW + (widest * sin(radians(TILT)) if tilted else 0)
        bottom = MARGIN + self._legend() + below
        for number, name in enumerate(self._shown):
            left = MARGIN + LEFT + number * (width + BETWEEN + LEFT)
            axes = drawing.add_axes(
                (
                    left / WIDTH,
                    bottom / HEIGHT,
                    width / WIDTH,
                    (HEIGHT - PANEL_TOP - bottom) / HEIGHT,
                ),
                zorder=1,
            )
            self._panel(axes, name)
            self._x_axis(axes, labels, tilted=tilted)
            heading = f"{HEIGHTS[name][1]} ({self._unit(name)[0]})"
            self._text(left - LEFT, HEIGHT - PANEL_TOP + 0.16, heading, HEADING, weight="bold")
        return drawing

    def _title(self) -> str:
        what = " and ".join(HEIGHTS[name][1] for name in self._shown)
        what = what[0] + what[1:].lower()
        tables = self._swept.columns[0]
        of = f" of {tables.texts[0]}" if tables in self._fixed else ""
        return f"{what}{of} against {_called(self._across, with_unit=False)}"

    def _subtitle(self) -> str:
        fixed = [one for one in self._fixed if one is not self._swept.columns[0]]
        return ", ".join(f"{one.name} {_value(one, 0)}" for one in fixed)

    def _unit(self, name: str) -> tuple[str, float]:
        values = [value for value in self._swept.results[HEIGHTS[name][0]] if value is not None]
        largest = max(values, default=0.0)
        if name == "rate":
            return next((unit for unit in RATE_UNITS if largest >= unit[1]), RATE_UNITS[-1])
        return next((unit for unit in UNITS if largest < 10**5 * unit[1]), UNITS[-1])

    def _panel(self, axes: Axes, name: str) -> None:
        scale = self._unit(name)[1]
        heights: list[float] = []
        for place, line in self._lines(HEIGHTS[name][0]).items():
            points = sorted((self._numbers[across], height / scale) for across, height in line)
            heights += [height for _, height in points]
            columns = [column.name for column in self._swept.columns]
            how = self._styles.of(dict(zip(columns, place, strict=True)))
            if not self._joined:
                how |= {"linestyle": "none", "markersize": 7}
            xs, ys = zip(*points, strict=True)
            axes.plot(xs, ys, **{"linewidth": 1.6, "markersize": 4, **how})
        self._y_axis(axes, heights)
        axes.spines[["left", "right", "top"]].set_visible(False)
        axes.spines["bottom"].set_color(GREY)
        axes.tick_params(labelsize=SMALL, labelcolor=INK, color=GREY)
        axes.tick_params(axis="y", which="both", length=0, labelsize=SMALL)
        axes.grid(color=PALE, linewidth=0.8)
        axes.set_axisbelow(True)

    def _lines(self, result: str) -> dict[tuple[int, ...], list[tuple[int, float]]]:
        """The points of each line, by its values; its place on this axis counts as 0."""
        at = self._swept.columns.index(self._across)
        lines: dict[tuple[int, ...], list[tuple[int, float]]] = {}
        for place, height in zip(self._swept.places, self._swept.results[result], strict=True):
            if height is not None:
                key = (*place[:at], 0, *place[at + 1 :])
                lines.setdefault(key, []).append((place[at], height))
        return lines

    def _labels(self) -> list[str]:
        """The values to the right, in the order in which they stand there."""
        places = sorted(range(len(self._numbers)), key=self._numbers.__getitem__)
        with_unit = self._across.name == "size"
        return [_value(self._across, place, with_unit=with_unit) for place in places]

    def _x_axis(self, axes: Axes, labels: list[str], *, tilted: bool) -> None:
        numbers = self._across.numbers
        axes.set_xlabel(_called(self._across), fontsize=SMALL)
        if numbers is None:
            axes.set_xlim(-0.5, len(labels) - 0.5)
        elif is_geometric(numbers):
            axes.set_xscale("log")
        elif len(numbers) > MOST_TICKS:
            return
        how: dict[str, Any] = {}
        if tilted:
            how = {"rotation": TILT, "rotation_mode": "anchor", "ha": "right"}
        axes.set_xticks(sorted(self._numbers), labels, **how)
        axes.set_xticks([], minor=True)

    def _y_axis(self, axes: Axes, heights: Sequence[float]) -> None:
        least, most = min(heights, default=0.0), max(heights, default=1.0)
        if least > 0 and most / least > WIDE:
            from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

            axes.set_yscale("log")
            axes.yaxis.set_major_locator(LogLocator(10, subs=(1, 2, 5), numticks=30))
            axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.12g}"))
            axes.yaxis.set_minor_formatter(NullFormatter())
        else:
            axes.set_ylim(0, most * 1.06 or 1)
            axes.ticklabel_format(axis="y", style="plain", useOffset=False)

    def _legend(self) -> float:
        """Draws what tells the lines apart, side by side; returns its height."""
        told = self._styles.told
        longest = max((len(column.texts) for column in told.values()), default=0)
        top = MARGIN + LINE * min(LEGEND_LINES, longest)
        x = MARGIN
        for how, column in told.items():
            x = self._block(how, column, x, top) + 0.3
        return top - MARGIN + LINE if told else 0.0

    def _block(self, how: str, column: Column, left: float, top: float) -> float:
        """Draws what tells the values of one column; returns where it ends."""
        name = _called(column, with_unit=False)
        self._text(left, top, name, SMALL, weight="bold", color=GREY)
        end = left + self._width(name, weight="bold")
        shown = _some(len(column.texts), 2 * LEGEND_LINES)
        for number, place in enumerate(shown):
            if number and number % LEGEND_LINES == 0:
                left = end + 0.2
            y = top - (number % LEGEND_LINES + 1) * LINE
            style = {"linewidth": 1.6, "markersize": 4, **self._styles.sample(how, place)}
            if not self._joined:
                style |= {"linestyle": "none", "markersize": 7}
            xs = (left, left + SAMPLE / 2, left + SAMPLE)
            self._page.plot(xs, (y + 0.055,) * 3, markevery=[1], **style)
            label = _value(column, place)
            if len(label) > MOST_LETTERS:
                label = label[: MOST_LETTERS - 1] + "…"
            self._text(left + SAMPLE + 0.08, y, label, SMALL)
            end = max(end, left + SAMPLE + 0.08 + self._width(label))
        return end

    def _text(self, x: float, y: float, text: str, size: float, **how: Any) -> None:
        # What looks like TeX is text as well.
        self._page.text(
            x, y, text, **{"size": size, "color": INK, "va": "baseline", "parse_math": False, **how}
        )

    def _width(self, text: str, **how: Any) -> float:
        probe = self._page.text(0, 0, text, size=SMALL, parse_math=False, **how)
        width = probe.get_window_extent().width / DPI
        probe.remove()
        return float(width)


def _some(count: int, most: int) -> list[int]:
    """Places from the first to the last, all or so many of them."""
    if count <= most:
        return list(range(count))
    return [place * (count - 1) // (most - 1) for place in range(most)]


def _called(column: Column, *, with_unit: bool = True) -> str:
    """A column as labels have it."""
    names = {"outstanding": "requests outstanding", "op": "operation"}
    name = names.get(column.name, column.name)
    unit = column.unit if column.numbers is not None else ""
    return f"{name} ({unit})" if unit and with_unit else name


def _value(column: Column, place: int, *, with_unit: bool = True) -> str:
    """A value of a column as labels have it."""
    text = column.texts[place]
    if column.name == "size":
        count = int(text)
        for unit, size in SIZE_UNITS:
            if count and count % size == 0:
                return f"{count // size} {unit}"
        return f"{count} B"
    if column.numbers is not None and not with_unit:
        return f"{column.numbers[place]:.12g}"
    return text
