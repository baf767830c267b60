"""What an actor is told of requests that are on their way to it, and of what becomes of them."""

from __future__ import annotations

import random
from typing import Any

import pytest

from emu.actor import Actor, Port
from emu.driver import Driver
from emu.path import Path
from emu.request import Request
from emu.stage import Stage
from emu.table.schema import Table
from emu.workload import Access, Timed
from tests.build import READ, WRITE, Post, Run, StageDict, delay, run, station, table
from tests.stages.ordered import LOST, NS, Ends, Silent, Way, entry, post


class Listens(Actor):
    """Notes what it is told, and lets all go at once."""

    first = "silent"

    def __init__(self, parameters: Any) -> None:
        super().__init__(parameters)
        self.log: list[str] = []

    @property
    def announced(self) -> str:
        """The first stage."""
        return self.first

    def coming(self, request: Request, port: Port) -> None:
        """One is on its way."""
        self._note("coming", request, port)

    def arrive(self, request: Request, port: Port) -> None:
        """One is here."""
        self._note("here", request, port)
        port.emit(request, ())

    def passed(self, request: Request, port: Port) -> None:
        """One is through."""
        self._note("gone", request, port)

    def _note(self, what: str, request: Request, port: Port) -> None:
        self.log.append(f"{port.now_ps // NS} {what} {request.sequence}")


class Watches(Listens):
    """Is told when they have left the last stage."""

    @property
    def watched(self) -> str:
        """The stage behind."""
        return "end"


STAGES: dict[str, type[Stage]] = {"silent": Silent, "way": Way, "ends": Ends}
END = delay("end", "5 ns")


def path(kind: type[Listens], *between: StageDict, **changes: Any) -> Table:
    """A stage that announces, the ways of the requests, and one that listens."""
    stages = [entry("silent", **changes), entry("way"), *between, entry("listens"), END]
    return table(stages, stages={**STAGES, "listens": kind})


def log(made: Run) -> list[str]:
    actor = made.path.actor("listens").actor
    assert isinstance(actor, Listens)
    return actor.log


def test_it_is_told_at_once_and_when_they_have_left_it() -> None:
    made = run(path(Listens), [post(20), post(10)])
    assert log(made) == [
        *("0 coming 0", "0 coming 1"),
        *("10 here 1", "10 gone 1", "20 here 0", "20 gone 0"),
    ]


def test_with_a_stage_to_watch_they_are_gone_when_they_have_left_that() -> None:
    made = run(path(Watches), [post(20), post(10)])
    assert log(made)[2:] == ["10 here 1", "15 gone 1", "20 here 0", "25 gone 0"]


def test_what_is_lost_before_it_comes_is_told_once() -> None:
    made = run(path(Watches), [post(LOST), post(20)])
    assert log(made) == ["0 coming 0", "0 coming 1", "13 gone 0", "20 here 1", "25 gone 1"]


def test_what_is_lost_before_it_is_announced_is_not_told() -> None:
    # Into a queue of one, behind one that takes 30 ns.
    full = station("first", "30 ns", depth=1, queue=1, overflow="drop")
    stages = [full, entry("silent"), entry("listens"), END]
    made = run(table(stages, stages={**STAGES, "listens": Listens}), [post(1)] * 4)
    assert len(made.dropped) == 2
    told = {int(line.split()[-1]) for line in log(made)}
    assert told == {request.sequence for request in made.completed}


def test_what_is_lost_on_its_way_out_is_gone() -> None:
    narrow = station("end", "30 ns", depth=1, queue=1, overflow="drop")
    stages = [entry("silent"), entry("listens"), narrow]
    made = run(table(stages, stages={**STAGES, "listens": Listens}), [post(1)] * 4)
    assert len(made.dropped) == 2
    assert sorted(line for line in log(made) if "gone" in line) == [f"0 gone {n}" for n in range(4)]


def test_what_ends_before_it_comes_is_told_when_it_does() -> None:
    made = run(path(Listens, entry("ends", latency="2 ns")), [post(20, address=8), post(30)])
    assert made.completions_ps() == [22 * NS, 37 * NS]
    assert log(made) == ["0 coming 0", "0 coming 1", "22 gone 0", "32 here 1", "32 gone 1"]


def test_what_does_not_come_by_is_not_announced() -> None:
    made = run(path(Listens, when=["write"]), [post(20), Post(0, READ, 10)])
    assert log(made) == ["0 coming 0", "10 here 1", "10 gone 1", "20 here 0", "20 gone 0"]


@pytest.mark.parametrize("seed", range(5))
def test_of_one_instant_they_are_told_in_one_order(seed: int) -> None:
    load = [post(10), post(10), post(5), post(10, at_ps=0)]
    shuffled = run(path(Watches), load, shuffle=random.Random(seed), listen=False)
    assert log(shuffled) == log(run(path(Watches), load))


def test_in_a_driven_run_each_is_announced_and_gone_once() -> None:
    accesses = ((10 * number, Access(WRITE, number % 40 + 1, 0)) for number in range(200))
    built = Path(path(Listens))
    Driver(built, Timed(accesses)).run()
    actor = built.actor("listens").actor
    assert isinstance(actor, Listens)
    coming = [line.split()[-1] for line in actor.log if "coming" in line]
    gone = [line.split()[-1] for line in actor.log if "gone" in line]
    assert coming == [str(number) for number in range(200)]
    assert sorted(gone) == sorted(coming)
