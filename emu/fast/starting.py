"""Starting: the handshake with which a request's time at a stage begins; see `emu.kernel`."""

from __future__ import annotations

from typing import Any

from emu.fast.batch import carry_riders, gather
from emu.fast.codes import DUE_REQUEST, P_SERVICE, SERVES_NOTHING
from emu.fast.compiled import compiled
from emu.fast.due import put_due
from emu.fast.lane import next_change, take_from_lane
from emu.fast.layout import charge_some, hops, plans, pools, requests, stations
from emu.fast.log import ACCEPTED, log
from emu.fast.looks import contest, wake_at
from emu.fast.memory import words
from emu.fast.pool import hold, return_at, take_unit
from emu.fast.serving import serve
from emu.fast.station import accept_lanes, begin, enter_places, touch
from emu.fast.wait import charge_wait_of


@compiled
def take(world: Any, station: int, lane: int) -> None:
    """Accepts the first request of a lane, whose place in the channel becomes free."""
    at = stations(world)[station]
    place = take_from_lane(world, at, lane)
    if at.batch != 1:
        gather(world, station, place, lane)
    start(world, station, place, world.now_ps)
    if at.candidates.count > at.candidates_from:
        contest(world, station)
    if at.registered:
        wake_at(world, station, next_change(world, at))


@compiled
def start(world: Any, station: int, place: int, at_ps: int) -> None:
    """The handshake at `at_ps`, for which the station's edge stands: its time there begins."""
    at = stations(world)[station]
    request = requests(world)[place]
    hop_place = plans(world)[request.plan].first_hop + request.hop
    hop = hops(world)[hop_place]
    request.accepted_ps = at_ps
    if at_ps != request.arrived_ps:
        charge_wait_of(world, station, place)
    if at.batch != 1:
        request.shared_charges = request.charges.count
    at.first_ps = at_ps
    if at.can_be_blocked:
        accept_lanes(world, at, at_ps)
    if at.is_ordered:
        enter_places(world, at, place, hop.ends_batch)
    log(world, world.now_ps, ACCEPTED, request)
    extra, extra_ps = 0, 0
    if hop.serve != SERVES_NOTHING:
        serve(world, place, hop_place)
        extra, extra_ps = world.extra, world.extra_ps
    busy = hop.busy
    if hop.carries_each and request.riders.count:
        late_ps = carry_riders(request, hop.busy)
        busy += late_ps
        extra += late_ps
        extra_ps += late_ps
    finish_ps = begin(world, at, at_ps, busy, hop.latency + extra)
    # Cutting edges to whole picoseconds can make a clocked stage longer than on paper.
    cut_ps = finish_ps - at_ps - hop.derived_ps - extra_ps
    charge_some(request, P_SERVICE, cut_ps)
    put_due(world, finish_ps, DUE_REQUEST, place)
    if at.depth >= 0:
        touch(world, station)
    for index in range(hop.takes_count):
        _take_unit(world, request, hop.takes + 2 * index)


@compiled
def _take_unit(world: Any, request: Any, entry: int) -> None:
    pool, timed_ps = words(world.lists)[entry], words(world.lists)[entry + 1]
    key = take_unit(world, pool, request)
    if timed_ps >= 0:
        return_at(world, world.now_ps + timed_ps, pool, key)
    else:
        hold(request, pool, key)
    users = pools(world)[pool].users
    numbers = words(users)
    for index in range(users.count):
        touch(world, numbers[index])
