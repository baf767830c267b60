"""What a handshake does to a request's breakdown: the wait before it, and what the stage adds."""

from __future__ import annotations

from emu.breakdown import ALIGNMENT, RESOURCE, STAGE_PARTS, charge_wait
from emu.errors import listed
from emu.plan import Hop
from emu.request import Request
from emu.stage import StageError
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
    if station.first_ps <= arrived_ps >= interval_ps and not station.blocked:
        request.charges.append((index, ALIGNMENT, accepted_ps - arrived_ps))
        return
    spans = station.blocked_spans(request, accepted_ps)
    for part, time_ps in charge_wait(arrived_ps, station.first_ps, interval_ps, accepted_ps, spans):
        request.charges.append((index, part, time_ps))


def serve(hop: Hop, request: Request, now_ps: int) -> tuple[int, int]:
    """What the stage itself adds: in the unit of its latency, and in picoseconds."""
    assert hop.serve is not None  # asked by the callers
    served = hop.serve(request, now_ps)
    if served is None:
        return 0, 0
    index = request.hop
    if served.ends:
        request.plan = request.plan.ending_at(index)
    if served.skips:
        request.plan = request.plan.skipping_after(index)
    extra = extra_ps = 0
    for part, duration in served.parts:
        part_ps = hop.station.span(duration)
        if part not in STAGE_PARTS:
            raise StageError(
                f"stage {hop.name} adds '{part}' to a request; expected {listed(STAGE_PARTS)}"
            )
        extra += duration.count
        extra_ps += part_ps
        request.charges.append((index, part, part_ps))
    return extra, extra_ps
