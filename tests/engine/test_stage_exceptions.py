"""Exceptions in methods of stages and actors: told with stage, request and time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from emu.actor import Actor, Port
from emu.errors import EmuError, RunError
from emu.memory import Memory
from emu.path import Path
from emu.random import Random
from emu.request import Operation, Request
from emu.stage import Served, Stage, StageError
from tests.build import READ, delay, posts, run, station, table


class LostError(RunError):
    """An error that a stage raises on purpose."""


#: What `fail` raises, set by each test.
CAUSE: list[BaseException] = []


def fail() -> None:
    raise CAUSE[0]


@pytest.fixture(autouse=True, name="cause")
def _cause() -> Any:
    CAUSE[:] = [ValueError("boom")]
    yield CAUSE
    CAUSE.clear()


class Fails(Stage):
    """Fails in one of its methods."""

    where = ""

    def __init__(self, parameters: Any) -> None:
        super().__init__(parameters)
        self._fail("__init__")

    def _fail(self, where: str) -> None:
        if self.where == where:
            fail()

    def start(self, random: Random) -> None:
        """One."""
        self._fail("start")

    def use_memory(self, memory: Memory) -> None:
        """One."""
        self._fail("use_memory")

    def flush(self, initiator: int, destination: int, address: int, now_ps: int) -> None:
        """One."""
        self._fail("flush")

    def applies(self, operation: Operation, size_bytes: int) -> bool:
        """One."""
        self._fail("applies")
        return True

    def serve(self, request: Request, now_ps: int) -> Served | None:
        """One, for the second request."""
        if request.sequence == 1:
            self._fail("serve")
        return None


class Lets(Actor):
    """Lets all go at once."""

    def arrive(self, request: Request, port: Port) -> None:
        """And goes."""
        port.emit(request, ())


class FailsHere(Lets):
    """Fails in one of its methods, for the second request."""

    where = ""
    watched = "last"
    announced = "front"

    def _fail(self, where: str, request: Request) -> None:
        if self.where == where and request.sequence == 1:
            fail()

    def has_room(self, request: Request) -> bool:
        """One."""
        self._fail("has_room", request)
        return True

    def arrive(self, request: Request, port: Port) -> None:
        """One, and two that it asks to be called."""
        self._fail("arrive", request)
        port.call_at(port.now_ps, partial(self._fail, "an alarm", request))
        port.when_settled(partial(self._fail, "when_settled", request))
        super().arrive(request, port)

    def coming(self, request: Request, port: Port) -> None:
        """One."""
        self._fail("coming", request)

    def left(self, request: Request, port: Port) -> None:
        """One."""
        self._fail("left", request)

    def passed(self, request: Request, port: Port) -> None:
        """One."""
        self._fail("passed", request)


def failing(kind: type[Stage], where: str) -> type[Stage]:
    return type("Failing", (kind,), {"where": where})


def served(where: str) -> None:
    path = [delay("front", "10 ns"), station("x", "1 ns")]
    made = run(table(path, behaviour={"x": failing(Fails, where)}), posts(0, 5000))
    made.path.flush(0, 0, 0, 0)


def hosted(where: str) -> None:
    path = [delay("front", "0 ns"), delay("middle", "10 ns"), delay("x", "0 ns")]
    path.append(delay("last", "1 ns"))
    behaviour: dict[str, type[Stage]] = {"front": Lets, "x": failing(FailsHere, where)}
    run(table(path, behaviour=behaviour), posts(0, 5000))


def with_memory(where: str) -> None:
    Path(table([delay("x", "1 ns")], behaviour={"x": failing(Fails, where)}), 1, Memory())


def on_paper(where: str) -> None:
    class Alone(Lets):
        """Fails where nothing runs."""

        def on_paper(self, request: Request) -> dict[str, int]:
            """Always."""
            fail()
            return {}

    Path(table([delay(where, "1 ns")], behaviour={where: Alone})).derived_ps(READ, 64)


PLACES = (
    (served, "__init__", ""),
    (served, "start", ""),
    (served, "applies", ""),
    (served, "flush", ""),
    (with_memory, "use_memory", ""),
    (served, "serve", " of request 1 at 15 ns"),
    (hosted, "has_room", " of request 1 at 15 ns"),
    (hosted, "arrive", " of request 1 at 15 ns"),
    (hosted, "an alarm", " at 15 ns"),
    (hosted, "when_settled", " at 15 ns"),
    (hosted, "coming", " of request 1 at 5 ns"),
    (hosted, "left", " of request 1 at 15 ns"),
    (hosted, "passed", " of request 1 at 16 ns"),
)
each_place = pytest.mark.parametrize(("go", "where", "when"), PLACES)
Go = Callable[[str], None]


@each_place
def test_it_is_told_where_and_when(go: Go, where: str, when: str) -> None:
    with pytest.raises(StageError) as error:
        go(where)
    line = fail.__code__.co_firstlineno + 1
    assert str(error.value) == (
        f"stage x: {where}{when} raises ValueError: boom ({__file__}:{line}); expected no "
        "exception, or an EmuError"
    )
    assert error.value.__cause__ is CAUSE[0]


@each_place
def test_an_error_on_purpose_is_as_it_was(
    go: Go, where: str, when: str, cause: list[BaseException]
) -> None:
    cause[:] = [LostError("request 1 is lost")]
    with pytest.raises(LostError) as error:
        go(where)
    assert error.value is cause[0]
    assert error.value.__cause__ is None


@each_place
@pytest.mark.parametrize("kind", (KeyboardInterrupt, SystemExit))
def test_an_interrupt_is_none_of_ours(
    go: Go, where: str, when: str, kind: type[BaseException], cause: list[BaseException]
) -> None:
    cause[:] = [kind()]
    with pytest.raises(kind) as error:
        go(where)
    assert error.value is cause[0]


def test_on_paper_too() -> None:
    with pytest.raises(StageError, match=r"^stage x: on_paper raises ValueError: boom \("):
        on_paper("x")


def test_an_exception_without_text_has_its_type(cause: list[BaseException]) -> None:
    cause[:] = [NotImplementedError()]
    with pytest.raises(
        StageError, match=r"serve of request 1 at 15 ns raises NotImplementedError \("
    ):
        served("serve")


def test_a_method_that_cannot_be_called_is_told_without_a_place_in_it() -> None:
    class Narrow(Stage):
        """Takes too little."""

        def serve(self, request: Request) -> None:  # type: ignore[override]
            """Never called."""

    with pytest.raises(EmuError) as error:
        run(table([delay("x", "1 ns")], behaviour={"x": Narrow}), posts(0))
    assert "stage x: serve of request 0 at 0 ps raises TypeError: " in str(error.value)
    assert "positional arguments but 3 were given; expected" in str(error.value)
