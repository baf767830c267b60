"""Lanes: the places in which requests stand side by side, so that none is drawn over another."""

from __future__ import annotations

from heapq import heappop, heappush


class Lanes:
    """Places numbered from 0; each is free from some time on, or taken.

    A request gets the lowest that is free, so there are as many as were ever taken at once.
    """

    def __init__(self) -> None:
        self._free: list[int] = []
        #: Place to when it became free.
        self._free_ps: list[int] = []

    def take(self, at_ps: int) -> int:
        """The lowest place that is free at that time and is not taken afterwards either."""
        passed = []
        found = len(self._free_ps)
        while self._free:
            place = heappop(self._free)
            if self._free_ps[place] <= at_ps:
                found = place
                break
            passed.append(place)
        for place in passed:
            heappush(self._free, place)
        if found == len(self._free_ps):
            self._free_ps.append(at_ps)
        return found

    def free(self, place: int, at_ps: int) -> None:
        """The place is free from that time on."""
        self._free_ps[place] = at_ps
        heappush(self._free, place)
