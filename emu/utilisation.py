"""Utilisation: how much of the time each stage and resource could take nothing more."""

from __future__ import annotations

from collections.abc import Iterable

from emu.parts import ALIGNMENT, ARBITRATION, INTERVAL, ORDERING, RESOURCE
from emu.resource import Pool
from emu.station import Station
from emu.time import Cycles


def utilisation(
    stations: Iterable[Station],
    pools: Iterable[Pool],
    stages: dict[str, dict[str, int]],
    from_ps: int,
    to_ps: int,
) -> dict[str, float]:
    """Name to a fraction from 0 to 1, in the order of the path; empty where no time passed.

    Of a stage or a link, the time that its acceptances keep others out (of an actor, if it counts
    them); of a stage with a `depth`, its places as well; of a pool, the units that are held, where
    there are so many for each key those of the key that is used most. What takes any number at once
    is left out. `stages` is the breakdown of what was delivered.
    """
    span_ps = to_ps - from_ps
    if span_ps <= 0:
        return {}
    used: dict[str, float] = {}
    for station in stations:
        if not station.plain and (station.actor is None or station.accepted):
            used[station.name] = _busy_ps(station, to_ps) / span_ps
        if station.depth is not None and station.batch == 1:
            place_ps = _place_ps(station, stages.get(station.name, {}))
            used[f"{station.name}.depth"] = place_ps / (station.depth * span_ps)
    for pool in pools:
        if pool.capacity is not None:
            used[pool.name] = pool.most_unit_ps(to_ps) / (pool.capacity * span_ps)
    # A unit may come back by itself after the last completion.
    return {name: min(1.0, fraction) for name, fraction in used.items()}


def _busy_ps(station: Station, to_ps: int) -> int:
    """How long it kept others out up to now; some of its acceptances may lie ahead."""
    if not station.accepted:
        return 0
    clock = station.clock
    free_ps = station.free_ps if clock is None else clock.edge(station.free_edge)
    return max(0, station.busy_ps() - max(0, free_ps - to_ps))


def _place_ps(station: Station, parts: dict[str, int]) -> int:
    """Taken places times picoseconds, as far as the breakdown of the delivered requests tells."""
    waits = (ALIGNMENT, ARBITRATION, INTERVAL, ORDERING)
    inside_ps = sum(
        time_ps
        for part, time_ps in parts.items()
        if part not in waits and not part.startswith(RESOURCE)
    )
    if station.refills_at_edge and station.clock is not None:
        # A place that became free at an edge is taken at the next at the earliest.
        inside_ps += station.clock.span(Cycles(station.accepted))
    return inside_ps
