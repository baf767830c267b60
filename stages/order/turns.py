"""Turns: which of the lanes that are ready is served, and on which edge."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence


class RoundRobin:
    """Serves the next lane that is ready, at once: no turn is lost on one that is not."""

    def __init__(self) -> None:
        self._last = -1

    def first(self, ready: Sequence[int], edge: int) -> tuple[int, int]:
        """From `edge` on, when a lane is served and which; `ready` are lanes, in order."""
        return edge, ready[bisect_right(ready, self._last) % len(ready)]

    def serve(self, lane: int, edge: int, busy: int) -> None:
        """The lane is served from `edge` on, for so many cycles."""
        self._last = lane

    def stand(self, cycles: int) -> None:
        """Nobody looks for so many cycles: no matter here."""


class Scan:
    """Looks at one lane in each cycle, ready or not, and starts with lane 0 on edge 0.

    The cursor moves on by one with each look, and stands still while nobody looks. Where it is on
    an edge follows from how long it has stood still so far, so no edge is spent on moving it.
    """

    def __init__(self, lanes: int) -> None:
        self._lanes = lanes
        self._stood = 0

    def first(self, ready: Sequence[int], edge: int) -> tuple[int, int]:
        """From `edge` on, when a lane is served and which; `ready` are lanes, in order."""
        cursor = (edge - self._stood) % self._lanes
        lane = ready[bisect_left(ready, cursor) % len(ready)]
        return edge + (lane - cursor) % self._lanes, lane

    def serve(self, lane: int, edge: int, busy: int) -> None:
        """The lane is served from `edge` on, for so many cycles: a look, and then none."""
        self._stood += busy - 1

    def stand(self, cycles: int) -> None:
        """Nobody looks for so many cycles."""
        self._stood += cycles
