"""The compiled scheduler and ordering engine, beside the reference's."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.fast.dispatcher import make_scheduler
from emu.fast.refusal import RefusalError
from emu.request import Operation
from emu.time import Clock
from stages.order.dispatcher import Dispatcher
from stages.ordering_engine import OrderingEngine
from stages.scheduler import Scheduler
from tests.fast.dispatching import Comes, play_both

CYCLE_PS = 1000
CLOCKS = (
    Clock("", Fraction(CYCLE_PS)),
    Clock("", Fraction(500_000, 161), 700),
    None,
)
OPERATIONS = (Operation.READ, Operation.WRITE, Operation.FETCH_AND_ADD)
#: Some share queues, and some do not.
INITIATORS = (0, 0, 1, 1, 2, 5, 9, 10**12)


def some_ps(source: random.Random, most_ps: int) -> int:
    """A time on an edge of the first clock, or between two."""
    time_ps = source.randrange(most_ps)
    return time_ps - time_ps % CYCLE_PS if source.random() < 0.5 else time_ps


def story_of(seed: int) -> tuple[list[Comes], list[tuple[int, int]]]:
    """A crowd of requests, and answers from outside."""
    source = random.Random(seed)
    blocks, far_ps = source.random() / 3, source.choice((3000, 20_000))
    initiators = source.choice((INITIATORS, INITIATORS[:1], INITIATORS[:5]))
    comes_ps = source.choice((10_000, 30_000))
    story = [
        Comes(
            some_ps(source, comes_ps),
            source.choice(OPERATIONS),
            source.choice(initiators),
            source.randrange(2),
            source.choice(("", "NO", "RO", "SO", "SO")),
            source.choice(("", "ROI", "ROI", "ROT", "ROL", "UNO")),
            source.random() < 0.3,
            source.choice((0, 32, 32, 33, 100)),
            stays_ps=some_ps(source, 6000) if source.random() < blocks else 0,
            away_ps=some_ps(source, far_ps),
        )
        for _ in range(source.randint(1, 40))
    ]
    answers = [
        (some_ps(source, 4 * comes_ps), source.choice(initiators))
        for _ in range(source.choice((0, 60)))
    ]
    return story, answers


SCAN: dict[str, Any] = {"pick": "scan", "queues": 4, "latency": "1 cycle", "interval": "1 cycle"}
ROBIN = {**SCAN, "pick": "round_robin", "queues": "unlimited"}
SCHEDULER = {**ROBIN, "depth": "unlimited"}
ENGINE = {**ROBIN, "tracking": "sequence", "strict": False}


def edges(
    kind: type[Dispatcher],
    parameters: dict[str, Any],
    story: list[Comes],
    *answers: tuple[int, int],
) -> dict[int, int]:
    """By request, the edge on which it was let go, in that order; answers by edge."""
    at = [(edge * CYCLE_PS, initiator) for edge, initiator in answers]
    made = play_both(kind, parameters, CLOCKS[0], story, at)
    return {let.number: at_ps // CYCLE_PS for at_ps, let in made}


def by(*initiators: int, edge: int = 0, **more: Any) -> list[Comes]:
    """A request of each, at once."""
    return [Comes(edge * CYCLE_PS, initiator=one, **more) for one in initiators]


def test_lanes_take_turns() -> None:
    assert edges(Scheduler, SCHEDULER, by(0, 0, 1, 7)) == {0: 1, 2: 2, 3: 3, 1: 4}
    # The cursor is at 3, then 0; the second of initiator 7 waits a round.
    story = by(7, 4, 7, edge=3)
    assert edges(Scheduler, {**SCHEDULER, **SCAN}, story) == {0: 4, 1: 5, 2: 8}


def test_flits_keep_their_places_until_they_leave_them() -> None:
    parameters = {**SCHEDULER, "depth": 2, "flit": "32 B"}
    made = play_both(Scheduler, parameters, CLOCKS[0], by(0, 0, size_bytes=64), [])
    # The second finds room when the first flit of the first has left, and goes when both have.
    assert [(at_ps, let.parts) for at_ps, let in made] == [
        (1000, {"service": 1000}),
        (3000, {"interval": 1000, "service": 1000}),
    ]


def test_a_fence_waits_for_reads_even_if_others_have_their_slots_by_then() -> None:
    # Each read is gone before the edge that takes its answer, and the next has its slot.
    parameters = {**SCHEDULER, "latency": "0 cycles", "until": "far"}
    reads = [Comes(number * 1000, away_ps=500) for number in range(4)]
    fence = replace(reads[0], at_ps=3000, fence=True)
    assert edges(Scheduler, parameters, [*reads, fence]) == {0: 0, 1: 1, 2: 2, 3: 3, 4: 4}


def test_strict_order_waits_for_those_that_came_before_it() -> None:
    story = [*by(0, order="RO"), *by(0, 0, order="SO"), *by(0, order="RO")]
    # The last passes those that are held.
    assert edges(OrderingEngine, ENGINE, story, (10, 0), (20, 0)) == {0: 1, 3: 2, 1: 11, 2: 21}
    # When it is only known how many there are, it delays them.
    counted = {**ENGINE, "tracking": "count"}
    assert edges(OrderingEngine, counted, story, (10, 0), (20, 0)) == {0: 1, 3: 2, 1: 21}


def test_what_goes_straight_on_keeps_the_way_out_longer_for_what_was_held() -> None:
    parameters = {**ENGINE, **SCAN, "queues": 2, "flit": "32 B"}
    story = [
        *by(0, order="RO"),
        *by(1, edge=1, order="RO"),
        *by(0, edge=2, order="SO", size_bytes=128),
        *by(1, edge=6, order="SO"),
        *by(2, edge=12),
    ]
    # The long one has the way out from 10 to 14, and what passes it at 12 another cycle.
    made = edges(OrderingEngine, parameters, story, (10, 0), (10, 1))
    assert made == {0: 1, 1: 2, 2: 11, 4: 13, 3: 16}


def test_an_answer_on_its_way_to_who_has_been_answered_is_to_nobody_else() -> None:
    parameters = {**ENGINE, "latency": "0 cycles", "until": "far"}
    story = [
        Comes(0, order="RO", away_ps=500),
        Comes(1000, order="RO", away_ps=8500),
        Comes(2000, order="SO"),
    ]
    # At edge 1 the first is answered from outside, and at edge 2 what has come for itself is taken.
    at = [(200, 0)]
    made = play_both(OrderingEngine, parameters, CLOCKS[0], story, at)
    assert [at_ps for at_ps, _ in made] == [0, 1000, 10_000]


def test_requests_are_numbered_by_initiator_and_destination() -> None:
    story = [
        Comes(0, order="RO"),
        Comes(0, order="SO", service="ROL", destination=1),
        Comes(0, order="NO", service="ROL"),
        Comes(0, order="SO", service="ROT"),
    ]
    made = play_both(OrderingEngine, ENGINE, CLOCKS[0], story, [])
    numbers = {let.number: (let.transaction_number, let.packet_number) for _, let in made}
    assert numbers == {0: (0, -1), 1: (0, 0), 2: (-1, 0), 3: (1, -1)}


def test_numbers_that_need_too_many_bits_are_refused() -> None:
    stage = Scheduler(Scheduler.Parameters(**{**SCHEDULER, "depth": 1 << 50}))
    with pytest.raises(RefusalError, match="is 1125899906842624"):
        make_scheduler(stage, None)


@st.composite
def dispatch(draw: st.DrawFn) -> tuple[Clock | None, dict[str, Any]]:
    clock = draw(st.sampled_from(CLOCKS))
    unit = "ps" if clock is None else "cycles"
    is_scan = clock is not None and draw(st.booleans())
    counts = (0, 1, 1, 2, 3) if clock is not None else (0, 1, 1000, 2500)
    return clock, {
        "pick": "scan" if is_scan else "round_robin",
        "queues": draw(st.sampled_from((1, 3, 4) if is_scan else ("unlimited", 1, 3))),
        "latency": f"{draw(st.sampled_from(counts))} {unit}",
        "interval": "1 cycle" if is_scan else f"{draw(st.sampled_from(counts))} {unit}",
        "flit": draw(st.sampled_from((None, "32 B"))),
        "until": draw(st.sampled_from((None, "far"))),
    }


@given(dispatch(), st.sampled_from(("unlimited", 1, 2, 3, 5)), st.integers(0, 2**32))
@settings(max_examples=200)
def test_schedulers_do_the_same(
    both: tuple[Clock | None, dict[str, Any]], depth: Any, seed: int
) -> None:
    clock, parameters = both
    play_both(Scheduler, {**parameters, "depth": depth}, clock, *story_of(seed))


@given(dispatch(), st.sampled_from(("count", "sequence")), st.booleans(), st.integers(0, 2**32))
@settings(max_examples=300)
def test_engines_do_the_same(
    both: tuple[Clock | None, dict[str, Any]], tracking: str, strict: bool, seed: int
) -> None:
    clock, parameters = both
    more = {"tracking": tracking, "strict": strict}
    play_both(OrderingEngine, {**parameters, **more}, clock, *story_of(seed))
