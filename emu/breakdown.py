"""Breakdown: where every picosecond of a request went."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from emu.errors import RunError
from emu.parts import ALIGNMENT, ARBITRATION, INTERVAL, ORDER, RESOURCE
from emu.plan import Plan
from emu.request import Request


class BreakdownError(RunError):
    """The parts of a request do not sum to its latency: a fault of this program or of a stage."""


def charge_wait(
    arrived_ps: int,
    first_ps: int,
    interval_ps: int,
    accepted_ps: int,
    blocked: Iterable[tuple[int, int, str]],
) -> list[tuple[str, int]]:
    """Splits the wait from arrival to acceptance; the pieces sum to it, and none is empty.

    `blocked` are disjoint spans `(from, to, name)`, in order, in which a resource was exhausted:
    charged to it. The rest is `arbitration` until `first_ps` (the request became first in its
    queue), `interval` until `interval_ps` (the stage may accept again), and then `alignment`.
    """
    pieces = []
    at_ps = arrived_ps
    for start_ps, end_ps, name in blocked:
        start_ps, end_ps = max(start_ps, at_ps), min(end_ps, accepted_ps)
        if start_ps < end_ps:
            pieces += _charge_free_wait(at_ps, first_ps, interval_ps, start_ps)
            pieces.append((RESOURCE + name, end_ps - start_ps))
            at_ps = end_ps
    return pieces + _charge_free_wait(at_ps, first_ps, interval_ps, accepted_ps)


def _charge_free_wait(
    from_ps: int, first_ps: int, interval_ps: int, to_ps: int
) -> list[tuple[str, int]]:
    pieces = []
    for part, limit_ps in ((ARBITRATION, first_ps), (INTERVAL, interval_ps), (ALIGNMENT, to_ps)):
        until_ps = min(limit_ps, to_ps)
        if until_ps > from_ps:
            pieces.append((part, until_ps - from_ps))
            from_ps = until_ps
    return pieces


def of_request(request: Request) -> list[dict[str, int]]:
    """Part to picoseconds of one completed request, one mapping a hop of its plan."""
    hops = [dict(hop.parts) for hop in request.plan.hops]
    for index, part, time_ps in request.charges:
        hops[index][part] = hops[index].get(part, 0) + time_ps
    return hops


def stay(request: Request) -> dict[str, int]:
    """Part to picoseconds of the request's stay at the stage at which it is now."""
    hops = request.plan.hops
    first = last = request.hop
    if request.rides:
        # It has gone through the hops of the stage in a batch, as one with another request.
        while hops[first].station.batch == 1:
            first -= 1
    parts: dict[str, int] = {}
    for hop in hops[first : last + 1]:
        for part, time_ps in hop.parts:
            parts[part] = parts.get(part, 0) + time_ps
    for at, part, time_ps in request.charges:
        if first <= at <= last:
            parts[part] = parts.get(part, 0) + time_ps
    return ordered(parts)


class Ledger:
    """Sums of the parts over completed requests, by stage; checks each request as it closes."""

    def __init__(self) -> None:
        self._closed: dict[Plan, int] = {}
        self._charged: dict[tuple[str, str], int] = {}

    def close(self, request: Request) -> None:
        """Adds a completed request; `BreakdownError` if its parts do not sum to its latency."""
        plan = request.plan
        total_ps = plan.derived_ps
        if request.charges:
            charged = self._charged
            hops = plan.hops
            for index, part, time_ps in request.charges:
                total_ps += time_ps
                key = (hops[index].name, part)
                charged[key] = charged.get(key, 0) + time_ps
        if total_ps != request.completed_ps - request.submitted_ps:
            raise BreakdownError(
                f"request {request.sequence} ({plan.operation}, {plan.size_bytes} B): the parts "
                f"sum to {total_ps} ps, and it took {request.latency_ps} ps"
            )
        self._closed[plan] = self._closed.get(plan, 0) + 1

    def merge(self, plan: Plan, closed: int, charged: Mapping[tuple[str, str], int]) -> None:
        """Adds requests of one plan that were closed elsewhere.

        `charged` gives the sums of their charges, by stage name and part.
        """
        self._closed[plan] = self._closed.get(plan, 0) + closed
        for key, time_ps in charged.items():
            self._charged[key] = self._charged.get(key, 0) + time_ps

    def by_stage(self) -> dict[str, dict[str, int]]:
        """Stage name to part to picoseconds, in the order of the path; no part is zero."""
        hops = [hop for plan in self._closed for hop in plan.hops]
        stages: dict[str, dict[str, int]] = {
            hop.name: {} for hop in sorted(hops, key=lambda hop: hop.entry)
        }
        for plan, count in self._closed.items():
            for hop in plan.hops:
                parts = stages[hop.name]
                for part, time_ps in hop.parts:
                    parts[part] = parts.get(part, 0) + time_ps * count
        for (name, part), time_ps in self._charged.items():
            parts = stages[name]
            parts[part] = parts.get(part, 0) + time_ps
        return {name: ordered(parts) for name, parts in stages.items()}

    def parts(self) -> dict[str, int]:
        """Part to picoseconds over all stages."""
        return total(self.by_stage().values())


def total(breakdowns: Iterable[dict[str, int]]) -> dict[str, int]:
    """The sum of several breakdowns, part by part."""
    sums: dict[str, int] = {}
    for parts in breakdowns:
        for part, time_ps in parts.items():
            sums[part] = sums.get(part, 0) + time_ps
    return ordered(sums)


def ordered(parts: dict[str, int]) -> dict[str, int]:
    """The parts that are not zero, in the order in which they are always shown."""
    rank = {part: index for index, part in enumerate(ORDER)}
    keys = sorted(parts, key=lambda part: (rank.get(part, len(rank)), part))
    return {part: parts[part] for part in keys if parts[part]}
