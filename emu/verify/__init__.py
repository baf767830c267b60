"""Verification: published figures, recomputed by running the emulator itself."""

from emu.verify.check import Check, NotComparable, Verification, all_held
from emu.verify.figures import verify_figure
from emu.verify.openurma.cycles import Compared, verify_openurma_cycles
from emu.verify.openurma.rows import verify_openurma_rows
from emu.verify.published import verify_published
from emu.verify.shipped import verify_shipped

__all__ = [
    "Check",
    "Compared",
    "NotComparable",
    "Verification",
    "all_held",
    "verify_figure",
    "verify_openurma_cycles",
    "verify_openurma_rows",
    "verify_published",
    "verify_shipped",
]
