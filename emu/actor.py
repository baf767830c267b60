"""Actors: stages that keep requests by rules of their own."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from emu.errors import listed
from emu.parts import ACTOR_PARTS, RESOURCE
from emu.stage import Stage, StageError

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
        self._inside: set[Request] = set()

    def call_at(self, time_ps: int, action: Callable[[], None]) -> None:
        """Calls `action` at a time that is not over; at the same time, first set first called."""
        if time_ps < self.now_ps:
            raise StageError(f"an alarm is set for {time_ps} ps, and it is {self.now_ps} ps now")
        heappush(self.alarms, (time_ps, self._count, action))
        self._count += 1

    def emit(self, request: Request, parts: tuple[tuple[str, int], ...]) -> None:
        """Lets a request go; the parts, in picoseconds, sum to the time since it arrived."""
        self._remove(request)
        for part, _ in parts:
            if part not in ACTOR_PARTS and not part.startswith(RESOURCE):
                raise StageError(
                    f"'{part}' is no part of a breakdown; expected {listed(ACTOR_PARTS)} or "
                    f"{RESOURCE}NAME"
                )
        self.out.append((request, parts))

    def drop(self, request: Request) -> None:
        """Gives a request up: it is not delivered, and is counted as dropped."""
        self._remove(request)
        self.dropped.append(request)

    def came(self, request: Request) -> None:
        """A request has come; for the engine."""
        self._inside.add(request)

    def _remove(self, request: Request) -> None:
        if request not in self._inside:
            raise StageError(f"request {request.sequence} is let go, and it is not here")
        self._inside.remove(request)

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
