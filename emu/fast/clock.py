"""Clocks: exact edges in 63 bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from emu.fast.compiled import compiled
from emu.time import Clock

#: A period of `whole` + `rest` / `denominator` picoseconds, which is `numerator` / `denominator`.
#: Up to edge `plain_n`, and up to `plain_ps` picoseconds, products with these fit into 63 bits.
CLOCK = np.dtype(
    [
        ("phase_ps", np.int64),
        ("numerator", np.int64),
        ("denominator", np.int64),
        ("whole", np.int64),
        ("rest", np.int64),
        ("plain_n", np.int64),
        ("plain_ps", np.int64),
    ],
    align=True,
)

_MOST = (1 << 63) - 1


def clock_record(clock: Clock) -> np.ndarray[Any, Any]:
    """A clock as a record, in an array of one."""
    made = np.zeros(1, CLOCK)
    numerator, denominator = clock.period_ps.numerator, clock.period_ps.denominator
    made["phase_ps"] = clock.phase_ps
    made["numerator"], made["denominator"] = numerator, denominator
    made["whole"], made["rest"] = divmod(numerator, denominator)
    made["plain_n"] = _MOST // numerator
    # Rounding up takes one numerator more.
    made["plain_ps"] = (_MOST - numerator) // denominator
    return made


@compiled
def edge(clock: Any, n: int) -> int:
    """Time of edge `n` in picoseconds, as `Clock.edge`."""
    return int(clock.phase_ps + _floor_of(clock, n))


@compiled
def edge_at_or_after(clock: Any, time_ps: int) -> int:
    """Number of the first edge that is not before a time, as `Clock.edge_at_or_after`."""
    since_ps = time_ps - clock.phase_ps
    if 0 <= since_ps <= clock.plain_ps:
        return int((since_ps * clock.denominator + clock.numerator - 1) // clock.numerator)
    # Whole rounds of the fraction first, so that nothing large is multiplied.
    rounds = since_ps // clock.numerator
    since_ps -= rounds * clock.numerator
    n = int(since_ps * (clock.denominator / clock.numerator))
    while _floor_of(clock, n) >= since_ps:
        n -= 1
    while _floor_of(clock, n) < since_ps:
        n += 1
    return int(rounds * clock.denominator + n)


@compiled
def edge_after(clock: Any, time_ps: int) -> int:
    """Number of the first edge that is later than a time."""
    return edge_at_or_after(clock, time_ps + 1)


@compiled
def _floor_of(clock: Any, n: int) -> int:
    """So many periods, cut to whole picoseconds."""
    if 0 <= n <= clock.plain_n:
        return int(n * clock.numerator // clock.denominator)
    rounds = n // clock.denominator
    n -= rounds * clock.denominator
    return int(rounds * clock.numerator + n * clock.whole + n * clock.rest // clock.denominator)
