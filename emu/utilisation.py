"""Utilisation: how much of the time each stage and resource could take nothing more."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from emu.parts import ALIGNMENT, ARBITRATION, INTERVAL, ORDERING, RESOURCE
from emu.resource import Pool
from emu.station import Station
from emu.time import PS_PER_S, Cycles

#: How the places inside a stage are named, after it.
DEPTH = ".depth"
#: What can be used: a stage or a link by one request after another, places and units by several.
Kind = Literal["stage", "link", "depth", "pool"]


@dataclass(frozen=True, slots=True)
class Used:
    """How much one thing was used: of its `capacity` at once, `in_use_ps` over all, in `span_ps`.

    Where a pool has so many units for each key, it is the key of which units are held most.
    """

    name: str
    kind: Kind
    capacity: int
    in_use_ps: int
    span_ps: int

    @property
    def is_held(self) -> bool:
        """Whether requests hold places or units of it, for as long as they need others too."""
        return self.kind in ("depth", "pool")

    @property
    def utilisation(self) -> float:
        """A fraction from 0 to 1."""
        # A unit may come back by itself after the last completion.
        return min(1.0, self.in_use_ps / (self.capacity * self.span_ps))

    def full_at_per_s(self, delivered: int) -> float | None:
        """At how many requests a second it is always in use; `None` where none used it.

        `delivered` is how many there were: each uses it as much then as in this run.
        """
        if not delivered or not self.in_use_ps:
            return None
        return delivered * self.capacity * PS_PER_S / self.in_use_ps


def used(
    stations: Iterable[Station],
    pools: Iterable[Pool],
    stages: dict[str, dict[str, int]],
    from_ps: int,
    to_ps: int,
) -> list[Used]:
    """All that can be used up, in the order of the path; none where no time passed.

    Of a stage or a link, the time that its acceptances keep others out (of an actor, if it counts
    them); of a stage with a `depth`, its places as well; of a pool, the units that are held. What
    takes any number at once is left out. `stages` is the breakdown of what was delivered.
    """
    span_ps = to_ps - from_ps
    if span_ps <= 0:
        return []
    found = []
    for station in stations:
        if not station.plain and (station.actor is None or station.accepted):
            kind: Kind = "link" if station.is_link else "stage"
            found.append(Used(station.name, kind, 1, _busy_ps(station, to_ps), span_ps))
        if station.depth is not None and station.batch == 1:
            place_ps = _place_ps(station, stages.get(station.name, {}))
            found.append(Used(f"{station.name}{DEPTH}", "depth", station.depth, place_ps, span_ps))
    for pool in pools:
        if pool.capacity is not None:
            # Where a stage uses a link, its places are a pool, with the name of any places.
            kind = "depth" if pool.name.endswith(DEPTH) else "pool"
            unit_ps = pool.most_unit_ps(to_ps)
            found.append(Used(pool.name, kind, pool.capacity, unit_ps, span_ps))
    return found


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
