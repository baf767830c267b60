"""What stages and actors give the engine is checked where it comes in, and told with its place."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from emu.actor import Actor, Port
from emu.path import Path
from emu.request import Request
from emu.stage import Served, Stage, StageError
from emu.time import Cycles, Picoseconds
from tests.build import READ, StageDict, clocked, delay, posts, run, station, table

NOT_TIME = "; expected whole Picoseconds from 0 on, since it has no clock"
NOT_CYCLES = "; expected whole Cycles of nic from 0 on"
NOT_PS = "; expected whole picoseconds from 0 on"
ACTOR_PARTS = (
    "; expected service, beats, serialisation, alignment, interval, arbitration, ordering, "
    "cache_miss, backpressure, retransmit or resource:NAME"
)


def adds(*parts: Any) -> Served:
    return Served(parts=parts)


def serving(given: Any) -> type[Stage]:
    """A stage that gives this back for request 1, and nothing for the others."""

    class Gives(Stage):
        """Whatever it is told to."""

        def serve(self, request: Request, now_ps: int) -> Served | None:
            """As the class says."""
            answer: Served | None = given if request.sequence == 1 else None
            return answer

    return Gives


@pytest.mark.parametrize(
    "stage", (delay("x", "1 ns"), station("x", "1 ns", depth=1)), ids=("plain", "queued")
)
@pytest.mark.parametrize(
    ("given", "said"),
    (
        (17, "17; expected a Served, or None"),
        (("service", Picoseconds(5)), "('service', Picoseconds(count=5)); expected a Served"),
        (adds(("service", Picoseconds(-1))), f"Picoseconds(count=-1) for 'service'{NOT_TIME}"),
        (adds(("service", Picoseconds(1.5))), f"Picoseconds(count=1.5) for 'service'{NOT_TIME}"),  # type: ignore[arg-type]
        (adds(("service", Picoseconds(True))), f"Picoseconds(count=True) for 'service'{NOT_TIME}"),
        (adds(("service", 100)), f"100 for 'service'{NOT_TIME}"),
        (adds(("service", Cycles(2))), f"Cycles(count=2) for 'service'{NOT_TIME}"),
        (adds(("sleep", Picoseconds(2))), "the part 'sleep'; expected service or cache_miss"),
        (adds((3, Picoseconds(2))), "the part 3; expected service or cache_miss"),
        (
            adds("service", Picoseconds(5)),
            "parts=('service', Picoseconds(count=5)); expected pairs of a part and a duration",
        ),
        (Served(parts=5), "parts=5; expected pairs of a part and a duration"),  # type: ignore[arg-type]
        (
            adds(("service", Picoseconds(5)), ("cache_miss", Picoseconds(-7))),
            f"Picoseconds(count=-7) for 'cache_miss'{NOT_TIME}",
        ),
    ),
)
def test_what_a_stage_serves(stage: StageDict, given: Any, said: str) -> None:
    path = [delay("first", "10 ns"), stage]
    with pytest.raises(StageError) as error:
        run(table(path, behaviour={"x": serving(given)}), posts(0, 20_000))
    assert str(error.value).startswith(f"stage x: serve of request 1 at 30 ns gives {said}")


@pytest.mark.parametrize(
    ("given", "said"),
    (
        (adds(("service", Cycles(-1))), f"Cycles(count=-1) for 'service'{NOT_CYCLES}"),
        (adds(("service", Cycles(0.5))), f"Cycles(count=0.5) for 'service'{NOT_CYCLES}"),  # type: ignore[arg-type]
        (adds(("service", Picoseconds(5))), f"Picoseconds(count=5) for 'service'{NOT_CYCLES}"),
    ),
)
def test_what_a_stage_with_a_clock_serves(given: Any, said: str) -> None:
    with pytest.raises(StageError) as error:
        run(table([clocked("x", 1)], behaviour={"x": serving(given)}), posts(0, 20_000))
    assert str(error.value) == f"stage x: serve of request 1 at 20 ns gives {said}"


def test_no_time_and_a_list_are_no_fault() -> None:
    given = Served(parts=[("service", Picoseconds(0)), ("cache_miss", Picoseconds(7))])  # type: ignore[arg-type]
    ran = run(table([delay("x", "1 ns")], behaviour={"x": serving(given)}), posts(0, 0))
    assert ran.completions_ps() == [1000, 1007]
    assert ran.parts(1) == {"service": 1000, "cache_miss": 7}


def test_a_request_alone_is_checked_on_paper_too() -> None:
    class Back(Stage):
        """Takes time away."""

        def serve(self, request: Request, now_ps: int) -> Served:
            """From each."""
            return adds(("service", Picoseconds(-500)))

    with pytest.raises(StageError, match=r"^stage x: serve of request 0 at 0 ps gives Picosec"):
        Path(table([delay("x", "1 ns")], behaviour={"x": Back})).derived_ps(READ, 64)


def emitting(parts: Any) -> type[Actor]:
    """An actor that lets each request go after 1 ns, and says this of its stay."""

    class Emits(Actor):
        """Whatever it is told to."""

        def arrive(self, request: Request, port: Port) -> None:
            """As the class says."""
            port.call_at(port.now_ps + 1000, partial(port.emit, request, parts))

    return Emits


@pytest.mark.parametrize(
    ("parts", "said"),
    (
        ((("service", 5000), ("ordering", -4000)), f"-4000 for 'ordering'{NOT_PS}"),
        ((("service", 1000.0),), f"1000.0 for 'service'{NOT_PS}"),
        ((("service", Picoseconds(1000)),), f"Picoseconds(count=1000) for 'service'{NOT_PS}"),
        ((("luck", 1000),), f"the part 'luck'{ACTOR_PARTS}"),
        (((7, 1000),), f"the part 7{ACTOR_PARTS}"),
        (
            ("service", 1000),
            "the parts ('service', 1000); expected pairs of a part and picoseconds",
        ),
    ),
)
def test_what_an_actor_emits(parts: Any, said: str) -> None:
    path = [delay("first", "10 ns"), delay("x", "0 ns")]
    with pytest.raises(StageError) as error:
        run(table(path, behaviour={"x": emitting(parts)}), posts(0))
    assert str(error.value) == f"stage x: emit of request 0 at 11 ns is given {said}"


def test_an_actor_may_give_the_parts_one_by_one() -> None:
    parts = iter([("service", 900), ("resource:bank", 100)])
    ran = run(table([delay("x", "0 ns")], behaviour={"x": emitting(parts)}), posts(0))
    assert ran.parts(0) == {"service": 900, "resource:bank": 100}


@pytest.mark.parametrize("time_ps", (11_000.5, 11_000.0, Picoseconds(11_000), "11 ns", 9999))
def test_when_an_alarm_rings(time_ps: Any) -> None:
    class Sets(Actor):
        """Sets one alarm."""

        def arrive(self, request: Request, port: Port) -> None:
            """At that time."""
            port.call_at(time_ps, partial(port.emit, request, ()))

    path = [delay("first", "10 ns"), delay("x", "0 ns")]
    with pytest.raises(StageError) as error:
        run(table(path, behaviour={"x": Sets}), posts(0))
    assert str(error.value) == (
        f"stage x: call_at at 10 ns is given {time_ps!r}; expected whole picoseconds, and no time "
        "that is over"
    )


@pytest.mark.parametrize(
    ("parts", "said"),
    (
        ({"service": 1000, "nonsense": 2}, f"the part 'nonsense'{ACTOR_PARTS}"),
        ({"service": 1.5}, f"1.5 for 'service'{NOT_PS}"),
        ({"service": -1}, f"-1 for 'service'{NOT_PS}"),
        (None, "None; expected a dict of parts to picoseconds"),
        (("service", 5), "('service', 5); expected a dict of parts to picoseconds"),
    ),
)
def test_what_an_actor_takes_on_paper(parts: Any, said: str) -> None:
    class Takes(Actor):
        """Says so."""

        def arrive(self, request: Request, port: Port) -> None:
            """Never asked."""

        def on_paper(self, request: Request) -> dict[str, int]:
            """As the test says."""
            taken: dict[str, int] = parts
            return taken

    with pytest.raises(StageError) as error:
        Path(table([delay("x", "0 ns")], behaviour={"x": Takes})).derived_ps(READ, 64)
    assert str(error.value) == f"stage x: on_paper gives {said}"
