"""Lanes of the compiled engine: who waits in a channel, and what has held it up.

See `emu.channel.Channel` and `emu.blocked.BlockedLane`.
"""

from __future__ import annotations

from typing import Any

from emu.fast.clock import edge, edge_after
from emu.fast.compiled import compiled
from emu.fast.layout import LANE, clocks, hop_of, lanes, requests, stations
from emu.fast.memory import WORD_BYTES, extend, new_slot, pop, push, words
from emu.fast.pool import is_exhausted
from emu.fast.ring import peek, put, take

_LANE_BYTES = LANE.itemsize
#: Lanes of a PCIe link, as `emu.pcie` orders them; those of other links follow.
PCIE_LANES = ("posted", "nonposted", "completion", "relaxed")
_POSTED, _NONPOSTED, _COMPLETION, _RELAXED = range(4)

#: What `has_lanes` says: one queue, one for each user of a link, or one for each set of units.
ONE_LANE, LINK_LANES, UNIT_LANES = range(3)


@compiled
def lane_of(world: Any, station: int, request: Any) -> int:
    """The lane in which a request waits, or is to wait; made if it is not there."""
    at = stations(world)[station]
    takes, initiator, destination = 0, 0, 0
    if at.has_lanes != ONE_LANE:
        hop = hop_of(world, request)
        takes = hop.lane
        if at.has_lanes == UNIT_LANES:
            if hop.by_initiator < 0:
                initiator = request.initiator
            elif hop.by_initiator > 0:
                initiator = request.initiator % hop.by_initiator
            if hop.by_destination:
                destination = request.destination
    numbers = words(at.own_lanes)
    for index in range(at.own_lanes.count):
        lane = lanes(world)[numbers[index]]
        if lane.takes == takes and lane.initiator == initiator and lane.destination == destination:
            return int(numbers[index])
    place = new_slot(world.lanes, world.free_lanes, _LANE_BYTES)
    push(at.own_lanes, place)
    lane = lanes(world)[place]
    lane.takes = takes
    lane.initiator = initiator
    lane.destination = destination
    lane.served = -1
    lane.blocked = -1
    lane.since_ps = 0
    return place


@compiled
def free_places(world: Any, at: Any) -> int:
    """How many more requests can be put into a channel now, which must have a capacity."""
    freed = at.freed_ps
    while freed.count and peek(freed, 0) <= world.now_ps:
        take(freed)
    return int(at.capacity - at.waiting - freed.count)


@compiled
def has_waiting_room(world: Any, at: Any) -> bool:
    """Whether one more request can be put."""
    return bool(at.capacity < 0 or free_places(world, at) > 0)


@compiled
def put_in_lane(world: Any, station: int, request_place: int) -> int:
    """Adds a request at the end of its lane; gives the lane."""
    at = stations(world)[station]
    place = lane_of(world, station, requests(world)[request_place])
    lane = lanes(world)[place]
    put(lane.waiting, request_place)
    at.waiting += 1
    if at.registered:
        clock = clocks(world)[at.clock]
        put(lane.visible_ps, edge(clock, edge_after(clock, world.now_ps)))
    return place


@compiled
def take_from_lane(world: Any, at: Any, place: int) -> int:
    """Removes the first request of a lane, which can be taken."""
    lane = lanes(world)[place]
    request = take(lane.waiting)
    at.waiting -= 1
    if at.turns:
        at.turn += 1
        lane.served = at.turn
    if at.registered:
        take(lane.visible_ps)
        if at.capacity >= 0:
            clock = clocks(world)[at.clock]
            put(at.freed_ps, edge(clock, edge_after(clock, world.now_ps)))
    return request


@compiled
def is_takeable(world: Any, at: Any, lane: Any) -> bool:
    """Whether a lane has a first request that can be taken now, but for what it is behind."""
    if not lane.waiting.count:
        return False
    return bool(not at.registered or peek(lane.visible_ps, 0) <= world.now_ps)


@compiled
def best_lane(world: Any, at: Any, with_units: bool) -> int:
    """The lane whose first request is to be taken; -1 for none.

    The longest waiting, or where lanes take turns the one served longest ago. `with_units` looks
    only at those for which units of all pools are free.
    """
    best = -1
    best_served, best_arrived_ps, best_sequence = 0, 0, 0
    numbers = words(at.own_lanes)
    for index in range(at.own_lanes.count):
        place = numbers[index]
        lane = lanes(world)[place]
        if not is_takeable(world, at, lane):
            continue
        request = requests(world)[peek(lane.waiting, 0)]
        if at.behind and _is_behind(world, at, lane, request):
            continue
        if with_units and not _has_units(world, request):
            continue
        served = lane.served if at.turns else 0
        arrived_ps, sequence = request.arrived_ps, request.sequence
        if best >= 0:
            if served > best_served:
                continue
            if served == best_served:
                if arrived_ps > best_arrived_ps:
                    continue
                if arrived_ps == best_arrived_ps and sequence > best_sequence:
                    continue
        best = place
        best_served, best_arrived_ps, best_sequence = served, arrived_ps, sequence
    return int(best)


@compiled
def next_change(world: Any, at: Any) -> int:
    """When a registered channel's next request or free place comes; -1 if neither."""
    if not at.registered:
        return -1
    now_ps = world.now_ps
    found_ps = -1
    numbers = words(at.own_lanes)
    for index in range(at.own_lanes.count):
        found_ps = _earlier(found_ps, lanes(world)[numbers[index]].visible_ps, now_ps)
    return _earlier(found_ps, at.freed_ps, now_ps)


@compiled
def _earlier(found_ps: int, times: Any, now_ps: int) -> int:
    """The first of times in order that is not over, if it is before what was found."""
    for place in range(times.count):
        time_ps = peek(times, place)
        if time_ps > now_ps:
            return time_ps if found_ps < 0 or time_ps < found_ps else found_ps
    return found_ps


@compiled
def _is_behind(world: Any, at: Any, lane: Any, request: Any) -> bool:
    """Whether a posted write that came before is still there."""
    if lane.takes not in (_NONPOSTED, _COMPLETION):
        return False
    numbers = words(at.own_lanes)
    for index in range(at.own_lanes.count):
        other = lanes(world)[numbers[index]]
        if other.takes == _POSTED and other.waiting.count:
            one = requests(world)[peek(other.waiting, 0)]
            return bool(
                one.arrived_ps < request.arrived_ps
                or (one.arrived_ps == request.arrived_ps and one.sequence < request.sequence)
            )
    return False


@compiled
def _has_units(world: Any, request: Any) -> bool:
    hop = hop_of(world, request)
    numbers = words(world.lists)
    for index in range(hop.takes_count):
        if is_exhausted(world, numbers[hop.takes + 2 * index], request):
            return False
    return True


# -- what has held a lane up ----------------------------------------------------------------


@compiled
def ready_sums(lane: Any, resources: int) -> None:
    """The sums of a lane exist, one for each resource of the station."""
    if lane.sums.count < resources:
        extend(lane.sums, resources - lane.sums.count, WORD_BYTES)
        extend(lane.first, resources - lane.first.count, WORD_BYTES)


@compiled
def note(lane: Any, now_ps: int, resource: int) -> None:
    """From now on a resource holds up the lane; -1 for none."""
    if resource != lane.blocked:
        _close(lane, now_ps)
        lane.blocked = resource


@compiled
def _close(lane: Any, now_ps: int) -> None:
    """What holds it up has done so up to now."""
    if lane.blocked >= 0 and now_ps > lane.since_ps:
        words(lane.sums)[lane.blocked] += now_ps - lane.since_ps
        place = extend(lane.spans, 3, WORD_BYTES)
        spans = words(lane.spans)
        spans[place] = lane.since_ps
        spans[place + 1] = now_ps
        spans[place + 2] = lane.blocked
    lane.since_ps = now_ps


@compiled
def accepted(lane: Any, now_ps: int) -> None:
    """The station has accepted a request."""
    _close(lane, now_ps)
    lane.spans.count = 0
    sums, first = words(lane.sums), words(lane.first)
    for resource in range(lane.sums.count):
        first[resource] = sums[resource]


@compiled
def forget(world: Any, at: Any, index: int) -> None:
    """A lane in which nobody waits; if lanes come and go, it goes."""
    place = words(at.own_lanes)[index]
    lane = lanes(world)[place]
    lane.blocked = -1
    lane.since_ps = 0
    lane.spans.count = 0
    sums, first = words(lane.sums), words(lane.first)
    for resource in range(lane.sums.count):
        sums[resource] = 0
        first[resource] = 0
    if at.has_lanes == UNIT_LANES:
        words(at.own_lanes)[index] = pop(at.own_lanes)
        push(world.free_lanes, place)
