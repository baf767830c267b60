"""The picture of `emu compare`: where the time of one request goes, a row a placement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emu.errors import EmuError
from emu.picture import DPI, write_picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    from emu.compare import Placement, StageTime

#: One hue a group, one lightness a stage. Neighbours stay apart for colour-blind readers too.
PALETTE: dict[str, dict[str, str]] = {
    "software": {
        "verb_post": "#f9d489",
        "descriptor_build": "#f0b03c",
        "verb_poll": "#c98a12",
    },
    "PCIe": {
        "doorbell": "#f2b8a2",
        "descriptor_dma": "#de7a56",
        "target_dma": "#c4502b",
        "response_dma": "#98381b",
        "completion": "#6b2510",
    },
    "ordering": {"order_serialisation": "#6a3d9a"},
    "NIC": {
        "nic_pipeline": "#2f79bd",
        "context_threshold": "#8fbce4",
        "ub_load_store": "#12395f",
    },
    "wire": {"wire": "#3d3d3d"},
    "bus": {"on_chip_bus": "#8fe3d5"},
    "memory": {"memory": "#e08fbd", "cpu_cache": "#d81b7a"},
}
#: Stages that are not ours, in the order in which they come.
OTHER = ("#5326d9", "#855747", "#e052e0", "#366363", "#40bf80", "#b87ab8")

#: Parts of a breakdown in which a request only waits: before the stage's own time, and after it.
WAITS_BEFORE = ("alignment", "interval", "arbitration", "ordering", "resource:")
WAITS_AFTER = ("backpressure",)

WAITING, HATCH = "#9a9a9a", "/////"

INK, GREY, PALE = "#1c1c1c", "#5f5f5f", "#e2e2e2"

# Lengths are in inches, as on a slide of 13.33 by 7.5, and sizes of text in points.
WIDTH, HEIGHT = 13.333, 7.5
MARGIN = 0.45
TITLE_HEIGHT, AXIS_HEIGHT = 0.82, 0.72
ROW_LEAST, ROW_MOST = 0.85, 1.80
HEADING_HEIGHT, LABEL_HEIGHT, LEADER, BETWEEN_ROWS = 0.26, 0.17, 0.11, 0.12
LEGEND_LINE, LEGEND_LINES, SWATCH = 0.235, 6, 0.16
TITLE, HEADING, TOTAL, SMALL, LABEL = 22, 13.5, 16, 11, 10.5

#: Times are shown in the first unit in which the longest row has at most five digits.
UNITS = (("ns", 10**3), ("µs", 10**6), ("ms", 10**9), ("s", 10**12))

#: How prose spells the words of a stage's name that it does not spell as they are.
NAMES = {"on_chip_bus": "on-chip bus", "ub_load_store": "UB load/store"}
ACRONYMS = {"cpu": "CPU", "dma": "DMA", "nic": "NIC", "pcie": "PCIe", "qp": "QP", "ub": "UB"}


def waterfall(placements: Sequence[Placement], file: Path) -> None:
    """Write the picture as PNG, SVG or PDF, by the suffix of `file`; same input, same bytes.

    The file is there in full or not at all. `EmuError` for another suffix, or where the file
    cannot be written.
    """
    write_picture(lambda: figure(placements), file)


def figure(placements: Sequence[Placement]) -> Figure:
    """The picture, drawn but not written; `EmuError` where there is nothing to draw."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    if not placements:
        raise EmuError("there is nothing to draw; expected at least one placement")
    drawing = Figure(figsize=(WIDTH, HEIGHT), dpi=DPI, facecolor="white")
    FigureCanvasAgg(drawing)
    _Picture(drawing, placements).draw()
    return drawing


def stage_colours(stages: Iterable[str]) -> dict[str, dict[str, str]]:
    """The colour of each of these kinds of stage, by group; others' get theirs as they come."""
    present = list(dict.fromkeys(stages))
    groups = {
        group: {stage: colour for stage, colour in colours.items() if stage in present}
        for group, colours in PALETTE.items()
    }
    known = {stage for colours in groups.values() for stage in colours}
    others = [stage for stage in present if stage not in known]
    groups["other"] = dict(zip(others, cycle(OTHER), strict=False))
    return {group: colours for group, colours in groups.items() if colours}


def spread(centres: Sequence[float], widths: Sequence[float], right: float) -> list[float]:
    """Centres moved as little as possible, for labels so wide to stand side by side in 0…right.

    Order is kept; the widths must fit. Labels that would overlap form a block, which stands where
    its members want to be on average (the least squares).
    """
    offsets: list[float] = []
    blocks: list[tuple[float, int]] = []  # where the members want it to start, added up; members
    width_so_far = 0.0
    for centre, width in zip(centres, widths, strict=True):
        offsets.append(width_so_far + width / 2)
        total, members = centre - offsets[-1], 1
        width_so_far += width
        while blocks and blocks[-1][0] * members >= total * blocks[-1][1]:
            total, members = total + blocks[-1][0], members + blocks[-1][1]
            blocks.pop()
        blocks.append((total, members))
    starts = [
        min(max(total / members, 0.0), right - width_so_far)
        for total, members in blocks
        for _ in range(members)
    ]
    return [start + offset for start, offset in zip(starts, offsets, strict=True)]


@dataclass(frozen=True)
class _Piece:
    """A stretch of a bar; without a stage, time in which the request only waits."""

    stage: str | None
    start_ps: int
    length_ps: int


@dataclass(frozen=True)
class _Line:
    """A line of text and how it is set."""

    text: str
    size: float
    weight: str = "normal"
    colour: str = INK


@dataclass(frozen=True)
class _Block:
    """A group in the legend; an entry without a colour is the sample of a wait."""

    heading: str
    entries: tuple[tuple[str, str | None], ...]
    width: float

    @property
    def height(self) -> float:
        return (1 + len(self.entries)) * LEGEND_LINE


class _Picture:
    """Draws on a page that is measured in inches from its lower left corner."""

    def __init__(self, drawing: Figure, placements: Sequence[Placement]) -> None:
        self.drawing = drawing
        self.placements = placements
        self.page = drawing.add_axes((0, 0, 1, 1), zorder=1)
        self.page.set_axis_off()
        self._widths: dict[_Line, float] = {}
        self.groups = stage_colours(
            stage.stage
            for placement in placements
            for stage in placement.stages
            if any(piece.stage for piece in _pieces(stage))
        )
        self.colours = {
            stage: colour for group in self.groups.values() for stage, colour in group.items()
        }
        self.operations = list(dict.fromkeys(placement.operation for placement in placements))
        self.longest_ps = max(1, *(placement.emulated_ps for placement in placements))
        self.unit, self.unit_ps = next(
            (unit for unit in UNITS if self.longest_ps < 10**5 * unit[1]), UNITS[-1]
        )

    def draw(self) -> None:
        """Title, a row for each placement, the time axis and the legend, from top to bottom."""
        legend = self._legend()
        legend_height = (
            sum(max((block.height for block in line), default=0.0) + 0.1 for line in legend) + 0.2
        )
        fixed = TITLE_HEIGHT + AXIS_HEIGHT + legend_height
        row = min(ROW_MOST, max(ROW_LEAST, (HEIGHT - fixed) / len(self.placements)))
        # More rows than a slide has room for make the picture taller, not the text smaller.
        height = max(HEIGHT, fixed + row * len(self.placements))
        self.drawing.set_size_inches(WIDTH, height)
        self.page.set_xlim(0, WIDTH)
        self.page.set_ylim(0, height)

        totals = [self._totals(placement) for placement in self.placements]
        beside = max(self._width(line) for lines in totals for line in lines) + 0.15
        self.inch_ps = self.longest_ps / (WIDTH - 2 * MARGIN - beside)

        top = height - TITLE_HEIGHT
        title = self._shortened(_Line(self._title(), TITLE, "bold"), WIDTH - 2 * MARGIN)
        self._text(MARGIN, height - 0.56, title)
        for placement, lines in zip(self.placements, totals, strict=True):
            self._row(placement, lines, top, row)
            top -= row
        self._time_axis(top, height)
        self._draw_legend(legend, top - AXIS_HEIGHT)

    def _title(self) -> str:
        sizes = dict.fromkeys(placement.size_bytes for placement in self.placements)
        what = " or ".join(words(operation) for operation in self.operations)
        return f"One {' or '.join(map(_bytes, sizes))} remote {what}, alone: where the time goes"

    def _totals(self, placement: Placement) -> tuple[_Line, ...]:
        beside = f"derived {self._number(placement.derived_ps)}"
        fastest_ps = min(placement.emulated_ps for placement in self.placements)
        if len(self.placements) > 1 and fastest_ps > 0:
            ratio = placement.emulated_ps / fastest_ps
            beside = f"{ratio:.{2 if ratio < 100 else 0}f}× · {beside}"
        return (
            _Line(f"{self._number(placement.emulated_ps)} {self.unit}", TOTAL, "bold"),
            _Line(beside, SMALL, colour=GREY),
        )

    def _row(
        self, placement: Placement, totals: tuple[_Line, ...], top: float, height: float
    ) -> None:
        heading = self._shortened(_Line(placement.title, HEADING, "bold"), WIDTH - 2 * MARGIN - 3)
        self._text(MARGIN, top - 0.19, heading)
        named = placement.table
        if len(self.operations) > 1:
            named += f", {words(placement.operation)}"
        name = self._shortened(_Line(named, SMALL, colour=GREY), 2.8)
        self._text(MARGIN + self._width(heading) + 0.15, top - 0.19, name)

        leader = LEADER + 0.15 * (height - ROW_LEAST)
        bar_top = top - HEADING_HEIGHT - LABEL_HEIGHT - leader
        bar_height = bar_top - (top - height) - BETWEEN_ROWS
        narrow: list[_Piece] = []
        for piece in (piece for stage in placement.stages for piece in _pieces(stage)):
            self._bar(piece, bar_top, bar_height)
            if piece.stage and not self._label_inside(piece, bar_top, bar_height):
                narrow.append(piece)

        beside = max(self._width(line) for line in totals) + 0.15
        right = self._labels_above(narrow, bar_top, leader, WIDTH - MARGIN - beside)
        x = max(right, self._x(placement.emulated_ps)) + 0.13
        # In the middle of the bar, but never below it.
        lowest = bar_top - min(bar_height / 2 + 0.19, bar_height - 0.03)
        for line, y in zip(totals, (lowest + 0.21, lowest), strict=True):
            # The grid must not run through it.
            self._text(x, y, line).set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 1})

    def _bar(self, piece: _Piece, top: float, height: float) -> None:
        width = piece.length_ps / self.inch_ps
        how: dict[str, Any] = {"facecolor": WAITING, "edgecolor": "white", "linewidth": 0.8}
        if piece.stage is None:
            # Waits are often a few pixels wide; that they hang out of the bar makes them visible.
            height += 0.07
            how["hatch"] = HATCH if width >= 0.15 else None
        else:
            how["facecolor"] = self.colours[piece.stage]
        if width < 0.05:
            # A white gap between stages would eat this one.
            how |= {"edgecolor": how["facecolor"], "linewidth": 0.6}
        self.page.barh(top - height / 2, width, height, left=self._x(piece.start_ps), **how)

    def _label_inside(self, piece: _Piece, top: float, height: float) -> bool:
        """Name and time of a stage in its bar, or its time alone; false where neither fits."""
        assert piece.stage is not None  # waits have no label
        ink = ink_on(self.colours[piece.stage])
        name = _Line(words(piece.stage), LABEL, colour=ink)
        time = _Line(self._number(piece.length_ps), LABEL, "bold", ink)
        room = piece.length_ps / self.inch_ps - 0.08
        x, middle = self._x(piece.start_ps + piece.length_ps / 2), top - height / 2
        if self._width(time) > room:
            return False
        if height >= 0.34 and self._width(name) <= room:
            self._text(x, middle + 0.035, name, ha="center")
            self._text(x, middle - 0.135, time, ha="center")
        else:
            self._text(x, middle - 0.05, time, ha="center")
        return True

    def _labels_above(
        self, pieces: list[_Piece], bar_top: float, leader: float, right: float
    ) -> float:
        """Times of stages that are too narrow for them; returns where the last one ends."""
        labels = [(piece, _Line(self._number(piece.length_ps), LABEL)) for piece in pieces]
        widths = {piece: self._width(line) + 0.07 for piece, line in labels}
        # Where there are too many, the shortest stages go without.
        while sum(widths.values()) > right - MARGIN:
            del widths[min(widths, key=lambda piece: piece.length_ps)]
        labels = [(piece, line) for piece, line in labels if piece in widths]
        centres = [self._x(piece.start_ps + piece.length_ps / 2) for piece, _ in labels]
        places = spread(
            [centre - MARGIN for centre in centres],
            [widths[piece] for piece, _ in labels],
            right - MARGIN,
        )
        end = MARGIN
        for (piece, line), centre, place in zip(labels, centres, places, strict=True):
            x = MARGIN + place
            self.page.plot((centre, x), (bar_top, bar_top + leader), color=GREY, linewidth=0.6)
            self._text(x, bar_top + leader + 0.015, line, ha="center")
            end = x + widths[piece] / 2
        return end

    def _time_axis(self, bottom: float, height: float) -> None:
        width = self.longest_ps / self.inch_ps
        place = (
            MARGIN / WIDTH,
            bottom / height,
            width / WIDTH,
            1 - (bottom + TITLE_HEIGHT) / height,
        )
        axis = self.drawing.add_axes(place, zorder=0)
        axis.set_xlim(0, self.longest_ps / self.unit_ps)
        style_time_axis(axis, f"time since the request was submitted ({self.unit})")

    def _legend(self) -> list[list[_Block]]:
        """The groups that occur, broken into lines as wide as the page."""
        groups: list[tuple[str, list[tuple[str, str | None]]]] = [
            (group, [(words(stage), colour) for stage, colour in colours.items()])
            for group, colours in self.groups.items()
        ]
        waits = [part for part in self._waits() if part]
        if waits:
            groups.append(("waiting", [(part.replace("_", " "), None) for part in waits]))
        lines: list[list[_Block]] = [[]]
        room = WIDTH - 2 * MARGIN
        for group, entries in groups:
            for first in range(0, len(entries), LEGEND_LINES):
                block = self._block(group, entries[first : first + LEGEND_LINES])
                if lines[-1] and sum(other.width for other in lines[-1]) + block.width > room:
                    lines.append([])
                lines[-1].append(block)
        return lines

    def _waits(self) -> list[str]:
        parts = (
            part
            for placement in self.placements
            for stage in placement.stages
            for part, time_ps in stage.parts.items()
            if time_ps and part.startswith(WAITS_BEFORE + WAITS_AFTER)
        )
        return list(dict.fromkeys(parts))

    def _block(self, group: str, entries: list[tuple[str, str | None]]) -> _Block:
        heading = _Line(group, SMALL, "bold", GREY)
        shown = [
            (self._shortened(_Line(text, SMALL), 2.5).text, colour) for text, colour in entries
        ]
        widest = max(SWATCH + 0.07 + self._width(_Line(text, SMALL)) for text, _ in shown)
        return _Block(group, tuple(shown), max(widest, self._width(heading)) + 0.28)

    def _draw_legend(self, lines: list[list[_Block]], top: float) -> None:
        for line in lines:
            x = MARGIN
            for block in line:
                y = top - 0.17
                self._text(x, y, _Line(block.heading, SMALL, "bold", GREY))
                for text, colour in block.entries:
                    y -= LEGEND_LINE
                    how: dict[str, Any] = {"facecolor": colour}
                    if colour is None:
                        how = {"facecolor": WAITING, "edgecolor": "white", "hatch": HATCH}
                    self.page.barh(y + 0.055, SWATCH, SWATCH, left=x, linewidth=0, **how)
                    self._text(x + SWATCH + 0.07, y, _Line(text, SMALL))
                x += block.width
            top -= max((block.height for block in line), default=0.0) + 0.1

    def _x(self, time_ps: float) -> float:
        return MARGIN + time_ps / self.inch_ps

    def _number(self, time_ps: int) -> str:
        """A time in the picture's unit, to the whole where it has two digits, else to a tenth."""
        time = time_ps / self.unit_ps
        if time >= 10 or time == int(time):
            return f"{time:.0f}"
        return f"{time:.1f}" if time >= 0.095 else f"{time:.1g}"

    def _text(self, x: float, y: float, line: _Line, ha: str = "left") -> Text:
        # What looks like TeX in a title is text as well.
        return self.page.text(
            x,
            y,
            line.text,
            size=line.size,
            weight=line.weight,
            color=line.colour,
            ha=ha,
            va="baseline",
            parse_math=False,
        )

    def _width(self, line: _Line) -> float:
        width = self._widths.get(line)
        if width is None:
            probe = self._text(0, 0, line)
            width = self._widths[line] = probe.get_window_extent().width / DPI
            probe.remove()
        return width

    def _shortened(self, line: _Line, room: float) -> _Line:
        text = line.text
        while self._width(line) > room:
            text = text[:-1]
            line = _Line(text.rstrip() + "…", line.size, line.weight, line.colour)
        return line


def _pieces(stage: StageTime) -> list[_Piece]:
    """What a stage adds to its bar: the wait for it, its own time, and the wait to leave it."""
    before = sum(ps for part, ps in stage.parts.items() if part.startswith(WAITS_BEFORE))
    after = sum(ps for part, ps in stage.parts.items() if part.startswith(WAITS_AFTER))
    own = stage.emulated_ps - before - after
    pieces = (
        _Piece(None, stage.start_ps, before),
        _Piece(stage.stage, stage.start_ps + before, own),
        _Piece(None, stage.start_ps + before + own, after),
    )
    return [piece for piece in pieces if piece.length_ps > 0]


def style_time_axis(axis: Axes, label: str) -> None:
    """Ticks at times within the limits, a grid over them and what they are below."""
    first, last = axis.get_xlim()
    axis.set_yticks([])
    # Without the ticks beyond both ends, which matplotlib makes and then does not draw.
    axis.set_xticks([tick for tick in axis.get_xticks() if first <= tick <= last])
    axis.ticklabel_format(axis="x", style="plain", useOffset=False)
    axis.spines[["left", "right", "top"]].set_visible(False)
    axis.spines["bottom"].set_color(GREY)
    axis.tick_params(labelsize=SMALL, labelcolor=INK, color=GREY)
    axis.grid(axis="x", color=PALE, linewidth=0.8)
    axis.set_xlabel(label, fontsize=SMALL)


def words(name: str) -> str:
    """A name of a table as prose has it: `descriptor_dma` is descriptor DMA."""
    return NAMES.get(name) or " ".join(ACRONYMS.get(word, word) for word in name.split("_"))


def _bytes(count: int) -> str:
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count and count % size == 0:
            return f"{count // size} {unit}"
    return f"{count} B"


def ink_on(colour: str) -> str:
    """Black or white, whichever can be read on a colour."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return INK if 0.299 * red + 0.587 * green + 0.114 * blue > 130 else "white"
