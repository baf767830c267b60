"""Heaps: records with a time, the earliest first, and within a time first in, first out.

A record has the fields `time_ps` and `tie`, of which later ones are larger.
"""

from __future__ import annotations

from typing import Any

from emu.fast.compiled import compiled


@compiled
def rise(heap: Any, place: int, time_ps: int) -> int:
    """Makes room for a new record, the last of its time, in a heap whose last place is free.

    Gives the place where it belongs.
    """
    while place > 0:
        above = (place - 1) >> 1
        if heap[above].time_ps <= time_ps:
            break
        heap[place] = heap[above]
        place = above
    return place


@compiled
def drop_first(block: Any, heap: Any) -> None:
    """Takes the first record off, which has been read; there must be one."""
    block.count -= 1
    count = block.count
    if count == 0:
        return
    last = heap[count]
    time_ps, tie = last.time_ps, last.tie
    place = 0
    while True:
        child = 2 * place + 1
        if child >= count:
            break
        if child + 1 < count and _is_before(heap[child + 1], heap[child].time_ps, heap[child].tie):
            child += 1
        if not _is_before(heap[child], time_ps, tie):
            break
        heap[place] = heap[child]
        place = child
    heap[place] = last


@compiled
def _is_before(one: Any, time_ps: int, tie: int) -> bool:
    return bool(one.time_ps < time_ps or (one.time_ps == time_ps and one.tie < tie))
