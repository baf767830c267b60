"""Contests: who enters a channel that several want to enter, and who takes from a pool first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from emu.channel import waiting_longest
from emu.errors import RunError
from emu.request import Request
from emu.station import Station
from emu.time import format_time


class QueueOverflowError(RunError):
    """A full queue, where the table says that this must not happen."""


def winners(station: Station, now_ps: int) -> Iterable[Request]:
    """The candidates that may enter the station now, in order; they are none any more.

    The table's arbitration decides, then who has waited longest, then the sequence number. Each
    must have entered before the next is asked for.
    """
    candidates = station.candidates
    if len(candidates) > 1:
        ranks = station.ranks
        candidates.sort(key=lambda one: (_rank(ranks, one), one.emitted_ps, one.sequence))
    if station.actor is not None:
        return _with_room(station, now_ps)
    free = station.channel.free_places(now_ps)
    if free is None or free >= len(candidates):
        station.candidates = []
        return candidates
    station.candidates = candidates[free:]
    return candidates[:free]


def _with_room(station: Station, now_ps: int) -> Iterator[Request]:
    for request in list(station.candidates):
        # The one before may have taken the last place.
        if station.can_enter(request, now_ps):
            station.candidates.remove(request)
            yield request


def overflow(station: Station, now_ps: int) -> list[Request]:
    """The candidates that did not fit and may not wait outside: lost, if the table says so.

    `QueueOverflowError` if it says that there must be none.
    """
    if station.overflow == "hold" or not station.candidates:
        return []
    lost, station.candidates = station.candidates, []
    if station.overflow == "error":
        raise QueueOverflowError(
            f"the queue of {station.name} overflows at {format_time(now_ps)}: all "
            + (f"{station.channel.capacity} " if station.actor is None else "its ")
            + f"places are taken, and request {lost[0].sequence} comes"
        )
    return lost


def granted(wanting: Iterable[Station], now_ps: int) -> Iterator[tuple[Station, Request]]:
    """Who may take a unit of every pool that it needs, the longest waiting first, and where.

    Each must have taken them before the next is asked for; each station is asked once.
    """
    waiting = list(dict.fromkeys(wanting))
    while True:
        found = [
            (station, request)
            for station in waiting
            if (request := _grantable(station, now_ps)) is not None
        ]
        if not found:
            return
        chosen = min(found, key=lambda both: waiting_longest(both[1]))
        waiting.remove(chosen[0])
        yield chosen


def _grantable(station: Station, now_ps: int) -> Request | None:
    for request in station.channel.heads(now_ps):
        takes = request.plan.hops[request.hop].takes
        if not any(pool.is_exhausted(request) for pool in takes):
            return request
    return None


def _rank(ranks: dict[int, int], request: Request) -> int:
    if not ranks or request.hop < 0:
        return len(ranks)
    return ranks.get(request.plan.hops[request.hop].entry, len(ranks))
