"""Batches: requests that a stage accepts together, as one, and lets go together."""

from __future__ import annotations

from emu.handshake import charge_wait_of
from emu.parts import SERIALISATION
from emu.plan import Hop
from emu.request import Request
from emu.station import Station
from emu.trace.events import Kind
from emu.trace.teller import Teller


def gather(
    station: Station, request: Request, now_ps: int, teller: Teller | None
) -> tuple[Request, ...]:
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
        if teller is not None:
            teller.note(now_ps, Kind.ACCEPTED, rider)
        riders.append(rider)
    return tuple(riders)


def carry_riders(request: Request, hop: Hop) -> int:
    """On a link, the bytes of the others follow those of the first: by so much is it longer."""
    late_ps = hop.busy * len(request.riders)
    request.charges.append((request.hop, SERIALISATION, late_ps))
    return late_ps


def let_go(request: Request, now_ps: int, teller: Teller | None) -> tuple[Request, ...]:
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
        if teller is not None:
            teller.note(now_ps, Kind.EMITTED, rider)
    return riders
