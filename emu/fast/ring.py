"""Rings: queues of whole numbers, first in, first out, that grow as they fill."""

from __future__ import annotations

from typing import Any

import numpy as np

from emu.fast.compiled import compiled
from emu.fast.memory import BLOCK, WORD_BYTES, extend, words

#: Its block has a power of two of places; those in use start at `first` and go round.
RING = np.dtype([("block", BLOCK), ("first", np.int64), ("count", np.int64)], align=True)


@compiled
def put(ring: Any, value: int) -> None:
    """Adds a number at the end."""
    block = ring.block
    if ring.count == block.count:
        _grow(ring)
    words(block)[(ring.first + ring.count) & (block.count - 1)] = value
    ring.count += 1


@compiled
def take(ring: Any) -> int:
    """Takes the first; there must be one."""
    block = ring.block
    value = words(block)[ring.first]
    ring.first = (ring.first + 1) & (block.count - 1)
    ring.count -= 1
    return int(value)


@compiled
def peek(ring: Any, place: int) -> int:
    """The number at a place, 0 being the first; it must be there."""
    block = ring.block
    return int(words(block)[(ring.first + place) & (block.count - 1)])


@compiled
def replace(ring: Any, place: int, value: int) -> None:
    """Another number at a place, 0 being the first; it must be there."""
    block = ring.block
    words(block)[(ring.first + place) & (block.count - 1)] = value


@compiled
def _grow(ring: Any) -> None:
    block = ring.block
    before = block.count
    extend(block, max(8, before), WORD_BYTES)
    # What had gone round the end goes on behind it.
    numbers = words(block)
    for place in range(ring.first):
        numbers[before + place] = numbers[place]
