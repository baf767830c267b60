"""Units given back to their pools as a request leaves; see `emu.kernel`."""

from __future__ import annotations

from typing import Any

from emu.fast.clock import edge, edge_at_or_after
from emu.fast.codes import AFTER_EDGES, AT_ONCE
from emu.fast.compiled import compiled
from emu.fast.layout import clocks
from emu.fast.looks import tell_users
from emu.fast.memory import words
from emu.fast.pool import give_unit, holds, let_go_of, return_at


@compiled
def release(world: Any, request: Any, pool: int) -> None:
    """Gives a unit back, if the request holds one.

    A batch holds one unit, and what is skipped takes none: there is none to give back.
    """
    held = holds(request, pool)
    if held >= 0:
        give_unit(world, pool, let_go_of(request, held))
        tell_users(world, pool)


@compiled
def release_all(world: Any, hop: Any, request: Any) -> None:
    """Gives back what the request holds up to here, at once or a while after."""
    numbers = words(world.lists)
    for place in range(hop.releases, hop.releases + 4 * hop.releases_count, 4):
        pool, how, count = numbers[place], numbers[place + 1], numbers[place + 2]
        if how == AT_ONCE:
            release(world, request, pool)
            continue
        held = holds(request, pool)
        if held < 0:
            continue
        time_ps = world.now_ps + count
        if how == AFTER_EDGES:
            clock = clocks(world)[numbers[place + 3]]
            time_ps = edge(clock, edge_at_or_after(clock, world.now_ps) + count)
        return_at(world, time_ps, pool, let_go_of(request, held))
