"""Rounds: completions counted so many at a time, which is what the rate of a run is taken from."""

from __future__ import annotations

from dataclasses import dataclass

from emu.time import PS_PER_S
from emu.workload import Chain, Closed, Workload


@dataclass(slots=True)
class Rounds:
    """When the first and the last whole round of so many completions was over.

    A loop that keeps `size` requests open completes them in rounds, and the requests of one often
    lie close together: between two of them there is nothing to take a rate from.
    """

    size: int
    count: int = 0
    first_ps: int = 0
    last_ps: int = 0

    def add(self, completed: int, now_ps: int) -> None:
        """So many requests are complete by now."""
        if completed % self.size == 0:
            self.last_ps = now_ps
            if not self.count:
                self.first_ps = now_ps
            self.count += 1

    def rate_per_s(self, completed: int, first_ps: int, last_ps: int) -> float | None:
        """Completions a second, of which there were so many from the first to the last time.

        From round to round; with one round, of those after it; without, of those after the first.
        `None` where all of these came at once.
        """
        if self.count > 1:
            counted, window_ps = (self.count - 1) * self.size, self.last_ps - self.first_ps
        elif self.count and completed > self.size:
            counted, window_ps = completed - self.size, last_ps - self.first_ps
        else:
            counted, window_ps = completed - 1, last_ps - first_ps
        return counted * PS_PER_S / window_ps if window_ps > 0 else None


def rounds_of(workload: Workload) -> Rounds:
    """Rounds of as many as the workload keeps open; of one where it keeps no number."""
    if isinstance(workload, Closed):
        return Rounds(max(1, workload.outstanding * len(workload.streams)))
    if isinstance(workload, Chain):
        return Rounds(workload.chains)
    return Rounds(1)
