"""Timeline: a trace as tracks with slices, instants and arrows, as the viewer Perfetto shows them.

1. A process for the requests from submission to completion, and one for each end of the path.
2. In it a row for each initiator or stage, and in that a track for each place in flight: who comes
   gets the lowest that is free.
3. A stay is a slice; the waits and the work in it are slices inside.
4. Arrows go from stage to stage along a request, and to a wait from the request that it is behind.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Protocol

from emu.parts import BACKPRESSURE
from emu.time import Clock
from emu.trace.events import Event, Held, Kind, Submitted, Touched
from emu.trace.header import Header
from emu.trace.lanes import Lanes
from emu.trace.stays import Piece, Stay, Stays

#: What is said about something, by name; what is empty is not said.
Args = dict[str, int | str | bool | dict[str, int]]

REQUESTS, PATH = "requests", "path"


class Canvas(Protocol):
    """Writes a timeline in some format; times are in the units of a `Scale`.

    1. Processes, rows and tracks share their numbers, which start at 1.
    2. On a track, of what happens at the same time the first is told first.
    3. An arrow has a number from 1 on; it is told to leave before it is told to arrive.
    """

    def process(self, number: int, name: str) -> None:
        """A process."""

    def row(self, number: int, name: str, process: int) -> None:
        """The next row of a process, which has no slices of its own."""

    def track(self, number: int, name: str, row: int, place: int) -> None:
        """A track in a row."""

    def begin(self, track: int, time: int, name: str, args: Args, *, arrow: int = 0) -> None:
        """A slice begins, inside those that are open; `arrow` arrives at it."""

    def end(self, track: int, time: int, args: Args, *, arrow: int = 0) -> None:
        """The slice that began last ends; `arrow` leaves it."""

    def instant(self, track: int, time: int, name: str, args: Args, *, arrow: int = 0) -> None:
        """Something without a duration; `arrow` leaves it."""

    def close(self) -> None:
        """The file is complete."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How times are written: each picosecond, or each cycle of `clock`, is a unit.

    A time between two edges is written as the edge before it, and one before edge 0 as edge 0.
    A viewer calls the unit `shown`.
    """

    shown: str
    clock: Clock | None = None

    @property
    def label(self) -> str:
        """What a viewer's user must know."""
        unit = "1 ps" if self.clock is None else f"1 cycle of {self.clock.name}"
        return f"{self.shown} is {unit}"

    def units(self, time_ps: int) -> int:
        """A time in units."""
        if self.clock is None:
            return time_ps
        return max(0, self.clock.edge_after(time_ps) - 1)


@dataclass(slots=True, eq=False)
class _Row:
    number: int
    name: str
    lanes: Lanes = field(default_factory=Lanes)
    #: The track of each lane.
    tracks: list[int] = field(default_factory=list)


class Timeline:
    """Draws a trace on a canvas; what it remembers is only of requests that are in flight."""

    def __init__(self, canvas: Canvas, header: Header, scale: Scale) -> None:
        self._canvas = canvas
        self._scale = scale
        self._numbers = 0
        self._arrows = 0
        self._stays = Stays(self)
        self._rows: dict[tuple[str, str], _Row] = {}
        #: The lane of each stay, and of each request from its submission to its end.
        self._lane_of: dict[Stay | int, tuple[_Row, int]] = {}
        #: Arrows from the stay that a request leaves in this instant to the next.
        self._onward: dict[int, int] = {}
        #: Arrows to waits, by the request that waits, when that begins and behind whom.
        self._to_waits: dict[tuple[int, int, int], int] = {}
        self._ends = {stage.name: stage.at or PATH for stage in header.stages}
        self._processes: dict[str, int] = {}
        for name in (REQUESTS, *self._ends.values()):
            self._process(name)
        for stage, end in self._ends.items():
            self._row(end, stage)

    # -- an exporter ------------------------------------------------------------------------

    def tell(self, event: Event) -> None:
        """One more event; not earlier than the one before."""
        self._stays.tell(event)

    def close(self, end_ps: int = 0) -> None:
        """What is still open ends where the trace does, and the file is complete."""
        self._stays.finish(end_ps)
        now_ps = self._stays.now_ps
        for row, lane in self._lane_of.values():
            self._end(row.tracks[lane], now_ps, {"unfinished": "the trace ends here"})
        self._canvas.close()

    # -- what it sees -----------------------------------------------------------------------

    def submitted(self, event: Submitted) -> None:
        """A request has come into the path."""
        name = f"request {event.request}"
        args: Args = {
            "request": event.request,
            "operation": event.operation,
            "size_bytes": event.size_bytes,
            "address": event.address,
            "initiator": event.initiator,
            "destination": event.destination,
            "order": event.order,
            "service": event.service,
            "fence": event.fence,
        }
        track = self._enter(event.request, REQUESTS, f"initiator {event.initiator}", event.time_ps)
        self._begin(track, event.time_ps, f"{name}: {event.operation}", {"request": event.request})
        self._instant(track, event.time_ps, Kind.SUBMITTED, args)

    def arrived(self, stay: Stay) -> None:
        """A stay begins."""
        track = self._enter(stay, self._ends.get(stay.stage, PATH), stay.stage, stay.arrived_ps)
        arrow = self._onward.pop(stay.request, 0)
        self._begin(track, stay.arrived_ps, f"request {stay.request}", _who(stay), arrow=arrow)

    def held(self, event: Held, blocking: Stay | None) -> None:
        """A request waits behind one that is in `blocking` when this instant is over."""
        wait = event.request, event.time_ps, event.behind
        if blocking not in self._lane_of or wait in self._to_waits:
            return
        row, lane = self._lane_of[blocking]
        self._arrows += 1
        self._to_waits[wait] = self._arrows
        self._instant(
            row.tracks[lane],
            event.time_ps,
            f"holds request {event.request}",
            {"request": event.behind, "holds": event.request, "at": event.stage},
            arrow=self._arrows,
        )

    def left(self, stay: Stay, *, goes_on: bool) -> None:
        """A stay is over, or the trace is; `goes_on` where another one follows at once."""
        if stay not in self._lane_of:
            self.arrived(stay)
        row, lane = self._lane_of.pop(stay)
        track = row.tracks[lane]
        self._draw(stay, track)
        args: Args = {"parts_ps": dict(stay.parts)}
        if not stay.has_left:
            args["unfinished"] = "the trace ends here"
        arrow = 0
        if goes_on:
            self._arrows += 1
            arrow = self._onward[stay.request] = self._arrows
        self._end(track, stay.left_ps, args, arrow=arrow)
        row.lanes.free(lane, stay.left_ps)

    def ended(self, event: Event) -> None:
        """A request is complete or was dropped, or what it brought was consumed."""
        entered = event.request not in self._lane_of
        if entered:
            # It was submitted before the trace, or is over already: it has no slice to stand in.
            row = f"initiator {event.initiator}"
            self._enter(event.request, REQUESTS, row, event.time_ps)
        found, lane = self._lane_of[event.request]
        args: Args = {"request": event.request, "stage": event.stage}
        self._instant(found.tracks[lane], event.time_ps, event.kind.value, args)
        if entered or event.kind is not Kind.CONSUMED:
            del self._lane_of[event.request]
            found.lanes.free(lane, event.time_ps)
        if not entered and event.kind is not Kind.CONSUMED:
            self._end(found.tracks[lane], event.time_ps, {})

    def _draw(self, stay: Stay, track: int) -> None:
        """Waits, work and values of a stay that is over, as slices and instants inside its own."""
        touched = list(stay.touched)
        for piece in stay.pieces():
            # Of a wait behind nobody there is none.
            arrow = self._to_waits.pop((stay.request, piece.start_ps, piece.behind), 0)
            self._begin(track, piece.start_ps, piece.name, _why(piece), arrow=arrow)
            while touched and touched[0].time_ps < piece.end_ps:
                self._touch(track, touched.pop(0))
            self._end(track, piece.end_ps, {})
        for event in touched:
            self._touch(track, event)
        outside_ps = stay.outside_ps
        if outside_ps > 0 and stay.request in self._lane_of:
            row, lane = self._lane_of[stay.request]
            piece = Piece(stay.arrived_ps - outside_ps, stay.arrived_ps, BACKPRESSURE)
            self._begin(row.tracks[lane], piece.start_ps, f"outside {stay.stage}", _why(piece))
            self._end(row.tracks[lane], piece.end_ps, {})

    # -- on the canvas ----------------------------------------------------------------------

    def _number(self) -> int:
        self._numbers += 1
        return self._numbers

    def _process(self, name: str) -> int:
        if name not in self._processes:
            self._processes[name] = self._number()
            self._canvas.process(self._processes[name], f"{name} ({self._scale.label})")
        return self._processes[name]

    def _row(self, process: str, name: str) -> _Row:
        row = self._rows.get((process, name))
        if row is None:
            number = self._process(process)
            row = self._rows[process, name] = _Row(self._number(), name)
            self._canvas.row(row.number, name, number)
        return row

    def _enter(self, who: Stay | int, process: str, name: str, at_ps: int) -> int:
        """Takes the lowest free lane of a row; returns its track."""
        row = self._row(process, name)
        lane = row.lanes.take(at_ps)
        if lane == len(row.tracks):
            row.tracks.append(self._number())
            self._canvas.track(row.tracks[lane], f"{name} [{lane}]", row.number, lane)
        self._lane_of[who] = row, lane
        return row.tracks[lane]

    def _begin(self, track: int, time_ps: int, name: str, args: Args, *, arrow: int = 0) -> None:
        args = self._timed(args, "from_ps", time_ps)
        self._canvas.begin(track, self._scale.units(time_ps), name, args, arrow=arrow)

    def _end(self, track: int, time_ps: int, args: Args, *, arrow: int = 0) -> None:
        args = self._timed(args, "to_ps", time_ps)
        self._canvas.end(track, self._scale.units(time_ps), args, arrow=arrow)

    def _instant(self, track: int, time_ps: int, name: str, args: Args, *, arrow: int = 0) -> None:
        args = self._timed(args, "time_ps", time_ps)
        self._canvas.instant(track, self._scale.units(time_ps), name, args, arrow=arrow)

    def _touch(self, track: int, event: Touched) -> None:
        args: Args = {"request": event.request, "address": event.address, "value": event.value}
        name = f"{event.kind.value} {event.value}"
        self._instant(track, event.time_ps, name, args)

    def _timed(self, args: Args, name: str, time_ps: int) -> Args:
        """With the exact time, where the scale does not say it."""
        if self._scale.clock is not None:
            args = {**args, name: time_ps}
        return {name: value for name, value in args.items() if value not in ("", {})}


def about(header: Header, scale: Scale) -> dict[str, str | int]:
    """What a trace says of its run, and of how its times are written."""
    return {
        "scale": scale.label,
        "table": header.table,
        "title": header.title,
        "digest": header.digest,
        "seed": header.seed,
        "workload": json.dumps(header.workload, sort_keys=True),
        "run": json.dumps(header.run, sort_keys=True),
        "filters": json.dumps([one.as_json() for one in header.filters]),
        "version": header.version,
    }


def _who(stay: Stay) -> Args:
    return {"request": stay.request, "initiator": stay.initiator, "stage": stay.stage}


def _why(piece: Piece) -> Args:
    args: Args = {"waits_for": piece.waits_for}
    if piece.behind >= 0:
        args["behind"] = piece.behind
    return args
