"""The memory that the operation is about."""

from __future__ import annotations

from emu.stage import Stage


class Memory(Stage):
    """The far memory: here the operation takes effect, and from here on the response travels.

    An access that hits the open row. Payload bytes are not counted: a table that wants a bandwidth
    says so.
    """

    turns = True
    touches_memory = True
    source = "OpenURMA (arXiv 2605.28717), two-node simulator: DRAM with a fixed latency"
