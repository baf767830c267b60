"""The target's controller reaches its host's memory over PCIe."""

from __future__ import annotations

from emu.stage import Stage


class TargetDma(Stage):
    """A DMA of the target's controller over PCIe, to the memory that the operation is about.

    A read or an atomic must wait for the data to come back; a write or a send is posted. So a
    table gives the latency by operation.
    """

    source = "OpenURMA (arXiv 2605.28717), two-node simulator: target controller to host memory"
