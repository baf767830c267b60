"""A DMA engine at work on its host's memory."""

from __future__ import annotations

from emu.stage import Stage


class DmaEngine(Stage):
    """A device's own reads and writes of host memory over PCIe, which is all that it does.

    What limits it is the link with its tags and credits, which the table gives it as a resource.
    Where a DMA is one step on the path of a remote access, it is `target_dma`, `descriptor_dma`
    or `response_dma`.
    """

    source = "KV-Direct (SOSP'17), DMA engine of a programmable NIC"
