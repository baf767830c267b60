"""Random numbers: one small generator for each component, the same in every engine."""

from __future__ import annotations

import hashlib

_MASK = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15
_FIRST, _SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


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

    def many_bits(self, count: int) -> list[int]:
        """What `bits` would give in so many calls; quicker for many."""
        import numpy as np  # slow to import

        z = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(_STEP) + np.uint64(self.state)
        self.state = (self.state + count * _STEP) & _MASK
        z = (z ^ (z >> np.uint64(30))) * np.uint64(_FIRST)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(_SECOND)
        made: list[int] = (z ^ (z >> np.uint64(31))).tolist()
        return made

    def below(self, limit: int) -> int:
        """A whole number from 0 to `limit` - 1; the bias is under `limit` / 2**64."""
        return (self.bits() * limit) >> 64

    def uniform(self) -> float:
        """A number from 0 on and below 1, in steps of 2**-53."""
        return (self.bits() >> 11) * 2.0**-53
