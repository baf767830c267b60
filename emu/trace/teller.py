"""Teller: gathers the events of an instant and tells them in an order of their own."""

from __future__ import annotations

from emu.breakdown import stay
from emu.request import Request
from emu.trace.events import Event, Held, Kind, Left, Listener, Submitted, Touched

_NOWHERE = (Kind.COMPLETED, Kind.CONSUMED)


class Teller:
    """Builds events for a listener; what it tells does not depend on the order of evaluation."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._events: list[Event] = []

    def note(self, time_ps: int, kind: Kind, request: Request) -> None:
        """Something happened to a request, at the stage at which it is now."""
        name = "" if kind in _NOWHERE else request.plan.hops[request.hop].name
        self._events.append(Event(time_ps, kind, request.sequence, name, request.initiator))

    def dropped(self, time_ps: int, request: Request) -> None:
        """A request is lost: at the stage where it is, or at the next one, which had no room."""
        hops = request.plan.hops[max(request.hop, 0) : request.hop + 2]
        name = next(hop.name for hop in hops if hop.station.name == request.dropped_at)
        self._events.append(Event(time_ps, Kind.DROPPED, request.sequence, name, request.initiator))

    def submitted(self, time_ps: int, request: Request) -> None:
        """A request has come into the path."""
        self._events.append(
            Submitted(
                time_ps,
                Kind.SUBMITTED,
                request.sequence,
                "",
                request.initiator,
                request.operation.value,
                request.size_bytes,
                request.address,
                request.destination,
                request.order,
                request.service,
                request.fence,
            )
        )

    def left(self, time_ps: int, request: Request) -> None:
        """A request goes on from where it is, and all of its stay there is charged.

        What an actor gives up has not: nobody says where the time went, and `DROPPED` follows.
        """
        hop = request.plan.hops[request.hop]
        if hop.station.actor is not None and not request.finished:
            return
        number, name = request.sequence, hop.name
        parts = tuple(stay(request).items())
        self._events.append(Left(time_ps, Kind.LEFT, number, name, request.initiator, parts))

    def told(self, time_ps: int, request: Request, behind: Request | None) -> None:
        """An actor holds a request behind another, or with `None` serves it from now on."""
        if behind is None:
            self.note(time_ps, Kind.ACCEPTED, request)
            return
        number, name = request.sequence, request.plan.hops[request.hop].name
        self._events.append(
            Held(time_ps, Kind.HELD, number, name, request.initiator, behind.sequence)
        )

    def touched(self, time_ps: int, kind: Kind, request: Request, address: int, value: int) -> None:
        """A request has read a value in memory, or its own is there from now on."""
        number, name = request.sequence, request.plan.hops[request.hop].name
        self._events.append(Touched(time_ps, kind, number, name, request.initiator, address, value))

    def tell(self) -> None:
        """Tells what was noted; of one request in the order in which it happened."""
        events, self._events = self._events, []
        events.sort(key=_by_request)
        for event in events:
            self._listener(event)


def _by_request(event: Event) -> int:
    return event.request
