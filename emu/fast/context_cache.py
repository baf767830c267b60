"""The context cache, compiled; see `stages.context_cache`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from emu.fast.blocks import fill
from emu.fast.codes import CONTEXT_CACHE
from emu.fast.compiled import compiled
from emu.fast.hash_map import HASH_MAP, find, insert, remove
from emu.fast.layout import randoms, record, requests
from emu.fast.lru import KINDS as LRU_KINDS
from emu.fast.lru import LRU, lru_add_set, lru_take_in, lru_touch
from emu.fast.memory import BLOCK, extend, from_dtype, new_slot, push, view
from emu.fast.random import below, mixed

#: A cache: what makes room (of `REPLACEMENTS`), the room of a set, how many sets, the generator.
CACHE = record(
    *("replacement", "room", "count", "random"),
    cache_needs=BLOCK,
    # From a set's number to its place; sets are made when they are first used.
    places=HASH_MAP,
    lru=LRU,
    # Without LRU: the sets, and what any of them holds, in no order.
    cache_sets=BLOCK,
    held=HASH_MAP,
    # With random replacement: by set and number in the set, the place of what is held there.
    numbered=HASH_MAP,
    cache_records=BLOCK,
    cache_free=BLOCK,
)
REPLACEMENTS = ("lru", "random", "none")
_LRU, _RANDOM, _NONE = range(3)

#: A record that each request needs: its kind, what there is one of each for, and what it takes.
NEED = record("kind", "by_initiator", "by_destination", "size")
#: A set without order: its room, and how many records it has.
CACHE_SET = record("room", "count")
#: A record that is held: its key, and what it takes.
CACHE_RECORD = record("first", "second", "size")

CACHE_T = from_dtype(CACHE)
NEED_T = from_dtype(NEED)
CACHE_SET_T = from_dtype(CACHE_SET)
CACHE_RECORD_T = from_dtype(CACHE_RECORD)
_SET_BYTES = CACHE_SET.itemsize
_RECORD_BYTES = CACHE_RECORD.itemsize
_STEP = np.uint64(0x9E3779B97F4A7C15)
#: Kinds of records; a kind and an initiator make one number of a key.
_KINDS = 4

KINDS = {
    "caches": CACHE,
    "cache_needs": NEED,
    "cache_sets": CACHE_SET,
    "cache_records": CACHE_RECORD,
    **LRU_KINDS,
}


@compiled
def context_serve(world: Any, r: int, served: int) -> None:
    """Looks up every record of the request, takes in those that are not there."""
    cache = view(world.caches, CACHE_T)[served]
    request = requests(world)[r]
    needs = view(cache.cache_needs, NEED_T)
    found = 1
    for place in range(cache.cache_needs.count):
        need = needs[place]
        initiator = request.initiator * need.by_initiator
        destination = request.destination * need.by_destination
        if not _use(world, cache, need.kind, initiator, destination, need.size):
            found = 0
    world.skips = found


@compiled
def _use(world: Any, cache: Any, kind: int, initiator: int, destination: int, size: int) -> bool:
    """Whether the record is there; if not, it is taken in as the replacement says."""
    first = initiator * _KINDS + kind
    if cache.replacement == _LRU:
        if lru_touch(cache.lru, first, destination):
            return True
    elif find(cache.held, first, destination) >= 0:
        return True
    place = _set_of(cache, kind, initiator, destination)
    if cache.replacement == _LRU:
        lru_take_in(cache.lru, place, first, destination, size)
    elif cache.replacement == _RANDOM:
        _take_in_at_random(world, cache, place, first, destination, size)
    else:
        of = view(cache.cache_sets, CACHE_SET_T)[place]
        if of.room >= size:
            of.room -= size
            insert(cache.held, first, destination, 0)
    return False


@compiled
def _set_of(cache: Any, kind: int, initiator: int, destination: int) -> int:
    """The place of the set that the key belongs to."""
    if cache.count == 1:
        index = 0
    else:
        z = mixed(np.uint64(kind) + _STEP)
        z = mixed(z + np.uint64(initiator) + _STEP)
        z = mixed(z + np.uint64(destination) + _STEP)
        index = int(np.int64(z % np.uint64(cache.count)))
    place = find(cache.places, index, 0)
    if place < 0:
        place = _add_set(cache)
        insert(cache.places, index, 0, place)
    return place


@compiled
def _add_set(cache: Any) -> int:
    if cache.replacement == _LRU:
        return lru_add_set(cache.lru, cache.room)
    place = extend(cache.cache_sets, 1, _SET_BYTES)
    made = view(cache.cache_sets, CACHE_SET_T)[place]
    made.room = cache.room
    return place


@compiled
def _take_in_at_random(
    world: Any, cache: Any, place: int, first: int, second: int, size: int
) -> None:
    """Drops records drawn at random until the new one fits."""
    of = view(cache.cache_sets, CACHE_SET_T)[place]
    while of.room < size:
        _drop(cache, place, of, below(randoms(world)[cache.random], of.count))
    at = new_slot(cache.cache_records, cache.cache_free, _RECORD_BYTES)
    taken = view(cache.cache_records, CACHE_RECORD_T)[at]
    taken.first = first
    taken.second = second
    taken.size = size
    insert(cache.held, first, second, 0)
    insert(cache.numbered, place, of.count, at)
    of.count += 1
    of.room -= size


@compiled
def _drop(cache: Any, place: int, of: Any, index: int) -> None:
    """Drops a record by its number in a set; the last record takes its place."""
    at = find(cache.numbered, place, index)
    of.count -= 1
    insert(cache.numbered, place, index, find(cache.numbered, place, of.count))
    remove(cache.numbered, place, of.count)
    dropped = view(cache.cache_records, CACHE_RECORD_T)[at]
    of.room += dropped.size
    remove(cache.held, dropped.first, dropped.second)
    push(cache.cache_free, at)


def make_context(stage: Any, building: Any) -> tuple[int, int]:
    """The record of a `context_cache`."""
    parameters = stage.parameters
    made = np.zeros(1, CACHE)
    made["replacement"] = REPLACEMENTS.index(parameters.replacement)
    made["room"] = stage._room
    made["count"] = stage._count
    made["random"] = building.random(stage._random)
    needs = np.zeros(len(stage._needed), NEED)
    # Asked with ones, an owner says which of the two numbers tell its records apart.
    ones = SimpleNamespace(initiator=1, destination=1)
    for need, (kind, owner, size) in zip(needs, stage._needed, strict=True):
        need["kind"] = kind
        need["by_initiator"], need["by_destination"] = owner(ones)
        need["size"] = size
    fill(made[0]["cache_needs"], needs)
    return CONTEXT_CACHE, building.add("caches", made)
