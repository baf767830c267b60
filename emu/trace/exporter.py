"""Exporter: what writes the events of a trace into a file of some format."""

from __future__ import annotations

from typing import Protocol

from emu.trace.events import Event


class Exporter(Protocol):
    """Hears events in the order of time and writes them as they come."""

    def tell(self, event: Event) -> None:
        """One more event; not earlier than the one before."""

    def close(self) -> None:
        """Completes the file. To be called once, also after an interrupt or an error."""
