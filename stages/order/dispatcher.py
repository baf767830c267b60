"""Dispatcher: an actor with several lanes and one way out."""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_left
from fractions import Fraction
from functools import partial
from typing import Annotated, Literal

from pydantic import Field

from emu.actor import Actor, Parts, Port
from emu.parts import ALIGNMENT, ARBITRATION, BACKPRESSURE, INTERVAL, ORDERING, SERVICE
from emu.plan import Hop
from emu.request import Request
from emu.stage import parameters
from emu.table.fields import BytesField, CountField, DurationField, TextField
from emu.time import Clock, Cycles
from stages.order.lane import Lane, Stopwatch, Waiting
from stages.order.turns import RoundRobin, Scan

#: What counts the time of a stage without a clock: each picosecond is an edge.
NO_CLOCK = Clock("", Fraction(1))


FlitField = Annotated[
    BytesField | None, Field(gt=0, description="bytes of a flit; a request is one without")
]
UntilField = Annotated[
    TextField | None,
    Field(
        description="the stage that a request has left when it is answered; without it, answers "
        "come from outside"
    ),
]


@parameters
class Dispatch:
    """How lanes take turns, and what the way out takes."""

    pick: Annotated[
        Literal["scan", "round_robin"],
        Field(
            description="scan: one queue is looked at in each cycle, ready or not; round_robin: "
            "the next one that is ready"
        ),
    ]
    queues: Annotated[
        CountField,
        Field(description="an initiator's is its number modulo so many; unlimited: one for each"),
    ]
    latency: Annotated[DurationField, Field(description="from the choice to the next stage")]
    interval: Annotated[DurationField, Field(description="between two flits, and so two choices")]

    def __post_init__(self) -> None:
        if self.pick == "scan" and self.queues is None:
            raise ValueError("a scan of unlimited queues never comes round; expected a number")
        if self.pick == "scan" and self.interval != Cycles(1):
            raise ValueError(
                f"a scan looks at a queue in each cycle; expected an interval of 1 cycle, and not "
                f"{self.interval}"
            )


class Dispatcher(Actor):
    """Keeps requests in lanes, and lets one after the other go, as order and turns allow.

    On a clock all is decided on edges: of what comes between two the next one is the first to
    know. An edge sees, in this order: one answer, what has come, one choice. A request of several
    flits keeps the way out for as many intervals. What has been let go and can't go on stops the
    next choice.

    A subclass puts what arrives into a lane with `join`, and says what a request waits for in
    `behind`, and what follows from its going in `went`.
    """

    clocked = True

    def __init__(self, parameters: Dispatch) -> None:
        super().__init__(parameters)
        self._queues = parameters.queues
        self._interval = parameters.interval.count
        self._latency = parameters.latency
        self._turns = (
            RoundRobin()
            if parameters.pick == "round_robin" or parameters.queues is None
            else Scan(parameters.queues)
        )
        self._lanes: dict[int, Lane] = {}
        #: The lanes whose first request may go, in order.
        self._ready: list[int] = []
        #: The next choice is not before this edge, and the last was at this time.
        self._free_edge = 0
        self._chosen_ps = 0
        #: The next answer is not taken before this edge.
        self._answer_edge = 0
        #: For which edge an alarm is set.
        self._alarm_edge: int | None = None
        #: Whether what was let go can't go on.
        self._blocked = Stopwatch()

    # -- what a subclass says ---------------------------------------------------------------

    @abstractmethod
    def behind(self, request: Request) -> Request | None:
        """Whom the first request of a lane must wait for; `None` if it may go."""

    def went(self, request: Request, port: Port) -> None:
        """The request has been chosen."""

    @abstractmethod
    def awaits(self, request: Request) -> bool:
        """Whether it waits for the answer to such a request, once it has let it go."""

    @abstractmethod
    def expects(self, request: Request) -> bool:
        """Whether the answer to the request makes a difference."""

    @abstractmethod
    def hear(self, initiator: int, request: Request | None) -> None:
        """An answer is taken: to this request, or to the oldest of the initiator that waits."""

    def lane_held(self, initiator: int) -> int:
        """The lane in which requests of the initiator wait for others."""
        return self.queue_of(initiator)

    # -- what it does for a subclass --------------------------------------------------------

    def queue_of(self, initiator: int) -> int:
        """The number of the initiator's queue."""
        return initiator if self._queues is None else initiator % self._queues

    def join(self, key: int, request: Request, flits: int, port: Port) -> None:
        """The request waits in a lane from now on."""
        now_ps = port.now_ps
        lane = self._lanes.get(key)
        if lane is None:
            lane = self._lanes[key] = Lane()
        ahead = lane.waiting[-1].request if lane.waiting else None
        held_ps, blocked_ps = lane.held.total_ps(now_ps), self._blocked.total_ps(now_ps)
        lane.waiting.append(Waiting(request, flits, held_ps, blocked_ps))
        if ahead is None:
            self.refresh(key, port)
        elif lane.held.is_running:
            port.hold(request, ahead)

    def refresh(self, key: int, port: Port) -> None:
        """The lane's first request, or what it waits for, may be another one now."""
        lane = self._lanes.get(key)
        if lane is None:
            return
        behind = self.behind(lane.first)
        place = bisect_left(self._ready, key)
        is_ready = place < len(self._ready) and self._ready[place] == key
        if is_ready != (behind is None):
            if behind is None:
                self._ready.insert(place, key)
            else:
                del self._ready[place]
        if behind is not None:
            port.hold(lane.first, behind)
        if lane.held.is_running == (behind is None):
            self._set_held(lane, behind is not None, port)

    def consider(self, port: Port) -> None:
        """Chooses when all else of this instant has settled."""
        port.when_settled(partial(self._decide, port))

    def look(self, edge: int, port: Port) -> None:
        """Chooses on this edge, which is now, or sets an alarm for the edge on which it can."""
        while self._ready and not port.blocked:
            at, key = self._turns.first(self._ready, max(edge, self._free_edge))
            if at > edge:
                self.wake(at, port)
                return
            self._serve(key, edge, port)

    def wake(self, edge: int, port: Port) -> None:
        """Looks again on an edge, if not before."""
        if self._alarm_edge is None or edge < self._alarm_edge:
            self._alarm_edge = edge
            port.call_at(clock_of(port).edge(edge), partial(self._ring, edge, port))

    def go(self, waiting: Waiting, lane: Lane | None, edge: int, port: Port) -> None:
        """The request has been chosen on this edge, from a lane or as it came."""
        now_ps = port.now_ps
        request = waiting.request
        leaves_ps = clock_of(port).edge(edge + self._latency.count)
        stay = (*self._waits(waiting, lane, edge, port), (SERVICE, leaves_ps - now_ps))
        parts = tuple((part, time_ps) for part, time_ps in stay if time_ps)
        self._chosen_ps = now_ps
        port.accept(request)
        port.call_at(leaves_ps, partial(self._emit, request, parts, port))
        self.went(request, port)

    # -- what the engine calls --------------------------------------------------------------

    def answered(self, initiator: int, port: Port) -> None:
        """An answer for the initiator has come, from outside of the path."""
        self._take_in_turn(initiator, None, port)

    def passed(self, request: Request, port: Port) -> None:
        """A request has been answered: it has left the stage that is watched, or is lost."""
        if self.expects(request):
            self._take_in_turn(request.initiator, request, port)

    def left(self, request: Request, port: Port) -> None:
        """What was let go has gone on."""
        if not port.blocked:
            self._blocked.set(False, port.now_ps)
            self.consider(port)

    def on_paper(self, request: Request) -> dict[str, int]:
        """Its own time: alone, and at the right moment, nothing is waited for."""
        time_ps = hop_of(request).station.port.span_ps(self._latency)
        return {SERVICE: time_ps} if time_ps else {}

    # -- inside -----------------------------------------------------------------------------

    def _take_in_turn(self, initiator: int, request: Request | None, port: Port) -> None:
        """On a clock an edge takes one answer; the others queue up."""
        clock = clock_of(port)
        edge = max(clock.edge_at_or_after(port.now_ps), self._answer_edge)
        self._answer_edge = edge + (port.clock is not None)
        port.call_at(clock.edge(edge), partial(self._take, initiator, request, port))

    def _take(self, initiator: int, request: Request | None, port: Port) -> None:
        self.hear(initiator, request)
        self.refresh(self.lane_held(initiator), port)
        self.consider(port)

    def _ring(self, edge: int, port: Port) -> None:
        if self._alarm_edge == edge:
            self._alarm_edge = None
        self.consider(port)

    def _decide(self, port: Port) -> None:
        clock = clock_of(port)
        edge = clock.edge_at_or_after(port.now_ps)
        if clock.edge(edge) > port.now_ps:
            self.wake(edge, port)
        else:
            self.look(edge, port)

    def _serve(self, key: int, edge: int, port: Port) -> None:
        lane = self._lanes[key]
        waiting = lane.waiting.popleft()
        if not lane.waiting:
            del self._lanes[key]
            self._ready.remove(key)
        self.go(waiting, lane, edge, port)
        self.refresh(key, port)
        busy = waiting.flits * self._interval
        self._turns.serve(key, edge, busy)
        self._free_edge = edge + busy

    def _emit(self, request: Request, parts: Parts, port: Port) -> None:
        port.emit(request, parts)
        self._blocked.set(True, port.now_ps)

    def _set_held(self, lane: Lane, is_held: bool, port: Port) -> None:
        lane.held.set(is_held, port.now_ps)
        if not is_held:
            lane.released_ps = port.now_ps
            lane.blocked_at_release_ps = self._blocked.total_ps(port.now_ps)
            return
        ahead = lane.first
        for waiting in list(lane.waiting)[1:]:
            port.hold(waiting.request, ahead)
            ahead = waiting.request

    def _waits(self, waiting: Waiting, lane: Lane | None, edge: int, port: Port) -> Parts:
        """What the time between arrival and choice went to.

        Order comes first, and then, as backpressure, the time in which what had been let go could
        not go on. If neither was in the way at the end, the last stretch is the interval after the
        last choice and the way to the next edge, if it was chosen on the first edge that these
        allow. All else is arbitration: others had their turn.
        """
        clock, now_ps = clock_of(port), port.now_ps
        since_ps = waiting.request.arrived_ps
        all_ps = rest_ps = now_ps - since_ps
        if not all_ps:
            return ()
        ordering_ps = 0
        blocked_before_ps = waiting.blocked_before_ps
        if lane is not None:
            ordering_ps = lane.held.total_ps(now_ps) - waiting.held_before_ps
            if lane.released_ps > since_ps:
                since_ps = lane.released_ps
                blocked_before_ps = lane.blocked_at_release_ps
        blocked_ps = self._blocked.total_ps(now_ps) - blocked_before_ps
        rest_ps -= ordering_ps + blocked_ps
        interval_ps = alignment_ps = 0
        since_ps = max(since_ps, self._chosen_ps)
        free_ps = max(since_ps, clock.edge(self._free_edge))
        if edge == max(self._free_edge, clock.edge_at_or_after(since_ps)) and not blocked_ps:
            interval_ps = free_ps - since_ps
            alignment_ps = now_ps - free_ps
        return (
            (ORDERING, ordering_ps),
            (BACKPRESSURE, blocked_ps),
            (ARBITRATION, rest_ps - interval_ps - alignment_ps),
            (INTERVAL, interval_ps),
            (ALIGNMENT, alignment_ps),
        )


def clock_of(port: Port) -> Clock:
    """The stage's clock, or what stands for one."""
    return NO_CLOCK if port.clock is None else port.clock


def hop_of(request: Request) -> Hop:
    """The stage at which the request is."""
    return request.plan.hops[request.hop]


def flits_of(hop: Hop, flit_bytes: int | None) -> int:
    """How many flits a request takes at a stage: one at least, and one where they have no size."""
    return 1 if flit_bytes is None else max(1, -(-hop.message_bytes // flit_bytes))
