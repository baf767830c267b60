"""The events that a kernel tells its listener."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What happened to a request."""

    SUBMITTED = "submitted"
    ARRIVED = "arrived"
    ACCEPTED = "accepted"
    EMITTED = "emitted"
    LEFT = "left"
    COMPLETED = "completed"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened to one request; `stage` is empty at submission and completion."""

    time_ps: int
    kind: Kind
    request: int
    stage: str


#: Hears every event, in the order of time, and within an instant by request number.
Listener = Callable[[Event], None]
