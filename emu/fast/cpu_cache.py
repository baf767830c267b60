"""The processor's cache, compiled; see `stages.cpu_cache`."""

from __future__ import annotations

from typing import Any

import numpy as np

from emu.fast.codes import CPU_CACHE, P_CACHE_MISS, P_SERVICE, STORE
from emu.fast.compiled import compiled
from emu.fast.constants import add_time
from emu.fast.hash_map import HASH_MAP, find, insert
from emu.fast.layout import record, requests
from emu.fast.lru import KINDS as LRU_KINDS
from emu.fast.lru import LRU, lru_add_set, lru_take_in, lru_touch
from emu.fast.memory import BLOCK, extend, from_dtype, view
from emu.fast.refusal import RefusalError
from emu.fast.stops import fitting_ps

#: The caches of one entry: each initiator has one.
PROCESSORS = record(
    *("cacheable", "stores_go_on", "line_bytes", "l1_lines", "l2_lines"),
    *("l1_hit_ps", "l2_hit_ps", "miss_ps"),
    # From an initiator to the place of its levels.
    places=HASH_MAP,
    levels=BLOCK,
)
#: The two levels of an initiator, each with one set, of lines by destination and number.
LEVELS = record(l1=LRU, l2=LRU)

PROCESSORS_T = from_dtype(PROCESSORS)
LEVELS_T = from_dtype(LEVELS)
_LEVELS_BYTES = LEVELS.itemsize

KINDS = {"processors": PROCESSORS, "levels": LEVELS, **LRU_KINDS}


@compiled
def cpu_serve(world: Any, r: int, served: int) -> None:
    """Looks the line up, moves it to the front, and says whether the access ends here."""
    processors = view(world.processors, PROCESSORS_T)[served]
    request = requests(world)[r]
    level = 0
    if processors.cacheable:
        levels = _levels_of(processors, request.initiator)
        level = _look_up(levels, request.destination, request.address // processors.line_bytes)
    if level == 0:
        add_time(world, r, P_CACHE_MISS, processors.miss_ps)
        return
    hit_ps = processors.l1_hit_ps if level == 1 else processors.l2_hit_ps
    add_time(world, r, P_SERVICE, hit_ps)
    if not (processors.stores_go_on and request.operation == STORE):
        world.ends = 1


@compiled
def _levels_of(processors: Any, initiator: int) -> Any:
    place = find(processors.places, initiator, 0)
    if place < 0:
        place = extend(processors.levels, 1, _LEVELS_BYTES)
        insert(processors.places, initiator, 0, place)
        made = view(processors.levels, LEVELS_T)[place]
        lru_add_set(made.l1, processors.l1_lines)
        lru_add_set(made.l2, processors.l2_lines)
    return view(processors.levels, LEVELS_T)[place]


@compiled
def _look_up(levels: Any, destination: int, line: int) -> int:
    """The level that has the line: 1, 2, or 0 for none; the first has it from now on."""
    if lru_touch(levels.l1, destination, line):
        return 1
    level = 2 if lru_touch(levels.l2, destination, line) else 0
    lru_take_in(levels.l1, 0, destination, line, 1)
    if level == 0:
        lru_take_in(levels.l2, 0, destination, line, 1)
    return level


def make_cpu(stage: Any, building: Any) -> tuple[int, int]:
    """The record of a `cpu_cache`, which may keep no values."""
    if stage._memory is not None:
        raise RefusalError("stage cpu_cache keeps values")
    parameters = stage.parameters
    made = np.zeros(1, PROCESSORS)
    made["cacheable"] = parameters.policy != "uncacheable"
    made["stores_go_on"] = parameters.policy == "write_through"
    made["line_bytes"] = parameters.line
    for name in ("l1_lines", "l2_lines"):
        made[name] = getattr(parameters, name)
    for name in ("l1_hit", "l2_hit", "miss"):
        made[f"{name}_ps"] = fitting_ps(building, getattr(parameters, name))
    return CPU_CACHE, building.add("processors", made)
