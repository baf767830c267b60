"""Actors: stages that keep requests by rules of their own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from typing import TYPE_CHECKING, ClassVar

from emu.errors import listed
from emu.parts import ACTOR_PARTS, RESOURCE
from emu.stage import Stage, StageError
from emu.stage_errors import called, pass_on
from emu.time import Cycles, Duration, Picoseconds, format_time

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
        #: Those that are here and have not been emitted, in the order in which they came.
        self.kept: dict[Request, None] = {}
        #: Behind whom each request that is held waits, as was said last.
        self.behind: dict[Request, Request] = {}
        self.alarms: list[tuple[int, int, Callable[[], None]]] = []
        self.decision: Callable[[], None] | None = None
        self.out: list[tuple[Request, Parts]] = []
        self.dropped: list[Request] = []
        self.told: list[tuple[Request, Request | None]] = []
        self._count = 0

    # -- what an actor calls ----------------------------------------------------------------

    def call_at(self, time_ps: int, action: Callable[[], None]) -> None:
        """Calls `action` at a time that is not over; at the same time, first set first called."""
        if type(time_ps) is not int or time_ps < self.now_ps:
            raise StageError(
                f"{called(self.name, 'call_at', None, self.now_ps)} is given {time_ps!r}; expected "
                "whole picoseconds, and no time that is over"
            )
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
        self._check_kept(request, "held")
        if self.behind.get(request) is not behind:
            self.behind[request] = behind
            self.told.append((request, behind))

    def accept(self, request: Request) -> None:
        """Says that a request waits no more, and its service begins; for traces."""
        self._check_kept(request, "accepted")
        self.behind.pop(request, None)
        self.told.append((request, None))

    def emit(self, request: Request, parts: Parts) -> None:
        """Lets a request go; the parts, in picoseconds, sum to the time since it arrived.

        Requests go on in the order in which they are emitted.
        """
        self._remove(request)
        if parts:
            parts = tuple(parts)
            fault = fault_in(parts)
            if fault:
                place = called(self.name, "emit", request, self.now_ps)
                raise StageError(f"{place} is given {fault}")
        self.out.append((request, parts or ()))
        self.blocked += 1

    def drop(self, request: Request) -> None:
        """Gives a request up: it is not delivered, and is counted as dropped."""
        self._remove(request)
        self.dropped.append(request)

    # -- what the engine calls --------------------------------------------------------------

    def came(self, request: Request) -> None:
        """A request has come."""
        self.kept[request] = None

    def ring(self) -> None:
        """Calls what is due; what that sets for this very instant is called in a later step."""
        alarms = self.alarms
        due = []
        while alarms and alarms[0][0] <= self.now_ps:
            due.append(heappop(alarms)[2])
        for action in due:
            try:
                action()
            except Exception as error:
                pass_on(error, self.name, "an alarm", None, self.now_ps)

    def decide(self) -> None:
        """Calls what is to be called once the instant has settled, if that is asked for."""
        decision, self.decision = self.decision, None
        if decision is not None:
            try:
                decision()
            except Exception as error:
                pass_on(error, self.name, "when_settled", None, self.now_ps)

    def _remove(self, request: Request) -> None:
        self._check_kept(request, "let go")
        del self.kept[request]
        self.behind.pop(request, None)

    def _check_kept(self, request: Request, what: str) -> None:
        if request not in self.kept:
            raise StageError(
                f"stage {self.name}: request {request.sequence} is {what} at "
                f"{format_time(self.now_ps)}, and it is not here"
            )


def fault_in(parts: Iterable[tuple[object, object]]) -> str:
    """What is wrong with the parts of a stay, and what was expected; empty if nothing is."""
    try:
        for part, time_ps in parts:
            if type(time_ps) is not int or time_ps < 0:
                return f"{time_ps!r} for {part!r}; expected whole picoseconds from 0 on"
            if part not in ACTOR_PARTS and not (
                isinstance(part, str) and part.startswith(RESOURCE)
            ):
                known = listed([*ACTOR_PARTS, f"{RESOURCE}NAME"])
                return f"the part {part!r}; expected {known}"
    except (TypeError, ValueError):
        return f"the parts {parts!r}; expected pairs of a part and picoseconds"
    return ""


class Actor(Stage, ABC):
    """A stage that keeps requests by its own rules and lets them go when it will.

    It has no timing of its own in the table but its parameters, and it keeps the breakdown honest
    by naming the parts of each request's stay. It must have an `arrive`, and `on_paper` wherever
    the derived total is asked for.
    """

    has_latency = False
    #: Its entry may name a clock: then it works on the edges of `port.clock`.
    clocked: ClassVar[bool] = False
    #: It may have no room for a request, and its entry may say what then: `overflow`.
    bounded: ClassVar[bool] = False
    #: It gives requests the numbers by which actors behind it go, and it goes by such numbers.
    numbers: ClassVar[bool] = False
    needs_numbers: ClassVar[bool] = False

    @property
    def watched(self) -> str:
        """Name of the stage, this one or a later one, whose leaving is told; empty for none."""
        return ""

    @property
    def announced(self) -> str:
        """Name of an actor before this one that announces what is on its way; empty for none.

        `passed` then tells of each that was announced, and without a name in `watched` when it
        has left this stage.
        """
        return ""

    def coming(self, request: Request, port: Port) -> None:
        """A request has come to the stage that announces, and will come here if nothing befalls it.

        The stage there has looked at it already.
        """

    def has_room(self, request: Request) -> bool:
        """Whether the request can come now; asked again when something has left."""
        return True

    @abstractmethod
    def arrive(self, request: Request, port: Port) -> None:
        """Takes a request in, at `port.now_ps`; several of one instant come in their order."""

    def passed(self, request: Request, port: Port) -> None:
        """A request that was here, or announced, has left the stage that is watched.

        Or it has ended early, or was lost, before it did. Those of an instant come by number.
        """

    def left(self, request: Request, port: Port) -> None:
        """A request that was emitted has gone on; `port.blocked` counts it no more."""

    def on_paper(self, request: Request) -> dict[str, int]:
        """Part to picoseconds of a request alone, for the derived total."""
        raise StageError(
            f"{type(self).__name__} does not say what it takes on paper; expected 'on_paper'"
        )

    def counts(self) -> dict[str, int]:
        """What it has counted so far, by name, for reports and figures."""
        return {}
