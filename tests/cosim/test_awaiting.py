"""Awaiting: plain code waits in the middle of a call, and goes on there."""

from __future__ import annotations

from collections.abc import Coroutine, Generator
from typing import Any

import pytest

from emu.cosim.awaiting import run_awaiting, wait_for


class Later:
    """Something that is not there at once: whoever runs the coroutine brings it."""

    def __await__(self) -> Generator[None, int, int]:
        return (yield)


async def doubled() -> int:
    return 2 * await Later()


def run(coroutine: Coroutine[Any, Any, Any], *brought: int) -> Any:
    """The result of a coroutine that is brought these values, one each time it waits."""
    coroutine.send(None)
    for value in brought:
        try:
            coroutine.send(value)
        except StopIteration as end:
            return end.value
    raise AssertionError("it waits for more")


def test_a_function_goes_on_where_it_waited() -> None:
    seen: list[int] = []

    def inner() -> None:
        seen.append(wait_for(doubled()))

    def function() -> list[int]:
        inner()
        inner()
        return seen

    assert run(run_awaiting(function), 3, 4) == [6, 8]


def test_a_function_that_waits_for_nothing_is_just_called() -> None:
    with pytest.raises(StopIteration) as end:
        run_awaiting(lambda: "done").send(None)
    assert end.value.value == "done"


def test_what_goes_wrong_outside_is_raised_where_it_was_waited_for() -> None:
    async def fails() -> int:
        await Later()
        raise ValueError("no signal")

    def function() -> str:
        try:
            wait_for(fails())
        except ValueError as error:
            return f"caught: {error}"
        return "not reached"

    assert run(run_awaiting(function), 1) == "caught: no signal"


def test_what_goes_wrong_inside_comes_out() -> None:
    def function() -> None:
        wait_for(doubled())
        raise ValueError("inside")

    with pytest.raises(ValueError, match="inside"):
        run(run_awaiting(function), 1)
