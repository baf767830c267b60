"""Exporter: what writes the events of a trace into a file of some format."""

from __future__ import annotations

from typing import Protocol

from emu.errors import EmuError
from emu.trace.events import Event


class LimitError(EmuError):
    """More than a format can show; the file is given up, and others are not concerned."""


class Exporter(Protocol):
    """Hears events in the order of time and writes them as they come."""

    def tell(self, event: Event) -> None:
        """One more event; not earlier than the one before."""

    def close(self, end_ps: int = 0) -> None:
        """Completes the file. To be called once, also after an interrupt or an error.

        The trace ends at `end_ps`, or with its last event where that is later: who is at a stage
        then stays there until then.
        """
