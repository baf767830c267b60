"""Requests inside or behind an actor, when nothing moves any more."""

from __future__ import annotations

from emu.actor import Actor, Port
from emu.request import Request
from emu.waits import who_waits_for_whom
from tests.build import Run, delay, posts, station, table

SOURCE = {"text": "a test", "kind": "assumed"}


class Keeper(Actor):
    """Keeps every request for ever."""

    def arrive(self, request: Request, port: Port) -> None:
        """Does nothing with it."""


class Passer(Actor):
    """Lets every request go at once."""

    def arrive(self, request: Request, port: Port) -> None:
        """Emits it."""
        port.emit(request, ())


def test_names_the_actor_that_keeps_a_request() -> None:
    source = table([delay("out", "10 ns"), delay("kept", "0 ns")], behaviour={"kept": Keeper})
    told = who_waits_for_whom(Run(source, posts(0)).finish().kernel)
    assert "request 0 (read) at kept is kept by the rules of that stage" in told


def test_says_what_a_request_that_an_actor_let_go_waits_for() -> None:
    uses = [{"resource": "tag", "until": "last"}]
    path = [
        delay("passed", "0 ns"),
        station("full", "0 ns", queue=1, uses=uses),
        delay("last", "0 ns"),
    ]
    tag = {"kind": "pool", "capacity": 1, "source": SOURCE}
    behaviour = {"passed": Passer, "last": Keeper}
    source = table(path, resources={"tag": tag}, behaviour=behaviour)
    told = who_waits_for_whom(Run(source, posts(0, 0, 0)).finish().kernel)
    assert "request 0 (read) at last is kept by the rules of that stage" in told
    assert "request 1 (read) in front of full waits for tag, held by 0" in told
    assert "request 2 (read) at passed waits for a place in the channel of full, full of 1" in told
