"""Swimlanes: all requests of a trace, a lane for each, with what it did and waited for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from emu.line_styles import HUES, shaded
from emu.plot import OTHER, PALETTE, stage_colours, words
from emu.trace.events import Event, Held, Kind, Submitted
from emu.trace.exporter import LimitError
from emu.trace.header import Header, StageLine
from emu.trace.stays import UNKNOWN, Stay, Stays


@dataclass(slots=True, eq=False)
class Lane:
    """A request; `submitted` is none where it came before the trace, and `end` where it is open."""

    request: int
    initiator: int
    submitted: Submitted | None = None
    stays: list[Stay] = field(default_factory=list)
    end: Event | None = None
    consumed_ps: int = UNKNOWN

    @property
    def from_ps(self) -> int:
        """The first time that is known of it."""
        known = [] if self.submitted is None else [self.submitted.time_ps]
        known += [stay.arrived_ps - stay.outside_ps for stay in self.stays[:1]]
        known += [] if self.end is None else [self.end.time_ps]
        return min(known, default=max(0, self.consumed_ps))

    @property
    def to_ps(self) -> int:
        """The last time that is known of it."""
        known = [stay.left_ps for stay in self.stays[-1:]]
        known += [] if self.end is None else [self.end.time_ps]
        return max([self.from_ps, self.consumed_ps, *known])

    @property
    def outside_ps(self) -> int:
        """How long it waited to get into the first stage."""
        return self.stays[0].outside_ps if self.stays else 0

    def what(self) -> str:
        """Operation and size, and the ordering marks if it has any; empty where it is not known."""
        event = self.submitted
        if event is None:
            return ""
        return " ".join([event.operation, f"{event.size_bytes} B", *event.marks]).strip()


class Swimlanes:
    """Collects a trace of at most `most` requests; `LimitError` for one more."""

    def __init__(self, most: int, too_many: str) -> None:
        self.lanes: list[Lane] = []
        self._most = most
        self._too_many = too_many
        self._by_request: dict[int, Lane] = {}
        self._stays = Stays(self)

    def tell(self, event: Event) -> None:
        """One more event; not earlier than the one before."""
        if event.request not in self._by_request and len(self._by_request) == self._most:
            raise LimitError(self._too_many)
        self._lane(event)
        self._stays.tell(event)

    def finish(self, end_ps: int = 0) -> None:
        """There are no more events, up to the end."""
        self._stays.finish(end_ps)

    @property
    def end_ps(self) -> int:
        """When the trace ends."""
        return self._stays.now_ps

    # -- what it sees -----------------------------------------------------------------------

    def submitted(self, event: Submitted) -> None:
        """A request has come into the path."""
        self._lane(event).submitted = event

    def arrived(self, stay: Stay) -> None:
        """Nothing is drawn before it is over."""

    def held(self, event: Held, blocking: Stay | None) -> None:
        """The stay that is held knows it by itself."""

    def left(self, stay: Stay, *, goes_on: bool) -> None:
        """A stay is over, or the trace is."""
        self._by_request[stay.request].stays.append(stay)

    def ended(self, event: Event) -> None:
        """A request is complete or was dropped, or what it brought was consumed."""
        if event.kind is Kind.CONSUMED:
            self._lane(event).consumed_ps = event.time_ps
        else:
            self._lane(event).end = event

    def _lane(self, event: Event) -> Lane:
        """The lane of a request; those who come first are first."""
        lane = self._by_request.get(event.request)
        if lane is None:
            lane = self._by_request[event.request] = Lane(event.request, event.initiator)
            self.lanes.append(lane)
        return lane


def stages_of(header: Header, lanes: Iterable[Lane]) -> list[StageLine]:
    """The stages of the path, in its order, and any that only the events name."""
    known = {stage.name: stage for stage in header.stages}
    unknown = {stay.stage for lane in lanes for stay in lane.stays if stay.stage not in known}
    return [*known.values(), *(StageLine(name, "", "", "") for name in sorted(unknown))]


def colours(stages: Sequence[StageLine]) -> dict[str, str]:
    """Name of a stage to its colour: that of its kind in all pictures, if its kind has one.

    Those of other kinds are told apart by name, since a path may consist of one kind alone.
    """
    kinds = {kind: colour for group in PALETTE.values() for kind, colour in group.items()}
    found = {stage.name: kinds[stage.kind] for stage in stages if stage.kind in kinds}
    free = [colour for colour in (*OTHER, *HUES) if colour not in found.values()]
    others = [stage.name for stage in stages if stage.name not in found]
    for place, name in enumerate(others):
        again, first = divmod(place, len(free))
        # Once all have been given, they come again, lighter.
        found[name] = shaded(free[first], 0, 1) if again % 2 else free[first]
    return found


def legend(stages: Sequence[StageLine], lanes: Iterable[Lane]) -> dict[str, dict[str, str]]:
    """Group to what is in it and its colour, as in all pictures; kinds of others by their names.

    Stages at which nobody spends time are left out.
    """
    colour_of = colours(stages)
    lasting = {
        stay.stage
        for lane in lanes
        for stay in lane.stays
        if stay.arrived_ps - stay.outside_ps < stay.left_ps
    }
    shown = [stage for stage in stages if stage.name in lasting]
    known = {kind for kinds in PALETTE.values() for kind in kinds}
    groups = {
        group: {words(kind): colour for kind, colour in kinds.items()}
        for group, kinds in stage_colours(s.kind for s in shown if s.kind in known).items()
    }
    others = {words(s.name): colour_of[s.name] for s in shown if s.kind not in known}
    return groups | ({"stages": others} if others else {})
