"""Pools of the compiled engine; see `emu.resource.Pool`."""

from __future__ import annotations

from typing import Any

from emu.fast.codes import DUE_UNIT
from emu.fast.compiled import compiled
from emu.fast.due import put_due
from emu.fast.hash_map import find, insert
from emu.fast.layout import KEYED, POOL_BY, UNIT, keyed, pools, units
from emu.fast.memory import WORD_BYTES, extend, new_slot, push, words

_BY_INITIATOR = POOL_BY.index("initiator")
_BY_DESTINATION = POOL_BY.index("destination")
_BY_GROUPS = POOL_BY.index("groups")
_KEYED_BYTES = KEYED.itemsize
_UNIT_BYTES = UNIT.itemsize


@compiled
def is_exhausted(world: Any, pool: int, request: Any) -> bool:
    """Whether no unit is free for such a request."""
    of = pools(world)[pool]
    if of.by == 0:
        return bool(of.held >= of.capacity)
    key = _key(of, request)
    return bool(key >= 0 and keyed(world)[key].held >= of.capacity)


@compiled
def take_unit(world: Any, pool: int, request: Any) -> int:
    """Counts a unit as held for a request; gives its key, or -1 where there is none."""
    of = pools(world)[pool]
    of.unit_ps += of.held * (world.now_ps - of.updated_ps)
    of.updated_ps = world.now_ps
    of.held += 1
    if of.by == 0:
        return -1
    key = _key(of, request)
    if key < 0:
        key = extend(world.keyed, 1, _KEYED_BYTES)
        insert(of.keys, _first_key(of, request), _second_key(of, request), key)
        keyed(world)[key].pool = pool
        keyed(world)[key].updated_ps = world.now_ps
    _count_key(world, key)
    keyed(world)[key].held += 1
    return key


@compiled
def give_unit(world: Any, pool: int, key: int) -> None:
    """A unit is free again."""
    of = pools(world)[pool]
    of.unit_ps += of.held * (world.now_ps - of.updated_ps)
    of.updated_ps = world.now_ps
    of.held -= 1
    if key >= 0:
        _count_key(world, key)
        keyed(world)[key].held -= 1


@compiled
def holds(request: Any, pool: int) -> int:
    """The place of a pool among what a request holds; -1 if it holds none of it."""
    held = request.units
    numbers = words(held)
    for place in range(0, held.count, 2):
        if numbers[place] == pool:
            return place
    return -1


@compiled
def hold(request: Any, pool: int, key: int) -> None:
    """The request itself holds a unit."""
    held = request.units
    place = extend(held, 2, WORD_BYTES)
    numbers = words(held)
    numbers[place] = pool
    numbers[place + 1] = key


@compiled
def let_go_of(request: Any, place: int) -> int:
    """The request holds the unit at this place no more; gives its key."""
    held = request.units
    numbers = words(held)
    key = numbers[place + 1]
    held.count -= 2
    numbers[place] = numbers[held.count]
    numbers[place + 1] = numbers[held.count + 1]
    return int(key)


@compiled
def return_at(world: Any, time_ps: int, pool: int, key: int) -> None:
    """A unit is held by itself, and comes back at a time."""
    unit = new_slot(world.units, world.free_units, _UNIT_BYTES)
    one = units(world)[unit]
    one.pool = pool
    one.keyed = key
    put_due(world, time_ps, DUE_UNIT, unit)


@compiled
def came_back(world: Any, unit: int) -> int:
    """A unit has come back by itself; gives its pool."""
    one = units(world)[unit]
    give_unit(world, one.pool, one.keyed)
    push(world.free_units, unit)
    return int(one.pool)


@compiled
def _key(of: Any, request: Any) -> int:
    return find(of.keys, _first_key(of, request), _second_key(of, request))


@compiled
def _first_key(of: Any, request: Any) -> int:
    if of.by == _BY_DESTINATION:
        return 0
    if of.by == _BY_GROUPS:
        return int(request.initiator % of.groups)
    return int(request.initiator)


@compiled
def _second_key(of: Any, request: Any) -> int:
    return 0 if of.by == _BY_INITIATOR else int(request.destination)


@compiled
def _count_key(world: Any, key: int) -> None:
    one = keyed(world)[key]
    one.unit_ps += one.held * (world.now_ps - one.updated_ps)
    one.updated_ps = world.now_ps
