"""The events that a kernel tells its listener."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What happened to a request."""

    SUBMITTED = "submitted"
    ARRIVED = "arrived"
    HELD = "held"
    ACCEPTED = "accepted"
    SAMPLED = "sampled"
    VISIBLE = "visible"
    EMITTED = "emitted"
    LEFT = "left"
    COMPLETED = "completed"
    CONSUMED = "consumed"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened to one request; `stage` is empty where it is at none.

    A kind with more to say has a class of its own; the others are plain events.
    """

    time_ps: int
    kind: Kind
    request: int
    stage: str
    initiator: int = 0


@dataclass(frozen=True, slots=True)
class Submitted(Event):
    """`SUBMITTED`: what the request is; ordering marks are empty where it has none."""

    operation: str = ""
    size_bytes: int = 0
    address: int = 0
    destination: int = 0
    order: str = ""
    service: str = ""
    fence: bool = False

    @property
    def marks(self) -> list[str]:
        """Its ordering marks as words; none where it has none."""
        return [mark for mark in (self.order, self.service, "fence" * self.fence) if mark]


@dataclass(frozen=True, slots=True)
class Held(Event):
    """`HELD`: from now on it waits at `stage` until request `behind` has got as far as needed.

    It is told again when another one takes that one's place.
    """

    behind: int = -1


@dataclass(frozen=True, slots=True)
class Touched(Event):
    """`SAMPLED` or `VISIBLE`: the value that was read, or that others can read from now on."""

    address: int = 0
    value: int = 0


@dataclass(frozen=True, slots=True)
class Left(Event):
    """`LEFT`: the stay at `stage` is over; its parts, in picoseconds, sum to all of it.

    A wait in front of the stage is in it, and that to get out of it, as `backpressure`. What a
    stage with rules of its own gives up has not left it: `DROPPED` follows at once.
    """

    parts: tuple[tuple[str, int], ...] = ()


#: Hears every event, in the order of time, and within an instant by request number.
Listener = Callable[[Event], None]
