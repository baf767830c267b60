"""Station: one stage of a path at work, with its channel, its places and its clock."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Hashable, Iterable
from fractions import Fraction
from typing import Literal

from emu.actor import Actor, Port
from emu.blocked import BlockedLane
from emu.channel import Channel
from emu.errors import EmuError, listed
from emu.plan import Hop
from emu.request import Request
from emu.resource import Pool
from emu.stage_errors import pass_on
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
        "counts_places",
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
        "place_ps",
        "plain",
        "pools",
        "port",
        "ranks",
        "refill_ps",
        "refills_at_edge",
        "resumed_edge",
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
        #: Whether a request takes a place as it enters.
        self.counts_places = depth is not None and actor is None
        #: Places taken: one for each request or batch.
        self.taken = 0
        #: When places became free, all added up, less when they were taken.
        self.place_ps = 0
        #: When the places that became free, and can't be taken yet, can be.
        self.refill_ps: deque[int] = deque()
        #: The next acceptance is not before this time, and on a clock not before this edge.
        self.free_ps = 0
        self.free_edge = 0
        #: The edge of the last acceptance that came later than it could have.
        self.resumed_edge = 0
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
        if self.edge > self.free_edge:
            self.resumed_edge = self.edge
        self.free_edge = self.edge + busy
        return clock.edge(self.edge + latency)

    def can_enter(self, request: Request, now_ps: int) -> bool:
        """Whether there is room for one more request here, in the channel or at the actor."""
        if self.actor is not None:
            self.port.now_ps = now_ps
            try:
                return self.actor.has_room(request)
            except Exception as error:
                pass_on(error, self.name, "has_room", request, now_ps)
        return self.channel.free_places(now_ps) != 0

    def enter(self, request: Request, hop: Hop, now_ps: int) -> None:
        """The request, and those accepted together with it, take a place inside.

        An actor's are on their way out by then; one that has places has called `take_place`.
        """
        if self.counts_places:
            # As `take_place`: a call for each request would be felt.
            self.taken += 1
            self.place_ps -= now_ps
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
        if self.depth is None:
            return False
        self.taken -= 1
        if self.refills_at_edge and self.clock is not None:
            now_ps = self.clock.edge(self.clock.edge_after(now_ps))
            self.refill_ps.append(now_ps)
        self.place_ps += now_ps
        return True

    def take_place(self, now_ps: int) -> None:
        """A place inside is taken."""
        self.taken += 1
        self.place_ps -= now_ps

    def span(self, duration: Duration) -> int:
        """Picoseconds in what a stage adds; -1 where that is not as `expected_span` says."""
        clock = self.clock
        if clock is None:
            if isinstance(duration, Picoseconds):
                count = duration.count
                return count if type(count) is int else -1
        elif isinstance(duration, Cycles) and type(duration.count) is int:
            return clock.span(duration)
        return -1

    @property
    def expected_span(self) -> str:
        """What a stage may add: time if it has no clock, else cycles of its clock."""
        if self.clock is None:
            return "whole Picoseconds from 0 on, since it has no clock"
        return f"whole Cycles of {self.clock.name} from 0 on"

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

    def busy_ps(self, now_ps: int) -> int:
        """How long it has kept others out up to now.

        Where all is known ahead, some of its acceptances lie ahead, and come one right after
        the other: only before the first of these can there be a wait for an edge.
        """
        clock = self.clock
        if clock is None:
            return self.busy - max(0, self.free_ps - now_ps)
        # Exactly, as cycles are not whole picoseconds: how far ahead acceptances are known must
        # not show.
        period_ps = clock.period_ps
        ahead_ps = clock.phase_ps + self.free_edge * period_ps - now_ps
        ahead_ps = min(ahead_ps, (self.free_edge - self.resumed_edge) * period_ps)
        return max(0, math.floor(self.busy * period_ps - max(Fraction(0), ahead_ps)))

    def all_busy_ps(self) -> Fraction:
        """The same of all acceptances, those that lie ahead as well, exactly."""
        return Fraction(self.busy) if self.clock is None else self.busy * self.clock.period_ps

    def taken_ps(self, now_ps: int) -> int:
        """Places taken times picoseconds up to now; a place counts until it can be taken again."""
        ahead_ps = sum(refill_ps - now_ps for refill_ps in self.refill_ps if refill_ps > now_ps)
        return self.place_ps + self.taken * now_ps - ahead_ps


def step_clock(stations: Iterable[Station], clock: object) -> Clock:
    """The clock of a step: the one that is given, or else the only one whose edges bind stations.

    `EmuError` without one, and for what is no clock.
    """
    if isinstance(clock, Clock):
        return clock
    clocks = list(dict.fromkeys(one.clock for one in stations if one.clock is not None))
    if clock is None and len(clocks) == 1:
        return clocks[0]
    said = "without a clock" if clock is None else f"by {clock!r}"
    expected = "a Clock of your own"
    if clocks:
        name = clocks[0].name
        expected = f"a Clock, as table.clocks['{name}'], one of {listed(c.name for c in clocks)}"
    raise EmuError(f"step {said}, and the path has {len(clocks)}; expected {expected}")
