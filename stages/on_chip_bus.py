"""One crossing of the bus on the chip."""

from __future__ import annotations

from emu.stage import Stage


class OnChipBus(Stage):
    """One crossing of the bus between processor, controller and memory on one chip.

    Towards the controller it takes the place of doorbell and descriptor DMA, at the target that of
    the target DMA, and on the way back that of response and completion DMA.
    """

    source = "OpenURMA (arXiv 2605.28717), two-node simulator: bus to the UB controller"
