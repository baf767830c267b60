"""A queue pair gives out its sequence numbers."""

from __future__ import annotations

from emu.stage import Stage


class OrderSerialisation(Stage):
    """The step in which a reliable connection puts all its operations into one order.

    An RC queue pair numbers every packet, whether or not the program needs an order, so every
    operation passes. A controller that orders on request has no such stage.
    """

    source = "OpenURMA (arXiv 2605.28717), two-node simulator: sequence numbers of an RC queue pair"
