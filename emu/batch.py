"""Batches: requests that a stage accepts together, as one, and lets go together."""

from __future__ import annotations

from emu.handshake import charge_wait_of
from emu.request import Request
from emu.station import Station


def gather(station: Station, request: Request, now_ps: int) -> tuple[Request, ...]:
    """Takes more of the same kind out of the request's lane, as many as go with it."""
    riders: list[Request] = []
    channel = station.channel
    while station.batch is None or len(riders) + 1 < station.batch:
        rider = channel.first_of_lane(request, now_ps)
        if rider is None or rider.plan.kind != request.plan.kind:
            break
        channel.take(rider, now_ps)
        rider.accepted_ps = now_ps
        charge_wait_of(station, rider)
        riders.append(rider)
    return tuple(riders)


def let_go(request: Request, now_ps: int) -> tuple[Request, ...]:
    """Brings those that went with the request to where it is now, with the same charges."""
    riders, request.riders = request.riders, ()
    entry = request.plan.hops[request.hop].entry
    shared = request.charges[request.shared_charges :]
    ends = request.hop + 1 == len(request.plan.hops)
    for rider in riders:
        # What it passed before may differ, so its hops may be numbered otherwise.
        hops = rider.plan.hops
        last = max(index for index, hop in enumerate(hops) if hop.entry == entry)
        offset = last - request.hop
        rider.hop = last
        rider.charges += [(index + offset, part, time_ps) for index, part, time_ps in shared]
        rider.emitted_ps = now_ps
        if ends:
            rider.plan = rider.plan.ending_at(last)
    return riders
