"""Which packets a link loses."""

from __future__ import annotations

from typing import Any

from emu.fast.compiled import compiled
from emu.fast.layout import randoms
from emu.fast.memory import words
from emu.fast.random import bits


@compiled
def loses(world: Any, wire: Any, number: int) -> bool:
    """Whether the packet that is sent as this one is lost; asked once for each, in order."""
    if wire.draws:
        return bool(bits(randoms(world)[wire.random]) <= wire.last_lost)
    named = wire.named
    if wire.next_named < named.count and words(named)[wire.next_named] == number:
        wire.next_named += 1
        return True
    return False
