"""The way out of an actor: in which order, what stands in it, and what is told of it."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from emu.actor import Actor, Port
from emu.request import Request
from emu.stage import StageError
from tests.build import Post, Run, StageDict, clocked, delay, posts, run, station, table
from tests.engine.resources import link, pool, use, user
from tests.engine.shelf import Shelf, shelf


class Turns(Actor):
    """Lets all go at 100 ns, the last to come first, and gives up those of address 5."""

    def __init__(self, parameters: Any) -> None:
        super().__init__(parameters)
        self._kept: list[Request] = []
        #: When it heard that one had gone on: the time, which, and how many were still to go.
        self.heard: list[tuple[int, int, int]] = []

    def arrive(self, request: Request, port: Port) -> None:
        """The first sets the alarm."""
        if not self._kept:
            port.call_at(100_000, partial(self._open, port))
        self._kept.append(request)

    def _open(self, port: Port) -> None:
        for one in reversed(self._kept):
            if one.address == 5:
                port.drop(one)
            else:
                port.emit(one, (("ordering", port.now_ps - one.arrived_ps),))

    def left(self, request: Request, port: Port) -> None:
        """Notes it."""
        self.heard.append((port.now_ps // 1000, request.sequence, port.blocked))


def turned(behind: StageDict, load: list[Post], **head: Any) -> tuple[Run, Turns]:
    path = [delay("first", "1 ns"), delay("x", "0 ns"), behind, delay("end", "1 ns")]
    ran = run(table(path, behaviour={"x": Turns}, **head), load)
    actor = ran.path.actor("x").actor
    assert isinstance(actor, Turns)
    return ran, actor


def test_it_hears_of_each_that_has_gone_on() -> None:
    ran, actor = turned(station("next", "10 ns", depth=1, queue=1), posts(0, 1, 2, 3))
    # One is served and one waits; each of the others goes on when one is done.
    assert actor.heard == [(100, 3, 3), (100, 2, 2), (110, 1, 1), (120, 0, 0)]
    assert ran.completions_ps() == [141_000, 131_000, 121_000, 111_000]
    assert ran.parts_at(0, "x") == {"ordering": 99_000, "backpressure": 20_000}


def test_a_registered_queue_takes_one_an_edge() -> None:
    behind = clocked("next", 3, 1, queue=1, channel="registered")
    ran, actor = turned(behind, posts(0, 1, 2))
    assert [(at_ns, number) for at_ns, number, _ in actor.heard] == [(100, 2), (102, 1), (104, 0)]
    assert ran.completions_ps() == [109_000, 107_000, 105_000]


def test_the_order_holds_on_a_link_and_for_units_of_a_pool() -> None:
    resources = {"bus": link(), "slot": pool(1)}
    behind = user("next", "0 ns", use("bus"), use("slot", until="end"))
    ran, _ = turned(behind, posts(0, 1, 2), resources=resources)
    # Each byte takes a nanosecond, and the slot is free a nanosecond after that.
    assert ran.completions_ps() == [295_000, 230_000, 165_000]
    assert not ran.held()


def test_what_is_given_up_stands_in_nobodys_way() -> None:
    load = [Post(0, address=address) for address in (1, 5, 2, 5)]
    ran, actor = turned(station("next", "10 ns", depth=1, queue=1), load)
    assert [(one.sequence, one.dropped_at) for one in ran.dropped] == [(3, "x"), (1, "x")]
    assert ran.completions_ps() == [121_000, -1, 111_000, -1]
    assert actor.heard == [(100, 2, 1), (100, 0, 0)]


@pytest.mark.parametrize("listen", (True, False))
def test_one_that_looks_whether_the_way_is_free_chooses_as_late_as_it_can(listen: bool) -> None:
    path = [shelf("x", "1 ns"), station("next", "10 ns", depth=1, queue=1)]
    # At 1 ns all but 9 and 8 are gone; 2 stands in the way from 2 ns on, when 0 has not come.
    load = [Post(0, address=9), Post(0, address=8), Post(0, address=7), Post(5000, address=0)]
    ran = run(table(path, stages={"shelf": Shelf}), load, listen=listen)
    # All of an instant are chosen in it here: none of them stands in the way yet.
    assert ran.completions_ps() == [31_000, 21_000, 11_000, 41_000]
    late = run(table([shelf("x"), path[1]], stages={"shelf": Shelf}), load, listen=listen)
    # Without a latency the first stands in the way at once, and 0 comes before the last.
    assert late.completions_ps() == [30_000, 20_000, 10_000, 40_000]


class Careless(Actor):
    """Does with a request what can't be done."""

    what = ""

    def arrive(self, request: Request, port: Port) -> None:
        """Lets it go, and then."""
        port.emit(request, ())
        getattr(self, self.what)(request, port)

    def hold(self, request: Request, port: Port) -> None:
        """Holds what has gone."""
        port.hold(request, request)

    def accept(self, request: Request, port: Port) -> None:
        """Accepts what has gone."""
        port.accept(request)

    def drop(self, request: Request, port: Port) -> None:
        """Gives up what has gone."""
        port.drop(request)


@pytest.mark.parametrize(
    ("what", "said"), (("hold", "held"), ("accept", "accepted"), ("drop", "let go"))
)
def test_what_is_not_here_cannot_be_spoken_of(
    what: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Careless, "what", what)
    with pytest.raises(StageError) as error:
        run(table([delay("x", "0 ns")], behaviour={"x": Careless}), posts(0))
    assert str(error.value) == f"stage x: request 0 is {said} at 0 ps, and it is not here"
