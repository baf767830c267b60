"""The program writes the descriptor of its operation."""

from __future__ import annotations

from emu.stage import Stage


class DescriptorBuild(Stage):
    """Software that builds the descriptor (work queue entry) of an operation in memory.

    The processor's stores into a record of some 64 B that says what to do and where.
    """

    source = "OpenURMA (arXiv 2605.28717), two-node simulator: building the work request"
