"""What order costs: from the tables that are run."""

from collections.abc import Sequence

import pytest

from emu.figures import measure, ordering
from emu.table import load
from emu.table.schema import Table


def off(monkeypatch: pytest.MonkeyPatch, table: str, *changes: str) -> set[str]:
    def changed(name: str, *, overrides: Sequence[str] = ()) -> Table:
        return load(name, overrides=[*(changes if name == table else ()), *overrides])

    monkeypatch.setattr(measure, "load", changed)
    return {point.name for point in ordering.figure().points if not point.ok}


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
    names = off(monkeypatch, "ub_sender", "initiator_order.latency=2 cycles")
    assert names == {"UB, each mode alone: the fastest", "UB, each mode alone: the slowest"}


def test_a_sender_that_takes_too_long_after_an_answer_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = off(monkeypatch, "ub_sender", "framer.latency=41 cycles")
    assert {"UB: SO (4 RO before it), 18 to 50", "UB: fence (1 before it), 23 to 50"} <= names
    assert "UB: SO (1 RO before it), 18 to 50" not in names


def test_a_queue_pair_that_is_not_strict_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    names = off(monkeypatch, "rc_sender", "queue_pair.strict=false")
    assert names == {"RC, request 3 held: how many leave before"}


def test_initiators_that_share_a_queue_wait_for_the_one_that_is_held(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    changes = ("initiator_order.queues=1", "initiator_order.strict=true")
    assert "UB: others that leave beside it" in off(monkeypatch, "ub_sender", *changes)
