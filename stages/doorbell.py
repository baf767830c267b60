"""The program rings the controller."""

from __future__ import annotations

from emu.stage import Stage


class Doorbell(Stage):
    """A posted write over PCIe that tells the controller of new work.

    The processor writes to a register of the device and goes on; what counts is the time until
    the write is there. A controller on the chip is told by one crossing of the bus instead
    (`on_chip_bus`).
    """

    source = "OpenURMA (arXiv 2605.28717), two-node simulator: doorbell write to a PCIe device"
