"""Unsettled instants: how many steps one may take, and what is said of one that takes more."""

from __future__ import annotations

from collections.abc import Iterable

from emu.errors import RunError
from emu.request import Request
from emu.resource import TimedUnit
from emu.station import Station
from emu.time import format_time

#: Steps in one instant after which it is taken never to settle.
MOST_STEPS = 100_000


class UnsettledError(RunError):
    """An instant in which something changes for ever."""


def unsettled(now_ps: int, moving: Iterable[Request | Station | TimedUnit]) -> UnsettledError:
    """The error that names the stages at which something still moves."""
    names = set()
    for one in moving:
        if isinstance(one, Station):
            names.add(one.name)
        elif isinstance(one, Request):
            names.add(one.plan.hops[max(one.hop, 0)].name)
    return UnsettledError(
        f"at {format_time(now_ps)} nothing settles after {MOST_STEPS} steps; still active: "
        f"{', '.join(sorted(names))}"
    )
