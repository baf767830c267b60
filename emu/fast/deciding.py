"""Deciding: what several may want, one thing at a time; see `emu.kernel` and `emu.contest`."""

from __future__ import annotations

from typing import Any

from emu.fast import actors
from emu.fast.codes import ERROR, FAILED, HOLD, NO_ACTOR, OVERFLOW
from emu.fast.compiled import compiled
from emu.fast.entering import enter, hear
from emu.fast.lane import best_lane, free_places
from emu.fast.layout import hop_of, lanes, requests, stations
from emu.fast.leaving import leave
from emu.fast.memory import pop, push, words
from emu.fast.offering import end
from emu.fast.ring import peek
from emu.fast.starting import take
from emu.fast.station import is_ready
from emu.fast.tally import drop
from emu.fast.units import release


@compiled
def decide(world: Any) -> bool:
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
        hear(world, station)
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
        end(world, pop(moving))


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
            enter(world, station, place)
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
            enter(world, station, place)
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
    ranks = words(at.ranks)
    if request.hop < 0:
        return int(ranks[at.ranks.count - 1])
    return int(ranks[hop_of(world, request).entry])


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
        take(world, station, best_lane_of)
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
    leave(world, place)
    request = requests(world)[place]
    if request.hop >= 0:
        hop = hop_of(world, request)
        for told in range(hop.told_later_count):
            push(world.passed, words(world.lists)[hop.told_later + told])
            push(world.passed, place)
    while request.units.count:
        release(world, request, words(request.units)[0])
    drop(world, place, station)
