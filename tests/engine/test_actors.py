"""Actors: alarms, the way out, and what the engine makes sure of."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import pytest

from emu.actor import Actor, Port
from emu.breakdown import BreakdownError
from emu.driver import Driver
from emu.errors import EmuError
from emu.path import Path
from emu.request import Request
from emu.stage import NoParameters, StageError
from emu.table.schema import Table
from emu.trace.events import Kind
from emu.workload import Access, Closed
from tests.build import READ, Post, Run, delay, posts, run, station, table
from tests.engine.resources import pool, use, user


def actor(kind: type[Actor], before: Any = None, *after: Any, **head: Any) -> Table:
    """A path with an actor `x` in it."""
    path = [before or delay("first", "10 ns"), delay("x", "0 ns"), *after]
    return table(path, behaviour={"x": kind}, **head)


class Holds(Actor):
    """Keeps each request for its address in nanoseconds."""

    part = "service"

    def arrive(self, request: Request, port: Port) -> None:
        """Sets an alarm for each."""
        port.call_at(port.now_ps + request.address * 1000, partial(self._go, request, port))

    def _go(self, request: Request, port: Port) -> None:
        stay_ps = port.now_ps - request.arrived_ps
        port.emit(request, ((self.part, stay_ps),) if stay_ps else ())


def addressed(*addresses: int, at_ps: int = 0) -> list[Post]:
    return [Post(at_ps, address=address) for address in addresses]


@pytest.mark.parametrize("listen", (True, False))
def test_requests_leave_when_the_actor_says(listen: bool) -> None:
    made = run(actor(Holds, None, delay("last", "1 ns")), addressed(50, 7, 0, 7), listen=listen)
    assert made.completions_ps() == [61_000, 18_000, 11_000, 18_000]
    assert [request.sequence for request in made.completed] == [2, 1, 3, 0]
    assert made.parts_at(0, "x") == {"service": 50_000}
    for number, request in enumerate(made.requests):
        assert sum(made.parts(number).values()) == request.latency_ps


def test_an_alarm_that_is_set_later_may_ring_earlier() -> None:
    load = [Post(0, address=90), Post(10_000, address=20), Post(20_000, address=1)]
    made = run(actor(Holds), load)
    assert made.completions_ps() == [100_000, 40_000, 31_000]


class Logs(Actor):
    """Notes who comes and which alarm rings, in which order."""

    log: list[str]

    def __init__(self, parameters: Any) -> None:
        super().__init__(parameters)
        self.log = []

    def arrive(self, request: Request, port: Port) -> None:
        """Two alarms at one time, and one in this instant."""
        self.log.append(f"{port.now_ps // 1000} in {request.sequence}")
        later_ps = port.now_ps + 10_000
        port.call_at(later_ps, partial(self._ring, request, port, "a"))
        port.call_at(later_ps, partial(self._ring, request, port, "b"))
        port.call_at(port.now_ps, partial(self._ring, request, port, "now"))

    def _ring(self, request: Request, port: Port, what: str) -> None:
        self.log.append(f"{port.now_ps // 1000} {what} {request.sequence}")
        if what == "b":
            port.emit(request, (("service", port.now_ps - request.arrived_ps),))


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("listen", (True, False))
def test_arrivals_and_alarms_of_an_instant_have_one_order(seed: int, listen: bool) -> None:
    # 0 and 1 come by themselves, 2 and 3 by another stage, all at 10 ns; 4 comes at 20 ns.
    path = [
        delay("a", "10 ns", when=["read"]),
        station("b", "10 ns", when=["write"]),
        delay("x", "0 ns"),
    ]
    writes = posts(0, 0, 10_000, operation=Access(READ, 0, 0).operation)
    load = [*posts(0, 0), *writes]
    shuffle = random.Random(seed) if seed else None
    made = run(table(path, behaviour={"x": Logs}), load, shuffle=shuffle, listen=listen)
    assert made.completions_ps() == [20_000, 20_000, 20_000, 20_000, 30_000]
    log = next(one.actor for one in made.path.stations if one.actor is not None).log  # type: ignore[attr-defined]
    assert log[:8] == [
        *("10 in 0", "10 in 1", "10 in 2", "10 in 3"),
        *("10 now 0", "10 now 1", "10 now 2", "10 now 3"),
    ]
    rings = [f"20 {what} {number}" for number in range(4) for what in "ab"]
    assert log[8:] == [*rings, "20 in 4", "20 now 4", "30 a 4", "30 b 4"]


class Together(Actor):
    """Keeps four and lets them go at once, the last first."""

    def __init__(self, parameters: Any) -> None:
        super().__init__(parameters)
        self._kept: list[Request] = []

    def arrive(self, request: Request, port: Port) -> None:
        """The fourth opens."""
        self._kept.append(request)
        if len(self._kept) == 4:
            for one in reversed(self._kept):
                port.emit(one, (("ordering", port.now_ps - one.arrived_ps),))


@pytest.mark.parametrize("seed", range(5))
def test_what_is_let_go_in_one_instant_goes_on_in_that_order(seed: int) -> None:
    source = actor(Together, None, station("next", "10 ns", depth=1, queue=1))
    made = run(source, posts(0, 1, 2, 3), shuffle=random.Random(seed))
    # All are let go at 10.003 ns, and go on in the order in which they were.
    assert made.completions_ps() == [50_003, 40_003, 30_003, 20_003]
    assert made.parts_at(0, "x") == {"ordering": 3, "backpressure": 20_000}
    assert made.parts_at(3, "x") == {}


class DropsOdd(Actor):
    """Gives odd addresses up after 5 ns, and lets the others go after 10."""

    def arrive(self, request: Request, port: Port) -> None:
        """An alarm for each."""
        odd = request.address % 2
        port.call_at(port.now_ps + (5000 if odd else 10_000), partial(self._go, request, port))

    def _go(self, request: Request, port: Port) -> None:
        if request.address % 2:
            port.drop(request)
        else:
            port.emit(request, (("service", 10_000),))


def test_what_an_actor_drops_gives_back_all_but_what_comes_back_by_itself() -> None:
    first = user("first", "0 ns", use("slot", until="end"), use("credit", for_="1 us"))
    resources = {"slot": pool(1), "credit": pool(3)}
    source = actor(DropsOdd, first, delay("end", "1 ns"), resources=resources)
    made = Run(source, addressed(1, 3, 2))
    made.kernel.run(until_ps=10_000)
    assert [request.sequence for request in made.dropped] == [0, 1]
    assert made.held() == {"slot": [2], "credit": [0, 1, 2]}
    made.finish()
    assert made.completions_ps() == [-1, -1, 21_000]
    assert made.times_ps(Kind.DROPPED, "x") == [5000, 10_000]
    assert not made.held()


def test_the_drops_of_an_actor_are_counted_at_it() -> None:
    stream = iter([Access(READ, 64, number) for number in range(10)])
    driver = Driver(Path(actor(DropsOdd)), Closed([stream], 2))
    driver.run()
    assert (driver.posted, driver.latency.count, driver.dropped) == (10, 5, {"x": 5})
    assert not driver.kernel.inside


class Lies(Holds):
    """Forgets a picosecond."""

    def _go(self, request: Request, port: Port) -> None:
        port.emit(request, (("service", port.now_ps - request.arrived_ps - 1),))


class Invents(Holds):
    """Names a part that there is not."""

    part = "luck"


def drive(kind: type[Actor]) -> Driver:
    driver = Driver(Path(actor(kind)), Closed([iter([Access(READ, 64, 5)] * 3)], 1))
    driver.run()
    return driver


def test_parts_that_do_not_sum_are_an_error() -> None:
    with pytest.raises(BreakdownError) as error:
        drive(Lies)
    assert str(error.value) == (
        "request 0 (read, 64 B): the parts sum to 14999 ps, and it took 15000 ps"
    )


def test_parts_that_sum_are_none() -> None:
    assert drive(Holds).latency.count == 3


def test_a_part_that_there_is_not_is_an_error() -> None:
    with pytest.raises(EmuError, match="luck"):
        drive(Invents)


class LooksBack(Actor):
    """Sets an alarm for a time that is over."""

    def arrive(self, request: Request, port: Port) -> None:
        """Five nanoseconds ago."""
        port.call_at(port.now_ps - 5000, partial(port.emit, request, (("service", -5000),)))


def test_an_alarm_for_a_time_that_is_over_is_an_error() -> None:
    with pytest.raises(EmuError, match="5000"):
        drive(LooksBack)


class Twice(Actor):
    """Lets each request go twice."""

    def arrive(self, request: Request, port: Port) -> None:
        """At once."""
        port.emit(request, ())
        port.emit(request, ())


def test_a_request_that_is_let_go_twice_is_an_error() -> None:
    with pytest.raises(EmuError, match="request 0"):
        drive(Twice)


def test_an_actor_that_keeps_a_request_for_ever_is_told() -> None:
    class Keeps(Actor):
        """Never lets go."""

        def arrive(self, request: Request, port: Port) -> None:
            """Nothing."""

    with pytest.raises(EmuError) as error:
        drive(Keeps)
    assert str(error.value).splitlines() == [
        "nothing moves any more at 10 ns, with 1 request inside:",
        "  request 0 (read) at x is kept by the rules of that stage",
    ]


def test_an_actor_says_what_it_takes_on_paper() -> None:
    assert Holds(NoParameters()).counts() == {}
    with pytest.raises(StageError, match="Holds does not say what it takes on paper"):
        Path(actor(Holds)).derived_ps(READ, 64)
