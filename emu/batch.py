"""Batches: requests that a stage accepts together, as one, and lets go together."""

from __future__ import annotations

from emu.handshake import charge_wait_of
from emu.request import Request
from emu.station import Station


def gather(station: Station, request: Request, now_ps: int) -> tuple[Request, ...]:
    """Takes more of the same kind out of the channel, as many as go with the request."""
    riders: list[Request] = []
    channel = station.channel
    while station.batch is None or len(riders) + 1 < station.batch:
        rider = next(iter(channel.heads(now_ps)), None)
        if rider is None or rider.plan is not request.plan:
            break
        channel.take(rider, now_ps)
        rider.accepted_ps = now_ps
        charge_wait_of(station, rider)
        riders.append(rider)
    return tuple(riders)


def let_go(request: Request, now_ps: int) -> tuple[Request, ...]:
    """Brings those that went with the request to where it is now, with the same charges."""
    riders, request.riders = request.riders, ()
    shared = request.charges[request.shared_charges :]
    for rider in riders:
        rider.plan = request.plan
        rider.hop = request.hop
        rider.charges += shared
        rider.emitted_ps = now_ps
        rider.rides = True
    return riders
