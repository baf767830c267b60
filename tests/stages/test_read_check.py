"""Early reads, each time by hand: the ways are the tests', a memory takes 10 ns, a reading 7 ns."""

from __future__ import annotations

from tests.build import Run, run
from tests.stages.ordered import (
    MEMORY,
    NS,
    check_sums,
    early,
    entry,
    held,
    left_ns,
    ordered,
    post,
    read,
    target,
    touched,
)


def repeated(made: Run) -> int:
    """How many reads were made twice."""
    actor = made.path.actor("read_check").actor
    assert actor is not None
    return actor.counts()["reads_repeated"]


def test_what_was_written_since_is_read_again() -> None:
    made = run(early(), [post(50, "RO", operand=5), read(20, "SO")])
    assert touched(made, "memory") == [(1, 20, 0), (0, 50, 5)]
    assert held(made, "read_check") == [(1, 30, 0)]
    # Its turn is when the write has left the check, and so memory.
    assert touched(made, "read_check") == [(1, 67, 5)]
    assert left_ns(made, "read_check") == [60, 67]
    assert made.requests[1].value == 5
    assert made.parts_at(1, "read_check") == {"ordering": 30 * NS, "service": 7 * NS}
    assert made.parts_at(1, "target_order") == {}
    assert repeated(made) == 1
    check_sums(made)


def test_what_still_holds_is_not_read_again() -> None:
    made = run(early(), [post(50, "RO", address=64, operand=5), read(20, "SO")])
    assert touched(made, "memory") == [(1, 20, 0), (0, 50, 5)]
    assert touched(made, "read_check") == []
    assert left_ns(made, "read_check") == [60, 60]
    assert made.parts_at(1, "read_check") == {"ordering": 30 * NS}
    assert repeated(made) == 0


def test_it_is_faster_than_a_read_that_was_kept() -> None:
    load = [post(50, "RO", address=64), read(20, "SO")]
    kept = run(ordered(target(), MEMORY), load)
    assert run(early(), load).completions_ps()[1] == 60 * NS
    assert kept.completions_ps()[1] == 71 * NS


def test_a_word_written_with_what_it_had_is_read_again() -> None:
    # Nobody could tell from the value, but the word was written.
    made = run(early(), [post(50, "RO"), read(20, "SO")])
    assert (made.requests[1].value, repeated(made)) == (0, 1)


def test_what_another_initiator_writes_meanwhile_counts_too() -> None:
    load = [post(50, "RO", address=64), read(20, "SO"), post(35, initiator=1, operand=9)]
    made = run(early(), load)
    assert made.requests[1].value == 9
    assert touched(made, "read_check") == [(1, 67, 9)]


def test_what_was_written_before_it_sampled_is_no_reason() -> None:
    made = run(early(), [post(50, "RO", address=64), read(20, "SO"), post(15, operand=9)])
    assert made.requests[1].value == 9
    assert repeated(made) == 0


def test_a_write_behind_it_waits_until_it_is_sure() -> None:
    made = run(early(), [post(50, "RO", operand=5), read(20, "SO"), post(30, "SO", operand=6)])
    # The read has executed at 67 ns; 1 ns to go on.
    assert touched(made, "memory") == [(1, 20, 0), (0, 50, 5), (2, 68, 6)]
    assert made.requests[1].value == 5
    assert held(made, "target_order") == [(2, 30, 1)]


def test_reads_become_sure_one_after_the_other() -> None:
    made = run(early(), [post(50, "RO", operand=5), read(20, "SO"), read(10, "SO", address=64)])
    assert held(made, "read_check") == [(2, 20, 1), (1, 30, 0)]
    assert left_ns(made, "read_check") == [60, 67, 67]
    assert repeated(made) == 1


def test_others_pass() -> None:
    load = [post(50, "RO"), read(20, "NO"), read(20, "RO"), read(20, "SO", service="ROI")]
    made = run(early(), load)
    assert left_ns(made, "read_check") == [60, 30, 30, 30]


def test_a_second_reading_may_take_no_time() -> None:
    made = run(early(reread="0 ns"), [post(50, "RO", operand=5), read(20, "SO")])
    assert made.parts_at(1, "read_check") == {"ordering": 30 * NS}
    assert made.requests[1].value == 5


def test_it_needs_values() -> None:
    made = run(early(), [read(1)])
    assert made.path.memory is not None


def test_without_the_check_an_answer_in_order_can_be_stale() -> None:
    # The read samples at 20 ns what is written at 50 ns, and is delivered after the write.
    completions = entry("completion_order", since="numbers")
    made = run(ordered(MEMORY, entry("values"), completions), [post(50, operand=5), read(20)])
    assert [request.sequence for request in made.completed] == [0, 1]
    assert made.requests[1].value == 0
