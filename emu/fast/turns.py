"""Turns: which of the lanes that are ready is served, and on which edge; see `stages.order`."""

from __future__ import annotations

from typing import Any

from emu.fast.compiled import compiled
from emu.fast.dispatcher_records import lanes_of
from emu.fast.memory import WORD_BYTES, extend, words


@compiled
def set_ready(dispatcher: Any, lane_place: int, is_ready: int) -> None:
    """The lane's first request may go, or can't."""
    lane = lanes_of(dispatcher)[lane_place]
    if lane.is_ready == is_ready:
        return
    lane.is_ready = is_ready
    place = _from_key(dispatcher, lane.key)
    ready = dispatcher.ready_lanes
    if is_ready:
        extend(ready, 1, WORD_BYTES)
        numbers = words(ready)
        for after in range(ready.count - 1, place, -1):
            numbers[after] = numbers[after - 1]
        numbers[place] = lane_place
    else:
        numbers = words(ready)
        ready.count -= 1
        for after in range(place, ready.count):
            numbers[after] = numbers[after + 1]


@compiled
def next_turn(dispatcher: Any, edge: int) -> tuple[int, int]:
    """From `edge` on, when a lane is served and which; one at least must be ready."""
    ready = dispatcher.ready_lanes
    if not dispatcher.scans:
        return edge, words(ready)[_from_key(dispatcher, dispatcher.last_key + 1) % ready.count]
    cursor = (edge - dispatcher.stood) % dispatcher.queues
    lane = words(ready)[_from_key(dispatcher, cursor) % ready.count]
    return edge + (lanes_of(dispatcher)[lane].key - cursor) % dispatcher.queues, lane


@compiled
def serve_turn(dispatcher: Any, key: int, busy: int) -> None:
    """A lane is served for so many cycles: on a scan a look, and then none."""
    dispatcher.last_key = key
    dispatcher.stood += busy - 1


@compiled
def _from_key(dispatcher: Any, key: int) -> int:
    """How many of those that are ready have a smaller key."""
    low, high = 0, dispatcher.ready_lanes.count
    numbers, lanes = words(dispatcher.ready_lanes), lanes_of(dispatcher)
    while low < high:
        middle = (low + high) >> 1
        if lanes[numbers[middle]].key < key:
            low = middle + 1
        else:
            high = middle
    return low
