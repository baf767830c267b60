"""Leaving: a request's place at its stage becomes free; see `emu.kernel`."""

from __future__ import annotations

from typing import Any

from emu.fast import actors
from emu.fast.batch import bring_riders
from emu.fast.codes import NO_ACTOR, P_BACKPRESSURE
from emu.fast.compiled import compiled
from emu.fast.layout import charge_at, hop_of, requests, stations
from emu.fast.log import LEFT, log
from emu.fast.looks import wake_at
from emu.fast.memory import push, words
from emu.fast.ring import peek
from emu.fast.station import is_ready, leave_place, touch
from emu.fast.units import release_all


@compiled
def leave(world: Any, place: int) -> None:
    """The request's place at its stage becomes free."""
    request = requests(world)[place]
    index = request.hop
    now_ps = world.now_ps
    if now_ps != request.emitted_ps:
        # A request that can't enter the first channel waits outside: charged to that stage.
        charge_at(request, max(index, 0), P_BACKPRESSURE, now_ps - request.emitted_ps)
    if index < 0:
        return
    hop = hop_of(world, request)
    log(world, now_ps, LEFT, request)
    for told in range(hop.tells_count):
        push(world.passed, words(world.lists)[hop.tells + told])
        push(world.passed, place)
    if request.rides:
        request.rides = 0
        release_all(world, hop, request)
        return
    station = hop.station
    at = stations(world)[station]
    # What an actor drops has never been on its way out.
    if at.is_ordered and request.finished:
        if leave_place(world, at, request):
            if at.refill_ps.count:
                wake_at(world, station, peek(at.refill_ps, at.refill_ps.count - 1))
            touch(world, station)
            is_ready(world, station)
        if at.inside.count and requests(world)[peek(at.inside, 0)].finished:
            push(world.next, peek(at.inside, 0))
        if at.actor != NO_ACTOR:
            at.blocked -= 1
            actors.left(world, station, place)
            is_ready(world, station)
    if hop.releases_count:
        release_all(world, hop, request)
    if hop.ends_batch and request.riders.count:
        bring_riders(world, place)
        riders = words(request.riders)
        for rider in range(request.riders.count):
            requests(world)[riders[rider]].rides = 1
            push(world.next, riders[rider])
        request.riders.count = 0
