"""Counted: what both ways to run compiled code count in a record of theirs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from emu.breakdown import Ledger
from emu.histogram import Histogram
from emu.rounds import Rounds


class Counted(ABC):
    """The part of `emu.engines.Run` that is read from fields of one record."""

    def __init__(self) -> None:
        self.latency = Histogram()
        self.ledger = Ledger()

    @property
    @abstractmethod
    def _record(self) -> Any:
        """The record, with fields of these names."""

    @property
    def posted(self) -> int:
        """How many requests were posted."""
        return int(self._record["posted"])

    @property
    def first_completion_ps(self) -> int:
        """When the first request was complete; 0 if none was."""
        return int(self._record["first_completion_ps"])

    @property
    def last_completion_ps(self) -> int:
        """When the last request was complete; 0 if none was."""
        return int(self._record["last_completion_ps"])

    @property
    def rounds(self) -> Rounds:
        """When so many completions at a time were there."""
        record = self._record
        names = ("round", "rounds", "first_round_ps", "last_round_ps")
        return Rounds(*(int(record[name]) for name in names))
