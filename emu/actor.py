"""Actors: stages that keep requests by rules of their own."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import TYPE_CHECKING, ClassVar

from emu.errors import listed
from emu.parts import ACTOR_PARTS, RESOURCE
from emu.stage import Stage, StageError
from emu.time import Cycles, Duration, Picoseconds

if TYPE_CHECKING:
    from emu.request import Request
    from emu.time import Clock

#: What an actor says of the time that a request was with it.
Parts = tuple[tuple[str, int], ...]


class Port:
    """What an actor has of the engine: the time, an alarm clock, and the way out.

    The engine sets `now_ps`, and reads `alarms`, `decision`, `told` and `out` after each call.
    """

    def __init__(self, name: str = "", clock: Clock | None = None) -> None:
        #: The stage's name in the table, and the clock on whose edges it works, if it has one.
        self.name = name
        self.clock = clock
        self.now_ps = 0
        #: How many requests it has emitted that can't go on yet.
        self.blocked = 0
        #: Behind whom each request that is held waits, as was said last.
        self.behind: dict[Request, Request] = {}
        self.alarms: list[tuple[int, int, Callable[[], None]]] = []
        self.decision: Callable[[], None] | None = None
        self.out: list[tuple[Request, Parts]] = []
        self.dropped: list[Request] = []
        self.told: list[tuple[Request, Request | None]] = []
        self._count = 0
        self._inside: set[Request] = set()

    # -- what an actor calls ----------------------------------------------------------------

    def call_at(self, time_ps: int, action: Callable[[], None]) -> None:
        """Calls `action` at a time that is not over; at the same time, first set first called."""
        if time_ps < self.now_ps:
            raise StageError(f"an alarm is set for {time_ps} ps, and it is {self.now_ps} ps now")
        heappush(self.alarms, (time_ps, self._count, action))
        self._count += 1

    def when_settled(self, action: Callable[[], None]) -> None:
        """Calls `action` in this instant, once all who come in it have come; the last set counts.

        That is where to choose between requests. If others come because of the choice, it can be
        asked for again.
        """
        self.decision = action

    def span_ps(self, duration: Duration) -> int:
        """Picoseconds in a duration of the table: cycles if the stage has a clock, else time."""
        if self.clock is not None and isinstance(duration, Cycles):
            return self.clock.span(duration)
        if self.clock is None and isinstance(duration, Picoseconds):
            return duration.count
        raise StageError(
            f"stage {self.name} counts {duration}; expected "
            + ("time, since it has no clock" if self.clock is None else "cycles of its clock")
        )

    def hold(self, request: Request, behind: Request) -> None:
        """Says that a request waits until another has got as far as needed; for traces."""
        if self.behind.get(request) is not behind:
            self.behind[request] = behind
            self.told.append((request, behind))

    def accept(self, request: Request) -> None:
        """Says that a request waits no more, and its service begins; for traces."""
        self.behind.pop(request, None)
        self.told.append((request, None))

    def emit(self, request: Request, parts: Parts) -> None:
        """Lets a request go; the parts, in picoseconds, sum to the time since it arrived.

        Requests go on in the order in which they are emitted.
        """
        self._remove(request)
        for part, _ in parts:
            if part not in ACTOR_PARTS and not part.startswith(RESOURCE):
                raise StageError(
                    f"'{part}' is no part of a breakdown; expected {listed(ACTOR_PARTS)} or "
                    f"{RESOURCE}NAME"
                )
        self.out.append((request, parts))
        self.blocked += 1

    def drop(self, request: Request) -> None:
        """Gives a request up: it is not delivered, and is counted as dropped."""
        self._remove(request)
        self.dropped.append(request)

    # -- what the engine calls --------------------------------------------------------------

    def came(self, request: Request) -> None:
        """A request has come."""
        self._inside.add(request)

    def ring(self) -> None:
        """Calls what is due."""
        alarms = self.alarms
        while alarms and alarms[0][0] <= self.now_ps:
            heappop(alarms)[2]()

    def _remove(self, request: Request) -> None:
        if request not in self._inside:
            raise StageError(f"request {request.sequence} is let go, and it is not here")
        self._inside.remove(request)
        self.behind.pop(request, None)


class Actor(Stage):
    """A stage that keeps requests by its own rules and lets them go when it will.

    It has no timing of its own in the table but its parameters, and it keeps the breakdown honest
    by naming the parts of each request's stay.
    """

    has_latency = False
    #: Its entry may name a clock: then it works on the edges of `port.clock`.
    clocked: ClassVar[bool] = False
    #: It may have no room for a request, and its entry may say what then: `overflow`.
    bounded: ClassVar[bool] = False

    @property
    def watched(self) -> str:
        """Name of the stage, this one or a later one, whose leaving is told; empty for none."""
        return ""

    def has_room(self, request: Request) -> bool:
        """Whether the request can come now; asked again when something has left."""
        return True

    def arrive(self, request: Request, port: Port) -> None:
        """Takes a request in, at `port.now_ps`; several of one instant come in their order."""
        raise NotImplementedError(f"{type(self).__name__} must say what it does with a request")

    def passed(self, request: Request, port: Port) -> None:
        """A request that was here has left the stage that is watched, or was lost before it."""

    def left(self, request: Request, port: Port) -> None:
        """A request that was emitted has gone on; `port.blocked` counts it no more."""

    def on_paper(self, request: Request) -> dict[str, int]:
        """Part to picoseconds of a request alone, for the derived total."""
        raise NotImplementedError(f"{type(self).__name__} must say what it takes on paper")

    def counts(self) -> dict[str, int]:
        """What it has counted so far, by name, for reports and figures."""
        return {}
