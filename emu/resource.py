"""Resources: what several stages share."""

from __future__ import annotations

from collections.abc import Callable, Hashable
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
    4. With a `key` there are so many units for each key: a window for each transport channel.
    """

    __slots__ = ("_held", "_unit_ps", "_updated_ps", "capacity", "holders", "key", "name", "users")

    def __init__(
        self,
        name: str,
        capacity: int | None,
        key: Callable[[Request], Hashable] | None = None,
    ) -> None:
        self.name = name
        self.capacity = capacity
        self.key = key
        #: The requests that hold a unit, longest holder first.
        self.holders: dict[Request, None] = {}
        #: The stations that wait for this pool or take from it.
        self.users: list[Station] = []
        self._held: dict[Hashable, int] = {}
        self._unit_ps = 0
        self._updated_ps = 0

    def is_exhausted(self, request: Request) -> bool:
        """Whether no unit is free for such a request."""
        if self.capacity is None:
            return False
        if self.key is None:
            return len(self.holders) >= self.capacity
        return self._held.get(self.key(request), 0) >= self.capacity

    def take(self, request: Request, now_ps: int) -> None:
        """Gives a unit to `request`; `ResourceError` if none is free or it holds one already."""
        if self.is_exhausted(request):
            raise ResourceError(f"{self.name}: no unit is free for request {request.sequence}")
        if request in self.holders:
            raise ResourceError(f"{self.name}: request {request.sequence} holds a unit already")
        self._account(now_ps)
        self.holders[request] = None
        if self.key is not None:
            key = self.key(request)
            self._held[key] = self._held.get(key, 0) + 1

    def release(self, request: Request, now_ps: int) -> None:
        """Takes the unit of `request` back; `ResourceError` if it holds none."""
        if request not in self.holders:
            raise ResourceError(f"{self.name}: request {request.sequence} holds no unit")
        self._account(now_ps)
        del self.holders[request]
        if self.key is not None:
            key = self.key(request)
            self._held[key] -= 1
            if not self._held[key]:
                del self._held[key]

    def unit_ps(self, now_ps: int) -> int:
        """Held units times picoseconds, up to now."""
        self._account(now_ps)
        return self._unit_ps

    def _account(self, now_ps: int) -> None:
        self._unit_ps += len(self.holders) * (now_ps - self._updated_ps)
        self._updated_ps = now_ps
