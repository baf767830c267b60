"""Edge runs: what comes on which edge, and what left on which."""

from __future__ import annotations

import pytest

from emu.edge_run import EdgeRun
from emu.path import PathError
from emu.request import Operation
from emu.workload import Access
from tests.build import clocked, table
from tests.stages.dispatched import engine, path

READ = Access(Operation.READ, 32, 0)


def test_says_on_which_edge_what_left_which_stage() -> None:
    # 322 MHz: no edge but the first is a whole number of picoseconds.
    source = table([clocked("a", 2, 3), clocked("b", 1, 1)], clocks={"nic": "322 MHz"})
    run = EdgeRun(source)
    assert [run.post(edge, READ).sequence for edge in (10**9, 10**9, 5)] == [0, 1, 2]
    assert run.run() == {
        "a": [(7, 2), (10**9 + 2, 0), (10**9 + 5, 1)],
        "b": [(8, 2), (10**9 + 3, 0), (10**9 + 6, 1)],
    }


def test_answers_come_on_their_edge_and_who_is_held_is_no_error() -> None:
    run = EdgeRun(path(engine()))
    for order in ("RO", "SO", "SO"):
        run.post(0, READ._replace(order=order))
    run.answer(7, "x", 0)
    assert run.run() == {"x": [(1, 0), (8, 1)]}
    assert [request.completed_ps for request in run.requests] == [1000, 8000, -1]


def test_an_answer_to_a_stage_that_is_none_is_told() -> None:
    with pytest.raises(PathError, match=r"has no stage 'y' .* expected x"):
        EdgeRun(path(engine())).answer(1, "y", 0)
