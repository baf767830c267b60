"""A plan as a row of stops, and what prevents that."""

from __future__ import annotations

from typing import Any

import numpy as np

from emu.errors import listed
from emu.fast.clock import clock_record
from emu.fast.refusal import RefusalError
from emu.fast.stop import STOP
from emu.fast.tick import LEAST_PERIOD_PS, MOST_PARTS
from emu.plan import Hop, Plan
from emu.time import Clock, Cycles, format_time

#: The longest time of one stage, and the largest queue or depth.
MOST_STAGE_PS = 1 << 50
MOST_PLACES = 1 << 24


def why_not(plan: Plan) -> str | None:
    """What prevents a line for requests of this plan, for a user to read; `None` for nothing."""
    for hop in plan.hops:
        reason = _why_not(hop)
        if reason is not None:
            return reason
    return None if plan.derived_ps else "requests take no time"


def stops_of(plan: Plan) -> tuple[np.ndarray[Any, Any], int]:
    """The stops of a plan, and the time in the plain delays behind the last, in picoseconds."""
    stops = []
    ahead_ps, apart = 0, False
    for index, hop in enumerate(plan.hops):
        if hop.is_mere_time:
            ahead_ps, apart = ahead_ps + hop.derived_ps, True
            continue
        stop = _stop(hop)
        stop["hop"], stop["ahead_ps"], stop["apart"] = index, ahead_ps, apart
        stops.append(stop)
        ahead_ps, apart = 0, False
    return (np.concatenate(stops) if stops else np.zeros(0, STOP)), ahead_ps


def is_too_long(hop: Hop) -> bool:
    """Whether sums with the times of one stage might not fit into 63 bits."""
    clock = hop.station.clock
    busy_ps = hop.busy if clock is None else clock.span(Cycles(hop.busy))
    held_ps = (*hop.timed.values(), *(later.after(0) for later in hop.later.values()))
    return max(hop.derived_ps, busy_ps, *held_ps) > MOST_STAGE_PS


def too_long(name: str) -> str:
    """What prevents a run with such a stage, for a user to read."""
    return f"stage {name} takes longer than {format_time(MOST_STAGE_PS)}"


def fitting_ps(building: Any, time_ps: int) -> int:
    """A time of the stage that is being made; `RefusalError` where sums with it might not fit."""
    if time_ps > MOST_STAGE_PS:
        raise RefusalError(too_long(building.stations[building.actor].name))
    return time_ps


def _stop(hop: Hop) -> np.ndarray[Any, Any]:
    station, clock = hop.station, hop.station.clock
    made = np.zeros(1, STOP)
    made["latency"], made["busy"], made["derived_ps"] = hop.latency, hop.busy, hop.derived_ps
    made["is_unbounded"] = station.unbounded
    made["capacity"] = station.channel.capacity or 0
    made["depth"] = station.depth or 0
    made["registered"] = station.channel.clock is not None
    if clock is not None:
        made["clocked"] = 1
        made["refills_at_edge"] = station.refills_at_edge
        made["clock"] = clock_record(clock)
        made["free"]["time_ps"] = clock.phase_ps
        for name, cycles in (("latency", hop.latency), ("busy", hop.busy)):
            parts = cycles * clock.period_ps.numerator
            time_ps, rest = divmod(parts, clock.period_ps.denominator)
            made[f"{name}_ps"], made[f"{name}_rest"] = time_ps, rest
    return made


def _why_not(hop: Hop) -> str | None:
    station, clock = hop.station, hop.station.clock
    limits = (station.depth or 0, station.channel.capacity or 0)
    if station.actor is not None:
        return f"stage {hop.name} keeps requests by its own rules"
    if hop.serve is not None:
        return f"stage {hop.name} decides as it goes"
    if station.is_link:
        return f"stage {hop.name} uses the link {station.name}"
    if hop.takes:
        return f"stage {hop.name} takes from {listed(pool.name for pool in hop.takes)}"
    if station.batch != 1:
        return f"stage {hop.name} accepts several requests together"
    if station.overflow != "hold":
        return f"stage {hop.name} does not hold what its queue has no room for"
    if clock is not None and not _is_countable(clock):
        return f"clock {clock.name} has a period of {clock.period_ps} ps"
    if is_too_long(hop):
        return too_long(hop.name)
    if max(limits) > MOST_PLACES:
        return f"stage {hop.name} has more than {MOST_PLACES} places"
    return None


def _is_countable(clock: Clock) -> bool:
    """Whether all products fit into 63 bits."""
    return (
        LEAST_PERIOD_PS <= clock.period_ps <= MOST_STAGE_PS
        and clock.period_ps.denominator <= MOST_PARTS
        and clock.period_ps.numerator <= 1 << 61
    )
