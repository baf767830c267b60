"""Actors: stages that keep requests by rules of their own."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from emu.stage import Stage

if TYPE_CHECKING:
    from emu.request import Request


class Port:
    """What an actor has of the engine: the time, an alarm clock, and the way out.

    The engine sets `now_ps`, and reads `alarms` and `out` after each call.
    """

    def __init__(self) -> None:
        self.now_ps = 0
        self.alarms: list[tuple[int, int, Callable[[], None]]] = []
        self.out: list[tuple[Request, tuple[tuple[str, int], ...]]] = []
        self.dropped: list[Request] = []
        self._count = 0

    def call_at(self, time_ps: int, action: Callable[[], None]) -> None:
        """Calls `action` at a time that is not over; at the same time, first set first called."""
        heappush(self.alarms, (time_ps, self._count, action))
        self._count += 1

    def emit(self, request: Request, parts: tuple[tuple[str, int], ...]) -> None:
        """Lets a request go; the parts, in picoseconds, sum to the time since it arrived."""
        self.out.append((request, parts))

    def drop(self, request: Request) -> None:
        """Gives a request up: it is not delivered, and is counted as dropped."""
        self.dropped.append(request)

    def ring(self) -> None:
        """Calls what is due; for the engine."""
        alarms = self.alarms
        while alarms and alarms[0][0] <= self.now_ps:
            heappop(alarms)[2]()


class Actor(Stage):
    """A stage that keeps requests by its own rules and lets them go when it will.

    It has no timing of its own in the table but its parameters, and it keeps the breakdown honest
    by naming the parts of each request's stay.
    """

    has_latency = False

    def arrive(self, request: Request, port: Port) -> None:
        """Takes a request in, at `port.now_ps`; several of one instant come in their order."""
        raise NotImplementedError(f"{type(self).__name__} must say what it does with a request")

    def on_paper(self, request: Request) -> dict[str, int]:
        """Part to picoseconds of a request alone, for the derived total."""
        raise NotImplementedError(f"{type(self).__name__} must say what it takes on paper")

    def counts(self) -> dict[str, int]:
        """What it has counted so far, by name, for reports and figures."""
        return {}
