"""What a handshake does to a request's breakdown: the wait before it, and what the stage adds."""

from __future__ import annotations

from emu.blocked import BlockedLane
from emu.breakdown import charge_wait
from emu.errors import listed
from emu.parts import ALIGNMENT, ARBITRATION, INTERVAL, RESOURCE, STAGE_PARTS
from emu.plan import Hop
from emu.request import Request
from emu.stage import Served, StageError
from emu.stage_errors import called, pass_on
from emu.station import Station


def charge_wait_of(station: Station, request: Request) -> None:
    """Charges the time between arrival and acceptance to what held the request up."""
    arrived_ps, accepted_ps = request.arrived_ps, request.accepted_ps
    if arrived_ps == accepted_ps:
        return
    index = request.hop
    if station.is_link:
        request.charges.append((index, RESOURCE + station.name, accepted_ps - arrived_ps))
        return
    clock = station.clock
    if not station.accepted:
        interval_ps = 0
    else:
        interval_ps = station.free_ps if clock is None else clock.edge(station.free_edge)
    if station.can_be_blocked:
        _charge_blocked_wait(station, request, interval_ps)
        return
    # Neither the last acceptance nor the interval after it ends later than this acceptance.
    charges = request.charges
    for part, until_ps in (
        (ARBITRATION, station.first_ps),
        (INTERVAL, interval_ps),
        (ALIGNMENT, accepted_ps),
    ):
        if until_ps > arrived_ps:
            charges.append((index, part, until_ps - arrived_ps))
            arrived_ps = until_ps


def _charge_blocked_wait(station: Station, request: Request, interval_ps: int) -> None:
    pieces = blocked_wait(station.lane(request), request, station.first_ps, interval_ps)
    request.charges += [(request.hop, part, time_ps) for part, time_ps in pieces]


def blocked_wait(
    lane: BlockedLane, request: Request, first_ps: int, interval_ps: int
) -> list[tuple[str, int]]:
    """Splits the wait of a request that is accepted now, in whose lane resources can be the cause.

    It was first there from `first_ps` on; see `charge_wait`.
    """
    arrived_ps, accepted_ps = request.arrived_ps, request.accepted_ps
    pieces: list[tuple[str, int]] = []
    if first_ps > arrived_ps:
        # Until it was first, sums are enough: what no resource took is arbitration.
        before = request.blocked_before or {}
        for name, sum_ps in lane.first.items():
            blocked_ps = sum_ps - before.get(name, 0)
            if blocked_ps:
                pieces.append((RESOURCE + name, blocked_ps))
        rest_ps = first_ps - arrived_ps - sum(time_ps for _, time_ps in pieces)
        if rest_ps:
            pieces.append((ARBITRATION, rest_ps))
        arrived_ps = first_ps
    spans = lane.spans(accepted_ps)
    return pieces + charge_wait(arrived_ps, first_ps, interval_ps, accepted_ps, spans)


def serve(hop: Hop, request: Request, now_ps: int) -> tuple[int, int]:
    """What the stage itself adds: in the unit of its latency, and in picoseconds.

    `StageError` if it gives back what it must not, or raises what is no `EmuError`.
    """
    assert hop.serve is not None  # asked by the callers
    try:
        served = hop.serve(request, now_ps)
    except Exception as error:
        pass_on(error, hop.name, "serve", request, now_ps)
    if served is None:
        return 0, 0
    if not isinstance(served, Served):
        raise _refused(hop, request, now_ps, repr(served), "a Served, or None")
    index = request.hop
    if served.ends:
        request.plan = request.plan.ending_at(index)
    if served.skips:
        request.plan = request.plan.skipping_after(index)
    extra = extra_ps = 0
    try:
        for part, duration in served.parts:
            part_ps = hop.station.span(duration)
            if part_ps < 0:
                what = f"{duration!r} for '{part}'"
                raise _refused(hop, request, now_ps, what, hop.station.expected_span)
            if part not in STAGE_PARTS:
                raise _refused(hop, request, now_ps, f"the part {part!r}", listed(STAGE_PARTS))
            extra += duration.count
            extra_ps += part_ps
            request.charges.append((index, part, part_ps))
    except (TypeError, ValueError) as error:
        expected = "pairs of a part and a duration"
        raise _refused(hop, request, now_ps, f"parts={served.parts!r}", expected) from error
    return extra, extra_ps


def _refused(hop: Hop, request: Request, now_ps: int, what: str, expected: str) -> StageError:
    place = called(hop.name, "serve", request, now_ps)
    return StageError(f"{place} gives {what}; expected {expected}")
