"""Stages that cost a constant: `context_threshold`, `channel_sharing`, `strict_order`."""

from __future__ import annotations

from typing import Any

import numpy as np

from emu.fast.codes import CONSTANT
from emu.fast.compiled import compiled
from emu.fast.layout import charge, hop_of, record, requests, stations
from emu.fast.memory import from_dtype, view
from emu.fast.port import fail
from emu.fast.stops import fitting_ps

#: What it costs, for the first so many of every hundred requests.
CONSTANT_COST = record("part", "cost_ps", "percent")
CONSTANT_COST_T = from_dtype(CONSTANT_COST)

KINDS = {"constants": CONSTANT_COST}


@compiled
def constant_serve(world: Any, r: int, served: int) -> None:
    """The cost, if this request is one of those that pay."""
    constant = view(world.constants, CONSTANT_COST_T)[served]
    if requests(world)[r].sequence % 100 < constant.percent:
        add_time(world, r, constant.part, constant.cost_ps)


@compiled
def add_time(world: Any, r: int, part: int, time_ps: int) -> None:
    """Adds a time to what the request's stage takes; a stage with a clock counts no times."""
    request = requests(world)[r]
    station = hop_of(world, request).station
    if stations(world)[station].clock >= 0:
        fail(world, station)
        return
    charge(request, part, time_ps)
    world.extra = time_ps
    world.extra_ps = time_ps


def make_constant(stage: Any, building: Any) -> tuple[int, int]:
    """The record of such a stage."""
    made = np.zeros(1, CONSTANT_COST)
    served = stage._served
    if served is not None:
        ((part, cost),) = served.parts
        made["part"] = building.part(part)
        made["cost_ps"] = fitting_ps(building, cost.count)
        made["percent"] = getattr(stage, "_percent", 100)
    return CONSTANT, building.add("constants", made)
