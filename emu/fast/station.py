"""Stations of the compiled engine; see `emu.station.Station`."""

from __future__ import annotations

from typing import Any

from emu.fast.clock import edge, edge_after, edge_at_or_after
from emu.fast.compiled import compiled
from emu.fast.lane import accepted, forget, note, ready_sums
from emu.fast.layout import clocks, hop_of, lanes, requests, stations
from emu.fast.memory import WORD_BYTES, extend, new_slot, push, words
from emu.fast.pool import is_exhausted
from emu.fast.ring import peek, put, take


@compiled
def earliest(world: Any, at: Any, now_ps: int) -> int:
    """The first time from now on that interval and clock allow; on a clock, sets `edge`."""
    if at.clock < 0:
        return int(max(now_ps, at.free_ps))
    clock = clocks(world)[at.clock]
    at.edge = max(edge_at_or_after(clock, now_ps), at.free_edge)
    return edge(clock, at.edge)


@compiled
def begin(world: Any, at: Any, at_ps: int, busy: int, latency: int) -> int:
    """Accepts at a time, for which `edge` stands; gives the time at which that is over."""
    at.accepted += 1
    at.busy += busy
    if at.clock < 0:
        at.free_ps = at_ps + busy
        return at_ps + latency
    if at.edge > at.free_edge:
        at.resumed_edge = at.edge
    at.free_edge = at.edge + busy
    return edge(clocks(world)[at.clock], at.edge + latency)


@compiled
def interval_ends_ps(world: Any, at: Any) -> int:
    """When the interval after the last acceptance is over; 0 before the first."""
    if at.accepted == 0:
        return 0
    return int(at.free_ps if at.clock < 0 else edge(clocks(world)[at.clock], at.free_edge))


@compiled
def enter_places(world: Any, at: Any, request_place: int, ends_batch: int) -> None:
    """A request, and those accepted together with it, take a place inside."""
    request = requests(world)[request_place]
    _count_places(at, world.now_ps)
    at.taken += 1
    put(at.inside, request_place)
    riders = request.riders
    if riders.count and ends_batch:
        share = new_slot(world.shares, world.free_shares, WORD_BYTES)
        words(world.shares)[share] = 1 + riders.count
        request.sharing = share
        numbers = words(riders)
        for index in range(riders.count):
            put(at.inside, numbers[index])
            requests(world)[numbers[index]].sharing = share


@compiled
def leave_place(world: Any, at: Any, request: Any) -> bool:
    """The first inside leaves; whether a place becomes free, as all of its batch have left."""
    take(at.inside)
    request.finished = 0
    share = request.sharing
    request.sharing = -1
    if share >= 0:
        words(world.shares)[share] -= 1
        if words(world.shares)[share]:
            return False
        push(world.free_shares, share)
    _count_places(at, world.now_ps)
    at.taken -= 1
    if at.depth < 0:
        return False
    if at.refills_at_edge and at.clock >= 0:
        clock = clocks(world)[at.clock]
        refill_ps = edge(clock, edge_after(clock, world.now_ps))
        put(at.refill_ps, refill_ps)
        at.place_ps += refill_ps - world.now_ps
    return True


@compiled
def _count_places(at: Any, now_ps: int) -> None:
    at.place_ps += at.taken * (now_ps - at.placed_ps)
    at.placed_ps = now_ps


@compiled
def has_place(world: Any, at: Any) -> bool:
    """Whether one more request can be inside."""
    if at.depth < 0:
        return True
    refill_ps = at.refill_ps
    while refill_ps.count and peek(refill_ps, 0) <= world.now_ps:
        take(refill_ps)
    return bool(at.taken + refill_ps.count < at.depth)


@compiled
def watch(world: Any, at: Any, request: Any, lane_place: int) -> None:
    """The request has come into the channel of a station that a resource can hold up."""
    lane = lanes(world)[lane_place]
    ready_sums(lane, at.resources.count)
    before = request.blocked_before
    before.count = 0
    extend(before, at.resources.count, WORD_BYTES)
    sums, numbers = words(lane.sums), words(before)
    for resource in range(at.resources.count):
        numbers[resource] = sums[resource]
    if lane.blocked >= 0:
        numbers[lane.blocked] += world.now_ps - lane.since_ps


@compiled
def note_blocked(world: Any, at: Any) -> None:
    """Remembers from when on which resource holds up which lane."""
    index = 0
    while index < at.own_lanes.count:
        place = words(at.own_lanes)[index]
        lane = lanes(world)[place]
        if lane.waiting.count:
            ready_sums(lane, at.resources.count)
            note(lane, world.now_ps, _exhausted(world, at, peek(lane.waiting, 0)))
            index += 1
        else:
            before = at.own_lanes.count
            forget(world, at, index)
            index += before == at.own_lanes.count


@compiled
def touch(world: Any, station: int) -> None:
    """What holds up the station's lanes may be another thing at the end of the instant."""
    at = stations(world)[station]
    if at.can_be_blocked and not at.touched:
        at.touched = 1
        push(world.touched, station)


@compiled
def is_ready(world: Any, station: int) -> None:
    """The station may accept something, or its actor has something due."""
    at = stations(world)[station]
    if not at.is_ready:
        at.is_ready = 1
        push(world.ready, station)


@compiled
def accept_lanes(world: Any, at: Any, at_ps: int) -> None:
    """The station has accepted a request: for every lane a new stretch begins."""
    numbers = words(at.own_lanes)
    for index in range(at.own_lanes.count):
        accepted(lanes(world)[numbers[index]], at_ps)


@compiled
def _exhausted(world: Any, at: Any, request_place: int) -> int:
    """The first resource that holds up a request here; -1 for none."""
    request = requests(world)[request_place]
    hop = hop_of(world, request)
    numbers = words(at.own_pools)
    taken = words(world.lists)
    for index in range(at.own_pools.count):
        for other in range(hop.takes_count):
            if taken[hop.takes + 2 * other] == numbers[index] and is_exhausted(
                world, numbers[index], request
            ):
                return index
    return -1 if has_place(world, at) else int(at.own_pools.count)
