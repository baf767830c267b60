"""Awaiting: plain code, such as the engine, that waits for a simulator in the middle of a call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from greenlet import getcurrent, greenlet

T = TypeVar("T")


async def run_awaiting(function: Callable[[], T]) -> T:
    """Runs a function in which `wait_for` can be called, however deep inside.

    The function has a stack of its own, which rests while the simulator runs; nothing is done at
    the same time as anything else.
    """
    inside = greenlet(function)
    said = inside.switch()
    while not inside.dead:
        try:
            value = await said
        except Exception as error:
            said = inside.throw(error)
        else:
            said = inside.switch(value)
    result: T = said
    return result


def wait_for(awaitable: Awaitable[T]) -> T:
    """What an awaitable gives, to code that `run_awaiting` runs."""
    outside = getcurrent().parent
    assert outside is not None  # only `run_awaiting` calls what calls this
    value: T = outside.switch(awaitable)
    return value
