"""The link between the two ends."""

from __future__ import annotations

from emu.stage import Stage


class Wire(Stage):
    """The link between initiator and target: time of flight, and serialisation of the bytes.

    Takes the bytes of the message that travels: the request on the way out, the response on the
    way back. Each direction is a stage of its own, so the two don't share bandwidth.
    """

    source = "OpenURMA (arXiv 2605.28717), two-node simulator: the Ethernet link"
