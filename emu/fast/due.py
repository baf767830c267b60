"""What is due: requests, stations and units of pools, by time, and first in, first out."""

from __future__ import annotations

from typing import Any

from emu.fast.compiled import compiled
from emu.fast.heap import rise
from emu.fast.layout import DUE, DUE_T
from emu.fast.memory import extend, view

_BYTES = DUE.itemsize


@compiled
def put_due(world: Any, time_ps: int, kind: int, item: int) -> None:
    """Something is due at a time: a request, a station, or a unit of a pool."""
    last = extend(world.due, 1, _BYTES)
    heap = view(world.due, DUE_T)
    world.tie += 1
    one = heap[rise(heap, last, time_ps)]
    one.time_ps = time_ps
    one.tie = world.tie
    one.kind = kind
    one.item = item
