"""Choices: endless iterators over the numbers below a count."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from itertools import count as counting

from emu.random import Random


def in_turn(count: int) -> Iterator[int]:
    """0, 1, 2 and so on, and again."""
    return (number % count for number in counting())


def by_round(count: int, every: int) -> Iterator[int]:
    """The same, each of them `every` times before the next."""
    return (number // every % count for number in counting())


def uniform(count: int, random: Random) -> Iterator[int]:
    """Each as likely as another."""
    while True:
        yield random.below(count)


def zipf(count: int, exponent: float, random: Random) -> Iterator[int]:
    """Number n with a probability in proportion to 1 / (n + 1) ** exponent."""
    sums = list(accumulate((n + 1) ** -exponent for n in range(count)))
    while True:
        # Rounding may carry a draw to the very end of the sums.
        yield min(bisect_right(sums, random.uniform() * sums[-1]), count - 1)


def weighted(weights: Sequence[int], random: Random) -> Iterator[int]:
    """Number n with a probability in proportion to its weight."""
    sums = list(accumulate(weights))
    while True:
        yield bisect_right(sums, random.below(sums[-1]))
