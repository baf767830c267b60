"""Station: one stage of a path at work, with its channel, its places and its clock."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable
from typing import Literal

from emu.actor import Actor, Port
from emu.blocked import BlockedLane
from emu.channel import Channel
from emu.errors import EmuError, listed
from emu.plan import Hop
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
        "accepted",
        "actor",
        "batch",
        "blocked",
        "busy",
        "can_be_blocked",
        "candidates",
        "channel",
        "chooses",
        "clock",
        "contested",
        "depth",
        "edge",
        "first_ps",
        "free_edge",
        "free_ps",
        "index",
        "inside",
        "is_link",
        "is_ordered",
        "name",
        "overflow",
        "plain",
        "pools",
        "port",
        "ranks",
        "refill_ps",
        "refills_at_edge",
        "taken",
        "touched",
        "unbounded",
        "wake_ps",
    )

    def __init__(
        self,
        name: str,
        *,
        plain: bool = False,
        clock: Clock | None = None,
        channel: Channel | None = None,
        depth: int | None = None,
        refills_at_edge: bool = False,
        pools: tuple[Pool, ...] = (),
        batch: int | None = 1,
        overflow: Literal["hold", "drop", "error"] = "hold",
        is_link: bool = False,
        actor: Actor | None = None,
    ) -> None:
        self.name = name
        #: Its place among the stations of a path.
        self.index = 0
        self.plain = plain
        #: The clock whose edges bind this station; `None` where time alone does.
        self.clock = clock
        self.channel = channel if channel is not None else Channel(name, None)
        self.depth = depth
        self.refills_at_edge = refills_at_edge
        self.pools = pools
        #: How many of those that wait it accepts together; `None` for all.
        self.batch = batch
        #: What happens to what does not fit into the channel.
        self.overflow = overflow
        #: Whether this is a link that stages share: waiting for it is charged to it by name.
        self.is_link = is_link
        #: A stage that keeps requests by its own rules; it then does all but the way out.
        self.actor = actor
        self.port = Port(name, clock)
        #: Whether there is a resource that can hold it up.
        self.can_be_blocked = depth is not None or bool(pools)
        #: Whether it matters who else comes in the instant in which it accepts.
        self.chooses = bool(pools) or batch != 1 or self.channel.lane_of is not None
        #: Whether interval and clock alone decide when it accepts what is in its channel.
        self.unbounded = (
            depth is None
            and not pools
            and batch == 1
            and actor is None
            and self.channel.capacity is None
            and self.channel.clock is None
            and self.channel.lane_of is None
        )
        #: Whether requests leave in the order in which it accepted them.
        self.is_ordered = not (plain or is_link)
        #: The table's arbitration: the entry that a request comes from to its rank.
        self.ranks: dict[int, int] = {}
        self.inside: deque[Request] = deque()
        #: Places taken: one for each request or batch.
        self.taken = 0
        #: When the places that became free, and can't be taken yet, can be.
        self.refill_ps: deque[int] = deque()
        #: The next acceptance is not before this time, and on a clock not before this edge.
        self.free_ps = 0
        self.free_edge = 0
        #: The edge of the present instant, once `earliest` has found it to be one.
        self.edge = 0
        #: When it accepted last: since then the present first of a lane may be first in it.
        self.first_ps = 0
        #: Acceptances so far, and how long they keep others out: picoseconds, on a clock cycles.
        self.accepted = 0
        self.busy = 0
        #: Requests that are finished elsewhere and want to enter the channel.
        self.candidates: list[Request] = []
        self.contested = False
        #: When the kernel looks at this station next by itself; -1 for never.
        self.wake_ps = -1
        #: For each lane in which requests wait, which resource held it up for how long.
        self.blocked: dict[Hashable, BlockedLane] = {}
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

    def begin(self, at_ps: int, busy: int, latency: int) -> int:
        """Accepts at `at_ps`, for which `edge` stands; gives the time at which that is over.

        On a clock `busy` and `latency` are cycles, else picoseconds.
        """
        self.accepted += 1
        self.busy += busy
        clock = self.clock
        if clock is None:
            self.free_ps = at_ps + busy
            return at_ps + latency
        self.free_edge = self.edge + busy
        return clock.edge(self.edge + latency)

    def can_enter(self, request: Request, now_ps: int) -> bool:
        """Whether there is room for one more request here, in the channel or at the actor."""
        if self.actor is not None:
            self.port.now_ps = now_ps
            return self.actor.has_room(request)
        return self.channel.free_places(now_ps) != 0

    def enter(self, request: Request, hop: Hop) -> None:
        """The request, and those accepted together with it, take a place inside."""
        self.taken += 1
        self.inside.append(request)
        if request.riders and hop.ends_batch:
            self.inside.extend(request.riders)
            request.sharing = [1 + len(request.riders)]
            for rider in request.riders:
                rider.sharing = request.sharing

    def leave(self, request: Request, now_ps: int) -> bool:
        """The first inside leaves; whether a place becomes free, as all of its batch have left.

        With `refills_at_edge` the place can be taken from the last of `refill_ps` on.
        """
        self.inside.popleft()
        request.finished = False
        sharing, request.sharing = request.sharing, None
        if sharing is not None:
            sharing[0] -= 1
            if sharing[0]:
                return False
        self.taken -= 1
        if self.depth is None:
            return False
        if self.refills_at_edge and self.clock is not None:
            self.refill_ps.append(self.clock.edge(self.clock.edge_after(now_ps)))
        return True

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
        return self.taken + len(refill_ps) < self.depth

    def exhausted(self, request: Request, now_ps: int) -> str:
        """The first resource that holds up a request here, by name; empty for none."""
        for pool in self.pools:
            if pool in request.plan.hops[request.hop].takes and pool.is_exhausted(request):
                return pool.name
        return "" if self.has_place(now_ps) else f"{self.name}.depth"

    def watch(self, request: Request, now_ps: int) -> None:
        """The request has come into the channel of a station that a resource can hold up."""
        request.blocked_before = self.lane(request).so_far(now_ps)

    def note_blocked(self, now_ps: int) -> None:
        """Remembers from when on which resource holds up which lane."""
        lanes = self.channel.lanes()
        for key in [key for key in self.blocked if key not in lanes]:
            del self.blocked[key]
        for key, waiting in lanes.items():
            self.blocked[key].note(now_ps, self.exhausted(waiting[0], now_ps))

    def lane(self, request: Request) -> BlockedLane:
        """The history of the request's lane."""
        lane_of = self.channel.lane_of
        key = None if lane_of is None else lane_of(request)
        lane = self.blocked.get(key)
        if lane is None:
            lane = self.blocked[key] = BlockedLane()
        return lane

    def busy_ps(self) -> int:
        """How long its acceptances so far keep others out."""
        return self.busy if self.clock is None else self.clock.span(Cycles(self.busy))


def only_clock(stations: Iterable[Station]) -> Clock:
    """The one clock whose edges bind stations; `EmuError` if there are more, or none."""
    clocks = list(dict.fromkeys(one.clock for one in stations if one.clock is not None))
    if len(clocks) != 1:
        raise EmuError(
            f"step() without a clock, and the path has {len(clocks)}; expected the clock's name, "
            f"one of {listed(clock.name for clock in clocks)}"
        )
    return clocks[0]
