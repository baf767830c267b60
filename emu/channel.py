"""Channel: the bounded ready/valid queue in front of a stage."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from emu.errors import EmuError
from emu.time import Clock

if TYPE_CHECKING:
    from emu.request import Request


class ChannelError(EmuError):
    """A channel used against its rules."""


class Channel:
    """A queue of stated capacity between two stages, first in first out.

    1. `capacity` is how many requests can wait; `None` is unlimited.
    2. A bypass channel adds nothing: what is put at an instant can be taken in that instant, and
       a place that became free can be filled in that instant.
    3. A registered channel has a clock, that of the stage behind it. What is put can be taken
       from the next edge after that instant on, and so can a place that became free be filled.
    4. `put` on a full channel, and `take` where nothing can be taken, is a `ChannelError`.
    """

    __slots__ = ("_filled_ps", "_freed_ps", "capacity", "clock", "name", "requests")

    def __init__(self, name: str, capacity: int | None, clock: Clock | None = None) -> None:
        self.name = name
        self.capacity = capacity
        #: The clock of a registered channel; `None` makes it a bypass.
        self.clock = clock
        self.requests: deque[Request] = deque()
        # Rule 3: the edges from which each waiting request can be taken, each free place filled.
        self._filled_ps: deque[int] = deque()
        self._freed_ps: deque[int] = deque()

    def __len__(self) -> int:
        return len(self.requests)

    def free_places(self, now_ps: int) -> int | None:
        """How many more requests can be put now; `None` for any number."""
        if self.capacity is None:
            return None
        freed_ps = self._freed_ps
        while freed_ps and freed_ps[0] <= now_ps:
            freed_ps.popleft()
        return self.capacity - len(self.requests) - len(freed_ps)

    def head(self, now_ps: int) -> Request | None:
        """The request that can be taken now, if there is one."""
        if not self.requests or (self.clock is not None and self._filled_ps[0] > now_ps):
            return None
        return self.requests[0]

    def put(self, request: Request, now_ps: int) -> None:
        """Adds a request at the end."""
        if self.free_places(now_ps) == 0:
            raise ChannelError(
                f"{self.name}: put of request {request.sequence} at {now_ps} ps, and all "
                f"{self.capacity} places are taken"
            )
        self.requests.append(request)
        if self.clock is not None:
            self._filled_ps.append(self.clock.edge(self.clock.edge_after(now_ps)))

    def take(self, now_ps: int) -> Request:
        """Removes the first request."""
        if self.head(now_ps) is None:
            raise ChannelError(f"{self.name}: take at {now_ps} ps, and no request can be taken")
        if self.clock is not None:
            self._filled_ps.popleft()
            if self.capacity is not None:
                self._freed_ps.append(self.clock.edge(self.clock.edge_after(now_ps)))
        return self.requests.popleft()

    def next_change(self, now_ps: int) -> int | None:
        """When a registered channel's first request or next free place comes; `None` if neither."""
        times = [queue[0] for queue in (self._filled_ps, self._freed_ps) if queue]
        later = [time_ps for time_ps in times if time_ps > now_ps]
        return min(later) if later else None
