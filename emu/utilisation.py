"""Utilisation: how much of the time each stage and resource could take nothing more."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from emu.request import Operation
from emu.station import Station
from emu.time import PS_PER_S

if TYPE_CHECKING:
    from emu.path import Path

#: How the places inside a stage are named, after it.
DEPTH = ".depth"
#: What can be used: a stage or a link by one request after another, places and units by several.
Kind = Literal["stage", "link", "depth", "pool"]


@dataclass(frozen=True, slots=True)
class Used:
    """How much one thing was used: of its `capacity` at once, `in_use_ps` over all, in `span_ps`.

    Where a pool has so many units for each key, it is the key of which units are held most.
    `each_ps` is how much one request uses it, where that is known of those that are not delivered
    too. Where it takes several together, `filled` is how much of that they are on average.
    """

    name: str
    kind: Kind
    capacity: int
    in_use_ps: int
    span_ps: int
    each_ps: Fraction | None = None
    filled: float = 1.0

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
        each_ps = self.each_ps or (Fraction(self.in_use_ps, delivered) if delivered else 0)
        if not each_ps or not self.filled:
            return None
        return float(self.capacity * PS_PER_S / each_ps) / self.filled


def used(
    path: Path, kind: tuple[Operation, int] | None, delivered: int, from_ps: int, to_ps: int
) -> list[Used]:
    """All that can be used up, in the order of the path; none where no time passed.

    Of a stage or a link, the time that its acceptances keep others out (of an actor, if it counts
    them); of a stage with a `depth`, its places as well; of a pool, the units that are held. What
    takes any number at once is left out. `kind` is given where all requests are alike.
    """
    span_ps = to_ps - from_ps
    if span_ps <= 0:
        return []
    hops = [] if kind is None else path.plan(*kind).hops
    found = []
    for station in path.stations:
        passes = sum(hop.station is station for hop in hops)
        passed = Fraction(station.accepted, max(1, passes))
        if not passes or station.batch != 1 or passed < delivered:
            passed = Fraction(0)  # some have skipped it, or it is not known
        if not station.plain and (station.actor is None or station.accepted):
            what: Kind = "link" if station.is_link else "stage"
            busy_ps = station.busy_ps(to_ps)
            each_ps = station.all_busy_ps() / passed if passed and busy_ps else None
            filled = _filled(station, delivered)
            found.append(Used(station.name, what, 1, busy_ps, span_ps, each_ps, filled))
        if station.depth is not None and (station.actor is None or station.accepted):
            place_ps = station.taken_ps(to_ps)
            places = f"{station.name}{DEPTH}"
            each_ps = place_ps / passed if passed else None
            found.append(Used(places, "depth", station.depth, place_ps, span_ps, each_ps))
    for pool in path.pools:
        if pool.capacity is not None:
            # Where a stage uses a link, its places are a pool, with the name of any places.
            what = "depth" if pool.name.endswith(DEPTH) else "pool"
            unit_ps = pool.most_unit_ps(to_ps)
            found.append(Used(pool.name, what, pool.capacity, unit_ps, span_ps))
    return found


def _filled(station: Station, delivered: int) -> float:
    """How full its batches are, as far as what was delivered tells; 0 where they have no end."""
    if station.batch == 1 or not station.accepted:
        return 1.0
    if station.batch is None:
        return 0.0
    return min(1.0, delivered / (station.accepted * station.batch))
