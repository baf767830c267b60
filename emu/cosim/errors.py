"""What can go wrong beside HDL."""

from __future__ import annotations

from typing import Literal

from emu.errors import EmuError, RunError

#: What can be wrong with a signal: X or Z; or valid, data or ready do not stay as AXI wants it.
BadKind = Literal["unknown", "valid", "data", "ready"]


class CosimError(EmuError):
    """A stimulus, DUT or simulator that cannot be used as asked."""


class BadSignalError(RunError):
    """A signal of a port that does what none may: the cycle, and what it did."""

    def __init__(self, kind: BadKind, cycle: int, what: str) -> None:
        self.kind = kind
        self.cycle = cycle
        super().__init__(what)
