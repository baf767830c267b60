"""The program posts a verb."""

from __future__ import annotations

from emu.stage import Stage


class VerbPost(Stage):
    """Software that posts an operation: the library call that hands it to the controller.

    Stands for the function call, the checks on the send queue and the memory barriers of
    `ibv_post_send` or `urma_post_jetty_send_wr`. A load or a store is an instruction of the
    processor and never passes here.
    """

    source = "OpenURMA (arXiv 2605.28717), two-node simulator: the library call before submission"
