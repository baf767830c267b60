"""Actors that may have no room: who comes in first, who waits where, and who is lost."""

from __future__ import annotations

import random
from typing import Any

import pytest

from emu.actor import Actor, Port
from emu.contest import QueueOverflowError
from emu.request import Request
from emu.trace.events import Kind
from emu.waits import who_waits_for_whom
from tests.build import READ, WRITE, Post, Run, StageDict, delay, posts, run, station, table
from tests.engine.shelf import Shelf, shelf

#: One kept, one under way, and each takes 20 ns.
ONE: dict[str, Any] = {"places": 1, "window": 1, "until": "end"}
END = delay("end", "20 ns")


def made(path: list[StageDict], load: list[Post], **how: Any) -> Run:
    return run(table(path, stages={"shelf": Shelf}), load, **how)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("listen", (True, False))
def test_those_who_come_by_several_ways_come_in_by_arbitration(seed: int, listen: bool) -> None:
    path = [
        delay("a", "5 ns", when=["read"]),
        delay("b", "5 ns", when=["write"]),
        shelf("x", **ONE, arbitration=["b", "a"]),
        END,
    ]
    load = [Post(0), Post(0, WRITE), Post(0), Post(1)]
    ran = made(path, load, shuffle=random.Random(seed) if seed else None, listen=listen)
    # The write is first, and leaves its place in the instant in which it comes.
    assert ran.completions_ps() == [45_000, 25_000, 65_000, 85_000]
    assert ran.parts_at(0, "x") == {"ordering": 20_000}
    assert ran.parts_at(2, "a") == {"service": 5000, "backpressure": 20_000}
    assert ran.parts_at(3, "a") == {"service": 5000, "backpressure": 39_999}


class OneEach(Actor):
    """Has room for one read and one write, and keeps each for 10 ns."""

    def __init__(self, parameters: Any) -> None:
        super().__init__(parameters)
        self._kept: list[Request] = []

    def has_room(self, request: Request) -> bool:
        """One of each operation."""
        return all(one.operation is not request.operation for one in self._kept)

    def arrive(self, request: Request, port: Port) -> None:
        """Its time begins."""

        def go() -> None:
            self._kept.remove(request)
            port.emit(request, (("service", 10_000),))

        self._kept.append(request)
        port.call_at(port.now_ps + 10_000, go)


@pytest.mark.parametrize(
    ("before", "write_ps"),
    # A queue is held up by its first; what is on its way by itself is not.
    ((station("a", "0 ns"), 20_000), (delay("a", "0 ns"), 10_000)),
)
def test_what_has_no_room_holds_up_what_is_behind_it(before: StageDict, write_ps: int) -> None:
    source = table([before, delay("x", "0 ns")], behaviour={"x": OneEach})
    ran = run(source, [Post(0), Post(0), Post(0, WRITE)])
    assert ran.completions_ps() == [10_000, 20_000, write_ps]
    assert ran.parts_at(1, "a") == {"backpressure": 10_000}


def test_what_has_no_room_waits_outside_the_first_stage() -> None:
    ran = made([shelf("x", **ONE), END], posts(0, 0, 0))
    assert ran.completions_ps() == [20_000, 40_000, 60_000]
    assert ran.parts_at(2, "x") == {"backpressure": 20_000, "ordering": 20_000}


def test_what_has_no_room_is_dropped_where_the_table_says_so() -> None:
    path = [delay("a", "5 ns"), shelf("x", **ONE, overflow="drop"), END]
    ran = made(path, posts(0, 0, 0, 1, 20_000, 20_000))
    # At 25 ns the first leaves `end`, the second goes on, and one of two takes its place.
    assert ran.completions_ps() == [25_000, 45_000, -1, -1, 65_000, -1]
    assert ran.times_ps(Kind.DROPPED, "x") == [5000, 5001, 25_000]
    assert {request.dropped_at for request in ran.dropped} == {"x"}


def test_what_has_no_room_is_an_error_where_the_table_says_so() -> None:
    path = [delay("a", "5 ns"), shelf("x", **ONE, overflow="error"), END]
    with pytest.raises(QueueOverflowError) as error:
        made(path, posts(0, 0, 20_000, 20_000))
    assert str(error.value) == (
        "the queue of x overflows at 25 ns: all its places are taken, and request 3 comes"
    )


@pytest.mark.parametrize("seed", range(4))
def test_what_is_dropped_further_on_makes_room_in_that_instant(seed: int) -> None:
    path = [
        shelf("x", places=1, window=1, until="q", overflow="drop", when=["read"]),
        delay("way", "10 ns", when=["read"]),
        station("q", "100 ns", depth=1, queue=1, overflow="drop"),
    ]
    # Two writes fill `q`, so each read is lost there; the last comes just as the first is lost.
    load = [Post(0, WRITE), Post(0, WRITE), Post(0), Post(1), Post(10_000)]
    ran = made(path, load, shuffle=random.Random(seed) if seed else None)
    assert [request.dropped_at for request in ran.dropped] == ["q", "q", "q"]
    assert ran.times_ps(Kind.DROPPED, "q") == [10_000, 20_000, 30_000]
    assert ran.parts_at(3, "x") == {"ordering": 9999}


def test_what_an_actor_has_let_go_is_told_apart_from_what_it_lost() -> None:
    # All at 10 ns: the third is let go and does not fit into the queue; then the fourth is lost.
    path = [
        delay("a", "10 ns"),
        shelf("x"),
        station("q", "9 ns", depth=1, queue=1, overflow="drop"),
    ]
    ran = made(path, [Post(0, READ, 64, address) for address in (0, 1, 2, 5)])
    assert [(one.sequence, one.dropped_at) for one in ran.dropped] == [(2, "q"), (3, "x")]


class Full(Actor):
    """Keeps one for ever."""

    def __init__(self, parameters: Any) -> None:
        super().__init__(parameters)
        self._is_full = False

    def has_room(self, request: Request) -> bool:
        """For the first."""
        return not self._is_full

    def arrive(self, request: Request, port: Port) -> None:
        """Keeps it."""
        self._is_full = True


def test_who_waits_for_room_is_told_who_has_it() -> None:
    source = table([station("a", "5 ns"), delay("x", "0 ns")], behaviour={"x": Full})
    told = who_waits_for_whom(Run(source, posts(0, 0, 0)).finish().kernel).splitlines()
    assert told[1:] == [
        "  request 0 (read) at x is kept by the rules of that stage",
        "  request 1 (read) at a waits for room at x, which keeps 0",
        "  request 2 (read) at a waits for request 1, ahead of it there",
    ]


class Backwards(Full):
    """Has room for one, and holds it behind the next to come, for which it has none."""

    def arrive(self, request: Request, port: Port) -> None:
        """Waits for one that it has heard of."""
        super().arrive(request, port)
        port.hold(request, self.expected)

    expected: Request


def test_who_waits_for_room_that_is_kept_for_it_waits_in_a_circle() -> None:
    source = table([delay("x", "0 ns")], behaviour={"x": Backwards})
    ran = Run(source, posts(0, 0))
    actor = ran.path.actor("x").actor
    assert isinstance(actor, Backwards)
    actor.expected = ran.requests[1]
    told = who_waits_for_whom(ran.finish().kernel).splitlines()
    assert told[1:] == [
        "  request 0 (read) at x waits for request 1",
        "  request 1 (read) outside waits for room at x, which keeps 0",
        "  in a circle: 0 -> 1 -> 0",
    ]
