"""The picture of a trace: a lane for each request, with what it did and waited for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emu.errors import EmuError
from emu.parts import BACKPRESSURE
from emu.picture import DPI, check_picture_file, write_picture
from emu.plot import (
    GREY,
    HEIGHT,
    INK,
    LABEL,
    MARGIN,
    SMALL,
    SWATCH,
    TITLE,
    UNITS,
    WAITING,
    WIDTH,
    ink_on,
    style_time_axis,
    words,
)
from emu.time import format_time
from emu.trace.events import Event, Kind
from emu.trace.header import Header
from emu.trace.stays import UNKNOWN, Piece
from emu.trace.swimlanes import Lane, Swimlanes, colours, legend, stages_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

#: More make lanes that cannot be told apart, or a picture that nobody can print.
MOST_REQUESTS = 500

#: The colour of a wait behind another request, and of what goes with it.
BEHIND = "#c1121f"
#: What a piece is to the eye, and the hatch of each.
WORK, TURN, LEAVE, HELD = "work", "for its turn", "to leave", "behind another request"
HATCHES = {TURN: "////", LEAVE: "\\\\\\\\", HELD: "xxx"}
MARKS: dict[str, dict[str, Any]] = {
    Kind.SAMPLED: {"marker": "D", "markerfacecolor": "white", "markeredgecolor": INK},
    Kind.VISIBLE: {"marker": "D", "markerfacecolor": INK, "markeredgecolor": INK},
    Kind.CONSUMED: {"marker": "o", "markerfacecolor": "#1f6fbf", "markeredgecolor": "white"},
    Kind.DROPPED: {"marker": "x", "markeredgecolor": BEHIND, "markeredgewidth": 1.8},
}

# Lengths are in inches.
HEAD, AXIS = 0.95, 0.62
ROW_LEAST, ROW_MOST = 0.06, 0.55
#: Lanes lower than this have no room for text, nor for arrows.
ROW_FOR_TEXT = 0.19
ROW_FOR_BANDS = 0.1
LABELS_MOST, LEGEND_LINE, BETWEEN = 2.3, 0.25, 0.3


def open_picture(path: Path, header: Header) -> Picture:
    """A PNG, SVG or PDF of at most `MOST_REQUESTS` requests; `LimitError` for one more."""
    return Picture(path, header)


def too_many(path: Path) -> str:
    """What is said of more requests than a picture shows."""
    return (
        f"{path}: a picture shows at most {MOST_REQUESTS} requests, and this trace has more; "
        "expected fewer, chosen by --request, --initiator or --from and --to"
    )


class Picture:
    """Collects the trace, and draws it when it is complete."""

    def __init__(self, path: Path, header: Header) -> None:
        check_picture_file(path)
        self._path = path
        self._header = header
        self._swimlanes = Swimlanes(MOST_REQUESTS, too_many(path))

    def tell(self, event: Event) -> None:
        """One more event; not earlier than the one before."""
        self._swimlanes.tell(event)

    def close(self, end_ps: int = 0) -> None:
        """Draws the picture; `EmuError` where there is nothing to draw."""
        self._swimlanes.finish(end_ps)
        if not self._swimlanes.lanes:
            raise EmuError(f"{self._path}: no request is in this trace; expected at least one")
        write_picture(self.figure, self._path)

    def figure(self) -> Figure:
        """The picture, drawn but not written."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        drawing = Figure(figsize=(WIDTH, HEIGHT), dpi=DPI, facecolor="white")
        FigureCanvasAgg(drawing)
        _Drawing(drawing, self._header, self._swimlanes).draw()
        return drawing


@dataclass(frozen=True, slots=True)
class _Look:
    """How a piece looks."""

    stage: str
    kind: str


class _Drawing:
    """Draws on a page that is measured in inches from its lower left corner."""

    def __init__(self, drawing: Figure, header: Header, swimlanes: Swimlanes) -> None:
        self.drawing = drawing
        self.header = header
        self.lanes = swimlanes.lanes
        self.page: Axes = drawing.add_axes((0, 0, 1, 1), zorder=1)
        self.page.set_axis_off()
        self.stages = stages_of(header, self.lanes)
        self.colours = colours(self.stages)
        self.from_ps = max(header.from_ps, min(lane.from_ps for lane in self.lanes))
        self.to_ps = max(swimlanes.end_ps, *(lane.to_ps for lane in self.lanes), self.from_ps + 1)
        self.pieces = [list(_pieces(lane, self.from_ps)) for lane in self.lanes]

    def draw(self) -> None:
        """Title, lanes, time axis and legend, from top to bottom."""
        entries = self._legend()
        below = AXIS + LEGEND_LINE * (1 + max(line for line, *_ in entries)) + 0.2
        count = len(self.lanes)
        self.row = min(ROW_MOST, max(ROW_LEAST, (HEIGHT - HEAD - below) / count))
        # As high as a slide; where lanes would be too low or too high for that, as is needed.
        self.height = HEAD + below + self.row * count
        self.drawing.set_size_inches(WIDTH, self.height)
        self.page.set_xlim(0, WIDTH)
        self.page.set_ylim(0, self.height)
        self.top = self.height - HEAD
        bottom = self.top - self.row * count

        self._head()
        self.left = MARGIN + self._labels() + 0.12
        self.inch_ps = (self.to_ps - self.from_ps) / (WIDTH - MARGIN - self.left)
        self._time_axis(bottom)
        self._bars()
        if self.row >= ROW_FOR_TEXT:
            self._names()
            self._arrows()
        self._marks()
        self._draw_legend(entries, bottom - AXIS)

    # -- head and sides ---------------------------------------------------------------------

    def _head(self) -> None:
        header, count = self.header, len(self.lanes)
        title = self._text(MARGIN, self.height - 0.5, header.title or header.table, TITLE, "bold")
        # A long one is set smaller, so that it has room.
        room = WIDTH - 2 * MARGIN
        title.set_fontsize(min(TITLE, TITLE * room / self._width(title)))
        about = (
            header.table,
            "1 request" if count == 1 else f"{count} requests",
            f"{format_time(self.from_ps)} to {format_time(self.to_ps)}".replace("us", "µs"),
            f"seed {header.seed}",
            f"digest {header.digest[:12]}" if header.digest else "",
            f"version {header.version}",
        )
        line = " · ".join(text for text in about if text)
        self._fitting(MARGIN, self.height - 0.76, line, SMALL, room, color=GREY)

    def _labels(self) -> float:
        """Numbers and operations at the left, as far as they have room; returns their width."""
        step = next(n for n in _steps() if n * self.row >= ROW_FOR_TEXT)
        widths = [0.0]
        for index, lane in enumerate(self.lanes):
            if index % step:
                continue
            y = self._middle(index) - 0.05
            number = self._text(MARGIN, y, str(lane.request), LABEL, "bold")
            widths.append(self._width(number))
        numbers = max(widths)
        for text in self.page.texts[-len(widths) + 1 :]:
            # At the right, so that units stand under units.
            text.set_horizontalalignment("right")
            text.set_x(MARGIN + numbers)
        if step > 1:
            return numbers
        widest = numbers
        for index, lane in enumerate(self.lanes):
            x, y = MARGIN + numbers + 0.1, self._middle(index) - 0.05
            room = LABELS_MOST - numbers - 0.1
            what = self._fitting(x, y, lane.what(), LABEL, room, color=GREY)
            widest = max(widest, numbers + 0.1 + self._width(what))
        return widest

    def _time_axis(self, bottom: float) -> None:
        unit, unit_ps = next((unit for unit in UNITS if self.to_ps < 10**5 * unit[1]), UNITS[-1])
        if self.to_ps < 10**4:
            unit, unit_ps = "ps", 1
        place = (
            self.left / WIDTH,
            bottom / self.height,
            (WIDTH - MARGIN - self.left) / WIDTH,
            (self.top - bottom) / self.height,
        )
        axis = self.drawing.add_axes(place, zorder=0)
        axis.set_xlim(self.from_ps / unit_ps, self.to_ps / unit_ps)
        axis.set_ylim(len(self.lanes), 0)
        for index in range(0, len(self.lanes) if self.row >= ROW_FOR_BANDS else 0, 2):
            axis.axhspan(index, index + 1, color="#f4f6f9", linewidth=0)
        axis.set_axisbelow(True)
        style_time_axis(axis, f"time ({unit})")

    # -- lanes ------------------------------------------------------------------------------

    def _bars(self) -> None:
        from matplotlib.collections import PolyCollection

        corners: dict[tuple[_Look, bool], list[Any]] = {}
        for index, pieces in enumerate(self.pieces):
            middle, half = self._middle(index), self._bar / 2
            for look, piece in pieces:
                left, right = self._x(piece.start_ps), self._x(piece.end_ps)
                box = [(x, middle + y) for x, y in _corners(left, right, half)]
                corners.setdefault((look, right - left >= 0.05), []).append(box)
        for (look, is_wide), boxes in corners.items():
            how = self._style(look, is_wide)
            self.page.add_collection(PolyCollection(boxes, **how), autolim=False)

    def _style(self, look: _Look, is_wide: bool) -> dict[str, Any]:
        colour = self.colours[look.stage]
        # A gap between stages would eat those that are a few pixels wide.
        gap = 0.8 if is_wide and self._bar > 0.1 else 0.0
        if look.kind == WORK:
            return {"facecolors": colour, "edgecolors": "white", "linewidths": gap}
        line = BEHIND if look.kind == HELD else colour
        how: dict[str, Any] = {"facecolors": _tint(colour), "edgecolors": line, "linewidths": 0.5}
        return how | ({"hatch": HATCHES[look.kind]} if is_wide else {"facecolors": _tint(line)})

    def _names(self) -> None:
        """The stage's name in its bar, where it has room."""
        widths = {name: self._width_of(words(name), LABEL) for name in self.colours}
        over = self._waits_over()
        for index, pieces in enumerate(self.pieces):
            # What marks and arrows would run through is left out.
            lane = self.lanes[index]
            marked = [self._x(ps) for kind in MARKS for ps in self._marked(lane, kind)]
            marked += [x for x, one, other in over if min(one, other) <= index <= max(one, other)]
            for look, piece in pieces:
                room, width = (piece.end_ps - piece.start_ps) / self.inch_ps, widths[look.stage]
                x = self._x((piece.start_ps + piece.end_ps) / 2)
                is_free = all(abs(at - x) > width / 2 + 0.08 for at in marked)
                if look.kind == WORK and width < room - 0.1 and is_free:
                    ink = ink_on(self.colours[look.stage])
                    y = self._middle(index) - 0.05
                    self._text(x, y, words(look.stage), LABEL, color=ink, ha="center")

    def _arrows(self) -> None:
        """From the lane of the request that was waited for, when the wait was over."""
        for x, other, index in self._waits_over():
            down = -1 if other < index else 1
            self.page.annotate(
                "",
                (x, self._middle(index) - down * self._bar / 2),
                (x, self._middle(other)),
                arrowprops={
                    "arrowstyle": "-|>,head_length=0.35,head_width=0.18",
                    "color": BEHIND,
                    "linewidth": 1.2,
                    "shrinkA": 0,
                    "shrinkB": 0,
                },
            )
            self.page.plot(x, self._middle(other), marker="o", markersize=3.5, color=BEHIND)

    def _waits_over(self) -> list[tuple[float, int, int]]:
        """Place in time, lane that was waited for and lane that waited, of each wait."""
        rows = {lane.request: index for index, lane in enumerate(self.lanes)}
        return [
            (self._x(piece.end_ps), rows[piece.behind], index)
            for index, pieces in enumerate(self.pieces)
            for _, piece in pieces
            if piece.behind in rows and not piece.is_open
        ]

    def _marks(self) -> None:
        size = min(6.0, 72 * self._bar * 0.6)
        for kind, how in MARKS.items():
            at = [
                (self._x(time_ps), self._middle(index))
                for index, lane in enumerate(self.lanes)
                for time_ps in self._marked(lane, kind)
            ]
            if at:
                x, y = zip(*at, strict=True)
                self.page.plot(x, y, linestyle="none", markersize=size, **how)

    # -- legend -----------------------------------------------------------------------------

    def _legend(self) -> list[tuple[int, float, str, str, dict[str, Any] | None]]:
        """Line, place, text and weight of each entry, and how its sample looks, if it has one."""
        groups: list[tuple[str, list[tuple[str, dict[str, Any]]]]] = [
            (group, [(name, {"facecolor": colour}) for name, colour in entries.items()])
            for group, entries in legend(self.stages, self.lanes).items()
        ]
        kinds = {look.kind for pieces in self.pieces for look, _ in pieces}
        waits = [(kind, _sample(kind)) for kind in HATCHES if kind in kinds]
        marks = [
            (str(kind), how)
            for kind, how in MARKS.items()
            if any(self._marked(lane, kind) for lane in self.lanes)
        ]
        groups += [(name, found) for name, found in (("waits", waits), ("marks", marks)) if found]
        entries: list[tuple[int, float, str, str, dict[str, Any] | None]] = []
        line, x = 0, MARGIN
        for group, found in groups:
            shown: list[tuple[str, str, dict[str, Any] | None]] = [(group, "bold", None)]
            shown += [(text, "normal", how) for text, how in found]
            widths = [
                self._width_of(text, SMALL, weight) + (0.0 if how is None else SWATCH + 0.07)
                for text, weight, how in shown
            ]
            for (text, weight, how), width, after in zip(
                shown, widths, [*widths[1:], 0.0], strict=True
            ):
                # A heading stays with what comes first under it.
                together = width if how is not None else width + 0.16 + after
                if x + together > WIDTH - MARGIN:
                    line, x = line + 1, MARGIN
                entries.append((line, x, text, weight, how))
                x += width + 0.16
            x += BETWEEN - 0.16
        return entries

    def _draw_legend(
        self, entries: list[tuple[int, float, str, str, dict[str, Any] | None]], top: float
    ) -> None:
        for line, x, text, weight, how in entries:
            y = top - LEGEND_LINE * (line + 1) + 0.05
            if how is None:
                self._text(x, y, text, SMALL, weight, color=GREY)
                continue
            if "marker" in how:
                self.page.plot(x + SWATCH / 2, y + 0.055, linestyle="none", markersize=6, **how)
            else:
                self.page.barh(y + 0.055, SWATCH, SWATCH, left=x, **{"linewidth": 0, **how})
            self._text(x + SWATCH + 0.07, y, text, SMALL)

    # -- the page ---------------------------------------------------------------------------

    def _marked(self, lane: Lane, kind: str) -> list[int]:
        """When this happened to a request, as far as it is on the page."""
        return [time_ps for time_ps in _times_ps(lane, kind) if time_ps >= self.from_ps]

    @property
    def _bar(self) -> float:
        """How high a bar is."""
        return self.row * (0.74 if self.row > 0.12 else 0.84)

    def _middle(self, index: int) -> float:
        return self.top - self.row * (index + 0.5)

    def _x(self, time_ps: float) -> float:
        return self.left + (time_ps - self.from_ps) / self.inch_ps

    def _text(
        self, x: float, y: float, text: str, size: float, weight: str = "normal", **how: Any
    ) -> Text:
        # What looks like TeX in a title is text as well.
        how = {"color": INK, "va": "baseline", "parse_math": False, **how}
        return self.page.text(x, y, text, size=size, weight=weight, **how)

    def _fitting(self, x: float, y: float, text: str, size: float, room: float, **how: Any) -> Text:
        """Text that is cut where it has no more room."""
        made = self._text(x, y, text, size, **how)
        while text and self._width(made) > room:
            text = text[:-1]
            made.set_text(f"{text.rstrip()}…")
        return made

    def _width_of(self, text: str, size: float, weight: str = "normal") -> float:
        probe = self._text(0, 0, text, size, weight)
        width = self._width(probe)
        probe.remove()
        return width

    def _width(self, text: Text) -> float:
        return text.get_window_extent().width / DPI if text.get_text() else 0.0


def _pieces(lane: Lane, from_ps: int) -> Iterator[tuple[_Look, Piece]]:
    """All of a lane from a time on, from left to right."""
    for look, piece in _all_pieces(lane):
        start_ps = max(piece.start_ps, from_ps)
        if start_ps < piece.end_ps:
            yield look, replace(piece, start_ps=start_ps)


def _all_pieces(lane: Lane) -> Iterator[tuple[_Look, Piece]]:
    if lane.outside_ps > 0:
        first = lane.stays[0]
        outside = Piece(first.arrived_ps - lane.outside_ps, first.arrived_ps, BACKPRESSURE)
        yield _Look(first.stage, TURN), outside
    for stay in lane.stays:
        for piece in stay.pieces():
            yield _Look(stay.stage, _kind(piece)), piece


def _kind(piece: Piece) -> str:
    if piece.behind >= 0:
        return HELD
    if piece.waits_for == BACKPRESSURE:
        return LEAVE
    return TURN if piece.waits_for else WORK


def _times_ps(lane: Lane, kind: str) -> list[int]:
    """When this happened to a request."""
    if kind == Kind.CONSUMED:
        return [] if lane.consumed_ps == UNKNOWN else [lane.consumed_ps]
    if kind == Kind.DROPPED:
        return [lane.end.time_ps] if lane.end is not None and lane.end.kind is kind else []
    return [event.time_ps for stay in lane.stays for event in stay.touched if event.kind == kind]


def _sample(kind: str) -> dict[str, Any]:
    line = BEHIND if kind == HELD else WAITING
    return {
        "facecolor": _tint(WAITING),
        "edgecolor": line,
        "hatch": HATCHES[kind],
        "linewidth": 0.5,
    }


def _corners(left: float, right: float, half: float) -> list[tuple[float, float]]:
    return [(left, -half), (right, -half), (right, half), (left, half)]


def _steps() -> Iterator[int]:
    """1, 2, 5, 10, 20, 50 and so on."""
    power = 1
    while True:
        yield from (power, 2 * power, 5 * power)
        power *= 10


def _tint(colour: str) -> str:
    """A colour, mixed with three times as much white."""
    values = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{(value + 3 * 255) // 4:02x}" for value in values)
