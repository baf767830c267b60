"""Todo: the points that still have to run, handed out in runs of neighbours."""

from __future__ import annotations

from collections.abc import Callable

#: The most points in one task: its rows are held in memory until it is over.
MOST_POINTS = 256


class Todo:
    """Hands out points from the first on; those given back come first."""

    def __init__(self, is_done: Callable[[int], bool], rows: int, left: int) -> None:
        self.left = left
        self._is_done = is_done
        self._rows = rows
        self._next = 0
        self._given_back: list[range] = []

    def take(self, most: int) -> range:
        """At least one point, and at most so many; some must be left."""
        most = max(1, min(most, MOST_POINTS))
        span = self._given_back.pop() if self._given_back else self._new(most)
        self.left -= len(span)
        if len(span) > most:
            self.give_back(span[most:])
        return span[:most]

    def give_back(self, span: range) -> None:
        """Takes back points that were not run after all."""
        self.left += len(span)
        self._given_back.append(span)

    def _new(self, most: int) -> range:
        start = self._next
        while self._is_done(start):
            start += 1
        stop = start + 1
        while stop < self._rows and stop - start < most and not self._is_done(stop):
            stop += 1
        self._next = stop
        return range(start, stop)
