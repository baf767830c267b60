"""The program learns that its operation is complete."""

from __future__ import annotations

from emu.stage import Stage


class VerbPoll(Stage):
    """Software that finds the completion: a read of the record, or the library call around it.

    Stands twice in most tables: the processor's read of the completion record, in host memory or
    in a buffer on the chip, and the library call (`ibv_poll_cq`, `urma_poll_jfc`) that returns it.
    Only polling is described; an interrupt would cost far more.
    """

    source = "OpenURMA (arXiv 2605.28717), two-node simulator: completion record and library call"
