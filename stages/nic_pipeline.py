"""One pass through a controller."""

from __future__ import annotations

from emu.stage import Stage


class NicPipeline(Stage):
    """One pass of a message through a controller's pipeline, at either end and either way.

    A round trip has four: request out, request in, response out, response in. The cycles are those
    that a message of one beat takes; a table says with `beat` what each further beat adds, and
    with `interval` how soon the next message can follow.
    """

    source = "OpenURMA (arXiv 2605.28717), cycle counts of the sender pipelines"
