"""Station: one stage of a path at work, with its channel, its places and its clock."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from emu.channel import Channel
from emu.request import Request
from emu.resource import Pool
from emu.stage import StageError
from emu.time import Clock, Cycles, Duration, Picoseconds


class Station:
    """The state of one stage; the kernel alone changes it.

    A plain delay has none of it: no channel, no places, no order. Any other station accepts from
    its channel one request after another, at least `busy` apart (see `Hop`), on its clock's edges
    if it has one, into `depth` places, and lets them leave in the order of acceptance.
    """

    __slots__ = (
        "blocked",
        "candidates",
        "channel",
        "clock",
        "contested",
        "depth",
        "edge",
        "first_ps",
        "free_edge",
        "free_ps",
        "index",
        "inside",
        "name",
        "plain",
        "pools",
        "ranks",
        "refill_ps",
        "refills_at_edge",
        "touched",
        "unbounded",
        "wake_ps",
    )

    def __init__(
        self,
        index: int,
        name: str,
        *,
        plain: bool,
        clock: Clock | None,
        channel: Channel,
        depth: int | None,
        refills_at_edge: bool,
        pools: tuple[Pool, ...],
    ) -> None:
        self.index = index
        self.name = name
        self.plain = plain
        #: The clock whose edges bind this station; `None` where time alone does.
        self.clock = clock
        self.channel = channel
        self.depth = depth
        self.refills_at_edge = refills_at_edge
        self.pools = pools
        #: Whether interval and clock alone decide when it accepts what is in its channel.
        self.unbounded = (
            depth is None and not pools and channel.capacity is None and channel.clock is None
        )
        #: The table's arbitration: station to its rank among those that send here.
        self.ranks: dict[Station, int] = {}
        self.inside: deque[Request] = deque()
        #: When the places that became free, and can't be taken yet, can be.
        self.refill_ps: deque[int] = deque()
        #: The next acceptance is not before this time, and on a clock not before this edge.
        self.free_ps = 0
        self.free_edge = 0
        #: The edge of the present instant, once `earliest` has found it to be one.
        self.edge = 0
        #: Since when the present first of the channel has been first, if it had arrived then.
        self.first_ps = 0
        #: Requests that are finished elsewhere and want to enter the channel.
        self.candidates: list[Request] = []
        self.contested = False
        #: When the kernel looks at this station next by itself; -1 for never.
        self.wake_ps = -1
        #: `(since when, which resource is exhausted)`, one entry a change; empty text for none.
        self.blocked: list[tuple[int, str]] = []
        self.touched = False

    def earliest(self, now_ps: int) -> int:
        """The first time from now on that interval and clock allow; on a clock, sets `edge`."""
        clock = self.clock
        if clock is None:
            return now_ps if now_ps > self.free_ps else self.free_ps
        edge = clock.edge_at_or_after(now_ps)
        if edge < self.free_edge:
            edge = self.free_edge
        self.edge = edge
        return clock.edge(edge)

    def span(self, duration: Duration) -> int:
        """Picoseconds in what a stage adds: time if it has no clock, else cycles of its clock."""
        clock = self.clock
        if clock is None and isinstance(duration, Picoseconds):
            return duration.count
        if clock is not None and isinstance(duration, Cycles):
            return clock.span(duration)
        raise StageError(
            f"stage {self.name} adds {duration} to a request; expected "
            + ("time, since it has no clock" if clock is None else f"cycles of {clock.name}")
        )

    def has_place(self, now_ps: int) -> bool:
        """Whether one more request can be inside."""
        if self.depth is None:
            return True
        refill_ps = self.refill_ps
        while refill_ps and refill_ps[0] <= now_ps:
            refill_ps.popleft()
        return len(self.inside) + len(refill_ps) < self.depth

    def exhausted(self, now_ps: int) -> str:
        """The first resource that holds up every request here, by name; empty for none."""
        for pool in self.pools:
            if pool.is_exhausted:
                return pool.name
        return "" if self.has_place(now_ps) else f"{self.name}.depth"

    def blocked_spans(self, until_ps: int) -> Iterator[tuple[int, int, str]]:
        """The spans in which a resource was exhausted, up to `until_ps`."""
        blocked = self.blocked
        for index, (start_ps, name) in enumerate(blocked):
            if name:
                end_ps = blocked[index + 1][0] if index + 1 < len(blocked) else until_ps
                yield start_ps, end_ps, name
