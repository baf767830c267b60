"""Channel: the bounded ready/valid queue in front of a stage."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Mapping
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
    4. `put` on a full channel, and `take` of what can't be taken, is a `ChannelError`.
    5. With a `lane_of` it is a queue for each lane, all within the one capacity: first in first
       out in a lane, and a lane whose first is held up holds up no other. Lanes are served in
       turn, or without `turns` the longest waiting first.
    6. `behind` names lanes that keep behind another: what came into the one goes only once all
       that came before it into the other have gone; in one instant the sequence number says what
       came before.
    """

    __slots__ = (
        "_freed_ps",
        "_lanes",
        "_served",
        "_turn",
        "_visible_ps",
        "behind",
        "capacity",
        "clock",
        "lane_of",
        "name",
        "turns",
        "waiting",
    )

    def __init__(
        self,
        name: str,
        capacity: int | None,
        clock: Clock | None = None,
        lane_of: Callable[[Request], Hashable] | None = None,
        *,
        turns: bool = False,
        behind: Mapping[Hashable, Hashable] | None = None,
    ) -> None:
        self.name = name
        self.capacity = capacity
        #: The clock of a registered channel; `None` makes it a bypass.
        self.clock = clock
        self.lane_of = lane_of
        self.turns = turns
        self.behind = behind
        #: How many requests are in the channel.
        self.waiting = 0
        # Of a channel with turns, when each lane was served last.
        self._served: dict[Hashable, int] = {}
        self._turn = 0
        self._lanes: dict[Hashable, deque[Request]] = {}
        # Rule 3: from when on each waiting request can be taken, each free place filled.
        self._visible_ps: dict[Request, int] = {}
        self._freed_ps: deque[int] = deque()

    def free_places(self, now_ps: int) -> int | None:
        """How many more requests can be put now; `None` for any number."""
        if self.capacity is None:
            return None
        freed_ps = self._freed_ps
        while freed_ps and freed_ps[0] <= now_ps:
            freed_ps.popleft()
        return self.capacity - self.waiting - len(freed_ps)

    def heads(self, now_ps: int) -> list[Request]:
        """The first request of each lane, if it can be taken now, in the order of preference."""
        heads = [lane[0] for lane in self._lanes.values()]
        if self.clock is not None:
            heads = [request for request in heads if self._visible_ps[request] <= now_ps]
        if self.behind and len(heads) > 1:
            heads = [request for request in heads if not self._is_behind(request)]
        if len(heads) > 1:
            heads.sort(key=self._by_turns if self.turns else waiting_longest)
        return heads

    def _is_behind(self, request: Request) -> bool:
        """Whether one that came before it is still there, in the lane behind which it keeps."""
        assert self.behind is not None  # asked by the caller
        assert self.lane_of is not None  # there are lanes
        other = self._lanes.get(self.behind.get(self.lane_of(request)))
        return other is not None and waiting_longest(other[0]) < waiting_longest(request)

    def _by_turns(self, request: Request) -> tuple[int, int, int]:
        """Sorts by when the request's lane was served last, and then by who waits longest."""
        lane = None if self.lane_of is None else self.lane_of(request)
        return (self._served.get(lane, -1), *waiting_longest(request))

    def lanes(self) -> dict[Hashable, deque[Request]]:
        """The lanes in which requests wait."""
        return self._lanes

    def first_of_lane(self, request: Request, now_ps: int) -> Request | None:
        """The first request of the lane that this one was in, if it can be taken now."""
        queue = self._lanes.get(None if self.lane_of is None else self.lane_of(request))
        if not queue or self._visible_ps.get(queue[0], now_ps) > now_ps:
            return None
        return queue[0]

    def requests(self) -> list[Request]:
        """All that wait, lane by lane."""
        return [request for lane in self._lanes.values() for request in lane]

    def put(self, request: Request, now_ps: int) -> None:
        """Adds a request at the end of its lane."""
        if self.free_places(now_ps) == 0:
            raise ChannelError(
                f"{self.name}: put of request {request.sequence} at {now_ps} ps, and all "
                f"{self.capacity} places are taken"
            )
        lane = None if self.lane_of is None else self.lane_of(request)
        queue = self._lanes.get(lane)
        if queue is None:
            self._lanes[lane] = queue = deque()
        queue.append(request)
        self.waiting += 1
        if self.clock is not None:
            self._visible_ps[request] = self.clock.edge(self.clock.edge_after(now_ps))

    def take(self, request: Request, now_ps: int) -> None:
        """Removes a request that is the first of its lane."""
        lane = None if self.lane_of is None else self.lane_of(request)
        queue = self._lanes.get(lane)
        if (
            queue is None
            or queue[0] is not request
            or self._visible_ps.get(request, now_ps) > now_ps
        ):
            raise ChannelError(
                f"{self.name}: take of request {request.sequence} at {now_ps} ps, and it can't be "
                "taken"
            )
        queue.popleft()
        self.waiting -= 1
        if not queue:
            del self._lanes[lane]
        if self.turns:
            self._turn += 1
            self._served[lane] = self._turn
        if self.clock is not None:
            del self._visible_ps[request]
            if self.capacity is not None:
                self._freed_ps.append(self.clock.edge(self.clock.edge_after(now_ps)))

    def next_change(self, now_ps: int) -> int | None:
        """When a registered channel's next request or free place comes; `None` if neither."""
        if self.clock is None:
            return None
        times = (*self._visible_ps.values(), *self._freed_ps)
        return min((time_ps for time_ps in times if time_ps > now_ps), default=None)


def waiting_longest(request: Request) -> tuple[int, int]:
    """Sorts by who has waited longest, then by sequence number."""
    return request.arrived_ps, request.sequence
