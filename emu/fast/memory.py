"""Memory of compiled code: blocks that grow, and records at an address.

Compiled code has no objects. What it remembers are records in blocks of memory that grow as they
fill; a record refers to another one by its place in its block. A block that grows moves, so
a record taken from it before is not to be used after: take it again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import from_dtype, int64, types

from emu.fast.compiled import compiled
from emu.fast.records import records_at

#: A block: where it is, how many records it has room for, and how many it holds.
BLOCK = np.dtype([("at", np.int64), ("room", np.int64), ("count", np.int64)], align=True)
#: Bytes of a whole number.
WORD_BYTES = 8
# Of the C library. Sizes and addresses are whole numbers here, so that records can hold them.
_realloc = types.ExternalFunction("realloc", int64(int64, int64))
_free = types.ExternalFunction("free", types.void(int64))
_memset = types.ExternalFunction("memset", int64(int64, types.int32, int64))


@compiled
def view(block: Any, record: Any) -> Any:
    """The records of a block, of a type that `from_dtype` gives, or whole numbers (`int64`)."""
    return records_at(block.at, record)


@compiled
def words(block: Any) -> Any:
    """A block of whole numbers."""
    return records_at(block.at, int64)


@compiled
def extend(block: Any, count: int, size_bytes: int) -> int:
    """Adds so many records, all zero if they have never been used; gives the place of the first."""
    first = block.count
    block.count = first + count
    if block.count > block.room:
        before = block.room
        block.room = max(8, 2 * before, block.count)
        block.at = _realloc(block.at, block.room * size_bytes)
        _memset(block.at + before * size_bytes, 0, (block.room - before) * size_bytes)
    return int(first)


@compiled
def push(block: Any, value: int) -> None:
    """Adds a whole number at the end."""
    place = extend(block, 1, WORD_BYTES)
    words(block)[place] = value


@compiled
def pop(block: Any) -> int:
    """Takes the last whole number off; there must be one."""
    block.count -= 1
    return int(words(block)[block.count])


@compiled
def new_slot(block: Any, free: Any, size_bytes: int) -> int:
    """The place of a record that is free, or of one more at the end, which is all zero."""
    return pop(free) if free.count else extend(block, 1, size_bytes)


@compiled
def release(block: Any) -> None:
    """Gives the memory of a block back."""
    _free(block.at)
    block.at = 0
    block.room = 0
    block.count = 0


__all__ = [
    "BLOCK",
    "WORD_BYTES",
    "extend",
    "from_dtype",
    "new_slot",
    "pop",
    "push",
    "release",
    "view",
    "words",
]
