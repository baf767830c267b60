"""Resources: what several stages share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emu.errors import EmuError

if TYPE_CHECKING:
    from emu.request import Request
    from emu.station import Station


class ResourceError(EmuError):
    """A resource used against its rules."""


class Pool:
    """So many equal units, each held by one request at a time.

    1. A stage takes a unit when it accepts a request, and never waits half-served.
    2. A unit that becomes free at an instant can be taken in that instant.
    3. A request takes one unit at most, and gives back only what it holds.
    """

    __slots__ = ("capacity", "holders", "name", "users")

    def __init__(self, name: str, capacity: int | None) -> None:
        self.name = name
        self.capacity = capacity
        #: The requests that hold a unit, longest holder first.
        self.holders: dict[Request, None] = {}
        #: The stations that wait for this pool or take from it.
        self.users: list[Station] = []

    @property
    def is_exhausted(self) -> bool:
        """Whether no unit is free."""
        return self.capacity is not None and len(self.holders) >= self.capacity

    def take(self, request: Request) -> None:
        """Gives a unit to `request`; `ResourceError` if none is free or it holds one already."""
        if self.is_exhausted:
            raise ResourceError(f"{self.name}: no unit is free for request {request.sequence}")
        if request in self.holders:
            raise ResourceError(f"{self.name}: request {request.sequence} holds a unit already")
        self.holders[request] = None

    def release(self, request: Request) -> None:
        """Takes the unit of `request` back; `ResourceError` if it holds none."""
        if request not in self.holders:
            raise ResourceError(f"{self.name}: request {request.sequence} holds no unit")
        del self.holders[request]
