"""Waits: which request waits for which, when nothing moves any more."""

from __future__ import annotations

from emu.errors import RunError
from emu.kernel import Kernel
from emu.request import Request
from emu.station import Station
from emu.time import format_time


class DeadlockError(RunError):
    """Requests are left that nothing will ever move."""


def who_waits_for_whom(kernel: Kernel) -> str:
    """A line for each request that is inside: where it is, what it waits for, and who has it."""
    now_ps = kernel.now_ps
    waits = {request: _wait(request, kernel) for request in kernel.inside}
    crowd = "1 request" if len(waits) == 1 else f"{len(waits)} requests"
    lines = [f"nothing moves any more at {format_time(now_ps)}, with {crowd} inside:"]
    for request, (what, _) in waits.items():
        lines.append(f"  request {request.sequence} ({request.operation}) {what}")
    cycle = _cycle({request: behind for request, (_, behind) in waits.items()})
    if cycle:
        lines.append("  in a circle: " + " -> ".join(str(request.sequence) for request in cycle))
    return "\n".join(lines)


def _wait(request: Request, kernel: Kernel) -> tuple[str, list[Request]]:
    hops = request.plan.hops
    at = request.hop
    if at >= 0 and not hops[at].station.plain and request in hops[at].station.channel.requests():
        return _wait_in_channel(hops[at].station, request, kernel.now_ps)
    here = f"at {hops[at].name}" if at >= 0 else "outside"
    if at >= 0 and request in hops[at].station.inside:
        first = hops[at].station.inside[0]
        if first is not request:
            return f"{here} waits for request {first.sequence}, ahead of it there", [first]
    behind = hops[at].station.port.behind.get(request) if at >= 0 else None
    if behind is not None:
        gone = "" if behind in kernel.inside else ", which has left: nothing here answers it"
        return f"{here} waits for request {behind.sequence}{gone}", [behind]
    if at + 1 == len(hops) or request not in hops[at + 1].station.candidates:
        return f"{here} is kept by the rules of that stage", []
    ahead = hops[at + 1].station
    if ahead.actor is not None:
        kept = list(ahead.port.kept)
        names = ", ".join(str(other.sequence) for other in kept)
        where = f"{here} waits for room at {ahead.name}"
        return where + (f", which keeps {names}" if kept else ""), kept
    return (
        f"{here} waits for a place in the channel of {ahead.name}, full of {_names(ahead)}",
        ahead.channel.requests(),
    )


def _wait_in_channel(station: Station, request: Request, now_ps: int) -> tuple[str, list[Request]]:
    lane_of = station.channel.lane_of
    first = station.channel.lanes()[None if lane_of is None else lane_of(request)][0]
    where = f"in front of {station.name}"
    if first is not request:
        return f"{where} waits for request {first.sequence}, ahead of it there", [first]
    for pool in station.pools:
        if pool in request.plan.hops[request.hop].takes and pool.is_exhausted(request):
            holders = list(pool.holders)
            names = ", ".join(str(holder.sequence) for holder in holders)
            behind = [holder for holder in holders if isinstance(holder, Request)]
            return f"{where} waits for {pool.name}, held by {names}", behind
    inside = list(station.inside)
    names = ", ".join(str(other.sequence) for other in inside)
    return f"{where} waits for a place inside, taken by {names}", inside


def _names(station: Station) -> str:
    return ", ".join(str(request.sequence) for request in station.channel.requests())


def _cycle(behind: dict[Request, list[Request]]) -> list[Request]:
    """Some circle of waits, its first request repeated at the end; empty if there is none."""
    done: set[Request] = set()
    for start in behind:
        trail: list[Request] = []
        stack = [(start, iter(behind[start]))]
        trail.append(start)
        while stack:
            request, others = stack[-1]
            other = next(others, None)
            if other is None:
                done.add(request)
                stack.pop()
                trail.pop()
            elif other in trail:
                return [*trail[trail.index(other) :], other]
            elif other not in done:
                stack.append((other, iter(behind.get(other, []))))
                trail.append(other)
    return []
