"""Dispatchers: the scheduler and the ordering engine, compiled; see `stages.order.dispatcher`.

A stage of either kind is one record. What the engine has and the scheduler has not, and the other
way round, is told by the record alone, so the functions are the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from emu.fast.clock import edge_at_or_after
from emu.fast.codes import (
    ORDERING_ENGINE,
    P_ALIGNMENT,
    P_ARBITRATION,
    P_BACKPRESSURE,
    P_INTERVAL,
    P_ORDERING,
    P_SERVICE,
    ROL,
    SCHEDULER,
)
from emu.fast.compiled import compiled
from emu.fast.dispatcher_records import (
    COUNTED,
    DISPATCHER,
    KNOWN,
    NEVER,
    NUMBER_PAIR,
    NUMBER_PAIR_T,
    SEQUENCE,
    blocked_ps,
    dispatcher_at,
    edge_ps,
    end_visit,
    initiator_place,
    initiators_of,
    lanes_of,
    new_visit,
    set_blocked,
    visits_of,
)
from emu.fast.hash_map import find, insert
from emu.fast.layout import charge_some, clocks, hop_of, requests, stations
from emu.fast.memory import extend, view
from emu.fast.port import accept, call_at, emit, when_settled
from emu.fast.refusal import RefusalError
from emu.fast.ring import put, take
from emu.fast.trackers import (
    counts,
    has_come,
    has_gone,
    hear,
    is_ordered,
    is_strict,
    must_wait,
    visit_answered,
)
from emu.fast.turns import next_turn, serve_turn, set_ready

#: What an alarm is about: a request goes (which), an answer is taken (initiator, visit), a flit
#: leaves its place (lane), a choice can be made (edge).
_EMIT, _TAKE, _FREE, _LOOK = range(4)
_PAIR_BYTES = NUMBER_PAIR.itemsize
#: No number of a table is larger, so that sums of their products stay below 63 bits.
_MOST = 1 << 40


# -- what the engine calls ------------------------------------------------------------------------


@compiled
def dispatcher_has_room(world: Any, s: int, r: int) -> bool:
    """Whether a place is free in its queue."""
    dispatcher = dispatcher_at(world, s)
    if dispatcher.depth < 0:
        return True
    place = initiator_place(dispatcher, requests(world)[r].initiator)
    lane = lanes_of(dispatcher)[initiators_of(dispatcher)[place].lane]
    return bool(lane.filled < dispatcher.depth)


@compiled
def dispatcher_arrive(world: Any, s: int, r: int) -> None:
    """It joins its queue; on a scan of the engine, those that have yet to be looked at."""
    dispatcher = dispatcher_at(world, s)
    request = requests(world)[r]
    place = initiator_place(dispatcher, request.initiator)
    visit = new_visit(dispatcher, r, place, _flits(world, dispatcher, request))
    if dispatcher.is_engine:
        _number(dispatcher, request)
        has_come(world, dispatcher, visit)
    if dispatcher.is_engine and dispatcher.scans:
        visits_of(dispatcher)[visit].blocked_before_ps = blocked_ps(dispatcher, world.now_ps)
        put(dispatcher.coming, visit)
    else:
        initiator = initiators_of(dispatcher)[place]
        lane = initiator.lane_held if is_strict(request) else initiator.lane
        if dispatcher.depth >= 0:
            lanes_of(dispatcher)[lane].filled += visits_of(dispatcher)[visit].flits
        _join(world, dispatcher, lane, visit)
    when_settled(world, s)


@compiled
def dispatcher_passed(world: Any, s: int, r: int) -> None:
    """A request has been answered: it has left the stage that is watched, or is lost."""
    dispatcher = dispatcher_at(world, s)
    visit = visit_answered(dispatcher, r)
    if visit >= 0:
        _take_in_turn(world, s, dispatcher, visits_of(dispatcher)[visit].initiator, visit)


@compiled
def dispatcher_answered(world: Any, s: int, initiator: int) -> None:
    """An answer for the initiator has come, from outside of the path."""
    dispatcher = dispatcher_at(world, s)
    _take_in_turn(world, s, dispatcher, initiator_place(dispatcher, initiator), -1)


@compiled
def dispatcher_left(world: Any, s: int, r: int) -> None:
    """What was let go has gone on."""
    if stations(world)[s].blocked == 0:
        set_blocked(dispatcher_at(world, s), 0, world.now_ps)
        when_settled(world, s)


@compiled
def dispatcher_alarm(world: Any, s: int, what: int, first: int, second: int) -> None:
    """What was to happen now."""
    dispatcher = dispatcher_at(world, s)
    if what == _EMIT:
        emit(world, s, first)
        set_blocked(dispatcher, 1, world.now_ps)
    elif what == _FREE:
        lanes_of(dispatcher)[first].filled -= 1
    elif what == _LOOK:
        if dispatcher.alarm_edge == first:
            dispatcher.alarm_edge = NEVER
        when_settled(world, s)
    else:
        hear(dispatcher, first, second)
        _refresh(world, dispatcher, initiators_of(dispatcher)[first].lane_held)
        when_settled(world, s)


@compiled
def dispatcher_decide(world: Any, s: int) -> None:
    """Chooses, if this is an edge; else on the next one."""
    dispatcher = dispatcher_at(world, s)
    if not _has_work(world, s, dispatcher):
        return
    edge = _edge_from(world, s, world.now_ps)
    if edge_ps(world, s, edge) > world.now_ps:
        _wake(world, s, dispatcher, edge)
        return
    if dispatcher.coming.count:
        _look_at_coming(world, s, dispatcher, edge)
    while dispatcher.ready_lanes.count and stations(world)[s].blocked == 0:
        at, lane = next_turn(dispatcher, max(edge, dispatcher.free_edge))
        if at > edge:
            _wake(world, s, dispatcher, at)
            return
        _serve(world, s, dispatcher, lane, edge)


# -- choices --------------------------------------------------------------------------------------


@compiled
def _has_work(world: Any, s: int, dispatcher: Any) -> bool:
    """Whether anything could be chosen; if not, what changes that asks for a choice."""
    if stations(world)[s].blocked:
        return False
    return bool(dispatcher.ready_lanes.count or dispatcher.coming.count)


@compiled
def _look_at_coming(world: Any, s: int, dispatcher: Any, edge: int) -> None:
    """What has come is looked at flit by flit: it goes straight on, or into its queue."""
    while dispatcher.coming.count and stations(world)[s].blocked == 0:
        if dispatcher.input_edge > edge:
            _wake(world, s, dispatcher, dispatcher.input_edge)
            return
        _take_in(world, s, dispatcher, take(dispatcher.coming), edge)


@compiled
def _take_in(world: Any, s: int, dispatcher: Any, place: int, edge: int) -> None:
    """What has come goes straight on, and then nobody looks; or into its queue."""
    visit = visits_of(dispatcher)[place]
    busy = visit.flits * dispatcher.interval
    dispatcher.input_edge = edge + busy
    lane = initiators_of(dispatcher)[visit.initiator].lane_held
    has_to_wait = dispatcher.is_strict and lanes_of(dispatcher)[lane].first >= 0
    if has_to_wait or must_wait(world, dispatcher, place):
        _join(world, dispatcher, lane, place)
        return
    _go(world, s, dispatcher, place, -1, edge)
    dispatcher.free_edge = max(dispatcher.free_edge, edge) + busy
    dispatcher.stood += busy


@compiled
def _serve(world: Any, s: int, dispatcher: Any, lane_place: int, edge: int) -> None:
    """The first of a lane goes, and keeps the way out for as long as it has flits."""
    lane = lanes_of(dispatcher)[lane_place]
    place = lane.first
    visit = visits_of(dispatcher)[place]
    busy = visit.flits * dispatcher.interval
    lane.first = visit.next
    if lane.first < 0:
        lane.last = -1
        set_ready(dispatcher, lane_place, 0)
    _go(world, s, dispatcher, place, lane_place, edge)
    _refresh(world, dispatcher, lane_place)
    serve_turn(dispatcher, lane.key, busy)
    dispatcher.free_edge = edge + busy


@compiled
def _go(world: Any, s: int, dispatcher: Any, place: int, lane: int, edge: int) -> None:
    """The request has been chosen on this edge, from a lane or (-1) as it came."""
    visit = visits_of(dispatcher)[place]
    r = visit.request
    now_ps = world.now_ps
    request = requests(world)[r]
    if request.arrived_ps < now_ps:
        _charge_waits(world, s, dispatcher, visit, lane, edge)
    leaves_ps = edge_ps(world, s, edge + dispatcher.latency)
    charge_some(request, P_SERVICE, leaves_ps - now_ps)
    dispatcher.chosen_ps = now_ps
    accept(world, r)
    call_at(world, s, leaves_ps, _EMIT, r, 0)
    initiator = initiators_of(dispatcher)[visit.initiator]
    counted = counts(dispatcher, request)
    if counted:
        has_gone(dispatcher, place)
    if counted or dispatcher.is_engine:
        _refresh(world, dispatcher, initiator.lane_held)
    if dispatcher.depth >= 0:
        for number in range(visit.flits):
            freed_ps = edge_ps(world, s, edge + number * dispatcher.interval + 1)
            call_at(world, s, freed_ps, _FREE, lane, 0)
    if not visit.is_known:
        end_visit(dispatcher, place)


# -- lanes ----------------------------------------------------------------------------------------


@compiled
def _join(world: Any, dispatcher: Any, lane_place: int, place: int) -> None:
    """A request waits in a lane from now on."""
    now_ps = world.now_ps
    lane, visits = lanes_of(dispatcher)[lane_place], visits_of(dispatcher)
    visit = visits[place]
    visit.next = -1
    visit.blocked_before_ps = blocked_ps(dispatcher, now_ps)
    visit.held_before_ps = _held_ps(lane, now_ps)
    if lane.last >= 0:
        visits[lane.last].next = place
        lane.last = place
        return
    lane.first = place
    lane.last = place
    _refresh(world, dispatcher, lane_place)


@compiled
def _refresh(world: Any, dispatcher: Any, lane_place: int) -> None:
    """The lane's first request, or what it waits for, may be another one now."""
    now_ps = world.now_ps
    lane = lanes_of(dispatcher)[lane_place]
    if lane.first < 0:
        return
    is_held = int(must_wait(world, dispatcher, lane.first))
    set_ready(dispatcher, lane_place, 1 - is_held)
    if lane.is_held == is_held:
        return
    lane.held_sum_ps = _held_ps(lane, now_ps)
    lane.held_since_ps = now_ps
    lane.is_held = is_held
    if not is_held:
        lane.released_ps = now_ps
        lane.blocked_at_release_ps = blocked_ps(dispatcher, now_ps)


@compiled
def _held_ps(lane: Any, now_ps: int) -> int:
    """For how long so far the lane's first was held."""
    since_ps = lane.held_since_ps if lane.is_held else now_ps
    return int(lane.held_sum_ps + now_ps - since_ps)


# -- times ----------------------------------------------------------------------------------------


@compiled
def _take_in_turn(world: Any, s: int, dispatcher: Any, initiator: int, visit: int) -> None:
    """On a clock an edge takes one answer; the others queue up."""
    edge = max(_edge_from(world, s, world.now_ps), dispatcher.answer_edge)
    dispatcher.answer_edge = edge + (stations(world)[s].clock >= 0)
    call_at(world, s, edge_ps(world, s, edge), _TAKE, initiator, visit)


@compiled
def _wake(world: Any, s: int, dispatcher: Any, edge: int) -> None:
    """Looks again on an edge, if not before."""
    if edge < dispatcher.alarm_edge:
        dispatcher.alarm_edge = edge
        call_at(world, s, edge_ps(world, s, edge), _LOOK, edge, 0)


@compiled
def _edge_from(world: Any, s: int, time_ps: int) -> int:
    """The first edge that is not before a time; without a clock each picosecond is one."""
    clock = stations(world)[s].clock
    return time_ps if clock < 0 else edge_at_or_after(clocks(world)[clock], time_ps)


@compiled
def _charge_waits(
    world: Any, s: int, dispatcher: Any, visit: Any, lane_place: int, edge: int
) -> None:
    """What the time between arrival and choice went to, as `Dispatcher` has it."""
    now_ps = world.now_ps
    request = requests(world)[visit.request]
    since_ps = request.arrived_ps
    rest_ps = now_ps - since_ps
    ordering_ps = 0
    blocked_before_ps = visit.blocked_before_ps
    if lane_place >= 0:
        lane = lanes_of(dispatcher)[lane_place]
        ordering_ps = _held_ps(lane, now_ps) - visit.held_before_ps
        if lane.released_ps > since_ps:
            since_ps = lane.released_ps
            blocked_before_ps = lane.blocked_at_release_ps
    backpressure_ps = blocked_ps(dispatcher, now_ps) - blocked_before_ps
    rest_ps -= ordering_ps + backpressure_ps
    interval_ps = 0
    alignment_ps = 0
    since_ps = max(since_ps, dispatcher.chosen_ps)
    if backpressure_ps == 0 and edge == max(dispatcher.free_edge, _edge_from(world, s, since_ps)):
        free_ps = max(since_ps, edge_ps(world, s, dispatcher.free_edge))
        interval_ps = free_ps - since_ps
        alignment_ps = now_ps - free_ps
    charge_some(request, P_ORDERING, ordering_ps)
    charge_some(request, P_BACKPRESSURE, backpressure_ps)
    charge_some(request, P_ARBITRATION, rest_ps - interval_ps - alignment_ps)
    charge_some(request, P_INTERVAL, interval_ps)
    charge_some(request, P_ALIGNMENT, alignment_ps)


# -- requests -------------------------------------------------------------------------------------


@compiled
def _flits(world: Any, dispatcher: Any, request: Any) -> int:
    """How many flits it takes here: one at least, and one where they have no size."""
    flit_bytes = dispatcher.flit_bytes
    if flit_bytes == 0:
        return 1
    return int(max(1, -(-hop_of(world, request).message_bytes // flit_bytes)))


@compiled
def _number(dispatcher: Any, request: Any) -> None:
    """Numbers a request by initiator and destination: what has an order, and what is of ROL."""
    is_packet = request.service == ROL
    if not (is_ordered(request) or is_packet):
        return
    place = find(dispatcher.pair_of, request.initiator, request.destination)
    if place < 0:
        place = extend(dispatcher.number_pairs, 1, _PAIR_BYTES)
        insert(dispatcher.pair_of, request.initiator, request.destination, place)
    pair = view(dispatcher.number_pairs, NUMBER_PAIR_T)[place]
    if is_ordered(request):
        request.transaction_number = pair.transaction
        pair.transaction += 1
    if is_packet:
        request.packet_number = pair.packet
        pair.packet += 1


# -- making ---------------------------------------------------------------------------------------


def make_scheduler(stage: Any, building: Any) -> tuple[int, int]:
    """The record of a scheduler."""
    parameters = stage.parameters
    made = _made(parameters, depth=parameters.depth)
    made["tracking"] = COUNTED if parameters.until is None else KNOWN
    return SCHEDULER, building.add("dispatchers", made)


def make_engine(stage: Any, building: Any) -> tuple[int, int]:
    """The record of an ordering engine."""
    parameters = stage.parameters
    made = _made(parameters, depth=None)
    made["is_engine"] = 1
    made["is_strict"] = parameters.strict
    counted = COUNTED if parameters.until is None else KNOWN
    made["tracking"] = SEQUENCE if parameters.tracking == "sequence" else counted
    return ORDERING_ENGINE, building.add("dispatchers", made)


def _made(parameters: Any, *, depth: int | None) -> np.ndarray[Any, Any]:
    """What both have in common."""
    made = np.zeros(1, DISPATCHER)
    numbers = {
        "queues": -1 if parameters.queues is None else parameters.queues,
        "interval": parameters.interval.count,
        "latency": parameters.latency.count,
        "flit_bytes": parameters.flit or 0,
        "depth": -1 if depth is None else depth,
    }
    for name, number in numbers.items():
        if number > _MOST:
            raise RefusalError(f"{name} of a scheduler or an ordering engine is {number}")
        made[name] = number
    made["scans"] = parameters.pick == "scan"
    made["watches"] = parameters.until is not None
    made["last_key"] = -1
    made["alarm_edge"] = NEVER
    return made
