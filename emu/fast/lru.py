"""Keys of two whole numbers that are dropped when they were unused for longest."""

from __future__ import annotations

from typing import Any

from emu.fast.compiled import compiled
from emu.fast.hash_map import HASH_MAP, find, insert, remove
from emu.fast.layout import record
from emu.fast.memory import BLOCK, extend, from_dtype, new_slot, push, view

#: Keys in one or several sets that have room of their own; no key is in two.
LRU = record(keys=HASH_MAP, lru_entries=BLOCK, lru_free=BLOCK, lru_sets=BLOCK)

#: The keys of a set are linked, from the one unused for longest to the one used last.
LRU_SET = record("room", "oldest", "newest")
#: A key, what it takes of the room, its set, and the keys used before and after it.
LRU_ENTRY = record("first", "second", "size", "set", "before", "after")

LRU_SET_T = from_dtype(LRU_SET)
LRU_ENTRY_T = from_dtype(LRU_ENTRY)
_SET_BYTES = LRU_SET.itemsize
_ENTRY_BYTES = LRU_ENTRY.itemsize

KINDS = {"lru_entries": LRU_ENTRY, "lru_sets": LRU_SET}


@compiled
def lru_add_set(lru: Any, room: int) -> int:
    """An empty set with so much room; its place."""
    place = extend(lru.lru_sets, 1, _SET_BYTES)
    made = view(lru.lru_sets, LRU_SET_T)[place]
    made.room = room
    made.oldest = -1
    made.newest = -1
    return place


@compiled
def lru_touch(lru: Any, first: int, second: int) -> bool:
    """Whether the key is there, in any set; it is now the one used last."""
    place = find(lru.keys, first, second)
    if place < 0:
        return False
    entry = view(lru.lru_entries, LRU_ENTRY_T)[place]
    if entry.after >= 0:
        _unlink(lru, place)
        _append(lru, place)
    return True


@compiled
def lru_take_in(lru: Any, set_: int, first: int, second: int, size: int) -> None:
    """Takes in a key that is not there and is no larger than the set, which makes room for it."""
    into = view(lru.lru_sets, LRU_SET_T)[set_]
    while into.room < size:
        _drop(lru, into.oldest)
    into.room -= size
    place = new_slot(lru.lru_entries, lru.lru_free, _ENTRY_BYTES)
    entry = view(lru.lru_entries, LRU_ENTRY_T)[place]
    entry.first = first
    entry.second = second
    entry.size = size
    entry.set = set_
    insert(lru.keys, first, second, place)
    _append(lru, place)


@compiled
def _drop(lru: Any, place: int) -> None:
    entry = view(lru.lru_entries, LRU_ENTRY_T)[place]
    view(lru.lru_sets, LRU_SET_T)[entry.set].room += entry.size
    _unlink(lru, place)
    remove(lru.keys, entry.first, entry.second)
    push(lru.lru_free, place)


@compiled
def _unlink(lru: Any, place: int) -> None:
    entries = view(lru.lru_entries, LRU_ENTRY_T)
    entry = entries[place]
    of = view(lru.lru_sets, LRU_SET_T)[entry.set]
    if entry.before >= 0:
        entries[entry.before].after = entry.after
    else:
        of.oldest = entry.after
    if entry.after >= 0:
        entries[entry.after].before = entry.before
    else:
        of.newest = entry.before


@compiled
def _append(lru: Any, place: int) -> None:
    """Makes it the one that was used last of its set."""
    entries = view(lru.lru_entries, LRU_ENTRY_T)
    entry = entries[place]
    of = view(lru.lru_sets, LRU_SET_T)[entry.set]
    entry.before = of.newest
    entry.after = -1
    if of.newest >= 0:
        entries[of.newest].after = place
    else:
        of.oldest = place
    of.newest = place
