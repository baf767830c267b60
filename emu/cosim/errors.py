"""What can go wrong beside HDL."""

from __future__ import annotations

from typing import Literal

from emu.errors import EmuError


class CosimError(EmuError):
    """A stimulus, DUT or simulator that cannot be used as asked."""


class BadSignalError(CosimError):
    """A signal of a port that does what none may: the cycle, and what it did."""

    def __init__(
        self, kind: Literal["unknown", "valid", "data", "ready"], cycle: int, what: str
    ) -> None:
        self.kind = kind
        self.cycle = cycle
        super().__init__(what)
