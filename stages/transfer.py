"""Data that moves, with all that it takes left out."""

from __future__ import annotations

from emu.stage import Stage


class Transfer(Stage):
    """An operation's whole way there and back as one step: a time, or a start and a bandwidth.

    For tables that look at what surrounds the way: slots, completions, or many reads against one
    large one.
    """

    source = "interconnect chapter, sections on request slots and on a snapshot read remotely"
