"""The tables with an order: what each mark costs and brings, as a user would see it."""

from __future__ import annotations

from itertools import pairwise

import pytest

from emu.path import Path
from emu.request import OPERATION_GROUPS, Operation
from emu.table import load
from emu.trace.events import Held, Kind
from tests.build import Post, Run

READ, WRITE = Operation.READ, Operation.WRITE
UB = ("ub_ordered", "ub_ordered_early", "ub_ordered_completions", "ub_ordered_rol")
ONE_WAY = "paths.spread=0 ns"


def run(table: str, posts: list[Post], *overrides: str, seed: int = 1) -> Run:
    return Run(load(table, overrides=overrides), posts, seed=seed).finish()


def writes(count: int, order: str, service: str, *, apart_ps: int = 0) -> list[Post]:
    return [
        Post(number * apart_ps, WRITE, 8, 8 * number, order=order, service=service)
        for number in range(count)
    ]


def behind(made: Run, stage: str) -> list[tuple[int, int]]:
    """Who was held there behind whom."""
    return [
        (event.request, event.behind)
        for event in made.events
        if isinstance(event, Held) and event.stage == stage
    ]


@pytest.mark.parametrize(
    ("table", "base"), (*((table, "ub_async") for table in UB), ("rc_ordered", "pcie_nic"))
)
@pytest.mark.parametrize("word", ("read", "write", "atomic", "send"))
def test_order_that_need_not_be_kept_costs_nothing_on_paper(
    table: str, base: str, word: str
) -> None:
    for operation in OPERATION_GROUPS[word]:
        expected_ps = Path(load(base)).derived_ps(operation, 64)
        assert Path(load(table)).derived_ps(operation, 64) == expected_ps


@pytest.mark.parametrize("service", ("ROI", "ROT", "ROL", "UNO"))
@pytest.mark.parametrize("order", ("NO", "RO", "SO"))
@pytest.mark.parametrize("table", UB)
def test_one_alone_takes_what_it_takes_without_order(table: str, order: str, service: str) -> None:
    (base_ps,) = run("ub_async", [Post()]).completions_ps()
    made = run(table, [Post(order=order, service=service)], ONE_WAY)
    assert made.completions_ps() == [base_ps]


# -- where each mode holds ------------------------------------------------------------------------


def test_roi_waits_at_the_initiator_for_the_answer() -> None:
    made = run("ub_ordered", writes(3, "SO", "ROI"))
    assert behind(made, "ordering_engine")[0] == (1, 0)
    answered, sent = made.left_ps("initiator_rx"), made.left_ps("ordering_engine")
    for before, after in pairwise(range(3)):
        # At most 50 cycles after the answer.
        assert 0 <= sent[after] - answered[before] <= 155_000
    assert not behind(made, "target_order")


def test_rot_sends_at_once_and_waits_at_the_target() -> None:
    made = run("ub_ordered", writes(8, "SO", "ROT"))
    sent = made.left_ps("ordering_engine")
    assert sent[-1] - sent[0] <= 8 * 2 * 3106
    assert not behind(made, "ordering_engine")
    left, accepted = made.left_ps("memory"), made.accepted_ps("memory")
    assert all(accepted[after] >= left[before] for before, after in pairwise(range(8)))
    assert behind(made, "target_order")
    roi = run("ub_ordered", writes(8, "SO", "ROI"))
    assert max(made.completions_ps()) < max(roi.completions_ps()) / 2


def test_rol_delivers_in_sequence_and_goes_on_at_once() -> None:
    made = run("ub_ordered", writes(8, "NO", "ROL"))
    accepted = made.accepted_ps("memory")
    assert accepted == sorted(accepted)
    assert {stage for event in made.events if (stage := held_at(event))} == {"channel_order"}
    rot = run("ub_ordered", writes(8, "SO", "ROT"))
    assert max(made.completions_ps()) < max(rot.completions_ps())


def held_at(event: object) -> str:
    return event.stage if isinstance(event, Held) else ""


@pytest.mark.parametrize("table", ("ub_ordered", "ub_ordered_early", "ub_ordered_rol"))
@pytest.mark.parametrize("service", ("ROI", "ROT", "UNO"))
def test_without_order_requests_overtake_each_other_and_none_is_held(
    table: str, service: str
) -> None:
    made = run(table, writes(20, "NO", service))
    order = [request.sequence for request in made.completed]
    assert order != sorted(order)
    assert [event for event in made.events if isinstance(event, Held)] == []


def test_completions_in_order_change_when_the_program_hears_and_nothing_else() -> None:
    load_ = writes(20, "NO", "ROT")
    made, as_they_come = run("ub_ordered_completions", load_), run("ub_ordered", load_)
    assert [request.sequence for request in made.completed] == list(range(20))
    assert made.accepted_ps("memory") == as_they_come.accepted_ps("memory")
    assert max(made.completions_ps()) == max(as_they_come.completions_ps())


def test_a_fence_waits_for_reads() -> None:
    made = run("ub_ordered", [Post(0, READ, 8), Post(0, WRITE, 8, 64, order="NO", fence=True)])
    assert behind(made, "scheduler") == [(1, 0)]
    assert made.left_ps("scheduler")[1] >= made.left_ps("initiator_rx")[0]


def test_early_reads_sample_before_their_turn() -> None:
    data = Post(0, WRITE, 8, 0, order="RO", service="ROT", operand=7)
    late = Post(0, READ, 8, 0, order="SO", service="ROT")
    seen, repeated = set(), 0
    for seed in range(1, 21):
        early = run("ub_ordered_early", [data, late], seed=seed)
        seen.add(early.requests[1].value)
        sampled = early.order(Kind.SAMPLED, "read_check")
        repeated += len(sampled)
        assert (early.accepted_ps("memory")[1] < early.left_ps("memory")[0]) or not sampled
    assert seen == {7}
    assert 0 < repeated < 20


def test_an_acknowledgement_on_the_channels_makes_answers_shorter() -> None:
    large = [Post(0, READ, 4096, order="NO", service="ROL")]
    with_own = run("ub_ordered", large, ONE_WAY).parts_at(0, "wire_back")["serialisation"]
    fused = run("ub_ordered_rol", large, ONE_WAY).parts_at(0, "wire_back")["serialisation"]
    # 32 B at 50 GB/s.
    assert with_own - fused == 640


# -- a reliable connection ------------------------------------------------------------------------


def mixed(count: int) -> list[Post]:
    """Reads and writes by turns, without marks."""
    return [Post(0, (READ, WRITE)[number % 2], 8, 8 * number) for number in range(count)]


def test_a_reliable_connection_keeps_the_order_of_submission_everywhere() -> None:
    made = run("rc_ordered", mixed(10))
    for stage in ("ordering_engine", "target_access", "memory", "completion_order"):
        left = made.left_ps(stage)
        assert left == sorted(left), stage
    assert [request.sequence for request in made.completed] == list(range(10))


def test_without_it_a_posted_write_passes_a_read() -> None:
    left = run("pcie_nic", mixed(10)).left_ps("memory")
    assert left[1] < left[0]


@pytest.mark.parametrize("table", (*UB, "rc_ordered"))
def test_all_gets_through_under_load(table: str) -> None:
    marks = [("NO", "ROI"), ("RO", "ROT"), ("SO", "ROT"), ("SO", "ROI"), ("NO", "ROL"), ("", "")]
    posts = [
        Post(
            number * 3000,
            (READ, WRITE)[number % 2],
            8,
            8 * (number % 5),
            number % 3,
            number % 2,
            *marks[number * 7 % 6],
            fence=number % 11 == 0,
        )
        for number in range(300)
    ]
    made = run(table, posts)
    assert len(made.completed) == 300
    assert not made.kernel.inside
    for request in made.completed:
        assert sum(made.parts(request.sequence).values()) == request.latency_ps
