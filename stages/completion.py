"""The controller says that an operation is complete."""

from __future__ import annotations

from emu.stage import Stage


class Completion(Stage):
    """A DMA write over PCIe that puts the completion record where the program polls for it.

    On the chip the completion crosses the bus instead (`on_chip_bus`).
    """

    source = "OpenURMA (arXiv 2605.28717), two-node simulator: completion record to host memory"
