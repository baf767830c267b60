"""Teller: gathers the events of an instant and tells them in an order of their own."""

from __future__ import annotations

from emu.request import Request
from emu.trace.events import Event, Kind, Listener

_NOWHERE = (Kind.SUBMITTED, Kind.COMPLETED, Kind.DROPPED)


class Teller:
    """Builds events for a listener; what it tells does not depend on the order of evaluation."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._events: list[Event] = []

    def note(self, time_ps: int, kind: Kind, request: Request) -> None:
        """Something happened to a request, at the stage at which it is now."""
        name = "" if kind in _NOWHERE else request.plan.hops[request.hop].name
        self._events.append(Event(time_ps, kind, request.sequence, name))

    def tell(self) -> None:
        """Tells what was noted; of one request in the order in which it happened."""
        events, self._events = self._events, []
        events.sort(key=_by_request)
        for event in events:
            self._listener(event)


def _by_request(event: Event) -> int:
    return event.request
