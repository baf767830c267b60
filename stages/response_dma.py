"""The initiator's controller hands over what a read brought."""

from __future__ import annotations

from emu.stage import Stage


class ResponseDma(Stage):
    """A DMA write over PCIe that puts the data of a read into the initiator's memory.

    Operations that bring no payload back have none.
    """

    source = "OpenURMA (arXiv 2605.28717), two-node simulator: payload of a read to host memory"
