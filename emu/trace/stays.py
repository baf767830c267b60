"""Stays: the events of a trace joined into how long each request was at each stage, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from emu.parts import BACKPRESSURE, ORDERING
from emu.plot import WAITS_BEFORE
from emu.trace.events import Event, Held, Kind, Left, Submitted, Touched

#: A time that the trace does not say.
UNKNOWN = -1


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a stay; `waits_for` is empty where the stage does its work.

    `behind` is the request that it waits for, and -1 where it waits for none; `is_open` says that
    the trace does not tell the end of that wait.
    """

    start_ps: int
    end_ps: int
    waits_for: str = ""
    behind: int = -1
    is_open: bool = False

    @property
    def name(self) -> str:
        """What a reader is shown."""
        if self.behind >= 0:
            return f"behind request {self.behind}"
        return self.waits_for or "service"


@dataclass(slots=True, eq=False)
class Stay:
    """One request at one stage.

    A request that has not `left` when the trace ends is there until then. A stay that began
    before the trace has an `UNKNOWN` arrival until it is over: then its parts say when that was.
    """

    request: int
    initiator: int
    stage: str
    arrived_ps: int
    accepted_ps: int = UNKNOWN
    emitted_ps: int = UNKNOWN
    left_ps: int = UNKNOWN
    has_left: bool = False
    parts: tuple[tuple[str, int], ...] = ()
    held: list[Held] = field(default_factory=list)
    touched: list[Touched] = field(default_factory=list)

    @property
    def first_ps(self) -> int:
        """The first time that the trace says of it."""
        times_ps = [self.arrived_ps, self.accepted_ps, self.emitted_ps]
        times_ps += [event.time_ps for event in (*self.held, *self.touched)]
        return min(time_ps for time_ps in times_ps if time_ps != UNKNOWN)

    @property
    def outside_ps(self) -> int:
        """How long it waited to get into the first stage: that is in the parts of this stay."""
        if not self.has_left:
            return 0
        return self._sum_ps(part for part, _ in self.parts) - (self.left_ps - self.arrived_ps)

    def pieces(self) -> list[Piece]:
        """What the stay consists of, in the order of time; only a wait behind one can be empty.

        1. From arrival to acceptance it waits, then it is served, and once it is emitted it waits
           to get out. Where a stage tells no acceptance, what its parts call waits comes first.
        2. From each `HELD` on it waits behind that request, but no longer than `ordering` says.
        """
        pieces: list[Piece] = []
        at_ps = self.arrived_ps
        so_far_ps = 0
        for held in self._held():
            pieces += self._unheld(at_ps, held.start_ps, so_far_ps)
            so_far_ps += held.start_ps - at_ps
            pieces.append(held)
            at_ps = held.end_ps
        return pieces + self._unheld(at_ps, self.left_ps, so_far_ps)

    @property
    def _out_ps(self) -> int:
        """When it was finished."""
        return self.left_ps if self.emitted_ps == UNKNOWN else self.emitted_ps

    def _held(self) -> Iterator[Piece]:
        room_ps = self._sum_ps([ORDERING]) if self.has_left else self.left_ps
        for index, held in enumerate(self.held):
            start_ps, until_ps = held.time_ps, self.left_ps
            if index + 1 < len(self.held):
                until_ps = self.held[index + 1].time_ps
            elif start_ps <= self.accepted_ps:
                until_ps = self.accepted_ps
            elif start_ps < self._out_ps:
                until_ps = self._out_ps
            until_ps = min(until_ps, start_ps + room_ps)
            room_ps -= until_ps - start_ps
            is_open = until_ps == self.left_ps and not self.has_left
            yield Piece(start_ps, until_ps, ORDERING, held.behind, is_open)

    def _unheld(self, start_ps: int, end_ps: int, so_far_ps: int) -> list[Piece]:
        """Wait and work between two times; `so_far_ps` of wait and work came before."""
        # A wait behind another request is told by itself, if it is told at all.
        waits = [
            part
            for part, _ in self.parts
            if part.startswith(WAITS_BEFORE) and not (part == ORDERING and self.held)
        ]
        turn_ps = self.accepted_ps
        if turn_ps == UNKNOWN:
            turn_ps = self._out_ps
            if self.has_left:
                turn_ps = start_ps + self._sum_ps(waits) - so_far_ps
        turn_ps = min(max(turn_ps, start_ps), end_ps)
        out_ps = min(max(self._out_ps, turn_ps), end_ps)
        pieces = (
            Piece(start_ps, turn_ps, " + ".join(waits) or "wait"),
            Piece(turn_ps, out_ps),
            Piece(out_ps, end_ps, BACKPRESSURE),
        )
        return [piece for piece in pieces if piece.start_ps < piece.end_ps]

    def _sum_ps(self, wanted: Iterable[str]) -> int:
        parts = dict(self.parts)
        return sum(parts.get(part, 0) for part in wanted)


class Viewer(Protocol):
    """What is told of stays; within an instant, what leaves comes before what arrives."""

    def submitted(self, event: Submitted) -> None:
        """A request has come into the path."""

    def arrived(self, stay: Stay) -> None:
        """A stay begins."""

    def held(self, event: Held, blocking: Stay | None) -> None:
        """A request waits behind one that is in `blocking` when this instant is over.

        Of a wait that is over in this instant it is not told.
        """

    def left(self, stay: Stay, *, goes_on: bool) -> None:
        """A stay is over, or the trace is; `goes_on` where another one follows at once.

        It may not have been told as arrived, where it began before the trace.
        """

    def ended(self, event: Event) -> None:
        """A request is complete or was dropped, or what it brought was consumed."""


class Stays:
    """Joins events to stays; knows only the requests that are at a stage."""

    def __init__(self, viewer: Viewer) -> None:
        self.now_ps = 0
        self._viewer = viewer
        self._events: list[Event] = []
        #: Of each request that is at a stage.
        self._stays: dict[int, Stay] = {}

    def tell(self, event: Event) -> None:
        """One more event; those of an instant are looked at together."""
        if event.time_ps != self.now_ps:
            self._settle()
            self.now_ps = event.time_ps
        self._events.append(event)

    def finish(self, end_ps: int = 0) -> None:
        """There are no more events: who is at a stage stays there to the end."""
        self._settle()
        self.now_ps = max(self.now_ps, end_ps)
        stays, self._stays = self._stays, {}
        for stay in stays.values():
            self._cut(stay)

    def _cut(self, stay: Stay) -> None:
        """The stay is over now, and nobody says where its time went."""
        stay.left_ps = self.now_ps
        if stay.arrived_ps == UNKNOWN:
            stay.arrived_ps = stay.first_ps
        self._viewer.left(stay, goes_on=False)

    def _settle(self) -> None:
        """Looks at an instant: those that are about to leave go first, so that there is room."""
        events, self._events = self._events, []
        leaving = {event.request for event in events if event.kind is Kind.LEFT}
        leaving &= self._stays.keys()
        goes_on = _followed_by_arrival(events)
        later: list[int] = []
        for index, event in enumerate(events):
            if event.request in leaving:
                self._hear(event, index in goes_on)
                if event.kind is Kind.LEFT:
                    leaving.remove(event.request)
            else:
                later.append(index)
        for index in later:
            self._hear(events[index], index in goes_on)
        for event in events:
            if isinstance(event, Held) and self._is_still_there(event):
                self._viewer.held(event, self._stays.get(event.behind))

    def _is_still_there(self, event: Held) -> bool:
        stay = self._stays.get(event.request)
        return stay is not None and event in stay.held

    def _hear(self, event: Event, goes_on: bool) -> None:
        kind = event.kind
        if isinstance(event, Submitted):
            self._viewer.submitted(event)
        elif kind is Kind.ARRIVED:
            stay = Stay(event.request, event.initiator, event.stage, event.time_ps)
            self._stays[event.request] = stay
            self._viewer.arrived(stay)
        elif kind in (Kind.COMPLETED, Kind.CONSUMED, Kind.DROPPED):
            # What a stage with rules of its own gives up does not leave it.
            if event.request in self._stays:
                self._cut(self._stays.pop(event.request))
            self._viewer.ended(event)
        else:
            self._hear_at_stage(event, goes_on)

    def _hear_at_stage(self, event: Event, goes_on: bool) -> None:
        stay = self._stays.get(event.request)
        if stay is None:
            stay = Stay(event.request, event.initiator, event.stage, UNKNOWN)
            self._stays[event.request] = stay
        if isinstance(event, Held):
            stay.held.append(event)
        elif isinstance(event, Touched):
            stay.touched.append(event)
        elif isinstance(event, Left):
            del self._stays[event.request]
            stay.parts, stay.left_ps, stay.has_left = event.parts, event.time_ps, True
            if stay.arrived_ps == UNKNOWN:
                stay.arrived_ps = event.time_ps - sum(time_ps for _, time_ps in event.parts)
            self._viewer.left(stay, goes_on=goes_on)
        elif event.kind is Kind.ACCEPTED:
            stay.accepted_ps = event.time_ps
        elif event.kind is Kind.EMITTED and stay.emitted_ps == UNKNOWN:
            stay.emitted_ps = event.time_ps


def _followed_by_arrival(events: list[Event]) -> set[int]:
    """Which events of an instant are followed by an arrival of the same request."""
    found: set[int] = set()
    following: dict[int, Kind] = {}
    for index in range(len(events) - 1, -1, -1):
        event = events[index]
        if following.get(event.request) is Kind.ARRIVED:
            found.add(index)
        following[event.request] = event.kind
    return found
