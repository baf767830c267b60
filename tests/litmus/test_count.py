"""Counting: groups, tasks and processes make no difference, and each schedule can be run alone."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from emu.litmus.catalog import find
from emu.litmus.count import TASK, Count, Counted, LitmusError, run_task
from emu.litmus.draw import GROUP, TIMINGS, draw, draw_group, group_of
from emu.litmus.listing import trace
from emu.litmus.machine import Machine
from emu.litmus.model import LitmusTest
from emu.litmus.read import read_test
from tests.litmus.files import document, made

RACE: dict[str, Any] = {
    "a": [{"post": "write", "at": "x", "value": 1, "as": "w"}],
    "b": [{"post": "read", "at": "x", "as": "seen"}],
}


def race(directory: Path, **more: Any) -> LitmusTest:
    return made(
        directory, document(RACE, {"new": {"seen": 1}, "old": {"seen": 0}}, start="1 us", **more)
    )


def counted(test: LitmusTest, schedules: int, workers: int = 1, seed: int = 1) -> Counted:
    (mode,) = test.spec.modes
    (found,) = Count([(test, mode)], seed, schedules).run(workers)
    return found


def test_all_are_counted_and_the_first_of_each_is_known(tmp_path: Path) -> None:
    test = race(tmp_path)
    found = counted(test, 50)
    assert found.schedules == 50
    assert sum(seen.count for seen in found.seen.values()) == 50
    outcomes = [trace(test, "only_mode", 1, number).outcome["seen"] for number in range(50)]
    assert {values[0]: seen.count for values, seen in found.seen.items()} == Counter(outcomes)
    assert {values[0]: seen.first for values, seen in found.seen.items()} == {
        value: outcomes.index(value) for value in (0, 1)
    }


@pytest.mark.parametrize("name", ("stale_read", "buffer_reuse", "stale_load", "tracking"))
def test_each_schedule_can_be_run_again_alone(name: str) -> None:
    test = read_test(find(name))
    for mode in test.spec.modes:
        outcomes = []
        for number in range(GROUP + 2):
            if number % GROUP == 0:
                machine = Machine(test, mode, draw_group(test, mode, 7, number))
            outcomes.append(machine.run(draw(test, mode, 7, number)))
        task = run_task(test, mode, 7, range(GROUP + 2))
        counts = Counter(tuple(outcome.values()) for outcome in outcomes)
        assert {values: seen.count for values, seen in task.seen.items()} == counts
        for number in (0, 3, GROUP - 1, GROUP + 1):
            assert trace(test, mode, 7, number).outcome == outcomes[number]


def test_the_number_of_processes_makes_no_difference(tmp_path: Path) -> None:
    test = race(tmp_path)
    one, two = (counted(test, 2 * TASK + 7, workers) for workers in (1, 2))
    assert (one.schedules, one.seen) == (two.schedules, two.seen)


def test_more_schedules_begin_with_the_same(tmp_path: Path) -> None:
    test = race(tmp_path)
    few, many = counted(test, GROUP + 3), counted(test, 3 * GROUP)
    for values, seen in few.seen.items():
        assert many.seen[values].first == seen.first


def test_the_seed_makes_a_difference(tmp_path: Path) -> None:
    test = race(tmp_path)
    assert counted(test, 200, seed=1).seen != counted(test, 200, seed=2).seen
    assert counted(test, 200, seed=2).seen == counted(test, 200, seed=2).seen


def test_a_count_can_be_stopped_between_two_tasks(tmp_path: Path) -> None:
    test = race(tmp_path)
    modes = [(test, "only_mode")] * 2
    count = Count(modes, 1, TASK)
    found = []
    for one in count.run(1):
        found.append(one.schedules)
        count.stop()
    assert found == [TASK, 0]


def test_a_schedule_that_does_not_end_is_an_error_with_the_way_to_it(tmp_path: Path) -> None:
    program = [
        {"post": "write", "at": "x", "value": 1, "as": "one"},
        {"post": "write", "at": "x", "value": 2, "as": "two"},
    ]
    mode = {
        "title": "answers come from outside",
        "tables": ["./unanswered.yaml"],
        "marks": {"all": {"order": "SO", "service": "ROI"}},
        "allowed": ["any"],
    }
    test = made(tmp_path, document({"a": program}, {"any": "otherwise"}, modes={"only_mode": mode}))
    for workers in (1, 2):
        with pytest.raises(LitmusError) as caught:
            counted(test, 40, workers)
        first, *waits = str(caught.value).splitlines()
        command = f"emu litmus {test.file} --mode only_mode --seed 1 --trace 0"
        assert first.startswith(f"{command}: nothing moves any more at ")
        told = "  request 1 (write) at initiator_order waits for request 0, which has left: "
        assert waits == [f"{told}nothing here answers it"]


# -- what is drawn --------------------------------------------------------------------------------


def test_a_group_has_one_table_and_one_choice_of_timings(tmp_path: Path) -> None:
    mode = {
        "title": "two tables",
        "tables": ["./delays.yaml", "ub_async"],
        "vary": {"memory.latency": {"from": "10 ns", "to": "90 ns"}},
        "allowed": ["new", "old"],
    }
    test = race(tmp_path, modes={"only_mode": mode})
    groups = [draw_group(test, "only_mode", 1, number) for number in range(6 * GROUP)]
    for number, group in enumerate(groups):
        assert group == groups[number // GROUP * GROUP]
    apart = groups[::GROUP]
    assert [one.table.head.name for one in apart] == ["delays", "ub_async"] * 3
    assert len({one.timings for one in apart}) == len({one.path_seed for one in apart}) == 6
    for one in apart:
        (text,) = one.timings
        memory = next(entry for entry in one.table.entries if entry.name == "memory")
        assert memory.timing.latency is not None
        latency = memory.timing.latency["other"]
        assert text == f"memory.latency={latency}"
        assert 10_000 <= latency.count <= 90_000
    assert list(group_of(GROUP + 2)) == [GROUP, GROUP + 1, GROUP + 2]
    # The choices come round; what a path draws does not.
    again = draw_group(test, "only_mode", 1, GROUP * TIMINGS)
    assert (again.table, again.timings) == (groups[0].table, groups[0].timings)
    assert again.path_seed != groups[0].path_seed
