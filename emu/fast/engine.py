"""The compiled engine: what happens in an instant, and what is the next one; see `emu.kernel`."""

from __future__ import annotations

from typing import Any

from emu.fast import actors
from emu.fast.batch import bring_riders, carry_riders, gather
from emu.fast.clock import edge, edge_at_or_after
from emu.fast.codes import (
    AFTER_EDGES,
    ANSWERED,
    AT_ONCE,
    DEADLOCK,
    DUE_REQUEST,
    DUE_STATION,
    ERROR,
    FAILED,
    HOLD,
    NO_ACTOR,
    OVER,
    OVERFLOW,
    P_BACKPRESSURE,
    P_SERVICE,
    RUNNING,
    SERVES_NOTHING,
    UNSETTLED,
    WANTS_POSTS,
)
from emu.fast.compiled import compiled, entry
from emu.fast.due import put_due
from emu.fast.hash_map import insert
from emu.fast.heap import drop_first
from emu.fast.lane import (
    best_lane,
    free_places,
    has_waiting_room,
    next_change,
    put_in_lane,
    take_from_lane,
)
from emu.fast.layout import (
    ALARM_T,
    DUE_T,
    POST_T,
    charge,
    charge_at,
    clocks,
    hops,
    lanes,
    plans,
    pools,
    requests,
    stations,
)
from emu.fast.log import ACCEPTED, ALL, ARRIVED, EMITTED, LEFT, SUBMITTED, log
from emu.fast.memory import pop, push, view, words
from emu.fast.pool import came_back, give_unit, hold, holds, let_go_of, return_at, take_unit
from emu.fast.port import call_at
from emu.fast.ring import peek
from emu.fast.serving import serve
from emu.fast.source import name_access, next_access, wants_more
from emu.fast.station import (
    accept_lanes,
    begin,
    earliest,
    enter_places,
    has_place,
    is_ready,
    leave_place,
    note_blocked,
    touch,
    watch,
)
from emu.fast.tally import complete, count_inside, drop, may_post, post
from emu.fast.wait import charge_wait_of
from emu.unsettled import MOST_STEPS

#: As in the reference engine: so many steps more for each request inside.
_STEPS_EACH = 100


@entry
def advance(worlds: Any, instants: int) -> int:
    """Runs so many instants at the most; gives how the run stands.

    `worlds` holds one world. It ends between two instants.
    """
    world = worlds[0]
    for _ in range(instants):
        if world.status != RUNNING:
            break
        if wants_more(world) or (world.more_posts and world.next_post == world.posts.count):
            world.status = WANTS_POSTS
            break
        _post_what_is_due(world)
        if world.more_posts and world.next_post == world.posts.count:
            # More of the same time may come.
            continue
        if world.due.count == 0:
            world.status = OVER
            if world.inside and world.next_post == world.posts.count:
                world.status = FAILED
                world.fault = DEADLOCK
            break
        if view(world.due, DUE_T)[0].time_ps > world.until_ps:
            world.status = OVER
            break
        _instant(world)
    return int(world.status)


@entry
def answer_at(worlds: Any, station: int, time_ps: int, initiator: int) -> None:
    """An answer for an initiator is to reach an actor from outside, at a time that is not over."""
    world = worlds[0]
    call_at(world, station, time_ps, ANSWERED, initiator, 0)
    _wake_at(world, station, time_ps)


@entry
def know_kind(worlds: Any, operation: int, size_bytes: int, first: int) -> None:
    """Where the plans of such requests stand in `plans_by_rest`."""
    insert(worlds[0].plan_of, operation, size_bytes, first)


@compiled
def _post_what_is_due(world: Any) -> None:
    """Posts all that is to be posted next, if nothing else is before it."""
    at = world.next_post
    if at == world.posts.count:
        return
    posts = view(world.posts, POST_T)
    time_ps = posts[at].time_ps
    if time_ps > world.until_ps:
        return
    if world.due.count and view(world.due, DUE_T)[0].time_ps < time_ps:
        return
    if not may_post(world):
        world.next_post = world.posts.count
        world.more_posts = 0
        return
    world.now_ps = time_ps
    count_inside(world, world.inside)
    while at < world.posts.count and posts[at].time_ps == time_ps and may_post(world):
        one = posts[at]
        if one.stream < 0:
            name_access(world, one)
            post(world, time_ps)
        elif next_access(world, one.stream):
            post(world, time_ps)
        at += 1
    world.next_post = at


# -- an instant -----------------------------------------------------------------------------


@compiled
def _instant(world: Any) -> None:
    due = world.due
    first = view(due, DUE_T)[0]
    now_ps, kind, item = first.time_ps, first.kind, first.item
    world.now_ps = now_ps
    drop_first(due, view(due, DUE_T))
    # What is alone in its instant competes with nobody.
    _happen(world, kind, item, due.count == 0 or view(due, DUE_T)[0].time_ps != now_ps)
    steps, allowed = 0, MOST_STEPS
    while True:
        while due.count:
            first = view(due, DUE_T)[0]
            if first.time_ps != now_ps:
                break
            kind, item = first.kind, first.item
            drop_first(due, view(due, DUE_T))
            _happen(world, kind, item, False)
        if world.next.count:
            _offer_next(world)
        elif world.ready.count:
            _accept_ready(world)
        elif not _decide(world):
            break
        steps += 1
        if steps == MOST_STEPS:
            # A crowd that leaves in one instant takes many steps, and comes to an end.
            allowed += _STEPS_EACH * world.inside
        if steps > allowed:
            world.status = FAILED
            world.fault = UNSETTLED
        if world.status != RUNNING:
            return
    while world.touched.count:
        at = stations(world)[pop(world.touched)]
        at.touched = 0
        note_blocked(world, at)
    while world.gone.count:
        push(world.free_requests, pop(world.gone))


@compiled
def _happen(world: Any, kind: int, item: int, alone: bool) -> None:
    if kind == DUE_REQUEST:
        _finish(world, item, alone)
    elif kind == DUE_STATION:
        at = stations(world)[item]
        at.wake_ps = -1
        is_ready(world, item)
        touch(world, item)
        if at.candidates.count > at.candidates_from:
            _contest(world, item)
    else:
        _tell_users(world, came_back(world, item))


@compiled
def _wake_at(world: Any, station: int, time_ps: int) -> None:
    """Looks at a station at a time, -1 for never, if it is not looked at before."""
    at = stations(world)[station]
    if time_ps >= 0 and not world.now_ps < at.wake_ps <= time_ps:
        at.wake_ps = time_ps
        put_due(world, time_ps, DUE_STATION, station)


# -- leaving one stage for the next ---------------------------------------------------------


@compiled
def _finish(world: Any, place: int, alone: bool) -> None:
    """The request's time at its stage is over, or it is submitted now."""
    request = requests(world)[place]
    request.emitted_ps = world.now_ps
    if request.hop < 0:
        log(world, world.now_ps, SUBMITTED, request)
    else:
        log(world, world.now_ps, EMITTED, request)
        hop = hops(world)[plans(world)[request.plan].first_hop + request.hop]
        for index in range(hop.returns_count):
            _release(world, request, words(world.lists)[hop.returns + index])
        at = stations(world)[hop.station]
        if at.is_ordered and not request.rides:
            request.finished = 1
            if request.riders.count and hop.ends_batch:
                bring_riders(world, place)
                riders = words(request.riders)
                for index in range(request.riders.count):
                    requests(world)[riders[index]].finished = 1
                request.riders.count = 0
            if peek(at.inside, 0) != place:
                return
    _offer(world, place, alone)


@compiled
def _offer_next(world: Any) -> None:
    """Offers those that have come to the front of their stages."""
    moving = world.moving
    while world.next.count:
        push(moving, pop(world.next))
    while moving.count:
        _offer(world, pop(moving), False)


@compiled
def _offer(world: Any, place: int, alone: bool) -> None:
    """The request is free to leave: into a plain delay at once, else as a candidate."""
    request = requests(world)[place]
    plan = plans(world)[request.plan]
    index = request.hop + 1
    if index == plan.hops:
        if alone:
            _end(world, place)
        else:
            push(world.done, place)
        return
    hop = hops(world)[plan.first_hop + index]
    station = hop.station
    at = stations(world)[station]
    if not at.plain or hop.serve != SERVES_NOTHING:
        if (
            alone
            and at.candidates.count == at.candidates_from
            and (at.unbounded or _can_enter(world, station, place))
        ):
            _enter(world, station, place)
        else:
            push(at.candidates, place)
            _contest(world, station)
        return
    _leave(world, place)
    now_ps = world.now_ps
    request.arrived_ps = now_ps
    request.accepted_ps = now_ps
    if world.logs == ALL:
        request.hop = index
        log(world, now_ps, ARRIVED, request)
        log(world, now_ps, ACCEPTED, request)
        put_due(world, now_ps + hop.derived_ps, DUE_REQUEST, place)
    else:
        # Nothing is decided in a run of plain delays, and nobody asks: one event for all.
        request.hop = index + hop.run_hops - 1
        put_due(world, now_ps + hop.run_ps, DUE_REQUEST, place)


@compiled
def _can_enter(world: Any, station: int, place: int) -> bool:
    """Whether there is room for one more request here, in the channel or at the actor."""
    at = stations(world)[station]
    if at.actor != NO_ACTOR:
        return actors.has_room(world, station, place)
    return has_waiting_room(world, at)


@compiled
def _enter(world: Any, station: int, place: int) -> None:
    """The request leaves where it is and joins the station's channel."""
    _leave(world, place)
    now_ps = world.now_ps
    request = requests(world)[place]
    request.hop += 1
    request.arrived_ps = now_ps
    log(world, now_ps, ARRIVED, request)
    at = stations(world)[station]
    hop_place = plans(world)[request.plan].first_hop + request.hop
    hop = hops(world)[hop_place]
    if at.actor != NO_ACTOR:
        actors.arrive(world, station, place)
        for index in range(hop.announces_count):
            later = words(world.lists)[hop.announces + index]
            actors.coming(world, later, place)
            is_ready(world, later)
        _hear(world, station)
    elif at.plain:
        request.accepted_ps = now_ps
        log(world, now_ps, ACCEPTED, request)
        serve(world, place, hop_place)
        put_due(world, now_ps + hop.derived_ps + world.extra_ps, DUE_REQUEST, place)
    elif at.unbounded and hop.serve == SERVES_NOTHING and world.logs != ALL:
        # First in, first out, and no limit but interval and clock: all is known, and nobody
        # asks in between. So the wait costs no event.
        _start(world, station, place, earliest(world, at, now_ps))
    else:
        lane = put_in_lane(world, station, place)
        is_ready(world, station)
        if at.can_be_blocked:
            watch(world, at, request, lane)
            touch(world, station)


@compiled
def _hear(world: Any, station: int) -> None:
    """Does what an actor has asked for."""
    at = stations(world)[station]
    out = words(at.out)
    if at.out.count:
        first = out[0]
        for index in range(at.out.count):
            request = requests(world)[out[index]]
            request.emitted_ps = world.now_ps
            log(world, world.now_ps, EMITTED, request)
            request.finished = 1
            enter_places(world, at, out[index], 0)
        at.out.count = 0
        if peek(at.inside, 0) == first:
            push(world.next, first)
    if at.candidates.count > at.candidates_from:
        _contest(world, station)
    if at.decides and not at.deciding:
        at.deciding = 1
        push(world.deciding, station)
    if at.alarms.count:
        _wake_at(world, station, view(at.alarms, ALARM_T)[0].time_ps)


@compiled
def _leave(world: Any, place: int) -> None:
    """The request's place at its stage becomes free."""
    request = requests(world)[place]
    index = request.hop
    now_ps = world.now_ps
    if now_ps != request.emitted_ps:
        # A request that can't enter the first channel waits outside: charged to that stage.
        charge_at(request, max(index, 0), P_BACKPRESSURE, now_ps - request.emitted_ps)
    if index < 0:
        return
    hop = hops(world)[plans(world)[request.plan].first_hop + index]
    log(world, now_ps, LEFT, request)
    for told in range(hop.tells_count):
        push(world.passed, words(world.lists)[hop.tells + told])
        push(world.passed, place)
    if request.rides:
        request.rides = 0
        _release_all(world, hop, request)
        return
    station = hop.station
    at = stations(world)[station]
    # What an actor drops has never been on its way out.
    if at.is_ordered and request.finished:
        if leave_place(world, at, request):
            if at.refill_ps.count:
                _wake_at(world, station, peek(at.refill_ps, at.refill_ps.count - 1))
            touch(world, station)
            is_ready(world, station)
        if at.inside.count and requests(world)[peek(at.inside, 0)].finished:
            push(world.next, peek(at.inside, 0))
        if at.actor != NO_ACTOR:
            at.blocked -= 1
            actors.left(world, station, place)
            is_ready(world, station)
    if hop.releases_count:
        _release_all(world, hop, request)
    if hop.ends_batch and request.riders.count:
        bring_riders(world, place)
        riders = words(request.riders)
        for rider in range(request.riders.count):
            requests(world)[riders[rider]].rides = 1
            push(world.next, riders[rider])
        request.riders.count = 0


@compiled
def _release_all(world: Any, hop: Any, request: Any) -> None:
    numbers = words(world.lists)
    for place in range(hop.releases, hop.releases + 4 * hop.releases_count, 4):
        pool, how, count = numbers[place], numbers[place + 1], numbers[place + 2]
        if how == AT_ONCE:
            _release(world, request, pool)
            continue
        held = holds(request, pool)
        if held < 0:
            continue
        time_ps = world.now_ps + count
        if how == AFTER_EDGES:
            clock = clocks(world)[numbers[place + 3]]
            time_ps = edge(clock, edge_at_or_after(clock, world.now_ps) + count)
        return_at(world, time_ps, pool, let_go_of(request, held))


@compiled
def _release(world: Any, request: Any, pool: int) -> None:
    """Gives a unit back, if the request holds one.

    A batch holds one unit, and what is skipped takes none: there is none to give back.
    """
    held = holds(request, pool)
    if held >= 0:
        give_unit(world, pool, let_go_of(request, held))
        _tell_users(world, pool)


@compiled
def _tell_users(world: Any, pool: int) -> None:
    users = pools(world)[pool].users
    numbers = words(users)
    for index in range(users.count):
        touch(world, numbers[index])
        is_ready(world, numbers[index])


# -- accepting ------------------------------------------------------------------------------


@compiled
def _accept_ready(world: Any) -> None:
    """Lets each station that may accept something do so."""
    moving = world.moving
    while world.ready.count:
        push(moving, pop(world.ready))
    # In the order in which they became ready.
    while moving.count:
        station = pop(moving)
        stations(world)[station].is_ready = 0
        _accept(world, station)


@compiled
def _accept(world: Any, station: int) -> None:
    """Accepts all that the station can by itself."""
    at = stations(world)[station]
    if at.actor != NO_ACTOR:
        _ring(world, station)
        _hear(world, station)
        return
    while at.waiting:
        now_ps = world.now_ps
        lane = best_lane(world, at, False)
        if lane < 0:
            _wake_at(world, station, next_change(world, at))
            return
        earliest_ps = earliest(world, at, now_ps)
        if earliest_ps > now_ps:
            _wake_at(world, station, earliest_ps)
            return
        if not has_place(world, at):
            if at.refill_ps.count:
                _wake_at(world, station, peek(at.refill_ps, 0))
            return
        if at.chooses:
            if not at.wanting:
                at.wanting = 1
                push(world.wanting, station)
            _wake_at(world, station, next_change(world, at))
            return
        _take(world, station, lane)


@compiled
def _ring(world: Any, station: int) -> None:
    """Lets an actor hear what is due; what that sets for this very instant it hears later."""
    at = stations(world)[station]
    before = at.alarms_set
    while at.alarms.count:
        alarms = view(at.alarms, ALARM_T)
        if alarms[0].time_ps > world.now_ps or alarms[0].tie >= before:
            return
        what, first, second = alarms[0].what, alarms[0].first, alarms[0].second
        drop_first(at.alarms, alarms)
        if what == ANSWERED:
            actors.answered(world, station, first)
        else:
            actors.alarm(world, station, what, first, second)


@compiled
def _take(world: Any, station: int, lane: int) -> None:
    """Accepts the first request of a lane, whose place in the channel becomes free."""
    at = stations(world)[station]
    place = take_from_lane(world, at, lane)
    if at.batch != 1:
        gather(world, station, place, lane)
    _start(world, station, place, world.now_ps)
    if at.candidates.count > at.candidates_from:
        _contest(world, station)
    if at.registered:
        _wake_at(world, station, next_change(world, at))


@compiled
def _start(world: Any, station: int, place: int, at_ps: int) -> None:
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
    if cut_ps:
        charge(request, P_SERVICE, cut_ps)
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


# -- what several may want ------------------------------------------------------------------


@compiled
def _contest(world: Any, station: int) -> None:
    at = stations(world)[station]
    if not at.contested:
        at.contested = 1
        push(world.contested, station)


@compiled
def _decide(world: Any) -> bool:
    """Decides one thing, now that all else has settled; says whether there was any."""
    if world.passed.count:
        _tell_passed(world)
    elif world.done.count:
        _end_done(world)
    elif world.contested.count:
        _let_in(world, _pull_least(world.contested))
    elif world.wanting.count:
        _grant(world)
    elif world.deciding.count:
        station = _pull_least(world.deciding)
        at = stations(world)[station]
        at.deciding = 0
        if at.decides:
            at.decides = 0
            actors.decide(world, station)
        _hear(world, station)
    elif world.overfull.count:
        _overflow(world, _pull_greatest(world.overfull))
    else:
        return False
    return True


@compiled
def _tell_passed(world: Any) -> None:
    """Tells actors who has left the stage that they watch: by station, and then by number."""
    passed, moving = world.passed, world.moving
    while passed.count:
        # Insertion keeps the least last, from where it is taken first.
        place, station = pop(passed), pop(passed)
        sequence = requests(world)[place].sequence
        push(moving, station)
        push(moving, place)
        numbers = words(moving)
        at = moving.count - 2
        while at > 0:
            before, other = numbers[at - 2], numbers[at - 1]
            if before > station or (
                before == station and requests(world)[other].sequence >= sequence
            ):
                break
            numbers[at], numbers[at + 1] = before, other
            at -= 2
        numbers[at], numbers[at + 1] = station, place
    while moving.count:
        place, station = pop(moving), pop(moving)
        actors.passed(world, station, place)
        is_ready(world, station)


@compiled
def _end_done(world: Any) -> None:
    """Those that are through are complete, by number."""
    done, moving = world.done, world.moving
    while done.count:
        place = pop(done)
        sequence = requests(world)[place].sequence
        push(moving, place)
        numbers = words(moving)
        at = moving.count - 1
        while at > 0 and requests(world)[numbers[at - 1]].sequence < sequence:
            numbers[at] = numbers[at - 1]
            at -= 1
        numbers[at] = place
    while moving.count:
        _end(world, pop(moving))


@compiled
def _end(world: Any, place: int) -> None:
    """The request is complete."""
    _leave(world, place)
    complete(world, place)


@compiled
def _pull_least(block: Any) -> int:
    """Takes out the least, the first in the path."""
    numbers = words(block)
    best = 0
    for index in range(1, block.count):
        if numbers[index] < numbers[best]:
            best = index
    return _pull(block, best)


@compiled
def _pull_greatest(block: Any) -> int:
    """Takes out the greatest, the last in the path."""
    numbers = words(block)
    best = 0
    for index in range(1, block.count):
        if numbers[index] > numbers[best]:
            best = index
    return _pull(block, best)


@compiled
def _pull(block: Any, index: int) -> int:
    numbers = words(block)
    found = numbers[index]
    block.count -= 1
    numbers[index] = numbers[block.count]
    return int(found)


@compiled
def _let_in(world: Any, station: int) -> None:
    """The candidates that may enter do so; the others wait, or overflow once all has settled."""
    at = stations(world)[station]
    at.contested = 0
    _sort_candidates(world, at)
    if at.actor == NO_ACTOR:
        count = at.candidates.count - at.candidates_from
        if at.capacity >= 0:
            count = min(count, free_places(world, at))
        for _ in range(count):
            place = words(at.candidates)[at.candidates_from]
            at.candidates_from += 1
            _enter(world, station, place)
    else:
        _let_in_with_room(world, station)
    if at.candidates_from == at.candidates.count:
        at.candidates_from = 0
        at.candidates.count = 0
    else:
        if at.overflow != HOLD:
            push(world.overfull, station)
        if 2 * at.candidates_from > at.candidates.count:
            _move_up(at)


@compiled
def _move_up(at: Any) -> None:
    """The candidates that are left stand at the front of their block again."""
    numbers = words(at.candidates)
    count = at.candidates.count - at.candidates_from
    for index in range(count):
        numbers[index] = numbers[at.candidates_from + index]
    at.candidates_from = 0
    at.candidates.count = count


@compiled
def _let_in_with_room(world: Any, station: int) -> None:
    """At an actor each is asked for, as the one before may have taken the last place."""
    at = stations(world)[station]
    kept = at.candidates_from
    for index in range(at.candidates_from, at.candidates.count):
        place = words(at.candidates)[index]
        if actors.has_room(world, station, place):
            _enter(world, station, place)
        else:
            words(at.candidates)[kept] = place
            kept += 1
    at.candidates.count = kept


@compiled
def _sort_candidates(world: Any, at: Any) -> None:
    """By the table's arbitration, then by who has waited longest, then by number."""
    first = at.candidates_from
    numbers = words(at.candidates)
    for index in range(first + 1, at.candidates.count):
        place = numbers[index]
        other = index
        while other > first and _comes_before(world, at, place, numbers[other - 1]):
            numbers[other] = numbers[other - 1]
            other -= 1
        numbers[other] = place


@compiled
def _comes_before(world: Any, at: Any, place: int, other_place: int) -> bool:
    one, other = requests(world)[place], requests(world)[other_place]
    if at.ranks.count:
        rank, other_rank = _rank(world, at, one), _rank(world, at, other)
        if rank != other_rank:
            return rank < other_rank
    if one.emitted_ps != other.emitted_ps:
        return bool(one.emitted_ps < other.emitted_ps)
    return bool(one.sequence < other.sequence)


@compiled
def _rank(world: Any, at: Any, request: Any) -> int:
    """Ranks are given by entry; what comes from outside comes last."""
    if request.hop < 0:
        return int(at.ranks.count)
    entry = hops(world)[plans(world)[request.plan].first_hop + request.hop].entry
    return int(words(at.ranks)[entry])


@compiled
def _grant(world: Any) -> None:
    """Units go to the longest waiting of all stations that want some; each is asked once."""
    wanting = world.wanting
    while True:
        best, best_lane_of, best_index = -1, -1, -1
        for index in range(wanting.count):
            station = words(wanting)[index]
            lane = best_lane(world, stations(world)[station], True)
            if lane < 0:
                continue
            place = peek(lanes(world)[lane].waiting, 0)
            if best < 0 or _waits_longer(world, place, best):
                best, best_lane_of, best_index = place, lane, index
        if best < 0:
            break
        station = _pull(wanting, best_index)
        stations(world)[station].wanting = 0
        _take(world, station, best_lane_of)
        is_ready(world, station)
    while wanting.count:
        stations(world)[pop(wanting)].wanting = 0


@compiled
def _waits_longer(world: Any, place: int, other_place: int) -> bool:
    one, other = requests(world)[place], requests(world)[other_place]
    if one.arrived_ps != other.arrived_ps:
        return bool(one.arrived_ps < other.arrived_ps)
    return bool(one.sequence < other.sequence)


@compiled
def _overflow(world: Any, station: int) -> None:
    """What did not fit and may not wait outside is lost, if the table says so."""
    at = stations(world)[station]
    if at.candidates_from == at.candidates.count:
        return
    if at.overflow == ERROR:
        world.status = FAILED
        world.fault = OVERFLOW
        world.fault_at = station
        return
    moving = world.moving
    for index in range(at.candidates.count - 1, at.candidates_from - 1, -1):
        push(moving, words(at.candidates)[index])
    at.candidates_from = 0
    at.candidates.count = 0
    while moving.count:
        _drop(world, pop(moving), station)


@compiled
def _drop(world: Any, place: int, station: int) -> None:
    """The request is lost at that stage, with all that it holds given back."""
    _leave(world, place)
    request = requests(world)[place]
    if request.hop >= 0:
        hop = hops(world)[plans(world)[request.plan].first_hop + request.hop]
        for told in range(hop.told_later_count):
            push(world.passed, words(world.lists)[hop.told_later + told])
            push(world.passed, place)
    while request.units.count:
        _release(world, request, words(request.units)[0])
    drop(world, place, station)
