"""The compiled engine: what happens in an instant, and what is the next one; see `emu.kernel`."""

from __future__ import annotations

from typing import Any

from emu.fast.accepting import accept_ready
from emu.fast.codes import (
    ANSWERED,
    DEADLOCK,
    DUE_REQUEST,
    DUE_STATION,
    FAILED,
    OVER,
    RUNNING,
    UNSETTLED,
    WANTS_POSTS,
)
from emu.fast.compiled import compiled, entry
from emu.fast.deciding import decide
from emu.fast.hash_map import insert
from emu.fast.heap import drop_first
from emu.fast.layout import DUE_T, POST_T, stations
from emu.fast.looks import contest, tell_users, wake_at
from emu.fast.memory import pop, push, view
from emu.fast.offering import finish, offer_next
from emu.fast.pool import came_back
from emu.fast.port import call_at
from emu.fast.source import name_access, next_access, wants_more
from emu.fast.station import is_ready, note_blocked, touch
from emu.fast.tally import count_inside, may_post, post
from emu.unsettled import MOST_STEPS

#: As in the reference engine: so many steps more for each request inside.
_STEPS_EACH = 100

#: Sums that are larger are to be taken before anything is added.
MOST_SUM_PS = 1 << 60


@entry
def advance(worlds: Any, instants: int) -> int:
    """Runs so many instants at the most, fewer where sums get large; gives how the run stands.

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
        if max(world.latency_sum_ps, world.all_inside_ps) > MOST_SUM_PS:
            break
    return int(world.status)


@entry
def answer_at(worlds: Any, station: int, time_ps: int, initiator: int) -> None:
    """An answer for an initiator is to reach an actor from outside, at a time that is not over."""
    world = worlds[0]
    call_at(world, station, time_ps, ANSWERED, initiator, 0)
    wake_at(world, station, time_ps)


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
    if not may_post(world):
        world.next_post = world.posts.count
        world.more_posts = 0
        return
    posts = view(world.posts, POST_T)
    time_ps = posts[at].time_ps
    if time_ps > world.until_ps:
        return
    if world.due.count and view(world.due, DUE_T)[0].time_ps < time_ps:
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
            offer_next(world)
        elif world.ready.count:
            accept_ready(world)
        elif not decide(world):
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
        finish(world, item, alone)
    elif kind == DUE_STATION:
        at = stations(world)[item]
        at.wake_ps = -1
        is_ready(world, item)
        touch(world, item)
        if at.candidates.count > at.candidates_from:
            contest(world, item)
    else:
        tell_users(world, came_back(world, item))
