"""What order costs: from the tables that are run."""

import pytest

from emu.figures import ordering
from tests.figures.changed import change, off


def test_the_lines_are_what_comes_out() -> None:
    lines = {series.name: list(series.y) for series in ordering.figure().series}
    assert lines == {
        "UB: beside one that is held for ever": [24, 26, 28, 30, 32, 34, 36, 38],
        "RC: posted 8 cycles apart": [9, 17, 25, 33, 41, 49, 57, 65],
        # Behind the answer at 100: what is left of the pipeline, and then one in six cycles.
        "RC: request 3 held until cycle 100": [9, 17, 108, 114, 120, 126, 132, 138],
        # An edge takes one answer.
        "UB: SO behind so many RO, after their answers": [18, 19, 20, 21],
        "UB: fence behind so many reads, after their answers": [23, 24, 25, 26],
    }


def test_an_order_that_costs_a_cycle_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    change(monkeypatch, "initiator_order.latency=2 cycles", table="ub_sender")
    names = off(ordering.figure())
    assert names == {"UB, each mode alone: the fastest", "UB, each mode alone: the slowest"}


def test_a_sender_that_takes_too_long_after_an_answer_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    change(monkeypatch, "framer.latency=41 cycles", table="ub_sender")
    names = off(ordering.figure())
    assert {"UB: SO (4 RO before it), 18 to 50", "UB: fence (1 before it), 23 to 50"} <= names
    assert "UB: SO (1 RO before it), 18 to 50" not in names


def test_a_queue_pair_that_is_not_strict_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    change(monkeypatch, "queue_pair.strict=false", table="rc_sender")
    names = off(ordering.figure())
    assert names == {"RC, request 3 held: how many leave before"}


def test_initiators_that_share_a_queue_wait_for_the_one_that_is_held(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    changes = ("initiator_order.queues=1", "initiator_order.strict=true")
    change(monkeypatch, *changes, table="ub_sender")
    assert "UB: others that leave beside it" in off(ordering.figure())
