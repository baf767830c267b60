"""Actors that watch a stage, and those that hear of what is on its way to them."""

from __future__ import annotations

import random
from typing import Annotated, Any

import pytest
from pydantic import Field

from emu.actor import Actor, Port
from emu.request import Request
from emu.stage import parameters
from tests.build import READ, WRITE, Post, Run, StageDict, delay, posts, run, station, table
from tests.engine.random_tables import Ends, Knows
from tests.engine.resources import link, pcie, pool, use, user
from tests.engine.shelf import Shelf, shelf


class Notes(Actor):
    """Lets all go at once, and notes when each was announced, came, and passed."""

    @parameters
    class Parameters:
        """Names of stages."""

        until: Annotated[str, Field(description="the stage it watches")] = ""
        after: Annotated[str, Field(description="the actor that announces")] = ""

    parameters: Notes.Parameters

    def __init__(self, parameters: Any) -> None:
        super().__init__(parameters)
        self.coming_up: list[tuple[int, int]] = []
        self.came: list[tuple[int, int]] = []
        self.gone: list[tuple[int, int]] = []

    @property
    def watched(self) -> str:
        """As the table says."""
        return self.parameters.until

    @property
    def announced(self) -> str:
        """As the table says."""
        return self.parameters.after

    def coming(self, request: Request, port: Port) -> None:
        """Notes it."""
        self.coming_up.append((port.now_ps, request.sequence))

    def arrive(self, request: Request, port: Port) -> None:
        """Lets it go."""
        self.came.append((port.now_ps, request.sequence))
        port.emit(request, ())

    def passed(self, request: Request, port: Port) -> None:
        """Notes it."""
        self.gone.append((port.now_ps, request.sequence))


def notes(name: str = "x", **names: Any) -> StageDict:
    return {"stage": "notes", "name": name, **names}


def made(path: list[StageDict], load: list[Post], *, how: Any = None, **head: Any) -> Run:
    return run(table(path, stages={"notes": Notes, "shelf": Shelf}, **head), load, **(how or {}))


def of(ran: Run, name: str = "x") -> Notes:
    actor = ran.path.actor(name).actor
    assert isinstance(actor, Notes)
    return actor


HOWS: tuple[dict[str, Any], ...] = ({}, {"listen": False})


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize(
    ("until", "gone_ps"), (("x", 1000), ("a", 3000), ("b", 7000), ("c", 15_000), ("d", 15_000))
)
def test_it_is_told_when_the_request_leaves(until: str, gone_ps: int, how: Any) -> None:
    path = [
        delay("first", "1 ns"),
        notes(until=until),
        delay("a", "2 ns"),
        delay("b", "4 ns"),
        station("c", "8 ns"),
        # Reads do not pass here: the last that they leave up to it is `c`.
        delay("d", "16 ns", when=["write"]),
        delay("e", "32 ns"),
    ]
    assert of(made(path, posts(0), how=how)).gone == [(gone_ps, 0)]


def test_none_is_told_of_what_does_not_come_by() -> None:
    path = [notes(until="a", when=["read"]), delay("a", "2 ns"), delay("b", "4 ns")]
    ran = made(path, [Post(0), Post(0, WRITE)])
    assert of(ran).gone == [(2000, 0)]
    assert ran.completions_ps() == [6000, 6000]


def test_it_is_told_of_a_stage_only_once_the_way_on_is_free() -> None:
    path = [notes(until="a"), station("a", "1 ns"), station("b", "10 ns", depth=1, queue=1)]
    # The third is finished at 1 ns, and leaves when the second leaves the queue.
    assert of(made(path, posts(0, 0, 0))).gone == [(1000, 0), (1000, 1), (11_000, 2)]


@pytest.mark.parametrize("how", HOWS)
def test_it_is_told_of_what_ends_early_when_it_ends(how: Any) -> None:
    path = [notes(until="b"), delay("a", "2 ns"), delay("b", "4 ns")]
    ran = made(path, [Post(0, address=3), Post(0, address=1)], behaviour={"a": Ends}, how=how)
    assert ran.completions_ps() == [2000, 6000]
    assert of(ran).gone == [(2000, 0), (6000, 1)]


def test_it_is_not_told_of_what_ends_before_it_came() -> None:
    path = [delay("a", "2 ns"), notes(until="b"), delay("b", "4 ns")]
    ran = made(path, [Post(0, address=3), Post(0, address=1)], behaviour={"a": Ends})
    assert of(ran).gone == [(6000, 1)]


def test_it_is_told_of_what_is_found_when_it_is_found() -> None:
    fetch = user("fetch", "100 ns", use("pcie", as_="read", to="device"))
    path = [notes(until="fetch"), fetch, delay("end", "1 ns")]
    load = [Post(0, address=2), Post(0, address=1)]
    ran = made(path, load, behaviour={"fetch": Knows}, resources={"pcie": pcie()})
    # A request of 20 B, 100 ns, and 64 B of data in two completions, since they start at 1.
    assert of(ran).gone == [(0, 0), (224_000, 1)]
    assert ran.completions_ps() == [1000, 225_000]


def test_it_is_told_of_each_of_a_batch() -> None:
    fetch = user("fetch", "100 ns", use("pcie", as_="read", to="device", bytes="8 B"), batch=4)
    path = [notes(until="fetch"), fetch, delay("end", "1 ns")]
    ran = made(path, posts(0, 0, 0), resources={"pcie": pcie()})
    together_ps = 3 * 20_000 + 100_000 + 3 * 28_000
    assert of(ran).gone == [(together_ps, number) for number in range(3)]


def test_it_is_told_of_what_a_full_queue_drops() -> None:
    path = [
        notes(until="end"),
        delay("a", "2 ns"),
        station("q", "10 ns", depth=1, queue=1, overflow="drop"),
        delay("end", "1 ns"),
    ]
    ran = made(path, posts(0, 0, 0, 0))
    assert of(ran).gone == [(2000, 2), (2000, 3), (13_000, 0), (23_000, 1)]


def test_it_is_told_of_what_another_actor_gives_up() -> None:
    path = [notes(until="end"), shelf("y", "3 ns"), delay("end", "1 ns")]
    assert of(made(path, [Post(0, address=5)])).gone == [(3000, 0)]


def test_one_that_watches_itself_is_told_of_what_it_gives_up() -> None:
    path = [shelf("x", "3 ns", window=1, until="x")]
    ran = made(path, [Post(0, address=5), Post(0, address=6)])
    assert ran.completions_ps() == [-1, 6000]
    assert ran.parts_at(1, "x") == {"ordering": 3000, "service": 3000}


def test_the_first_is_not_told_of_what_it_has_no_room_for() -> None:
    path = [shelf("x", places=1, window=1, until="end", overflow="drop"), delay("end", "10 ns")]
    ran = made(path, posts(0, 0, 0))
    assert [one.sequence for one in ran.dropped] == [2]
    actor = ran.path.actor("x").actor
    assert isinstance(actor, Shelf)
    assert (actor.came, actor.gone) == ([0, 1], [0, 1])


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("listen", (True, False))
def test_those_of_an_instant_are_told_by_number(seed: int, listen: bool) -> None:
    # All leave `c` at 12 ns, by ways that take different numbers of steps.
    path = [
        notes(until="c"),
        delay("a", {"read": "3 ns", "write": "4 ns"}),
        delay("b", {"read": "8 ns", "write": "7 ns"}),
        delay("c", "1 ns"),
        delay("d", "1 ns"),
    ]
    load = [Post(0, WRITE), Post(0, READ), Post(0, WRITE), Post(0, READ), Post(0, WRITE)]
    how = {"shuffle": random.Random(seed) if seed else None, "listen": listen}
    assert of(made(path, load, how=how)).gone == [(12_000, number) for number in range(5)]


def test_room_that_is_made_by_what_passes_is_taken_in_that_instant() -> None:
    path = [delay("a", "5 ns"), shelf("x", places=1, window=1, until="end"), delay("end", "20 ns")]
    assert made(path, posts(0, 0, 0)).completions_ps() == [25_000, 45_000, 65_000]


def test_what_passes_gives_back_its_units_in_that_instant() -> None:
    path = [
        shelf("x", window=1, until="end"),
        user("a", "0 ns", use("slot", until="end")),
        delay("end", "20 ns"),
    ]
    ran = made(path, posts(0, 0), resources={"slot": pool(1)})
    assert ran.completions_ps() == [20_000, 40_000]
    assert ran.parts(1) == {"ordering": 20_000, "service": 20_000}


def test_an_actor_hears_of_what_is_on_its_way_to_it() -> None:
    path = [
        notes("first"),
        delay("a", "2 ns"),
        notes("x", after="first", when=["read"]),
        delay("b", "4 ns"),
    ]
    ran = made(path, [Post(0), Post(1000, WRITE), Post(1000)])
    assert of(ran).coming_up == [(0, 0), (1000, 2)]
    assert of(ran).came == [(2000, 0), (3000, 2)]
    # It watches no stage: it is told when they leave itself.
    assert of(ran).gone == [(2000, 0), (3000, 2)]


def test_what_was_announced_and_never_comes_is_told_to_have_passed() -> None:
    path = [
        notes("first"),
        delay("a", "2 ns"),
        user("q", "100 ns", use("bus"), depth=1, queue=1, overflow="drop"),
        notes("x", after="first", until="b"),
        delay("b", "4 ns"),
    ]
    load = [Post(0, address=3), Post(0, address=1), Post(0, address=2), Post(0, address=4)]
    ran = made(path, load, behaviour={"a": Ends}, resources={"bus": link()})
    # The first ends at `a`; of the others one is served, one waits, and one is lost.
    assert of(ran).coming_up == [(0, number) for number in range(4)]
    assert of(ran).gone == [(2000, 0), (2000, 3), (170_000, 1), (334_000, 2)]
    assert of(ran).came == [(166_000, 1), (330_000, 2)]
