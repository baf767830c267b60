"""Refusal: what the compiled engine does not take."""

from __future__ import annotations

from emu.errors import EmuError


class RefusalError(EmuError):
    """What in a table or a command prevents the compiled engine, as a reason to be read on."""
