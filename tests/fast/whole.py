"""Marked requests through a whole table, in both engines."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from emu.driver import Driver
from emu.fast.events import Events
from emu.request import Operation
from emu.table.schema import Table
from emu.workload import Access, Timed
from tests.fast.agree import assert_agree_on

Load = list[tuple[int, Access]]


def marked(draw: Random, operations: Iterable[Operation], count: int, apart_ps: int) -> Load:
    """Requests of few initiators, for few words, with marks of all kinds; many come at once."""
    known, now_ps = list(operations), 0
    load = []
    for _ in range(count):
        now_ps += draw.choice((0, 0, draw.randrange(apart_ps)))
        access = Access(
            draw.choice(known),
            draw.choice((8, 64, 200)),
            8 * draw.randrange(3),
            draw.randrange(3),
            draw.randrange(2),
            draw.choice(("SO", "SO", "RO", "NO", "")),
            draw.choice(("ROT", "ROT", "ROI", "ROL", "UNO", "")),
            draw.randrange(8) == 0,
        )
        load.append((now_ps, access))
    return load


def both(table: Table, load: Load, seed: int = 1) -> tuple[Driver, Events]:
    """Both engines with the same load, which they run to its end and say the same of."""
    ran = assert_agree_on(table, [Timed(load) for _ in range(4)], None, seed)
    assert ran is not None
    return ran
