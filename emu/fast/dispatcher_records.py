"""Records of dispatchers: what a scheduler or an ordering engine keeps, compiled."""

from __future__ import annotations

from typing import Any

from emu.fast.clock import edge
from emu.fast.compiled import compiled
from emu.fast.hash_map import HASH_MAP, find, insert
from emu.fast.layout import clocks, record, stations
from emu.fast.memory import BLOCK, extend, from_dtype, new_slot, push, view
from emu.fast.ring import RING

#: How a dispatcher knows what has no answer: so many of an initiator, each that was sent, or each
#: that came.
COUNTED, KNOWN, SEQUENCE = range(3)
#: No alarm is set for an edge as late as this.
NEVER = 1 << 62

#: A scheduler or an ordering engine; see `stages.order.dispatcher.Dispatcher`.
DISPATCHER = record(
    # What the table says; -1 is unlimited, and `flit_bytes` 0 if flits have no size.
    *("is_engine", "scans", "queues", "interval", "latency", "flit_bytes", "depth", "is_strict"),
    # How it knows what has no answer, and whether the engine tells it of answers.
    *("tracking", "watches"),
    # Whose turn it was last, and on a scan, for how long nobody has looked.
    *("last_key", "stood"),
    *("free_edge", "input_edge", "answer_edge", "alarm_edge", "chosen_ps"),
    # The stopwatch of what was let go and can't go on.
    *("is_blocked", "blocked_since_ps", "blocked_sum_ps"),
    dispatcher_lanes=BLOCK,
    # The lanes whose first request may go, by key.
    ready_lanes=BLOCK,
    visits=BLOCK,
    free_visits=BLOCK,
    # By place of a request that was sent, its visit plus one, as long as its answer counts.
    visit_of=BLOCK,
    # On a scan of the engine, what has come and has not been looked at.
    coming=RING,
    initiators=BLOCK,
    initiator_of=HASH_MAP,
    # From a queue to the first of its lanes.
    lane_of=HASH_MAP,
    # From initiator and destination to the next numbers.
    number_pairs=BLOCK,
    pair_of=HASH_MAP,
)

#: Visits one after the other; see `stages.order.lane.Lane`. `key` is its number there.
DISPATCHER_LANE = record(
    *("key", "first", "last", "is_ready"),
    *("is_held", "held_since_ps", "held_sum_ps", "released_ps", "blocked_at_release_ps"),
    # Flits in it, where a queue has a depth.
    "filled",
)

#: A request here, and until it is answered; see `stages.order.lane.Waiting`.
VISIT = record(
    *("request", "initiator", "flits", "held_before_ps", "blocked_before_ps"),
    # Behind it in its lane.
    "next",
    # Among those of its initiator without an answer: whether it is one, whether it was sent, and
    # its neighbours. An answer to it may be on its way.
    *("is_known", "is_sent", "before", "after", "is_due"),
)

#: An initiator: its lanes, of what need not wait for others and of what must; how many are
#: counted; and those that are known without an answer, in order.
INITIATOR = record("lane", "lane_held", "count", "first", "last")

#: The next numbers of an initiator to a destination.
NUMBER_PAIR = record("transaction", "packet")

DISPATCHER_T = from_dtype(DISPATCHER)
DISPATCHER_LANE_T = from_dtype(DISPATCHER_LANE)
VISIT_T = from_dtype(VISIT)
INITIATOR_T = from_dtype(INITIATOR)
NUMBER_PAIR_T = from_dtype(NUMBER_PAIR)
_LANE_BYTES = DISPATCHER_LANE.itemsize
_VISIT_BYTES = VISIT.itemsize
_INITIATOR_BYTES = INITIATOR.itemsize

KINDS = {
    "dispatchers": DISPATCHER,
    "dispatcher_lanes": DISPATCHER_LANE,
    "visits": VISIT,
    "initiators": INITIATOR,
    "number_pairs": NUMBER_PAIR,
}


@compiled
def dispatcher_at(world: Any, station: int) -> Any:
    """The dispatcher of a station."""
    return view(world.dispatchers, DISPATCHER_T)[stations(world)[station].place]


@compiled
def lanes_of(dispatcher: Any) -> Any:
    """All its lanes."""
    return view(dispatcher.dispatcher_lanes, DISPATCHER_LANE_T)


@compiled
def visits_of(dispatcher: Any) -> Any:
    """All visits, and slots that are free."""
    return view(dispatcher.visits, VISIT_T)


@compiled
def initiators_of(dispatcher: Any) -> Any:
    """All initiators of which it has heard."""
    return view(dispatcher.initiators, INITIATOR_T)


@compiled
def edge_ps(world: Any, station: int, number: int) -> int:
    """Time of an edge; without a clock each picosecond is one."""
    clock = stations(world)[station].clock
    return number if clock < 0 else edge(clocks(world)[clock], number)


@compiled
def blocked_ps(dispatcher: Any, now_ps: int) -> int:
    """For how long so far what was let go could not go on."""
    since_ps = dispatcher.blocked_since_ps if dispatcher.is_blocked else now_ps
    return int(dispatcher.blocked_sum_ps + now_ps - since_ps)


@compiled
def set_blocked(dispatcher: Any, is_blocked: int, now_ps: int) -> None:
    """From now on what was let go can't go on, or has gone on."""
    dispatcher.blocked_sum_ps = blocked_ps(dispatcher, now_ps)
    dispatcher.blocked_since_ps = now_ps
    dispatcher.is_blocked = is_blocked


@compiled
def initiator_place(dispatcher: Any, number: int) -> int:
    """The place of an initiator; from now on it has one."""
    known = find(dispatcher.initiator_of, number, 0)
    if known >= 0:
        return known
    queue = number if dispatcher.queues < 0 else number % dispatcher.queues
    apart = dispatcher.is_engine and not (dispatcher.scans or dispatcher.is_strict)
    first = _first_lane(dispatcher, queue, 2 if apart else 1)
    place = extend(dispatcher.initiators, 1, _INITIATOR_BYTES)
    insert(dispatcher.initiator_of, number, 0, place)
    initiator = initiators_of(dispatcher)[place]
    initiator.lane = first
    initiator.lane_held = first + 1 if apart else first
    initiator.first = -1
    initiator.last = -1
    return place


@compiled
def new_visit(dispatcher: Any, request: int, initiator: int, flits: int) -> int:
    """A request has come."""
    place = new_slot(dispatcher.visits, dispatcher.free_visits, _VISIT_BYTES)
    visit = visits_of(dispatcher)[place]
    visit.request = request
    visit.initiator = initiator
    visit.flits = flits
    visit.is_known = 0
    visit.is_sent = 0
    visit.is_due = 0
    return place


@compiled
def end_visit(dispatcher: Any, visit: int) -> None:
    """Nobody asks for it any more."""
    push(dispatcher.free_visits, visit)


@compiled
def _first_lane(dispatcher: Any, queue: int, each: int) -> int:
    """The first lane of a queue, which has so many."""
    known = find(dispatcher.lane_of, queue, 0)
    if known >= 0:
        return known
    first = extend(dispatcher.dispatcher_lanes, each, _LANE_BYTES)
    insert(dispatcher.lane_of, queue, 0, first)
    for number in range(each):
        lane = lanes_of(dispatcher)[first + number]
        lane.key = each * queue + number
        lane.first = -1
        lane.last = -1
    return first
