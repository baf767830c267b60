"""The clocked engine: what happens in an instant, and what is the next one."""

from __future__ import annotations

import random
from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count

from emu.breakdown import ALIGNMENT, BACKPRESSURE, SERVICE, STAGE_PARTS, charge_wait
from emu.errors import EmuError, listed
from emu.plan import Hop
from emu.request import Request
from emu.stage import StageError
from emu.station import Station
from emu.time import Clock
from emu.trace.events import Event, Kind, Listener

#: Steps in one instant after which it is taken never to settle.
MOST_STEPS = 100_000


class UnsettledError(EmuError):
    """An instant in which something changes for ever."""


class Kernel:
    """Moves requests through stations; time jumps from one instant to the next that matters.

    Within an instant, two kinds of steps take turns until nothing changes:

    1. What concerns one station alone: a latency is over, a station accepts from its own channel.
       Such steps look at that station only, so their order does not matter.
    2. Once none of these is left, what several may want: places in a channel, units of a pool,
       the order of completions. All are decided from the same state, and then all are applied.
       The table's arbitration decides, then who has waited longest, then the sequence number.

    `shuffle` evaluates in a random order: the means to test that the order does not matter.
    """

    def __init__(
        self,
        stations: tuple[Station, ...],
        complete: Callable[[Request], None],
        *,
        listener: Listener | None = None,
        shuffle: random.Random | None = None,
    ) -> None:
        self.now_ps = 0
        self.stations = stations
        self.stopped = False
        #: Requests submitted and not complete.
        self.inside: dict[Request, None] = {}
        self._complete = complete
        self._listener = listener
        self._events: list[Event] = []
        self._shuffle = shuffle
        self._tie = count().__next__ if shuffle is None else lambda: shuffle.getrandbits(60)
        self._due: list[tuple[int, int, Request | Station]] = []
        self._ready: list[Station] = []
        self._contested: list[Station] = []
        self._wanting: list[Station] = []
        self._done: list[Request] = []
        self._touched: list[Station] = []

    # -- what a path calls ------------------------------------------------------------------

    def submit(self, request: Request) -> None:
        """Brings in a request at its `submitted_ps`, which must not be over."""
        if request.submitted_ps < self.now_ps:
            raise EmuError(
                f"request {request.sequence} is submitted at {request.submitted_ps} ps, and it is "
                f"{self.now_ps} ps already"
            )
        self.inside[request] = None
        request.emitted_ps = request.submitted_ps
        heappush(self._due, (request.submitted_ps, self._tie(), request))

    def step(self, cycles: int = 1, clock: Clock | None = None) -> None:
        """Runs so many cycles of a clock; of the path's only one if none is named."""
        if clock is None:
            clocks = list(dict.fromkeys(s.clock for s in self.stations if s.clock is not None))
            if len(clocks) != 1:
                raise EmuError(
                    f"step() without a clock, and the path has {len(clocks)}; expected the clock's "
                    f"name, one of {listed(clock.name for clock in clocks)}"
                )
            clock = clocks[0]
        edge = clock.edge_after(self.now_ps) - 1
        self.run(until_ps=clock.edge(edge + cycles))

    def run(self, until_ps: int | None = None) -> None:
        """Runs every instant up to and including `until_ps`; to the end without it.

        It ends early, between two instants, when something sets `stopped`.
        """
        due = self._due
        self.stopped = False
        while due and not self.stopped and (until_ps is None or due[0][0] <= until_ps):
            self._instant()
        if until_ps is not None and not self.stopped:
            self.now_ps = max(self.now_ps, until_ps)

    @property
    def is_idle(self) -> bool:
        """Whether nothing more happens by itself."""
        return not self._due

    # -- an instant -------------------------------------------------------------------------

    def _instant(self) -> None:
        due = self._due
        now_ps, _, item = heappop(due)
        self.now_ps = now_ps
        # What is alone in its instant competes with nobody.
        alone = not due or due[0][0] != now_ps
        steps = 0
        if isinstance(item, Request):
            self._finish(item, alone)
        else:
            self._wake(item)
        while True:
            while due and due[0][0] == now_ps:
                item = heappop(due)[2]
                if isinstance(item, Request):
                    self._finish(item, False)
                else:
                    self._wake(item)
            if self._ready:
                ready, self._ready = self._ready, []
                if self._shuffle is not None:
                    self._shuffle.shuffle(ready)
                for station in ready:
                    self._accept(station)
            elif self._contested or self._wanting or self._done:
                self._decide()
            else:
                break
            steps += 1
            if steps > MOST_STEPS:
                self._give_up()
        if self._touched:
            self._note_blocked()
        if self._events:
            self._tell()

    def _wake(self, station: Station) -> None:
        station.wake_ps = -1
        self._ready.append(station)
        if station.depth is not None:
            self._touch(station)
        if station.candidates:
            self._contest(station)

    def _wake_at(self, station: Station, time_ps: int | None) -> None:
        if time_ps is not None and not self.now_ps < station.wake_ps <= time_ps:
            station.wake_ps = time_ps
            heappush(self._due, (time_ps, self._tie(), station))

    # -- leaving one stage for the next -----------------------------------------------------

    def _finish(self, request: Request, alone: bool) -> None:
        """The request's time at its stage is over, or it is submitted now."""
        now_ps = self.now_ps
        request.emitted_ps = now_ps
        if request.hop < 0:
            if self._listener is not None:
                self._event(Kind.SUBMITTED, request)
        else:
            if self._listener is not None:
                self._event(Kind.EMITTED, request)
            station = request.plan.hops[request.hop].station
            if not station.plain:
                request.finished = True
                if station.inside[0] is not request:
                    return
        self._offer(request, alone)

    def _offer(self, request: Request, alone: bool) -> None:
        """The request is free to leave: into a plain delay at once, else as a candidate."""
        hops = request.plan.hops
        index = request.hop + 1
        if index == len(hops):
            if alone:
                self._end(request)
            else:
                self._done.append(request)
            return
        hop = hops[index]
        station = hop.station
        if not station.plain:
            if alone and not station.candidates and station.channel.free_places(self.now_ps) != 0:
                self._enter(station, request)
            else:
                station.candidates.append(request)
                self._contest(station)
            return
        self._leave(request)
        now_ps = self.now_ps
        request.arrived_ps = request.accepted_ps = now_ps
        if self._listener is None:
            # Nothing is decided in a run of plain delays, and nobody asks: one event for all.
            request.hop = index + hop.run_hops - 1
            finish_ps = now_ps + hop.run_ps
        else:
            request.hop = index
            finish_ps = now_ps + hop.derived_ps
            self._event(Kind.ARRIVED, request)
            self._event(Kind.ACCEPTED, request)
        if hop.serve is not None:
            finish_ps += self._serve(hop, request)[1]
        heappush(self._due, (finish_ps, self._tie(), request))

    def _enter(self, station: Station, request: Request) -> None:
        """The request leaves where it is and joins the station's channel."""
        self._leave(request)
        now_ps = self.now_ps
        request.hop += 1
        request.arrived_ps = now_ps
        if self._listener is not None:
            self._event(Kind.ARRIVED, request)
        hop = request.plan.hops[request.hop]
        if station.unbounded and hop.serve is None and self._listener is None:
            # First in, first out, and no limit but interval and clock: all is known, and nobody
            # asks in between. So the wait costs no event.
            self._start(station, request, station.earliest(now_ps))
        else:
            station.channel.put(request, now_ps)
            self._ready.append(station)

    def _leave(self, request: Request) -> None:
        """The request's place at its stage becomes free."""
        index = request.hop
        now_ps = self.now_ps
        if now_ps != request.emitted_ps:
            # A request that can't enter the first channel waits outside: charged to that stage.
            request.charges.append((max(index, 0), BACKPRESSURE, now_ps - request.emitted_ps))
        if index < 0:
            return
        hop = request.plan.hops[index]
        if self._listener is not None:
            self._event(Kind.LEFT, request)
        station = hop.station
        if not station.plain:
            inside = station.inside
            inside.popleft()
            request.finished = False
            if inside and inside[0].finished:
                self._offer(inside[0], False)
            if station.depth is not None:
                if station.refills_at_edge and station.clock is not None:
                    clock = station.clock
                    station.refill_ps.append(clock.edge(clock.edge_after(now_ps)))
                    self._wake_at(station, station.refill_ps[0])
                self._touch(station)
                self._ready.append(station)
        for pool in hop.releases:
            pool.release(request)
            for user in pool.users:
                self._touch(user)
                self._ready.append(user)

    # -- accepting --------------------------------------------------------------------------

    def _accept(self, station: Station) -> None:
        """Accepts all that the station can by itself."""
        channel = station.channel
        while channel.requests:
            now_ps = self.now_ps
            request = channel.head(now_ps)
            if request is None:
                self._wake_at(station, channel.next_change(now_ps))
                return
            earliest_ps = station.earliest(now_ps)
            if earliest_ps > now_ps:
                self._wake_at(station, earliest_ps)
                return
            if station.depth is not None and not station.has_place(now_ps):
                if station.refill_ps:
                    self._wake_at(station, station.refill_ps[0])
                return
            if station.pools:
                self._wanting.append(station)
                return
            self._take(station)

    def _take(self, station: Station) -> None:
        """Accepts the first request of the channel, whose place becomes free."""
        channel = station.channel
        self._start(station, channel.take(self.now_ps), self.now_ps)
        if station.candidates:
            self._contest(station)
        if channel.clock is not None:
            self._wake_at(station, channel.next_change(self.now_ps))

    def _start(self, station: Station, request: Request, at_ps: int) -> None:
        """The handshake at `at_ps`, for which `station.edge` stands: its time there begins."""
        index = request.hop
        hop = request.plan.hops[index]
        request.accepted_ps = at_ps
        if at_ps != request.arrived_ps:
            self._charge_wait(station, request)
        station.first_ps = at_ps
        station.inside.append(request)
        if self._listener is not None:
            self._event(Kind.ACCEPTED, request)
        extra, extra_ps = (0, 0) if hop.serve is None else self._serve(hop, request)
        clock = station.clock
        if clock is None:
            station.free_ps = at_ps + hop.busy
            finish_ps = at_ps + hop.latency + extra
        else:
            station.free_edge = station.edge + hop.busy
            finish_ps = clock.edge(station.edge + hop.latency + extra)
            # Cutting edges to whole picoseconds can make a clocked stage longer than on paper.
            cut_ps = finish_ps - at_ps - hop.derived_ps - extra_ps
            if cut_ps:
                request.charges.append((index, SERVICE, cut_ps))
        heappush(self._due, (finish_ps, self._tie(), request))
        if station.depth is not None:
            self._touch(station)
        for pool in hop.takes:
            pool.take(request)
            for user in pool.users:
                self._touch(user)

    def _charge_wait(self, station: Station, request: Request) -> None:
        clock = station.clock
        arrived_ps, first_ps, accepted_ps = (
            request.arrived_ps,
            station.first_ps,
            request.accepted_ps,
        )
        interval_ps = station.free_ps if clock is None else clock.edge(station.free_edge)
        index = request.hop
        if first_ps <= arrived_ps >= interval_ps and not station.blocked:
            request.charges.append((index, ALIGNMENT, accepted_ps - arrived_ps))
            return
        for part, time_ps in charge_wait(
            arrived_ps, first_ps, interval_ps, accepted_ps, station.blocked_spans(accepted_ps)
        ):
            request.charges.append((index, part, time_ps))

    def _serve(self, hop: Hop, request: Request) -> tuple[int, int]:
        """What the stage itself adds: in the unit of its latency, and in picoseconds."""
        assert hop.serve is not None  # asked by the callers
        served = hop.serve(request, self.now_ps)
        if served is None:
            return 0, 0
        index = request.hop
        if served.ends:
            request.plan = request.plan.ending_at(index)
        extra = extra_ps = 0
        for part, duration in served.parts:
            part_ps = hop.station.span(duration)
            if part not in STAGE_PARTS:
                raise StageError(
                    f"stage {hop.name} adds '{part}' to a request; expected {listed(STAGE_PARTS)}"
                )
            extra += duration.count
            extra_ps += part_ps
            request.charges.append((index, part, part_ps))
        return extra, extra_ps

    # -- what several may want --------------------------------------------------------------

    def _contest(self, station: Station) -> None:
        if not station.contested:
            station.contested = True
            self._contested.append(station)

    def _decide(self) -> None:
        """Decides from the present state, and only then applies what was decided."""
        contested, self._contested = self._contested, []
        wanting, self._wanting = self._wanting, []
        done, self._done = self._done, []
        if self._shuffle is not None:
            for several in (contested, wanting, done):
                self._shuffle.shuffle(several)
        admitted = [(station, self._winners(station)) for station in contested]
        if wanting:
            for station in sorted(dict.fromkeys(wanting), key=_waiting_longest):
                request = station.channel.requests[0]
                takes = request.plan.hops[request.hop].takes
                if not any(pool.is_exhausted for pool in takes):
                    self._take(station)
                    self._ready.append(station)
        for station, winners in admitted:
            for request in winners:
                self._enter(station, request)
        done.sort(key=_sequence)
        for request in done:
            self._end(request)

    def _end(self, request: Request) -> None:
        """The request is complete."""
        self._leave(request)
        request.completed_ps = self.now_ps
        del self.inside[request]
        if self._listener is not None:
            self._event(Kind.COMPLETED, request)
        self._complete(request)

    def _winners(self, station: Station) -> list[Request]:
        """The candidates that may enter the station's channel now, in order."""
        station.contested = False
        candidates = station.candidates
        if len(candidates) > 1:
            ranks = station.ranks
            candidates.sort(
                key=lambda request: (_rank(ranks, request), request.emitted_ps, request.sequence)
            )
        free = station.channel.free_places(self.now_ps)
        if free is None or free >= len(candidates):
            station.candidates = []
            return candidates
        station.candidates = candidates[free:]
        return candidates[:free]

    # -- what others are told ---------------------------------------------------------------

    def _touch(self, station: Station) -> None:
        if not station.touched:
            station.touched = True
            self._touched.append(station)

    def _note_blocked(self) -> None:
        """Remembers since when which resource is exhausted, for the requests that wait for it."""
        now_ps = self.now_ps
        touched, self._touched = self._touched, []
        for station in touched:
            station.touched = False
            name = station.exhausted(now_ps)
            blocked = station.blocked
            if not station.channel.requests:
                blocked.clear()
            if not blocked or blocked[-1][1] != name:
                blocked.append((now_ps, name))

    def _event(self, kind: Kind, request: Request) -> None:
        named = kind not in (Kind.SUBMITTED, Kind.COMPLETED)
        name = request.plan.hops[request.hop].name if named else ""
        self._events.append(Event(self.now_ps, kind, request.sequence, name))

    def _tell(self) -> None:
        events, self._events = self._events, []
        events.sort(key=lambda event: event.request)
        assert self._listener is not None  # events are only built for it
        for event in events:
            self._listener(event)

    def _give_up(self) -> None:
        active = {station.name for station in (*self._ready, *self._contested, *self._wanting)}
        active |= {request.plan.hops[request.hop].name for request in self._done}
        raise UnsettledError(
            f"at {self.now_ps} ps nothing settles after {MOST_STEPS} steps; still active: "
            f"{', '.join(sorted(active))}"
        )


def _sequence(request: Request) -> int:
    return request.sequence


def _waiting_longest(station: Station) -> tuple[int, int]:
    request = station.channel.requests[0]
    return request.arrived_ps, request.sequence


def _rank(ranks: dict[Station, int], request: Request) -> int:
    if not ranks or request.hop < 0:
        return len(ranks)
    return ranks.get(request.plan.hops[request.hop].station, len(ranks))
