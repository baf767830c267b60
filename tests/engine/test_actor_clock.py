"""Actors on a clock and without one: when they choose, and what is called from outside."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import partial
from typing import Annotated, Any

import pytest
from pydantic import Field

from emu.actor import Actor, Port
from emu.driver import Driver
from emu.path import Path, PathError
from emu.request import Request
from emu.stage import StageError, parameters
from emu.table.fields import DurationField
from emu.time import Clock, Cycles, Picoseconds
from emu.trace.events import Kind
from emu.unsettled import UnsettledError
from emu.workload import Access, Closed
from tests.build import NIC, READ, WRITE, Post, Run, StageDict, delay, posts, run, station, table
from tests.engine.shelf import Shelf, shelf


def made(path: list[StageDict], load: list[Post], **how: Any) -> Run:
    clocks = how.pop("clocks", None)
    return run(table(path, clocks=clocks, stages={"shelf": Shelf}), load, **how)


@pytest.mark.parametrize("listen", (True, False))
def test_what_comes_between_edges_is_looked_at_on_the_next(listen: bool) -> None:
    path = [delay("a", "0 ns"), shelf("x", "3 cycles", clock="nic")]
    # On an edge, after one, and before one: emitted three cycles after the edge that chose it.
    ran = made(path, posts(1000, 5001, 9999), listen=listen)
    assert ran.completions_ps() == [4000, 9000, 13_000]
    assert [ran.parts_at(number, "x") for number in range(3)] == [
        {"service": 3000},
        {"ordering": 999, "service": 3000},
        {"ordering": 1, "service": 3000},
    ]


def test_one_is_chosen_on_an_edge() -> None:
    path = [shelf("x", "3 cycles", clock="nic")]
    load = [Post(500, address=address) for address in (4, 2, 3)]
    assert made(path, load).completions_ps() == [6000, 4000, 5000]


@pytest.mark.parametrize("phase_ps", (0, 1, 700))
def test_edges_are_where_the_clock_has_them(phase_ps: int) -> None:
    clocks = {"nic": {"frequency": NIC, "phase": f"{phase_ps} ps"}}
    clock = Clock("nic", Fraction(10**6, 322), phase_ps)
    ran = made([shelf("x", "1 cycle", clock="nic")], posts(0, 10_000, 10_000), clocks=clocks)
    first = clock.edge_at_or_after(10_000)
    at_zero = clock.edge_at_or_after(0)
    assert ran.completions_ps() == [clock.edge(n + 1) for n in (at_zero, first, first + 1)]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("clock", (None, "nic"))
def test_it_chooses_once_all_who_come_in_an_instant_have_come(seed: int, clock: Any) -> None:
    latency = "2 cycles" if clock else "2 ns"
    on = {"clock": clock} if clock else {}
    path = [
        delay("a", "5 ns", when=["read"]),
        station("b", "5 ns", when=["write"]),
        delay("c", "0 ns"),
        shelf("x", latency, window=1, until="x", **on),
    ]
    # Three ways to come at 5 ns; the lowest address is the last in every other order.
    load = [
        Post(0, address=4),
        Post(0, WRITE, address=3),
        Post(5000, WRITE, address=9),
        Post(0, WRITE, address=1),
    ]
    ran = made(path, load, shuffle=random.Random(seed) if seed else None)
    assert ran.order(Kind.ACCEPTED, "x") == [3, 1, 0, 2]
    assert ran.times_ps(Kind.ACCEPTED, "x") == [9000, 7000, 11_000, 5000]


class Again(Actor):
    """Lets them go in pairs, one choice after another in the same instant."""

    def __init__(self, parameters: Any) -> None:
        super().__init__(parameters)
        self.kept: list[Request] = []
        self.choices: list[int] = []

    def arrive(self, request: Request, port: Port) -> None:
        """Only the last that is asked for is called."""
        self.kept.append(request)
        port.when_settled(partial(self.choices.append, -1))
        port.when_settled(partial(self._choose, port))

    def _choose(self, port: Port) -> None:
        self.choices.append(len(self.kept))
        for one in self.kept[:2]:
            port.emit(one, (("ordering", port.now_ps - one.arrived_ps),) if one.hop else ())
        del self.kept[:2]
        if self.kept:
            port.when_settled(partial(self._choose, port))


def test_a_choice_can_be_asked_for_again() -> None:
    ran = run(table([delay("x", "0 ns")], behaviour={"x": Again}), posts(*[7] * 5))
    actor = ran.path.actor("x").actor
    assert isinstance(actor, Again)
    assert actor.choices == [5, 3, 1]
    assert ran.completions_ps() == [7] * 5


class Restless(Actor):
    """Sets an alarm for now whenever one rings, or chooses again whenever it has chosen."""

    by_alarm = True

    def arrive(self, request: Request, port: Port) -> None:
        """The first."""
        self._again(port)

    def _again(self, port: Port) -> None:
        if self.by_alarm:
            port.call_at(port.now_ps, partial(self._again, port))
        else:
            port.when_settled(partial(self._again, port))


@pytest.mark.parametrize("by_alarm", (True, False))
def test_an_actor_that_never_settles_is_told(
    by_alarm: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Restless, "by_alarm", by_alarm)
    source = table([delay("a", "1 ns"), delay("x", "0 ns")], behaviour={"x": Restless})
    with pytest.raises(UnsettledError) as error:
        run(source, posts(0))
    assert str(error.value) == ("at 1 ns nothing settles after 100000 steps; still active: x")


def test_two_actors_choose_in_the_order_of_the_path() -> None:
    path = [delay("a", "5 ns"), delay("x", "0 ns"), delay("y", "0 ns")]
    ran = run(table(path, behaviour={"x": Again, "y": Again}), posts(*[0] * 5))
    x, y = (ran.path.actor(name).actor for name in "xy")
    assert isinstance(x, Again)
    assert isinstance(y, Again)
    # The second only chooses when the first has nothing left to choose in this instant.
    assert (x.choices, y.choices) == ([5, 3, 1], [5, 3, 1])


class Counts(Actor):
    """Stays for its one duration, in whatever it is."""

    @parameters
    class Parameters:
        """One duration."""

        stay: Annotated[DurationField, Field(description="how long")]

    clocked = True
    parameters: Counts.Parameters

    def arrive(self, request: Request, port: Port) -> None:
        """Sets an alarm."""
        span_ps = port.span_ps(self.parameters.stay)
        parts = (("service", span_ps),) if span_ps else ()
        port.call_at(port.now_ps + span_ps, partial(port.emit, request, parts))


def test_cycles_count_on_the_clock_and_time_without_one() -> None:
    kinds: dict[str, Any] = {"counts": Counts}
    cycles = {"stage": "counts", "name": "x", "clock": "nic", "stay": "9 cycles"}
    source = table([cycles], clocks={"nic": NIC}, stages=kinds)
    assert run(source, posts(0)).completions_ps() == [27_950]
    time = {"stage": "counts", "name": "x", "stay": "28 ns"}
    assert run(table([time], stages=kinds), posts(0)).completions_ps() == [28_000]


def test_a_duration_of_the_other_kind_is_an_error() -> None:
    with pytest.raises(StageError) as error:
        Port("x", Clock("nic", Fraction(1000))).span_ps(Picoseconds(3))
    assert str(error.value) == "stage x counts 3 ps; expected cycles of its clock"
    with pytest.raises(StageError) as error:
        Port("x").span_ps(Cycles(3))
    assert str(error.value) == "stage x counts 3 cycles; expected time, since it has no clock"


class Gate(Actor):
    """Keeps all until it is opened."""

    def __init__(self, parameters: Any) -> None:
        super().__init__(parameters)
        self._kept: list[Request] = []

    def arrive(self, request: Request, port: Port) -> None:
        """Waits."""
        self._kept.append(request)

    def open(self, port: Port) -> None:
        """Lets all go."""
        for one in self._kept:
            port.emit(one, (("ordering", port.now_ps - one.arrived_ps),))
        self._kept.clear()


def gated(load: list[Post]) -> Run:
    path = [delay("a", "5 ns"), delay("x", "0 ns"), delay("b", "1 ns")]
    return Run(table(path, behaviour={"x": Gate}), load)


def open_at(ran: Run, at_ps: int) -> None:
    gate = ran.path.actor("x")
    assert isinstance(gate.actor, Gate)
    ran.kernel.call_at(gate, at_ps, partial(gate.actor.open, gate.port))


def test_an_actor_is_called_from_outside() -> None:
    ran = gated(posts(0, 0, 4000))
    # The third comes at 9 ns: what is called then is called before.
    open_at(ran, 9001)
    open_at(ran, 7000)
    open_at(ran, 9000)
    assert ran.finish().completions_ps() == [8000, 8000, 10_001]


def test_an_actor_is_called_now() -> None:
    ran = gated(posts(0))
    ran.kernel.run()
    open_at(ran, 5000)
    assert ran.finish().completions_ps() == [6000]


def test_an_actor_is_called_by_what_is_complete() -> None:
    driver = Driver(
        Path(table([delay("x", "0 ns"), delay("b", "1 ns")], behaviour={"x": Gate})),
        Closed([iter([Access(READ, 64, 0)] * 3)], 1),
        on_complete=lambda request: opens(request.completed_ps + 7000),
    )
    gate = next(one for one in driver.kernel.stations if one.actor is not None)
    assert isinstance(gate.actor, Gate)
    action = partial(gate.actor.open, gate.port)

    def opens(at_ps: int) -> None:
        driver.kernel.call_at(gate, at_ps, action)

    opens(2000)
    driver.run()
    assert (driver.latency.count, driver.last_completion_ps) == (3, 3000 + 8000 + 8000)


def test_what_is_over_cannot_be_asked_for() -> None:
    ran = gated(posts(0))
    ran.kernel.run(until_ps=9000)
    with pytest.raises(StageError) as error:
        open_at(ran, 8999)
    assert str(error.value) == (
        "stage x: call_at at 9 ns is given 8999; expected whole picoseconds, and no time that is "
        "over"
    )


def test_only_actors_can_be_called() -> None:
    with pytest.raises(PathError) as error:
        gated(posts(0)).path.actor("a")
    assert str(error.value) == (
        "under_test has no stage 'a' that keeps requests by its own rules; expected x"
    )
