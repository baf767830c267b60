"""The tally: what is posted, and what becomes of it; see `emu.driver` and `emu.breakdown`."""

from __future__ import annotations

from typing import Any

from emu.fast.codes import BREAKDOWN, DUE_REQUEST, FAILED
from emu.fast.compiled import compiled
from emu.fast.due import put_due
from emu.fast.hash_map import find
from emu.fast.layout import REQUEST, hops, plans, requests
from emu.fast.log import DROPPED, log, log_charges, log_completion
from emu.fast.memory import new_slot, push, words
from emu.fast.source import answered
from emu.histogram import BUCKETS_LOG2

_REQUEST_BYTES = REQUEST.itemsize


@compiled
def may_post(world: Any) -> bool:
    """Whether the limit of requests has not been reached."""
    return bool(world.limit < 0 or world.posted < world.limit)


@compiled
def post(world: Any, now_ps: int) -> None:
    """Submits the access that the world names."""
    place = new_slot(world.requests, world.free_requests, _REQUEST_BYTES)
    request = requests(world)[place]
    first = find(world.plan_of, world.operation, world.size_bytes)
    request.plan = words(world.plans_by_rest)[first + world.address % world.address_step]
    request.sequence = world.posted
    request.hop = -1
    request.operation = world.operation
    request.size_bytes = world.size_bytes
    request.address = world.address
    request.initiator = world.initiator
    request.destination = world.destination
    request.order = world.order
    request.service = world.service
    request.fence = world.fence
    request.submitted_ps = now_ps
    request.emitted_ps = now_ps
    request.inside = 1
    request.finished = 0
    request.rides = 0
    request.sharing = -1
    request.transaction_number = -1
    request.packet_number = -1
    request.version = -1
    request.charges.count = 0
    request.riders.count = 0
    request.units.count = 0
    world.inside += 1
    world.posted += 1
    if world.order or world.service or world.fence:
        world.marked += 1
    put_due(world, now_ps, DUE_REQUEST, place)


@compiled
def complete(world: Any, place: int) -> None:
    """A request is complete, with all that it was charged; its answer may let another be posted."""
    request = requests(world)[place]
    now_ps = world.now_ps
    request.inside = 0
    world.inside -= 1
    log_completion(world, request)
    log_charges(world, request)
    if world.latency_count == 0:
        world.first_completion_ps = now_ps
    world.last_completion_ps = now_ps
    count_round(world, now_ps)
    count_inside(world, world.inside + 1)
    world.inside_ps = world.all_inside_ps
    latency_ps = now_ps - request.submitted_ps
    _count_latency(world, latency_ps)
    _close(world, request, latency_ps)
    _post_after(world, place, 0)


@compiled
def count_round(counter: Any, now_ps: int) -> None:
    """One more completion; as `emu.rounds.Rounds.add`."""
    counter.round_left -= 1
    if counter.round_left:
        return
    counter.round_left = counter.round
    if counter.rounds == 0:
        counter.first_round_ps = now_ps
    counter.last_round_ps = now_ps
    counter.rounds += 1


@compiled
def drop(world: Any, place: int, station: int) -> None:
    """A request is lost at a station; all else goes on."""
    request = requests(world)[place]
    request.inside = 0
    world.inside -= 1
    log(world, world.now_ps, DROPPED, request)
    log_charges(world, request)
    words(world.dropped)[station] += 1
    count_inside(world, world.inside + 1)
    _post_after(world, place, 1)


@compiled
def count_inside(world: Any, inside: int) -> None:
    """Adds the time since the last change, in which so many were inside."""
    world.all_inside_ps += inside * (world.now_ps - world.changed_ps)
    world.changed_ps = world.now_ps


@compiled
def _post_after(world: Any, place: int, dropped: int) -> None:
    # The slot is used again from the next instant on: until then it may be asked about.
    push(world.gone, place)
    if may_post(world) and answered(world, place, dropped):
        post(world, world.now_ps)


@compiled
def _count_latency(world: Any, latency_ps: int) -> None:
    world.latency_count += 1
    world.latency_sum_ps += latency_ps
    world.latency_largest_ps = max(world.latency_largest_ps, latency_ps)
    shift = 0
    value = latency_ps >> (BUCKETS_LOG2 + 1)
    while value:
        value >>= 1
        shift += 1
    bucket = (shift << BUCKETS_LOG2) + (latency_ps >> shift) if shift else latency_ps
    words(world.bucket_counts)[bucket] += 1
    words(world.bucket_sums)[bucket] += latency_ps


@compiled
def _close(world: Any, request: Any, latency_ps: int) -> None:
    """Adds its charges to the sums; the parts must sum to its latency."""
    plan = plans(world)[request.plan]
    plan.closed += 1
    total_ps = plan.derived_ps
    charges, sums = words(request.charges), words(world.charged)
    for place in range(0, request.charges.count, 3):
        entry = hops(world)[plan.first_hop + charges[place]].entry
        total_ps += charges[place + 2]
        sums[entry * world.part_count + charges[place + 1]] += charges[place + 2]
    if total_ps != latency_ps:
        world.status = FAILED
        world.fault = BREAKDOWN
        world.fault_at = request.sequence
