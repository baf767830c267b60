"""Resources: what several stages share."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from emu.errors import EmuError

if TYPE_CHECKING:
    from emu.request import Request
    from emu.station import Station


class ResourceError(EmuError):
    """A resource used against its rules."""


@dataclass(slots=True, eq=False)
class TimedUnit:
    """A unit that a request took and that comes back by itself, after a time."""

    pool: Pool
    request: Request

    @property
    def sequence(self) -> int:
        """The number of the request that took it."""
        return self.request.sequence


class Pool:
    """So many equal units, each held by one request at a time.

    1. A stage takes a unit when it accepts a request, and never waits half-served.
    2. A unit that becomes free at an instant can be taken in that instant.
    3. A request takes one unit at most, and gives back only what it holds. A timed unit is held
       by itself, so a request can take another before the first is back.
    4. With a `key` there are so many units for each key: a window for each transport channel.
    """

    __slots__ = (
        "_held",
        "_of_key",
        "_unit_ps",
        "_units",
        "_updated_ps",
        "capacity",
        "holders",
        "key",
        "name",
        "users",
    )

    def __init__(
        self,
        name: str,
        capacity: int | None,
        key: Callable[[Request], Hashable] | None = None,
    ) -> None:
        self.name = name
        self.capacity = capacity
        self.key = key
        #: What holds a unit, longest holder first, each with its key.
        self.holders: dict[Request | TimedUnit, Hashable] = {}
        #: The stations that wait for this pool or take from it.
        self.users: list[Station] = []
        self._held: dict[Hashable, int] = {}
        # Key to its held units times picoseconds, and up to when.
        self._of_key: dict[Hashable, tuple[int, int]] = {}
        self._units = 0
        self._unit_ps = 0
        self._updated_ps = 0

    def is_exhausted(self, request: Request) -> bool:
        """Whether no unit is free for such a request."""
        if self.capacity is None:
            return False
        if self.key is None:
            return len(self.holders) >= self.capacity
        return self._held.get(self.key(request), 0) >= self.capacity

    def take(self, request: Request, now_ps: int, holder: TimedUnit | None = None) -> None:
        """Gives a unit to `request`; `ResourceError` if none is free or it holds one already."""
        if self.is_exhausted(request):
            raise ResourceError(f"{self.name}: no unit is free for request {request.sequence}")
        if request in self.holders:
            raise ResourceError(f"{self.name}: request {request.sequence} holds a unit already")
        self._account(now_ps)
        key = None if self.key is None else self.key(request)
        if self.key is not None:
            self._account_key(key, now_ps)
        self._units += 1
        self.holders[request if holder is None else holder] = key
        self._held[key] = self._held.get(key, 0) + 1

    def keep(self, request: Request, unit: TimedUnit) -> None:
        """The unit of a request is held by itself from now on."""
        self.holders = {
            (unit if holder is request else holder): key for holder, key in self.holders.items()
        }

    def release(self, holder: Request | TimedUnit, now_ps: int) -> None:
        """Takes the unit of a holder back; `ResourceError` if it holds none."""
        if holder not in self.holders:
            raise ResourceError(f"{self.name}: request {holder.sequence} holds no unit")
        self._account(now_ps)
        self._units -= 1
        key = self.holders.pop(holder)
        if self.key is not None:
            self._account_key(key, now_ps)
        self._held[key] -= 1
        if not self._held[key]:
            del self._held[key]

    def count_as(
        self, held: int, unit_ps: int, updated_ps: int, keys: Mapping[Hashable, tuple[int, int]]
    ) -> None:
        """Takes over what was counted elsewhere: as if so many units were held since then.

        `keys` gives held units, and units times picoseconds up to then, for each key.
        """
        self._units, self._unit_ps, self._updated_ps = held, unit_ps, updated_ps
        for key, (held_of_key, unit_ps_of_key) in keys.items():
            self._held[key] = held_of_key
            self._of_key[key] = unit_ps_of_key, updated_ps

    def unit_ps(self, now_ps: int) -> int:
        """Held units times picoseconds, up to now."""
        self._account(now_ps)
        return self._unit_ps

    def most_unit_ps(self, now_ps: int) -> int:
        """The same of the key of which units are held most; without keys, of all."""
        if self.key is None:
            return self.unit_ps(now_ps)
        for key in self._of_key:
            self._account_key(key, now_ps)
        return max((unit_ps for unit_ps, _ in self._of_key.values()), default=0)

    def _account_key(self, key: Hashable, now_ps: int) -> None:
        unit_ps, updated_ps = self._of_key.get(key, (0, now_ps))
        self._of_key[key] = unit_ps + self._held.get(key, 0) * (now_ps - updated_ps), now_ps

    def _account(self, now_ps: int) -> None:
        self._unit_ps += self._units * (now_ps - self._updated_ps)
        self._updated_ps = now_ps
