"""Completions in the order of submission, each time by hand: the ways are the tests'."""

from __future__ import annotations

from emu.waits import who_waits_for_whom
from tests.build import Run, run
from tests.stages.ordered import (
    COMPLETIONS,
    KEPT,
    LOST,
    MEMORY,
    NS,
    check_sums,
    entry,
    held,
    ordered,
    post,
    read,
    short,
    touched,
)

PATH = ordered(MEMORY, COMPLETIONS)


def test_answers_are_kept_until_all_before_them_are_there() -> None:
    made = run(PATH, [post(50), read(20), post(70), read(30)])
    assert made.completions_ps() == [60 * NS, 60 * NS, 80 * NS, 80 * NS]
    assert [request.sequence for request in made.completed] == [0, 1, 2, 3]
    assert held(made, "completion_order") == [(1, 30, 0), (3, 40, 2)]
    assert made.parts_at(3, "completion_order") == {"ordering": 40 * NS}
    check_sums(made)


def test_marks_make_no_difference() -> None:
    made = run(PATH, [post(50, "NO", "UNO"), post(20, "SO", "ROI")])
    assert made.completions_ps() == [60 * NS, 60 * NS]


def test_it_does_not_change_when_memory_is_touched() -> None:
    load = [post(50, operand=1), read(20), read(60)]
    in_order = run(ordered(MEMORY, entry("values"), COMPLETIONS), load)
    assert touched(in_order, "memory") == [(1, 20, 0), (0, 50, 1), (2, 60, 1)]
    as_they_come = run(ordered(MEMORY), load)
    assert as_they_come.completions_ps() == [60 * NS, 30 * NS, 70 * NS]
    assert in_order.completions_ps() == [60 * NS, 60 * NS, 70 * NS]


def test_initiators_do_not_wait_for_each_other_and_destinations_do() -> None:
    made = run(PATH, [post(50), post(20, initiator=1), post(20, destination=1)])
    assert made.completions_ps() == [60 * NS, 30 * NS, 60 * NS]


def test_what_is_lost_or_ends_early_is_not_waited_for() -> None:
    ends = entry("ends", latency="2 ns")
    path = ordered(ends, MEMORY, COMPLETIONS)
    lost = run(path, [post(LOST), post(1)])
    assert lost.completions_ps() == [-1, 13 * NS]
    ended = run(path, [post(50, address=8), post(20)])
    assert ended.completions_ps() == [52 * NS, 52 * NS]


def test_those_that_do_not_come_by_it_are_not_waited_for() -> None:
    path = ordered(MEMORY, COMPLETIONS | {"when": ["read"]})
    assert run(path, [post(50), read(20)]).completions_ps() == [60 * NS, 30 * NS]


def test_any_actor_can_say_what_was_submitted() -> None:
    path = [entry("silent"), entry("way"), entry("completion_order", since="silent")]
    assert run(short(path), [post(50), read(20)]).completions_ps() == [50 * NS, 50 * NS]


def test_a_report_says_whose_answer_never_came() -> None:
    made = Run(PATH, [post(KEPT), post(5)])
    made.kernel.run()
    assert who_waits_for_whom(made.kernel).splitlines()[2] == (
        "  request 1 (write) at completion_order waits for request 0"
    )
