"""What holds of the stages that keep order, whatever the marks and however long the ways."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from emu.breakdown import of_request
from emu.request import Operation, Request
from emu.table.schema import Table
from emu.trace.events import Held, Kind, Touched
from tests.build import Post, Run, run
from tests.stages.ordered import (
    CHANNEL,
    COMPLETIONS,
    LOST,
    MEMORY,
    NS,
    check,
    entry,
    ordered,
    target,
)

KEPT = ordered(CHANNEL, target(), MEMORY, entry("values"), COMPLETIONS)
EARLY = ordered(CHANNEL, target(until="read_check", early_reads=True), MEMORY, check(), COMPLETIONS)
AS_THEY_COME = ordered(CHANNEL, target(latency="0 ns"), MEMORY)

OPERATIONS = (Operation.READ, Operation.WRITE)
WAYS_NS = st.one_of(st.sampled_from((1, 10, 20, LOST)), st.integers(1, 90))
POST = st.builds(
    Post,
    at_ps=st.sampled_from((0, 0, 1 * NS, 10 * NS, 25 * NS)),
    operation=st.sampled_from(OPERATIONS),
    size_bytes=WAYS_NS,
    address=st.sampled_from((0, 8)),
    initiator=st.integers(0, 2),
    destination=st.sampled_from((0, 0, 1)),
    order=st.sampled_from(("", "NO", "RO", "SO", "SO")),
    service=st.sampled_from(("ROT", "ROT", "ROL", "ROI", "UNO")),
    operand=st.integers(1, 9),
)
LOADS = st.lists(POST, min_size=1, max_size=25)
TABLES = st.sampled_from((KEPT, EARLY, AS_THEY_COME))


def pair(request: Request) -> tuple[int, int]:
    return request.initiator, request.destination


def in_order(made: Run) -> list[Request]:
    """As they come to the stage that numbers them: by time, and then by number."""
    return sorted(made.requests, key=lambda one: (one.submitted_ps, one.sequence))


def left_ps(made: Run, stage: str) -> dict[int, int]:
    """Request to when it left the stage; those that were lost are not in it."""
    return {e.request: e.time_ps for e in made.events if (e.kind, e.stage) == (Kind.LEFT, stage)}


def breakdowns(made: Run) -> list[list[dict[str, int]]]:
    return [of_request(request) for request in made.requests]


@given(TABLES, LOADS)
def test_nothing_is_lost_or_there_twice_and_the_parts_sum(source: Table, load: list[Post]) -> None:
    made = run(source, load)
    assert not made.kernel.inside
    lost = [number for number, post in enumerate(load) if post.size_bytes == LOST]
    assert sorted(request.sequence for request in made.dropped) == lost
    done = [request.sequence for request in made.completed]
    assert sorted([*done, *lost]) == list(range(len(load)))
    for request in made.completed:
        parts = made.parts(request.sequence)
        assert sum(parts.values()) == request.latency_ps
        assert min(parts.values(), default=0) >= 0


@given(st.sampled_from((KEPT, AS_THEY_COME)), LOADS)
def test_no_strict_one_touches_memory_before_those_it_waits_for_have_left_it(
    source: Table, load: list[Post]
) -> None:
    made = run(source, load)
    came, left = left_ps(made, "target_order"), left_ps(made, "memory")
    executed_ps: dict[tuple[int, int], int] = {}
    for request in in_order(made):
        if request.sequence not in left:
            continue
        before_ps = executed_ps.get(pair(request), 0)
        if (request.order, request.service) == ("SO", "ROT"):
            assert came[request.sequence] >= before_ps
        if request.order in ("RO", "SO"):
            executed_ps[pair(request)] = max(before_ps, left[request.sequence])


@given(LOADS)
def test_an_early_read_has_what_memory_held_in_its_turn_or_later(load: list[Post]) -> None:
    made = run(EARLY, load)
    left = left_ps(made, "read_check")
    executed_ps: dict[tuple[int, int], int] = {}
    for request in in_order(made):
        if request.sequence not in left:
            continue
        before_ps = executed_ps.get(pair(request), 0)
        end_ps = left[request.sequence]
        if (request.order, request.service) == ("SO", "ROT"):
            assert end_ps >= before_ps
            if request.operation is Operation.READ:
                assert request.value in values(made, request, before_ps, end_ps)
            else:
                assert left_ps(made, "target_order")[request.sequence] >= before_ps
        if request.order in ("RO", "SO"):
            executed_ps[pair(request)] = max(before_ps, end_ps)


def values(made: Run, request: Request, from_ps: int, to_ps: int) -> set[int]:
    """What the word of a request held at some time from one on up to another.

    Of several writes of one instant the events do not tell which came last: each may have.
    """
    written: dict[int, set[int]] = {-1: {0}}
    for event in made.events:
        if isinstance(event, Touched) and event.kind is Kind.VISIBLE:
            writer = made.requests[event.request]
            if (writer.destination, event.address) == (request.destination, request.address):
                written.setdefault(event.time_ps, set()).add(event.value)
    first_ps = max(time_ps for time_ps in written if time_ps < from_ps)
    return {
        value
        for time_ps, found in written.items()
        if first_ps <= time_ps <= to_ps
        for value in found
    }


@given(TABLES, LOADS)
def test_a_channel_delivers_in_sequence(source: Table, load: list[Post]) -> None:
    made = run(source, load)
    last: dict[tuple[int, int], int] = {}
    for request in sorted(made.completed, key=lambda one: delivery(made, one)):
        if request.service == "ROL":
            assert request.packet_number > last.get(pair(request), -1)
            last[pair(request)] = request.packet_number
        else:
            assert made.parts_at(request.sequence, "channel_order") == {}


def delivery(made: Run, request: Request) -> tuple[int, int]:
    """When, and of those of one instant and one channel by number."""
    return left_ps(made, "channel_order")[request.sequence], request.packet_number


@given(TABLES, LOADS)
def test_the_target_delays_nobody_who_does_not_ask_for_it(source: Table, load: list[Post]) -> None:
    made = run(source, load)
    for request in made.completed:
        if (request.order, request.service) != ("SO", "ROT"):
            assert made.parts_at(request.sequence, "target_order") == {}


@given(st.sampled_from((KEPT, EARLY)), LOADS)
def test_completions_come_in_the_order_of_submission(source: Table, load: list[Post]) -> None:
    made = run(source, load)
    for initiator in range(3):
        done = [one for one in made.completed if one.initiator == initiator]
        submitted = [one for one in in_order(made) if one.initiator == initiator]
        assert done == [one for one in submitted if one.size_bytes != LOST]


@given(st.sampled_from((KEPT, AS_THEY_COME)), LOADS, st.integers(0, 2))
def test_initiators_do_not_wait_for_each_other(
    source: Table, load: list[Post], initiator: int
) -> None:
    # Those of the others are still there, but come when all is over.
    later_ps = 1000 * NS
    alone = [
        post if post.initiator == initiator else replace(post, at_ps=later_ps) for post in load
    ]
    together, apart = run(source, load), run(source, alone)
    for request, other in zip(together.requests, apart.requests, strict=True):
        if request.initiator == initiator:
            assert request.completed_ps == other.completed_ps


@given(TABLES, LOADS, st.integers(0, 2**32))
def test_the_order_of_evaluation_changes_no_trace(
    source: Table, load: list[Post], seed: int
) -> None:
    plain = run(source, load)
    shuffled = run(source, load, shuffle=random.Random(seed))
    assert shuffled.events == plain.events
    assert breakdowns(shuffled) == breakdowns(plain)


@given(TABLES, LOADS)
def test_a_listener_changes_nothing(source: Table, load: list[Post]) -> None:
    heard, alone = run(source, load), run(source, load, listen=False)
    assert alone.completions_ps() == heard.completions_ps()
    assert breakdowns(alone) == breakdowns(heard)
    assert [one.value for one in alone.requests] == [one.value for one in heard.requests]


@given(TABLES, LOADS)
def test_who_is_held_is_behind_an_earlier_one_that_is_not_done(
    source: Table, load: list[Post]
) -> None:
    made = run(source, load)
    place = {request: number for number, request in enumerate(in_order(made))}
    for event in (event for event in made.events if isinstance(event, Held)):
        request, before = made.requests[event.request], made.requests[event.behind]
        assert request.initiator == before.initiator
        assert place[before] < place[request]
        assert before in made.dropped or before.completed_ps >= event.time_ps
