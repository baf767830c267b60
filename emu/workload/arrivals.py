"""Arrivals: endless iterators over the times of an open loop's posts, in picoseconds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import count

from emu.random import Random
from emu.time import PS_PER_S


def at_fixed_rate(rate_per_s: Fraction) -> Iterator[int]:
    """Post n at floor(n / rate): a period that is no whole number is never added up."""
    period_ps = PS_PER_S / rate_per_s
    return (n * period_ps.numerator // period_ps.denominator for n in count())


def poisson(rate_per_s: Fraction, random: Random) -> Iterator[int]:
    """Gaps drawn from the exponential distribution, each to the nearest picosecond."""
    mean_ps = float(PS_PER_S / rate_per_s)
    at_ps = 0
    while True:
        at_ps += round(-math.log1p(-random.uniform()) * mean_ps)
        yield at_ps
