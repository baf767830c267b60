"""Ticks: an edge of a clock that is known, from which later ones are reached in small numbers."""

from __future__ import annotations

from typing import Any

from emu.fast.clock import edge_at_or_after
from emu.fast.compiled import compiled
from emu.fast.layout import record

#: Edge `n` at a whole time, and the rest of a picosecond that was cut, in the clock's denominator.
TICK = record("n", "time_ps", "rest")

#: Further than this, in picoseconds, products might not fit; then it is counted from edge 0 again.
_FAR_PS = 1 << 31
#: The largest denominator of a period, and the shortest period, for which they do.
MOST_PARTS = 1 << 31
LEAST_PERIOD_PS = 1


@compiled
def set_tick(tick: Any, clock: Any, n: int) -> None:
    """Sets a tick to edge `n`."""
    rounds = n // clock.denominator
    within = n - rounds * clock.denominator
    parts = within * clock.rest
    tick.n = n
    tick.time_ps = (
        clock.phase_ps
        + rounds * clock.numerator
        + within * clock.whole
        + parts // clock.denominator
    )
    tick.rest = parts % clock.denominator


@compiled
def move_to(tick: Any, clock: Any, time_ps: int) -> None:
    """Moves a tick on to the first edge that is not before a time, which lies behind it."""
    ahead_ps = time_ps - tick.time_ps
    if ahead_ps > _FAR_PS:
        set_tick(tick, clock, edge_at_or_after(clock, time_ps))
        return
    cycles = (ahead_ps * clock.denominator - tick.rest - 1) // clock.numerator + 1
    parts = tick.rest + cycles * clock.rest
    whole = parts // clock.denominator
    tick.n += cycles
    tick.time_ps += cycles * clock.whole + whole
    tick.rest = parts - whole * clock.denominator


@compiled
def move_by(tick: Any, clock: Any, cycles: int, whole_ps: int, rest: int) -> None:
    """Moves a tick on by so many cycles, which take that time and that rest."""
    tick.n += cycles
    tick.time_ps += whole_ps
    tick.rest += rest
    if tick.rest >= clock.denominator:
        tick.rest -= clock.denominator
        tick.time_ps += 1


@compiled
def time_after(tick: Any, clock: Any, whole_ps: int, rest: int) -> int:
    """When the edge is that lies so many cycles after a tick, given as their time and rest."""
    carried = 1 if tick.rest + rest >= clock.denominator else 0
    return int(tick.time_ps + whole_ps + carried)
