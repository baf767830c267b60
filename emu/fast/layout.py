"""Layout: the records in which the compiled engine keeps a path at work.

They hold whole numbers only. A reference to another record is its place in its block, -1 for none;
lists are blocks and rings of whole numbers. All records of a run hang on one, the `WORLD`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import from_dtype

from emu.fast.clock import CLOCK
from emu.fast.compiled import compiled
from emu.fast.hash_map import HASH_MAP
from emu.fast.memory import BLOCK, WORD_BYTES, extend, view, words
from emu.fast.random import RANDOM
from emu.fast.ring import RING


def record(*fields: str, **others: np.dtype[Any]) -> np.dtype[Any]:
    """A record of whole numbers, and of others that are records themselves."""
    return np.dtype([*((name, np.int64) for name in fields), *others.items()], align=True)


#: One request; see `emu.request.Request`. A slot is used again when its request has gone.
REQUEST = record(
    *("sequence", "plan", "hop", "operation", "size_bytes", "address"),
    *("initiator", "destination", "order", "service", "fence"),
    *("submitted_ps", "arrived_ps", "accepted_ps", "emitted_ps"),
    # Whether it is inside at all, is finished where it is, and is on its way out as a rider.
    *("inside", "finished", "rides"),
    *("shared_charges", "sharing", "transaction_number", "packet_number", "version"),
    riders=BLOCK,
    # Hop, part, picoseconds, of each charge.
    charges=BLOCK,
    # Pool and key of each unit that it holds.
    units=BLOCK,
    # For each resource of the station, how long it had held up the lane when the request came.
    blocked_before=BLOCK,
)

#: One kind of request; its hops stand one after the other from `first_hop` on.
PLAN = record("first_hop", "hops", "derived_ps", "kind", "operation", "size_bytes", "closed")

#: One stage of a plan; see `emu.plan.Hop`. The lists are stretches of the world's `lists`.
HOP = record(
    *("entry", "station", "latency", "busy", "derived_ps", "message_bytes"),
    # What the stage does as it accepts, and the record that it does it with.
    *("serve", "served"),
    # Pool, and for how long a unit is taken; -1 where it is given back by a hop.
    *("takes", "takes_count"),
    # Pool, when (`AT_ONCE`, `AFTER_PS`, `AFTER_EDGES`), how many, and the clock.
    *("releases", "releases_count"),
    *("returns", "returns_count", "tells", "tells_count", "announces", "announces_count"),
    # Whom it would tell later on, if it goes no further.
    *("told_later", "told_later_count"),
    # The lane on a link, and elsewhere which pools it takes from and by what their keys differ:
    # the initiator (0 not at all, -1 by its number, else by its rest) and the destination.
    *("lane", "by_initiator", "by_destination"),
    *("carries_each", "ends_batch", "run_hops", "run_ps"),
    # The plans to go on with where the stage ends the request or skips what is left of it.
    *("ending", "skipping"),
)

#: One stage at work; see `emu.station.Station` and `emu.channel.Channel`.
STATION = record(
    *("plain", "clock", "depth", "refills_at_edge", "batch", "overflow", "is_link"),
    *("can_be_blocked", "chooses", "unbounded", "is_ordered"),
    # -1 is unlimited; whether there are lanes, served in turn, some behind others.
    *("capacity", "registered", "has_lanes", "turns", "behind"),
    # Which rules of its own it has, and the record of its kind.
    *("actor", "place"),
    *("taken", "place_ps", "placed_ps"),
    *("free_ps", "free_edge", "resumed_edge", "edge", "first_ps", "accepted", "busy"),
    *("contested", "wake_ps", "touched", "is_ready", "wanting", "waiting", "turn"),
    *("candidates_from",),
    # What an actor has asked for, and how many of its requests can't go on.
    *("alarms_set", "decides", "deciding", "blocked"),
    own_pools=BLOCK,
    # The part of each resource that can hold it up: its pools, and then its places.
    resources=BLOCK,
    # By entry, and last for what comes from outside: which candidates come first.
    ranks=BLOCK,
    own_lanes=BLOCK,
    # Requests that want to enter, from `candidates_from` on.
    candidates=BLOCK,
    inside=RING,
    refill_ps=RING,
    freed_ps=RING,
    alarms=BLOCK,
    out=BLOCK,
)

#: Requests that wait at a station one after the other; see `emu.blocked.BlockedLane`.
LANE = record(
    *("takes", "initiator", "destination", "served"),
    *("blocked", "since_ps"),
    waiting=RING,
    # From when on each of them can be taken, in a registered channel.
    visible_ps=RING,
    sums=BLOCK,
    first=BLOCK,
    # From, to, resource.
    spans=BLOCK,
)

#: See `emu.resource.Pool`; `by` says by what units are counted apart (`POOL_BY`).
POOL = record(
    *("capacity", "by", "groups", "held", "unit_ps", "updated_ps"),
    users=BLOCK,
    # Initiator and destination, as far as they count, to the place of a `KEYED`.
    keys=HASH_MAP,
)
POOL_BY = ("", "initiator", "destination", "pair", "groups")

#: The units of one key of a pool.
KEYED = record("pool", "held", "unit_ps", "updated_ps")

#: A unit that comes back by itself: its pool and its key.
UNIT = record("pool", "keyed")

#: What is due at a time; first in, first out within it.
DUE = record("time_ps", "tie", "kind", "item")

#: An actor's alarm: what it is about, and with which two numbers.
ALARM = record("time_ps", "tie", "what", "first", "second")

#: What is posted at a time known beforehand; of a `stream` that is not -1 the rest is drawn then.
POST = record(
    *("time_ps", "stream", "operation", "size_bytes", "address"),
    *("initiator", "destination", "order", "service", "fence"),
)

#: A word of memory of which a read is to be checked: what rises with each write of it, and how
#: many checks are to come.
WATCHED = record("version", "checks")

#: All of a run.
WORLD = record(
    # How the run stands, what is wrong if it failed, and where.
    *("status", "fault", "fault_at"),
    *("now_ps", "until_ps", "tie", "inside", "address_step", "part_count"),
    # What a stage found when it accepted: time in the station's unit and in ps, and what follows.
    *("extra", "extra_ps", "ends", "skips"),
    # What the driver counts; see `emu.driver.Driver`. `limit` is -1 for no limit.
    *("posted", "limit", "marked", "first_completion_ps", "last_completion_ps"),
    # Of so many completions at a time, and how many are left of the one that has begun.
    *("round", "round_left", "rounds", "first_round_ps", "last_round_ps"),
    *("all_inside_ps", "inside_ps", "changed_ps"),
    *("latency_count", "latency_sum_ps", "latency_largest_ps"),
    # The next of the posts, and whether there are more than these.
    *("next_post", "more_posts"),
    # Which access is to be posted next.
    *("operation", "size_bytes", "address", "initiator", "destination"),
    *("order", "service", "fence"),
    # Whether times and charges are written down, and for which requests (tests, and edge runs).
    *("logs",),
    requests=BLOCK,
    free_requests=BLOCK,
    plans=BLOCK,
    # Operation and bytes, to the first of so many plans, one for each rest of the address.
    plan_of=HASH_MAP,
    plans_by_rest=BLOCK,
    hops=BLOCK,
    lists=BLOCK,
    stations=BLOCK,
    lanes=BLOCK,
    free_lanes=BLOCK,
    pools=BLOCK,
    keyed=BLOCK,
    units=BLOCK,
    free_units=BLOCK,
    clocks=BLOCK,
    randoms=BLOCK,
    shares=BLOCK,
    free_shares=BLOCK,
    due=BLOCK,
    posts=BLOCK,
    # What is to be done in this instant; see `emu.kernel.Kernel`.
    ready=BLOCK,
    moving=BLOCK,
    contested=BLOCK,
    wanting=BLOCK,
    done=BLOCK,
    # Requests that have gone in this instant, whose slots are free after it.
    gone=BLOCK,
    touched=BLOCK,
    next=BLOCK,
    overfull=BLOCK,
    deciding=BLOCK,
    passed=BLOCK,
    # By entry and part, the sums over what is complete; by station, what it has dropped.
    charged=BLOCK,
    dropped=BLOCK,
    # By bucket of the histogram.
    bucket_counts=BLOCK,
    bucket_sums=BLOCK,
    log=BLOCK,
    # Records of the stages that have rules of their own, by kind.
    caches=BLOCK,
    processors=BLOCK,
    constants=BLOCK,
    dispatchers=BLOCK,
    orders=BLOCK,
    hosts=BLOCK,
    ways=BLOCK,
    wires=BLOCK,
    source=BLOCK,
    # Destination and number of a word, to the place of a `WATCHED`; and slots that are free.
    watched_words=HASH_MAP,
    watched=BLOCK,
    free_watched=BLOCK,
)

REQUEST_T = from_dtype(REQUEST)
PLAN_T = from_dtype(PLAN)
HOP_T = from_dtype(HOP)
STATION_T = from_dtype(STATION)
LANE_T = from_dtype(LANE)
POOL_T = from_dtype(POOL)
KEYED_T = from_dtype(KEYED)
UNIT_T = from_dtype(UNIT)
DUE_T = from_dtype(DUE)
ALARM_T = from_dtype(ALARM)
POST_T = from_dtype(POST)
CLOCK_T = from_dtype(CLOCK)
RANDOM_T = from_dtype(RANDOM)
WATCHED_T = from_dtype(WATCHED)


@compiled
def requests(world: Any) -> Any:
    """All requests that are inside, and slots that are free."""
    return view(world.requests, REQUEST_T)


@compiled
def plans(world: Any) -> Any:
    """All plans."""
    return view(world.plans, PLAN_T)


@compiled
def hops(world: Any) -> Any:
    """The hops of all plans."""
    return view(world.hops, HOP_T)


@compiled
def stations(world: Any) -> Any:
    """All stations, in the order of the path."""
    return view(world.stations, STATION_T)


@compiled
def lanes(world: Any) -> Any:
    """The lanes of all stations, and slots that are free."""
    return view(world.lanes, LANE_T)


@compiled
def pools(world: Any) -> Any:
    """All pools."""
    return view(world.pools, POOL_T)


@compiled
def keyed(world: Any) -> Any:
    """The keys of all pools."""
    return view(world.keyed, KEYED_T)


@compiled
def units(world: Any) -> Any:
    """Units that come back by themselves, and slots that are free."""
    return view(world.units, UNIT_T)


@compiled
def clocks(world: Any) -> Any:
    """All clocks."""
    return view(world.clocks, CLOCK_T)


@compiled
def randoms(world: Any) -> Any:
    """The generators of random numbers, one for each component that has one."""
    return view(world.randoms, RANDOM_T)


@compiled
def watched(world: Any) -> Any:
    """Words of memory of which a read is to be checked, and slots that are free."""
    return view(world.watched, WATCHED_T)


@compiled
def hop_of(world: Any, request: Any) -> Any:
    """The stage at which a request is; the request itself, not its place."""
    return hops(world)[plans(world)[request.plan].first_hop + request.hop]


@compiled
def charge(request: Any, part: int, time_ps: int) -> None:
    """Charges a part of the request's time, at the stage at which it is."""
    charge_at(request, request.hop, part, time_ps)


@compiled
def charge_some(request: Any, part: int, time_ps: int) -> None:
    """The same for a time that may be nothing."""
    if time_ps:
        charge(request, part, time_ps)


@compiled
def charge_at(request: Any, hop: int, part: int, time_ps: int) -> None:
    """Charges a part of the request's time, at a hop of its plan."""
    charges = request.charges
    place = extend(charges, 3, WORD_BYTES)
    numbers = words(charges)
    numbers[place] = hop
    numbers[place + 1] = part
    numbers[place + 2] = time_ps
