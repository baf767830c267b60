"""Kinds: what each block of the world, and of its records, holds."""

from __future__ import annotations

from typing import Any

import numpy as np

from emu.fast import (
    constants,
    context_cache,
    cpu_cache,
    dispatcher_records,
    in_turn,
    multi_path,
    pcie_order,
    source,
)
from emu.fast.clock import CLOCK
from emu.fast.layout import (
    ALARM,
    DUE,
    HOP,
    KEYED,
    LANE,
    PLAN,
    POOL,
    POST,
    REQUEST,
    STATION,
    UNIT,
    WATCHED,
)
from emu.fast.random import RANDOM
from emu.fast.transport import layout as transport

#: By the name of a block; one that is not named holds whole numbers.
KINDS: dict[str, np.dtype[Any]] = {
    "requests": REQUEST,
    "plans": PLAN,
    "hops": HOP,
    "stations": STATION,
    "lanes": LANE,
    "pools": POOL,
    "keyed": KEYED,
    "units": UNIT,
    "clocks": CLOCK,
    "randoms": RANDOM,
    "due": DUE,
    "posts": POST,
    "alarms": ALARM,
    "watched": WATCHED,
    **constants.KINDS,
    **context_cache.KINDS,
    **cpu_cache.KINDS,
    **dispatcher_records.KINDS,
    **in_turn.KINDS,
    **multi_path.KINDS,
    **pcie_order.KINDS,
    **source.KINDS,
    **transport.KINDS,
}
