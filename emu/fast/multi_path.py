"""A network with several ways from one end to the other; see `stages.multi_path`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import from_dtype

from emu.fast.codes import MULTI_PATH, P_SERVICE
from emu.fast.compiled import compiled
from emu.fast.layout import charge_some, randoms, record, requests, stations
from emu.fast.memory import view
from emu.fast.port import accept, call_at, emit
from emu.fast.random import below
from emu.fast.stops import fitting_ps

#: One stage: how long the shortest way is, how many ways there are, each a picosecond longer than
#: the one before, and where its random numbers are.
WAYS = record("latency_ps", "ways", "random")
KINDS = {"ways": WAYS}

WAYS_T = from_dtype(WAYS)


@compiled
def multi_path_arrive(world: Any, s: int, r: int) -> None:
    """It takes one of the ways."""
    ways = view(world.ways, WAYS_T)[stations(world)[s].place]
    time_ps = ways.latency_ps + below(randoms(world)[ways.random], ways.ways)
    accept(world, r)
    call_at(world, s, world.now_ps + time_ps, 0, r, time_ps)


@compiled
def multi_path_alarm(world: Any, s: int, what: int, first: int, second: int) -> None:
    """A request has gone its way, which took so long."""
    charge_some(requests(world)[first], P_SERVICE, second)
    emit(world, s, first)


def make_multi_path(stage: Any, building: Any) -> tuple[int, int]:
    """The code and the record of a `multi_path`."""
    parameters = stage.parameters
    ways = np.zeros(1, WAYS)
    ways["latency_ps"] = fitting_ps(building, parameters.latency)
    ways["ways"] = fitting_ps(building, parameters.spread) + 1
    ways["random"] = building.random(stage._random)
    return MULTI_PATH, int(building.add("ways", ways))
