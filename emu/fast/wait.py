"""Waits: what the time between arrival and acceptance is charged to; see `emu.handshake`."""

from __future__ import annotations

from typing import Any

from emu.fast.codes import P_ALIGNMENT, P_ARBITRATION, P_INTERVAL
from emu.fast.compiled import compiled
from emu.fast.lane import lane_of
from emu.fast.layout import charge, lanes, requests, stations
from emu.fast.memory import words
from emu.fast.station import interval_ends_ps


@compiled
def charge_wait_of(world: Any, station: int, request_place: int) -> None:
    """Charges the time between arrival and acceptance to what held the request up."""
    request = requests(world)[request_place]
    arrived_ps, accepted_ps = request.arrived_ps, request.accepted_ps
    if arrived_ps == accepted_ps:
        return
    at = stations(world)[station]
    if at.is_link:
        charge(request, words(at.resources)[0], accepted_ps - arrived_ps)
        return
    interval_ps = interval_ends_ps(world, at)
    if at.can_be_blocked:
        _charge_blocked_wait(world, station, request, interval_ps)
    else:
        _charge_free_wait(request, arrived_ps, at.first_ps, interval_ps, accepted_ps)


@compiled
def _charge_blocked_wait(world: Any, station: int, request: Any, interval_ps: int) -> None:
    at = stations(world)[station]
    place = lane_of(world, station, request)
    lane = lanes(world)[place]
    parts = words(at.resources)
    at_ps, accepted_ps = request.arrived_ps, request.accepted_ps
    first_ps = at.first_ps
    if first_ps > at_ps:
        # Until it was first, sums are enough: what no resource took is arbitration.
        rest_ps = first_ps - at_ps
        first, before = words(lane.first), words(request.blocked_before)
        for resource in range(at.resources.count):
            blocked_ps = first[resource] - before[resource]
            if blocked_ps:
                charge(request, parts[resource], blocked_ps)
                rest_ps -= blocked_ps
        if rest_ps:
            charge(request, P_ARBITRATION, rest_ps)
        at_ps = first_ps
    spans = words(lane.spans)
    for place in range(0, lane.spans.count, 3):
        start_ps, end_ps, resource = spans[place], spans[place + 1], spans[place + 2]
        at_ps = _charge_span(
            request, parts, at_ps, first_ps, interval_ps, start_ps, end_ps, resource
        )
    if lane.blocked >= 0:
        at_ps = _charge_span(
            request, parts, at_ps, first_ps, interval_ps, lane.since_ps, accepted_ps, lane.blocked
        )
    _charge_free_wait(request, at_ps, first_ps, interval_ps, accepted_ps)


@compiled
def _charge_span(
    request: Any,
    parts: Any,
    at_ps: int,
    first_ps: int,
    interval_ps: int,
    start_ps: int,
    end_ps: int,
    resource: int,
) -> int:
    """Charges what lies before a span, and the span; gives its end, or where it was before."""
    start_ps = max(start_ps, at_ps)
    end_ps = min(end_ps, request.accepted_ps)
    if start_ps >= end_ps:
        return at_ps
    _charge_free_wait(request, at_ps, first_ps, interval_ps, start_ps)
    charge(request, parts[resource], end_ps - start_ps)
    return end_ps


@compiled
def _charge_free_wait(
    request: Any, from_ps: int, first_ps: int, interval_ps: int, to_ps: int
) -> None:
    until_ps = min(first_ps, to_ps)
    if until_ps > from_ps:
        charge(request, P_ARBITRATION, until_ps - from_ps)
        from_ps = until_ps
    until_ps = min(interval_ps, to_ps)
    if until_ps > from_ps:
        charge(request, P_INTERVAL, until_ps - from_ps)
        from_ps = until_ps
    if to_ps > from_ps:
        charge(request, P_ALIGNMENT, to_ps - from_ps)
