"""In turn: stages that keep a request until all before it are done; see `stages.order.in_turn`.

`target_order`, `read_check`, `channel_order` and `completion_order`, which of them says the
station's code. Where a request stands is found by its slot, which must not be used again before
the stage has heard that the request has passed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import from_dtype

from emu.fast.codes import (
    CHANNEL_ORDER,
    COMPLETION_ORDER,
    P_ORDERING,
    P_SERVICE,
    READ_CHECK,
    RO,
    ROL,
    ROT,
    SO,
    TARGET_ORDER,
)
from emu.fast.compiled import compiled
from emu.fast.hash_map import HASH_MAP, find, insert
from emu.fast.layout import charge_some, hops, plans, record, requests, stations
from emu.fast.memory import BLOCK, extend, push, view, words
from emu.fast.port import accept, call_at, emit, fail, when_settled
from emu.fast.versions import can_be_early, touch, unwatch, version_now, watch

#: One stage. `delay_ps` is what it takes to go on, or to read again; `check` the station of the
#: stage that is to check what samples early, -1 if nothing does.
ORDER = record(
    *("delay_ps", "check", "repeated"),
    # Initiator and destination, to a ledger.
    ledger_of=HASH_MAP,
    ledgers=BLOCK,
    # By the slot of a request.
    standings=BLOCK,
    # Those that may have their turn in this instant.
    fresh=BLOCK,
)
#: One order: no number from `next` on has been added, and the last request that is not done.
LEDGER = record("next", "last")
#: Where a request stands as long as it is not done: its ledger plus one, the next ones that are
#: not done on either side of it, and who waits here for it; each waits for one at most, and is
#: the only one that does, since those that wait are themselves not done.
STANDING = record("ledger", "before", "behind", "waiting")

KINDS = {"orders": ORDER, "ledgers": LEDGER, "standings": STANDING}

ORDER_T = from_dtype(ORDER)
LEDGER_T = from_dtype(LEDGER)
STANDING_T = from_dtype(STANDING)
_LEDGER_BYTES = LEDGER.itemsize
_STANDING_BYTES = STANDING.itemsize


@compiled
def order_coming(world: Any, s: int, r: int) -> None:
    """It takes its place, behind all that are not done."""
    code = stations(world)[s].actor
    request = requests(world)[r]
    if not _is_in_order(code, request):
        return
    order = _order_at(world, s)
    place = _ledger_of(order, code, request)
    ledger = view(order.ledgers, LEDGER_T)[place]
    number = _number_of(code, request, ledger)
    if number < ledger.next:
        # It has no number, or one that has been passed by.
        fail(world, s)
        return
    ledger.next = number + 1
    if r >= order.standings.count:
        extend(order.standings, r + 1 - order.standings.count, _STANDING_BYTES)
    standings = view(order.standings, STANDING_T)
    standing = standings[r]
    standing.ledger = place + 1
    standing.before = ledger.last
    standing.behind = standing.waiting = -1
    if ledger.last >= 0:
        standings[ledger.last].behind = r
    ledger.last = r
    if code == READ_CHECK and can_be_early(request):
        if request.version >= 0:
            # It has sampled already, and nobody has watched since.
            fail(world, s)
        watch(world, request)


@compiled
def order_arrive(world: Any, s: int, r: int) -> None:
    """It is kept only if it is in an order and waits for its turn in it."""
    code = stations(world)[s].actor
    request = requests(world)[r]
    if not _is_in_order(code, request) or not _waits(world, s, code, request):
        accept(world, r)
        emit(world, s, r)
        return
    order = _order_at(world, s)
    if not _stands(order, r):
        # It has not come by the stage that says after whom.
        fail(world, s)
        return
    push(order.fresh, r)
    when_settled(world, s)


@compiled
def order_passed(world: Any, s: int, r: int) -> None:
    """It is done."""
    order = _order_at(world, s)
    if not _stands(order, r):
        return
    standings = view(order.standings, STANDING_T)
    standing = standings[r]
    if standing.before >= 0:
        standings[standing.before].behind = standing.behind
    if standing.behind >= 0:
        standings[standing.behind].before = standing.before
    else:
        view(order.ledgers, LEDGER_T)[standing.ledger - 1].last = standing.before
    standing.ledger = 0
    if standing.waiting >= 0:
        push(order.fresh, standing.waiting)
        when_settled(world, s)
    request = requests(world)[r]
    if stations(world)[s].actor == READ_CHECK and can_be_early(request):
        unwatch(world, request)


@compiled
def order_decide(world: Any, s: int) -> None:
    """Of those whose turn it is, who came first goes first."""
    order = _order_at(world, s)
    fresh = words(order.fresh)
    count = order.fresh.count
    _sort_by_arrival(world, fresh, count)
    standings = view(order.standings, STANDING_T)
    for place in range(count):
        r = fresh[place]
        before = standings[r].before
        if before >= 0:
            standings[before].waiting = r
        else:
            _turn(world, s, r)
    order.fresh.count = 0


@compiled
def order_alarm(world: Any, s: int, what: int, first: int, second: int) -> None:
    """A request goes on that has waited for so long, and then for what the stage takes."""
    request = requests(world)[first]
    if stations(world)[s].actor == READ_CHECK:
        touch(world, first)
    charge_some(request, P_ORDERING, second)
    charge_some(request, P_SERVICE, world.now_ps - request.arrived_ps - second)
    emit(world, s, first)


@compiled
def let_go(world: Any, s: int, r: int) -> None:
    """It goes on, and all the time since it came was for the sake of order."""
    request = requests(world)[r]
    accept(world, r)
    charge_some(request, P_ORDERING, world.now_ps - request.arrived_ps)
    emit(world, s, r)


@compiled
def _turn(world: Any, s: int, r: int) -> None:
    code = stations(world)[s].actor
    order = _order_at(world, s)
    request = requests(world)[r]
    waited_ps = world.now_ps - request.arrived_ps
    if code == READ_CHECK:
        goes_on = version_now(world, request) == request.version
        order.repeated += not goes_on
    else:
        goes_on = waited_ps == 0 or order.delay_ps == 0
    if goes_on:
        let_go(world, s, r)
    else:
        accept(world, r)
        call_at(world, s, world.now_ps + order.delay_ps, 0, r, waited_ps)


@compiled
def _is_in_order(code: int, request: Any) -> bool:
    if code == COMPLETION_ORDER:
        return True
    if code == CHANNEL_ORDER:
        return bool(request.service == ROL)
    return bool(request.order in (RO, SO))


@compiled
def _number_of(code: int, request: Any, ledger: Any) -> int:
    if code == COMPLETION_ORDER:
        return int(ledger.next)
    if code == CHANNEL_ORDER:
        return int(request.packet_number)
    return int(request.transaction_number)


@compiled
def _waits(world: Any, s: int, code: int, request: Any) -> bool:
    """Whether it is kept here until its turn; if not, only others wait for it."""
    if code == READ_CHECK:
        return can_be_early(request)
    if code != TARGET_ORDER:
        return True
    if request.order != SO or request.service != ROT:
        return False
    check = _order_at(world, s).check
    if check < 0 or not can_be_early(request):
        return True
    if not _comes_by_check(world, check, request):
        fail(world, s)
    return False


@compiled
def _comes_by_check(world: Any, check: int, request: Any) -> bool:
    if stations(world)[check].actor != READ_CHECK:
        return False
    plan = plans(world)[request.plan]
    for hop in range(plan.first_hop, plan.first_hop + plan.hops):
        if hops(world)[hop].station == check:
            return True
    return False


@compiled
def _order_at(world: Any, s: int) -> Any:
    return view(world.orders, ORDER_T)[stations(world)[s].place]


@compiled
def _ledger_of(order: Any, code: int, request: Any) -> int:
    destination = 0 if code == COMPLETION_ORDER else request.destination
    place = find(order.ledger_of, request.initiator, destination)
    if place < 0:
        place = extend(order.ledgers, 1, _LEDGER_BYTES)
        view(order.ledgers, LEDGER_T)[place].last = -1
        insert(order.ledger_of, request.initiator, destination, place)
    return place


@compiled
def _stands(order: Any, r: int) -> bool:
    if r >= order.standings.count:
        return False
    return bool(view(order.standings, STANDING_T)[r].ledger > 0)


@compiled
def _sort_by_arrival(world: Any, fresh: Any, count: int) -> None:
    """Few come in an instant, and nearly all in their order."""
    for place in range(1, count):
        r = fresh[place]
        while place > 0 and _came_before(world, r, fresh[place - 1]):
            fresh[place] = fresh[place - 1]
            place -= 1
        fresh[place] = r


@compiled
def _came_before(world: Any, one: int, other: int) -> bool:
    left, right = requests(world)[one], requests(world)[other]
    if left.arrived_ps != right.arrived_ps:
        return bool(left.arrived_ps < right.arrived_ps)
    return bool(left.sequence < right.sequence)


def make_target_order(stage: Any, building: Any) -> tuple[int, int]:
    """The code and the record of a `target_order`."""
    parameters = stage.parameters
    check = building.station(parameters.until) if parameters.early_reads else -1
    return TARGET_ORDER, _make(building, parameters.latency, check)


def make_read_check(stage: Any, building: Any) -> tuple[int, int]:
    """The code and the record of a `read_check`."""
    return READ_CHECK, _make(building, stage.parameters.reread)


def make_channel_order(stage: Any, building: Any) -> tuple[int, int]:
    """The code and the record of a `channel_order`."""
    return CHANNEL_ORDER, _make(building, 0)


def make_completion_order(stage: Any, building: Any) -> tuple[int, int]:
    """The code and the record of a `completion_order`."""
    return COMPLETION_ORDER, _make(building, 0)


def _make(building: Any, delay_ps: int, check: int = -1) -> int:
    order = np.zeros(1, ORDER)
    order["delay_ps"] = delay_ps
    order["check"] = check
    return int(building.add("orders", order))
