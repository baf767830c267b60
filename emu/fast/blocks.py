"""Blocks filled, read and given back from Python; see `emu.fast.memory`."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from emu.fast.memory import BLOCK

# The library whose memory compiled code takes, so that either side can let a block grow.
_C = ctypes.CDLL(None)
_C.realloc.restype = ctypes.c_void_p
_C.realloc.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
_C.free.restype = None
_C.free.argtypes = (ctypes.c_void_p,)

WORD = np.dtype(np.int64)


def fill(block: Any, records: np.ndarray[Any, Any]) -> None:
    """Makes an empty block hold copies of records, or of whole numbers."""
    count = len(records)
    if not count:
        return
    size_bytes = records.dtype.itemsize * count
    block["at"] = _C.realloc(None, size_bytes)
    ctypes.memmove(int(block["at"]), np.ascontiguousarray(records).ctypes.data, size_bytes)
    block["room"] = block["count"] = count


def fill_words(block: Any, numbers: Any) -> None:
    """Makes an empty block hold whole numbers."""
    fill(block, np.asarray(numbers, dtype=WORD))


def contents(block: Any, kind: np.dtype[Any] = WORD, *, all_room: bool = False) -> Any:
    """The records of a block, where they are; good until the block grows."""
    count = int(block["room"] if all_room else block["count"])
    if not count:
        return np.zeros(0, kind)
    raw = (ctypes.c_char * (count * kind.itemsize)).from_address(int(block["at"]))
    return np.frombuffer(memoryview(raw), dtype=kind)


def ring_numbers(ring: Any) -> list[int]:
    """The numbers in a ring, the first first; see `emu.fast.ring`."""
    numbers = contents(ring["block"])
    found: list[int] = np.roll(numbers, -int(ring["first"]))[: int(ring["count"])].tolist()
    return found


def give_back(records: np.ndarray[Any, Any], kinds: dict[str, np.dtype[Any]]) -> None:
    """Gives back the memory of all blocks of records, and of the records in them.

    `kinds` says by name what a block holds if it is not whole numbers.
    """
    for name in records.dtype.names or ():
        field = records.dtype[name]
        if field == BLOCK:
            _give_back_all(records[name], kinds.get(name, WORD), kinds)
        elif field.names:
            give_back(records[name], kinds)


def give_back_block(block: Any) -> None:
    """Gives back the memory of a block of records that have no blocks themselves."""
    _C.free(int(block["at"]))
    block["at"] = block["room"] = block["count"] = 0


def _give_back_all(
    blocks: np.ndarray[Any, Any], kind: np.dtype[Any], kinds: dict[str, np.dtype[Any]]
) -> None:
    """The same field of many records: there may be a million, and most of them hold nothing."""
    if any(kind[name].names for name in kind.names or ()):
        for block in blocks:
            give_back(contents(block, kind, all_room=True), kinds)
    for at in blocks["at"][blocks["at"] != 0].tolist():
        _C.free(at)
    blocks[:] = np.zeros(1, BLOCK)
