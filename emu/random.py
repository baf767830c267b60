"""Random numbers: one small generator for each component, the same in every engine."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

_MASK = (1 << 64) - 1
#: What is added to the state for each number, and the factors of the output function.
_STEP = 0x9E3779B97F4A7C15
_FIRST, _SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB

#: A stream makes its numbers one by one up to `FEW`, and then `MANY` at a time.
FEW = 10_000
MANY = 256


class Random:
    """SplitMix64, seeded from the run's seed and the component's name.

    Source: Steele, Lea and Flood, Fast splittable pseudorandom number generators (OOPSLA 2014).
    """

    def __init__(self, seed: int, name: str) -> None:
        digest = hashlib.sha256(f"{seed}:{name}".encode()).digest()
        #: Where it is in its sequence: another that starts here gives the same from now on.
        self.state = int.from_bytes(digest[:8], "little")

    def bits(self) -> int:
        """64 random bits."""
        self.state = (self.state + _STEP) & _MASK
        z = self.state
        z = ((z ^ (z >> 30)) * _FIRST) & _MASK
        z = ((z ^ (z >> 27)) * _SECOND) & _MASK
        return z ^ (z >> 31)

    def stream(self) -> Iterator[int]:
        """What `bits` would give, again and again; nobody else is to draw meanwhile."""
        for _ in range(FEW):
            yield self.bits()
        import numpy as np  # takes longer to import than so few numbers

        steps = np.arange(1, MANY + 1, dtype=np.uint64) * np.uint64(_STEP)
        while True:
            z = steps + np.uint64(self.state)
            self.state = (self.state + MANY * _STEP) & _MASK
            z = (z ^ (z >> np.uint64(30))) * np.uint64(_FIRST)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(_SECOND)
            yield from (z ^ (z >> np.uint64(31))).tolist()

    def below(self, limit: int) -> int:
        """A whole number from 0 to `limit` - 1; the bias is under `limit` / 2**64."""
        return (self.bits() * limit) >> 64

    def uniform(self) -> float:
        """A number from 0 on and below 1, in steps of 2**-53."""
        return (self.bits() >> 11) * 2.0**-53
