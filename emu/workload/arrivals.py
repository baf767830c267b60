"""Arrivals: when an open loop posts, as endless iterators over times in picoseconds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import count

from emu.random import Random
from emu.time import PS_PER_S
from emu.workload.access import Access


class Arrivals(Iterator[tuple[int, Access]]):
    """Accesses, each at the next of the times."""

    def __init__(self, times: Iterator[int], accesses: Iterator[Access]) -> None:
        self.times = times
        self.accesses = accesses

    def __next__(self) -> tuple[int, Access]:
        return next(self.times), next(self.accesses)


def at_fixed_rate(rate_per_s: Fraction) -> Iterator[int]:
    """Post n at floor(n / rate): a period that is no whole number is never added up."""
    period_ps = PS_PER_S / rate_per_s
    numerator, denominator = period_ps.as_integer_ratio()
    return (n * numerator // denominator for n in count())


class Poisson(Iterator[int]):
    """Gaps drawn from the exponential distribution, each to the nearest picosecond."""

    def __init__(self, rate_per_s: Fraction, random: Random) -> None:
        self.mean_ps = float(PS_PER_S / rate_per_s)
        self.random = random
        #: The last of the times.
        self.at_ps = 0

    def __next__(self) -> int:
        self.at_ps += round(-math.log1p(-self.random.uniform()) * self.mean_ps)
        return self.at_ps
