"""Looks: what is to be looked at, in this instant or at a time; see `emu.kernel`."""

from __future__ import annotations

from typing import Any

from emu.fast.codes import DUE_STATION
from emu.fast.compiled import compiled
from emu.fast.due import put_due
from emu.fast.layout import pools, stations
from emu.fast.memory import push, words
from emu.fast.station import is_ready, touch


@compiled
def wake_at(world: Any, station: int, time_ps: int) -> None:
    """Looks at a station at a time, -1 for never, if it is not looked at before."""
    at = stations(world)[station]
    if time_ps >= 0 and not world.now_ps < at.wake_ps <= time_ps:
        at.wake_ps = time_ps
        put_due(world, time_ps, DUE_STATION, station)


@compiled
def contest(world: Any, station: int) -> None:
    """What wants to enter the station is decided once all else has settled."""
    at = stations(world)[station]
    if not at.contested:
        at.contested = 1
        push(world.contested, station)


@compiled
def tell_users(world: Any, pool: int) -> None:
    """A unit of a pool is free: those that wait for one are looked at."""
    users = pools(world)[pool].users
    numbers = words(users)
    for index in range(users.count):
        touch(world, numbers[index])
        is_ready(world, numbers[index])
