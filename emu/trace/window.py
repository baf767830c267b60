"""Who is there when the window of a trace begins: the events of stays that are still open."""

from __future__ import annotations

from emu.trace.events import Event, Kind


class OpenStays:
    """Keeps of each request in flight its submission, and what happened where it is now."""

    def __init__(self) -> None:
        #: Request to its events, each with its place among all that were told.
        self._kept: dict[int, list[tuple[int, Event]]] = {}
        self._told = 0

    def tell(self, event: Event) -> None:
        """One more event from before the window."""
        self._told += 1
        request, kind = event.request, event.kind
        if kind in (Kind.COMPLETED, Kind.DROPPED):
            self._kept.pop(request, None)
        elif kind is Kind.LEFT:
            kept = self._kept.get(request, [])
            self._kept[request] = [one for one in kept if one[1].kind is Kind.SUBMITTED]
        elif kind is not Kind.CONSUMED:
            # What was consumed was complete before, or came in before all that is told.
            self._kept.setdefault(request, []).append((self._told, event))

    def events(self) -> list[Event]:
        """What was kept, in the order in which it was told."""
        kept = [one for events in self._kept.values() for one in events]
        return [event for _, event in sorted(kept, key=lambda one: one[0])]
