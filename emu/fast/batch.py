"""Batches: requests that a stage accepts, and lets go, as one; see `emu.batch`."""

from __future__ import annotations

from typing import Any

from emu.fast.codes import P_SERIALISATION
from emu.fast.compiled import compiled
from emu.fast.lane import is_takeable, take_from_lane
from emu.fast.layout import charge, charge_at, hops, lanes, plans, requests, stations
from emu.fast.log import ACCEPTED, EMITTED, log
from emu.fast.memory import push, words
from emu.fast.ring import peek
from emu.fast.wait import charge_wait_of


@compiled
def gather(world: Any, station: int, request_place: int, lane_place: int) -> None:
    """Takes more of the same kind out of the request's lane, as many as go with it."""
    at = stations(world)[station]
    request = requests(world)[request_place]
    kind = plans(world)[request.plan].kind
    riders = request.riders
    riders.count = 0
    lane = lanes(world)[lane_place]
    while (at.batch < 0 or riders.count + 1 < at.batch) and is_takeable(world, at, lane):
        place = peek(lane.waiting, 0)
        rider = requests(world)[place]
        if plans(world)[rider.plan].kind != kind:
            break
        take_from_lane(world, at, lane_place)
        rider.accepted_ps = world.now_ps
        charge_wait_of(world, station, place)
        log(world, world.now_ps, ACCEPTED, rider)
        push(riders, place)


@compiled
def carry_riders(request: Any, busy: int) -> int:
    """On a link, the bytes of the others follow those of the first: by so much is it longer."""
    late_ps = int(busy * request.riders.count)
    charge(request, P_SERIALISATION, late_ps)
    return late_ps


@compiled
def bring_riders(world: Any, request_place: int) -> None:
    """Brings those that went with the request to where it is now, with the same charges.

    They stay in its list: the caller does with them what is to be done.
    """
    request = requests(world)[request_place]
    plan = plans(world)[request.plan]
    entry = hops(world)[plan.first_hop + request.hop].entry
    ends = request.hop + 1 == plan.hops
    riders, charges = words(request.riders), words(request.charges)
    for index in range(request.riders.count):
        rider = requests(world)[riders[index]]
        # What it passed before may differ, so its hops may be numbered otherwise.
        of = plans(world)[rider.plan]
        last = of.hops - 1
        while hops(world)[of.first_hop + last].entry != entry:
            last -= 1
        offset = last - request.hop
        rider.hop = last
        for place in range(request.shared_charges, request.charges.count, 3):
            charge_at(rider, charges[place] + offset, charges[place + 1], charges[place + 2])
        rider.emitted_ps = world.now_ps
        if ends:
            rider.plan = hops(world)[of.first_hop + last].ending
        log(world, world.now_ps, EMITTED, rider)
