"""Choices: endless iterators over the numbers below a count, which say how they choose."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from emu.random import Random


class Constant(Iterator[int]):
    """Always the same."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __next__(self) -> int:
        return self.number


class InTurn(Iterator[int]):
    """0, 1, 2 and so on, and again; each of them `every` times before the next."""

    def __init__(self, count: int, every: int = 1) -> None:
        self.count = count
        self.every = every
        #: How many have been chosen.
        self.chosen = 0

    def __next__(self) -> int:
        number = self.chosen // self.every % self.count
        self.chosen += 1
        return number


class Uniform(Iterator[int]):
    """Each as likely as another."""

    def __init__(self, count: int, random: Random) -> None:
        self.count = count
        self.random = random

    def __next__(self) -> int:
        return self.random.below(self.count)


class Zipf(Iterator[int]):
    """Number n with a probability in proportion to 1 / (n + 1) ** exponent."""

    def __init__(self, count: int, exponent: float, random: Random) -> None:
        #: Of the weights, up to and including each.
        self.sums = list(accumulate((n + 1) ** -exponent for n in range(count)))
        self.random = random

    def __next__(self) -> int:
        sums = self.sums
        # Rounding may carry a draw to the very end of the sums.
        return min(bisect_right(sums, self.random.uniform() * sums[-1]), len(sums) - 1)


class Weighted(Iterator[int]):
    """Number n with a probability in proportion to its weight."""

    def __init__(self, weights: Sequence[int], random: Random) -> None:
        #: Of the weights, up to and including each.
        self.sums = list(accumulate(weights))
        self.random = random

    def __next__(self) -> int:
        return bisect_right(self.sums, self.random.below(self.sums[-1]))
