"""Random numbers: SplitMix64, as `emu.random` has it."""

from __future__ import annotations

from typing import Any

import numpy as np

from emu.fast.compiled import compiled

RANDOM = np.dtype([("state", np.uint64)], align=True)

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


@compiled
def bits(random: Any) -> Any:
    """64 random bits, as an unsigned number."""
    random.state = random.state + _STEP
    return mixed(random.state)


@compiled
def mixed(z: Any) -> Any:
    """The output function: 64 bits that depend on every bit of an unsigned number."""
    z = (z ^ (z >> np.uint64(30))) * _FIRST
    z = (z ^ (z >> np.uint64(27))) * _SECOND
    return z ^ (z >> np.uint64(31))


@compiled
def below(random: Any, limit: int) -> int:
    """A whole number from 0 to `limit` - 1."""
    # Compiled, `int` alone leaves an unsigned number unsigned.
    return int(np.int64(_high(bits(random), np.uint64(limit))))


@compiled
def uniform(random: Any) -> float:
    """A number from 0 on and below 1, in steps of 2**-53."""
    return float(bits(random) >> np.uint64(11)) * 2.0**-53


@compiled
def _high(left: Any, right: Any) -> Any:
    """The upper 64 of the 128 bits of a product."""
    left_low, left_high = left & _LOW, left >> _HALF
    right_low, right_high = right & _LOW, right >> _HALF
    middle = left_high * right_low + ((left_low * right_low) >> _HALF)
    other = left_low * right_high + (middle & _LOW)
    return left_high * right_high + (middle >> _HALF) + (other >> _HALF)
