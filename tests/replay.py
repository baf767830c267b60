"""Replay: what the handshakes of a run must have been, worked out anew from its events.

Nothing here shares code with the kernel: times come from the listener's events, limits from the
table, and the rules from DESIGN.md. A station is followed by the order of its handshakes, so each
time has one right answer, and an acceptance that comes too late fails like one too early.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from emu.breakdown import of_request
from emu.plan import Hop
from emu.request import Request
from emu.stage import Served
from emu.table.schema import Entry, Pool, Table
from emu.time import Clock
from emu.trace.events import Kind
from tests.build import Post, Run


@dataclass
class Visit:
    """One request at one stage."""

    request: Request
    index: int
    hop: Hop
    times_ps: dict[Kind, int] = field(default_factory=dict)

    @property
    def arrived_ps(self) -> int:
        return self.times_ps[Kind.ARRIVED]

    @property
    def accepted_ps(self) -> int:
        return self.times_ps[Kind.ACCEPTED]

    @property
    def emitted_ps(self) -> int:
        return self.times_ps[Kind.EMITTED]

    @property
    def left_ps(self) -> int:
        return self.times_ps[Kind.LEFT]

    def __str__(self) -> str:
        return f"request {self.request.sequence} at {self.hop.name}"


class Replay:
    """The visits of a run, made here with a listener and a probe at each stage."""

    def __init__(self, source: Table, load: list[Post]) -> None:
        self.run = run = Run(source, load)
        # Events of one instant come by request, so only a probe knows who was accepted first.
        accepted: dict[str, list[int]] = {entry.name: [] for entry in source.entries}
        self._serve = {}
        for hop in {id(hop): hop for r in run.requests for hop in r.plan.hops}.values():
            self._serve[hop.name] = hop.serve
            hop.serve = _probe(accepted[hop.name], hop.serve)
        run.finish()
        self.entries = {entry.name: entry for entry in source.entries}
        self.visits: dict[int, list[Visit]] = {}
        for request in run.requests:
            hops = request.plan.hops
            visits = [Visit(request, index, hop) for index, hop in enumerate(hops)]
            self.visits[request.sequence] = visits
        for event in run.events:
            if event.stage:
                visit = self._visit(event.request, event.stage)
                assert event.kind not in visit.times_ps, f"{visit}: {event.kind} twice"
                visit.times_ps[event.kind] = event.time_ps
        #: The visits of a stage, in the order in which they were accepted.
        self.at = {
            name: [self._visit(number, name) for number in numbers]
            for name, numbers in accepted.items()
        }

    def _visit(self, number: int, stage: str) -> Visit:
        return next(visit for visit in self.visits[number] if visit.hop.name == stage)

    # -- a request's way ----------------------------------------------------------------------

    def check_way(self) -> None:
        """Each request: submitted once, through the stages of its plan, and completed once."""
        run = self.run
        assert [event.time_ps for event in run.events] == sorted(e.time_ps for e in run.events)
        ends = [e.request for e in run.events if e.kind is Kind.COMPLETED]
        assert sorted(ends) == [request.sequence for request in run.requests]
        starts = [e.request for e in run.events if e.kind is Kind.SUBMITTED]
        assert sorted(starts) == sorted(ends)
        assert len(run.completed) == len(run.requests)
        assert not run.kernel.inside
        for request in run.requests:
            at_ps = request.submitted_ps
            for visit in self.visits[request.sequence]:
                assert at_ps == visit.arrived_ps or (visit.index == 0 and at_ps < visit.arrived_ps)
                assert visit.arrived_ps <= visit.accepted_ps <= visit.emitted_ps <= visit.left_ps
                at_ps = visit.left_ps
            assert at_ps == request.completed_ps

    def check_parts(self) -> None:
        """Parts sum to the latency, and at each stage to the time from arrival to leaving."""
        for request in self.run.requests:
            hops = of_request(request)
            assert sum(sum(parts.values()) for parts in hops) == request.latency_ps
            for visit, parts in zip(self.visits[request.sequence], hops, strict=True):
                since_ps = request.submitted_ps if visit.index == 0 else visit.arrived_ps
                assert sum(parts.values()) == visit.left_ps - since_ps, str(visit)
                for part, time_ps in parts.items():
                    assert time_ps > 0 or part == "rounding", f"{visit}: {part} {time_ps}"

    # -- handshakes ---------------------------------------------------------------------------

    def check_handshakes(self) -> None:
        """Every acceptance, emission and leaving at its one right time."""
        for name, queue in self.at.items():
            entry = self.entries[name]
            if entry.is_plain_delay:
                for visit in queue:
                    assert visit.accepted_ps == visit.arrived_ps, str(visit)
            else:
                for position, visit in enumerate(queue):
                    expected_ps = self._acceptance_ps(entry, queue, position)
                    assert visit.accepted_ps == expected_ps, str(visit)
        for visits in self.visits.values():
            for visit in visits:
                assert visit.emitted_ps == self._emission_ps(visit), str(visit)
                assert visit.left_ps == self._leaving_ps(visit), str(visit)
            first = visits[0]
            submitted_ps = first.request.submitted_ps
            assert first.arrived_ps == max(submitted_ps, self._place_ps(first)), str(first)

    def _acceptance_ps(self, entry: Entry, queue: list[Visit], position: int) -> int:
        visit = queue[position]
        clock = edges_of(visit)
        earliest_ps = visit.arrived_ps
        if entry.channel == "registered":
            assert clock is not None
            earliest_ps = next_edge(clock, earliest_ps)
        if position:
            earliest_ps = max(earliest_ps, free_ps(queue[position - 1]))
        if entry.depth is not None and position >= entry.depth:
            earliest_ps = max(earliest_ps, self._place_inside_ps(queue[position - entry.depth]))
        for pool in visit.hop.takes:
            holds = [hold for hold in self.holds(pool.name) if hold[2] is not visit]
            earlier = [hold for hold in holds if self._before(hold[2], visit)]
            if pool.capacity is not None and len(earlier) >= pool.capacity:
                freed = sorted(until_ps for _, until_ps, _ in earlier)
                earliest_ps = max(earliest_ps, freed[len(earlier) - pool.capacity])
        return earliest_ps if clock is None else clock.edge(clock.edge_at_or_after(earliest_ps))

    def _before(self, one: Visit, other: Visit) -> bool:
        """Both took from one pool, which a random table lets only one stage do."""
        queue = self.at[other.hop.name]
        return queue.index(one) < queue.index(other)

    def _place_inside_ps(self, visit: Visit) -> int:
        if self.entries[visit.hop.name].refill == "at_once":
            return visit.left_ps
        clock = edges_of(visit)
        assert clock is not None
        return next_edge(clock, visit.left_ps)

    def _emission_ps(self, visit: Visit) -> int:
        clock = edges_of(visit)
        extra = self._extra(visit)
        if clock is None:
            return visit.accepted_ps + visit.hop.latency + extra
        edge = clock.edge_at_or_after(visit.accepted_ps)
        return clock.edge(edge + visit.hop.latency + extra)

    def _extra(self, visit: Visit) -> int:
        """What the stage itself added, asked again; the stages of random paths remember nothing."""
        serve = self._serve[visit.hop.name]
        served = None if serve is None else serve(visit.request, 0)
        return sum(duration.count for _, duration in served.parts) if served else 0

    def _leaving_ps(self, visit: Visit) -> int:
        leaves_ps = visit.emitted_ps
        if not self.entries[visit.hop.name].is_plain_delay:
            queue = self.at[visit.hop.name]
            position = queue.index(visit)
            if position:
                leaves_ps = max(leaves_ps, queue[position - 1].left_ps)
        visits = self.visits[visit.request.sequence]
        if visit.index + 1 < len(visits):
            leaves_ps = max(leaves_ps, self._place_ps(visits[visit.index + 1]))
        return leaves_ps

    def _place_ps(self, visit: Visit) -> int:
        """When the place became free that this request took in the channel."""
        entry = self.entries[visit.hop.name]
        queue = self.at[visit.hop.name]
        if entry.is_plain_delay or entry.queue is None or queue.index(visit) < entry.queue:
            return 0
        taken = queue[queue.index(visit) - entry.queue]
        if entry.channel == "bypass":
            return taken.accepted_ps
        clock = edges_of(taken)
        assert clock is not None
        return next_edge(clock, taken.accepted_ps)

    # -- limits -------------------------------------------------------------------------------

    def check_limits(self) -> None:
        """At no instant more in a channel, inside, or of a pool's units than there are."""
        for name, queue in self.at.items():
            entry = self.entries[name]
            if entry.is_plain_delay:
                continue
            waiting = [(visit.arrived_ps, visit.accepted_ps) for visit in queue]
            inside = [(visit.accepted_ps, visit.left_ps) for visit in queue]
            assert entry.queue is None or most_at_once(waiting) <= entry.queue
            assert entry.depth is None or most_at_once(inside) <= entry.depth
            accepted_ps = [visit.accepted_ps for visit in queue]
            assert accepted_ps == sorted(accepted_ps)
            left_ps = [visit.left_ps for visit in queue]
            assert left_ps == sorted(left_ps), f"{name} keeps order"
            arrived_ps = [visit.arrived_ps for visit in queue]
            assert arrived_ps == sorted(arrived_ps), f"{name} is first in, first out"
            for before, after in itertools.pairwise(queue):
                assert free_ps(before) <= after.accepted_ps, f"{name} keeps its interval"
        for name, pool in self.run.path.table.head.resources.items():
            assert isinstance(pool, Pool)
            held = [(from_ps, until_ps) for from_ps, until_ps, _ in self.holds(name)]
            assert pool.capacity is None or most_at_once(held) <= pool.capacity

    def holds(self, pool: str) -> list[tuple[int, int, Visit]]:
        """Who held a unit from when to when, as the table says: until the last stage up to its."""
        order = {name: index for index, name in enumerate(self.entries)}
        found = []
        for visits in self.visits.values():
            for visit in visits:
                for use in self.entries[visit.hop.name].timing.uses or ():
                    if use.resource == pool:
                        until = order[use.until or visit.hop.name]
                        last = [v for v in visits[visit.index :] if order[v.hop.name] <= until][-1]
                        found.append((visit.accepted_ps, last.left_ps, visit))
        return found

    # -- attribution --------------------------------------------------------------------------

    def check_attribution(self) -> None:
        """Every moment of every wait is charged to the first that was unmet of DESIGN's list."""
        for request in self.run.requests:
            for visit, parts in zip(
                self.visits[request.sequence], of_request(request), strict=True
            ):
                expected = self._charges(visit)
                waits = {p: t for p, t in parts.items() if p not in OWN_TIME}
                assert waits == expected, str(visit)

    def _charges(self, visit: Visit) -> dict[str, int]:
        charges: dict[str, int] = {}
        entry = self.entries[visit.hop.name]
        if not entry.is_plain_delay:
            moments = sorted(
                {visit.arrived_ps, visit.accepted_ps}
                | {m for m in self._moments(visit) if visit.arrived_ps < m < visit.accepted_ps}
            )
            for from_ps, to_ps in itertools.pairwise(moments):
                part = self._unmet(visit, from_ps)
                charges[part] = charges.get(part, 0) + to_ps - from_ps
        backpressure_ps = visit.left_ps - visit.emitted_ps
        if visit.index == 0:
            backpressure_ps += visit.arrived_ps - visit.request.submitted_ps
        if backpressure_ps:
            charges["backpressure"] = backpressure_ps
        return charges

    def _moments(self, visit: Visit) -> Iterable[int]:
        for pool in visit.hop.takes:
            for from_ps, until_ps, _ in self.holds(pool.name):
                yield from (from_ps, until_ps)
        for other in self.at[visit.hop.name]:
            yield from (other.accepted_ps, self._place_inside_ps(other), free_ps(other))

    def _unmet(self, visit: Visit, at_ps: int) -> str:
        """What the request waited for from this moment on."""
        queue = self.at[visit.hop.name]
        entry = self.entries[visit.hop.name]
        for pool in visit.hop.takes:
            held = [h for h in self.holds(pool.name) if h[0] <= at_ps < h[1]]
            if pool.capacity is not None and len(held) >= pool.capacity:
                return f"resource:{pool.name}"
        inside = [v for v in queue if v.accepted_ps <= at_ps < self._place_inside_ps(v)]
        if entry.depth is not None and len(inside) >= entry.depth:
            return f"resource:{entry.name}.depth"
        position = queue.index(visit)
        if position and queue[position - 1].accepted_ps > at_ps:
            return "arbitration"
        if position and free_ps(queue[position - 1]) > at_ps:
            return "interval"
        return "alignment"


#: Parts that are known once a request is accepted; all others are waits.
OWN_TIME = ("service", "beats", "serialisation", "rounding", "cache_miss")


Serve = Callable[[Request, int], Served | None]


def _probe(accepted: list[int], serve: Serve | None) -> Serve:
    def probe(request: Request, now_ps: int) -> Served | None:
        accepted.append(request.sequence)
        return None if serve is None else serve(request, now_ps)

    return probe


def edges_of(visit: Visit) -> Clock | None:
    """The clock whose edges bind the stage."""
    return visit.hop.station.clock


def next_edge(clock: Clock, time_ps: int) -> int:
    """The first edge after an instant."""
    return clock.edge(clock.edge_after(time_ps))


def free_ps(visit: Visit) -> int:
    """When the stage may accept again, after it accepted this."""
    clock = edges_of(visit)
    if clock is None:
        return visit.accepted_ps + visit.hop.busy
    return clock.edge(clock.edge_at_or_after(visit.accepted_ps) + visit.hop.busy)


def most_at_once(spans: list[tuple[int, int]]) -> int:
    """The most spans `[from, to)` that cover one moment."""
    return max((sum(a <= at < b for a, b in spans) for at, _ in spans), default=0)
