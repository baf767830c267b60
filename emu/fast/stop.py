"""Stops: stations whose requests come and go in the order of their numbers.

All that a stop knows of earlier requests are the times of the last ones: the last acceptance, those
that made a place free in its channel or inside, and for how long its places were all taken.
"""

from __future__ import annotations

from typing import Any

from emu.fast.clock import CLOCK, edge, edge_after
from emu.fast.compiled import compiled
from emu.fast.layout import record
from emu.fast.ring import RING, peek, put, take
from emu.fast.tick import TICK, move_by, move_to, time_after

#: What a stop charges; the last to the stage before, from which a request could not leave. Places
#: are those inside.
CHARGES = ("alignment", "interval", "arbitration", "places", "service", "backpressure")

#: One station on the way of all requests of a run; see `emu.station.Station`.
STOP = record(
    # Time in the plain delays before it, and whether there are any.
    *("ahead_ps", "apart", "hop"),
    # `latency` and `busy` are cycles of a clock, else picoseconds; cycles as time and rest.
    *("clocked", "latency", "busy", "derived_ps"),
    *("latency_ps", "latency_rest", "busy_ps", "busy_rest"),
    # 0 is unlimited.
    *("is_unbounded", "capacity", "registered", "depth", "refills_at_edge"),
    # So far, and of the last request: when it came, was accepted, and was finished.
    *("accepted", "arrived_ps", "accepted_ps", "finished_ps"),
    # What the interval was before it, and how many of those accepted lie beyond the end of a run.
    *("free_before", "late", "free_at_end"),
    # The edge of the last acceptance that came later than the interval allowed, before it as well.
    *("resumed", "resumed_before", "resumed_at_end"),
    # Places taken times picoseconds, since Python took that last; and for how long all of them
    # were taken while requests waited.
    *("place_ps", "blocked_ps"),
    # Of the last request, and of all that are complete since Python took them last.
    *(f"{charge}_ps" for charge in CHARGES),
    *(f"{charge}_sum_ps" for charge in CHARGES),
    clock=CLOCK,
    # The next acceptance is not before; without a clock the time alone.
    free=TICK,
    # When the last so many places in the channel became free, and those inside.
    freed=RING,
    left=RING,
    # Of acceptances behind which requests still wait: when, when there was a place for it, and
    # `blocked_ps` with it.
    history=RING,
)


@compiled
def enter(stop: Any, ready_ps: int) -> int:
    """When a request enters the channel that is ready to from a time on."""
    entered_ps = ready_ps
    if stop.capacity and stop.freed.count == stop.capacity:
        entered_ps = max(ready_ps, take(stop.freed))
    stop.backpressure_ps = entered_ps - ready_ps
    stop.arrived_ps = entered_ps
    return entered_ps


@compiled
def accept(stop: Any) -> int:
    """When a request is finished that has just entered."""
    arrived_ps, free = stop.arrived_ps, stop.free
    free_ps = free.time_ps
    place_ps = 0
    if stop.depth and stop.left.count == stop.depth:
        place_ps = take(stop.left)
    earliest_ps = max(arrived_ps + stop.registered, place_ps)
    if stop.clocked:
        stop.free_before = free.n
        stop.resumed_before = stop.resumed
        if earliest_ps > free_ps:
            move_to(free, stop.clock, earliest_ps)
            stop.resumed = free.n
    else:
        stop.free_before = free_ps
        free.time_ps = max(earliest_ps, free_ps)
    accepted_ps = free.time_ps
    _charge_wait(stop, free_ps, place_ps, accepted_ps)
    if stop.capacity:
        freed_ps = accepted_ps
        if stop.registered:
            freed_ps = time_after(free, stop.clock, stop.clock.whole, stop.clock.rest)
        put(stop.freed, freed_ps)
    if stop.clocked:
        finished_ps = time_after(free, stop.clock, stop.latency_ps, stop.latency_rest)
        move_by(free, stop.clock, stop.busy, stop.busy_ps, stop.busy_rest)
    else:
        finished_ps = accepted_ps + stop.latency
        free.time_ps = accepted_ps + stop.busy
    # Cutting edges to whole picoseconds can make a clocked stage longer than on paper.
    stop.service_ps = finished_ps - accepted_ps - stop.derived_ps
    stop.accepted += 1
    stop.accepted_ps = accepted_ps
    stop.finished_ps = finished_ps
    return int(finished_ps)


@compiled
def leave(stop: Any, left_ps: int, end_ps: int) -> None:
    """The request that was accepted last leaves, and its place becomes free.

    Nothing is counted beyond the end of the run.
    """
    if not stop.depth:
        return
    if stop.refills_at_edge:
        left_ps = edge(stop.clock, edge_after(stop.clock, left_ps))
    put(stop.left, left_ps)
    stop.place_ps += min(left_ps, end_ps) - min(stop.accepted_ps, end_ps)


@compiled
def add_charges(stop: Any) -> None:
    """Adds what the last request was charged, which is complete."""
    stop.alignment_sum_ps += stop.alignment_ps
    stop.interval_sum_ps += stop.interval_ps
    stop.arbitration_sum_ps += stop.arbitration_ps
    stop.places_sum_ps += stop.places_ps
    stop.service_sum_ps += stop.service_ps
    stop.backpressure_sum_ps += stop.backpressure_ps


@compiled
def _charge_wait(stop: Any, free_ps: int, place_ps: int, accepted_ps: int) -> None:
    """As `emu.handshake.charge_wait_of`."""
    at_ps, first_ps = stop.arrived_ps, stop.accepted_ps
    arbitration_ps = places_ps = interval_ps = 0
    if first_ps > at_ps:
        arbitration_ps = first_ps - at_ps
        if stop.depth:
            places_ps = stop.blocked_ps - _blocked_before(stop.history, at_ps)
            arbitration_ps -= places_ps
        at_ps = first_ps
    elif stop.depth:
        stop.history.count = 0
    if place_ps > at_ps:
        stop.blocked_ps += place_ps - at_ps
        places_ps += place_ps - at_ps
        at_ps = place_ps
    if free_ps > at_ps and stop.accepted:
        interval_ps = free_ps - at_ps
        at_ps = free_ps
    stop.arbitration_ps = arbitration_ps
    stop.places_ps = places_ps
    stop.interval_ps = interval_ps
    stop.alignment_ps = accepted_ps - at_ps
    if stop.depth:
        put(stop.history, accepted_ps)
        put(stop.history, place_ps)
        put(stop.history, stop.blocked_ps)


@compiled
def _blocked_before(history: Any, time_ps: int) -> int:
    """The blocked time up to a time at which somebody waited."""
    while peek(history, 0) < time_ps:
        for _ in range(3):
            take(history)
    return peek(history, 2) - max(0, peek(history, 1) - time_ps)
