"""Hash maps: from two whole numbers to a third, which is zero or more."""

from __future__ import annotations

from typing import Any

import numpy as np

from emu.fast.compiled import compiled
from emu.fast.memory import BLOCK, extend, release, words
from emu.fast.random import mixed

#: Its block has a power of two of slots of three words: the two keys, and the value plus one. What
#: it was `before` is there only while it grows.
HASH_MAP = np.dtype(
    [("block", BLOCK), ("before", BLOCK), ("slots", np.int64), ("count", np.int64)], align=True
)

_SLOT_BYTES = 24
_STEP = np.uint64(0x9E3779B97F4A7C15)


@compiled
def find(held: Any, first: int, second: int) -> int:
    """The value of a key; -1 if it is not there."""
    if held.count == 0:
        return -1
    slot = _slot_of(held, first, second)
    return int(words(held.block)[3 * slot + 2] - 1)


@compiled
def insert(held: Any, first: int, second: int, value: int) -> None:
    """Sets the value of a key."""
    if 2 * (held.count + 1) > held.slots:
        _grow(held)
    slot = _slot_of(held, first, second)
    numbers = words(held.block)
    if numbers[3 * slot + 2] == 0:
        held.count += 1
    numbers[3 * slot] = first
    numbers[3 * slot + 1] = second
    numbers[3 * slot + 2] = value + 1


@compiled
def remove(held: Any, first: int, second: int) -> None:
    """Takes a key out, if it is there."""
    if held.count == 0:
        return
    numbers = words(held.block)
    slot = _slot_of(held, first, second)
    if numbers[3 * slot + 2] == 0:
        return
    held.count -= 1
    mask = held.slots - 1
    # Those behind it move up, so that a search still ends at the first empty slot.
    behind = (slot + 1) & mask
    while numbers[3 * behind + 2] != 0:
        home = _home(numbers[3 * behind], numbers[3 * behind + 1], mask)
        if ((behind - home) & mask) >= ((behind - slot) & mask):
            for word in range(3):
                numbers[3 * slot + word] = numbers[3 * behind + word]
            slot = behind
        behind = (behind + 1) & mask
    numbers[3 * slot + 2] = 0


@compiled
def _home(first: int, second: int, mask: int) -> int:
    bits = mixed(mixed(np.uint64(first) + _STEP) + np.uint64(second) + _STEP)
    # Compiled, `int` alone leaves an unsigned number unsigned.
    return int(np.int64(bits & np.uint64(mask)))


@compiled
def _slot_of(held: Any, first: int, second: int) -> int:
    """Where the key is, or would be."""
    numbers = words(held.block)
    mask = held.slots - 1
    slot = _home(first, second, mask)
    while numbers[3 * slot + 2] != 0:
        if numbers[3 * slot] == first and numbers[3 * slot + 1] == second:
            break
        slot = (slot + 1) & mask
    return slot


@compiled
def _grow(held: Any) -> None:
    block, before = held.block, held.before
    before.at, before.room, before.count = block.at, block.room, block.count
    block.at = block.room = block.count = 0
    slots = held.slots
    held.slots = max(8, 2 * slots)
    extend(block, held.slots, _SLOT_BYTES)
    old, numbers = words(before), words(block)
    for slot in range(slots):
        if old[3 * slot + 2] != 0:
            place = _slot_of(held, old[3 * slot], old[3 * slot + 1])
            for word in range(3):
                numbers[3 * place + word] = old[3 * slot + word]
    release(before)
