"""The clocked engine: what happens in an instant, and what is the next one."""

from __future__ import annotations

import random
from collections.abc import Callable
from heapq import heappop, heappush
from itertools import chain, count
from operator import attrgetter

from emu.batch import carry_riders, gather, let_go
from emu.contest import granted, overflow, winners
from emu.errors import EmuError
from emu.handshake import charge_wait_of, serve
from emu.hosting import arrive, gone_on, let_out, tell_passed
from emu.memory import Memory
from emu.parts import BACKPRESSURE, SERVICE
from emu.plan import Hop, told_later
from emu.request import Request
from emu.resource import Pool, TimedUnit
from emu.station import Station, step_clock
from emu.time import Clock
from emu.trace.events import Kind, Listener
from emu.trace.teller import Teller
from emu.unsettled import MOST_STEPS, unsettled

#: So many more are allowed for each request that is inside by then.
STEPS_EACH = 100


class Kernel:
    """Moves requests through stations; time jumps from one instant to the next that matters.

    Within an instant, two kinds of steps take turns until nothing changes:

    1. What concerns one station alone: a latency is over, a station accepts from its own channel.
       Such steps look at that station only, so their order does not matter.
    2. Once none of these is left, what several may want: the order of completions, places in a
       channel, units of a pool, the choice of an actor. One of them is decided, with all who want
       it known, and what follows from it settles first. The table's arbitration decides, then
       who has waited longest, then the sequence number; at an actor its own rules do.

    `shuffle` evaluates in a random order: the means to test that the order does not matter.
    """

    def __init__(
        self,
        stations: tuple[Station, ...],
        pools: tuple[Pool, ...],
        complete: Callable[[Request], None],
        *,
        drop: Callable[[Request], None] | None = None,
        listener: Listener | None = None,
        memory: Memory | None = None,
        shuffle: random.Random | None = None,
    ) -> None:
        self.now_ps = 0
        self.stations = stations
        self.pools = pools
        self.stopped = False
        #: Requests submitted and not complete.
        self.inside: dict[Request, None] = {}
        self._complete = complete
        self._dropped = drop
        self._teller = Teller(listener) if listener is not None else None
        if memory is not None:
            memory.teller = self._teller
        self._shuffle = shuffle
        self._tie = count().__next__ if shuffle is None else lambda: shuffle.getrandbits(60)
        self._due: list[tuple[int, int, Request | Station | TimedUnit]] = []
        self._ready: list[Station] = []
        self._contested: list[Station] = []
        self._wanting: list[Station] = []
        self._done: list[Request] = []
        self._touched: list[Station] = []
        self._next: list[Request] = []
        self._overfull: list[Station] = []
        self._deciding: list[Station] = []
        self._passed: list[tuple[Station, Request]] = []

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

    def call_at(self, station: Station, time_ps: int, action: Callable[[], None]) -> None:
        """Calls what concerns an actor at a time that is not over: what comes from outside."""
        station.port.now_ps = self.now_ps
        station.port.call_at(time_ps, action)
        self._wake_at(station, time_ps)

    def step(self, cycles: int = 1, clock: Clock | None = None) -> None:
        """Runs so many cycles of a clock; of the path's only one if none is named."""
        if cycles < 0:
            raise EmuError(f"step({cycles}); expected zero cycles or more")
        clock = step_clock(self.stations, clock)
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
        steps, allowed = 0, MOST_STEPS
        if isinstance(item, Request):
            self._finish(item, alone)
        else:
            self._happen(item)
        while True:
            while due and due[0][0] == now_ps:
                item = heappop(due)[2]
                if isinstance(item, Request):
                    self._finish(item, False)
                else:
                    self._happen(item)
            if self._next:
                offered, self._next = self._next, []
                for request in offered:
                    self._offer(request, False)
            elif self._ready:
                ready, self._ready = self._ready, []
                if self._shuffle is not None:
                    self._shuffle.shuffle(ready)
                for station in ready:
                    self._accept(station)
            elif not self._decide():
                break
            steps += 1
            if steps == MOST_STEPS:
                # A crowd that leaves in one instant takes many steps, and comes to an end.
                allowed += STEPS_EACH * len(self.inside)
            if steps > allowed:
                crowds = (self._ready, self._contested, self._wanting, self._done, self._deciding)
                raise unsettled(
                    now_ps, chain(*crowds, (item for at_ps, _, item in due if at_ps == now_ps))
                )
        for station in self._touched:
            station.touched = False
            station.note_blocked(now_ps)
        self._touched.clear()
        if self._teller is not None:
            self._teller.tell()

    def _happen(self, item: Station | TimedUnit) -> None:
        if isinstance(item, TimedUnit):
            self._release(item.pool, item)
            return
        item.wake_ps = -1
        self._ready.append(item)
        self._touch(item)
        if item.candidates:
            self._contest(item)

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
            if self._teller is not None:
                self._teller.submitted(now_ps, request)
        else:
            if self._teller is not None:
                self._teller.note(self.now_ps, Kind.EMITTED, request)
            hop = request.plan.hops[request.hop]
            station = hop.station
            for pool in hop.returns:
                self._release(pool, request)
            if station.is_ordered and not request.rides:
                request.finished = True
                if request.riders:
                    self._finish_batch(request)
                if station.inside[0] is not request:
                    return
        self._offer(request, alone)

    def _finish_batch(self, request: Request) -> None:
        if request.plan.hops[request.hop].ends_batch:
            for rider in let_go(request, self.now_ps, self._teller):
                rider.finished = True

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
        if not station.plain or hop.serve is not None:
            if (
                alone
                and not station.candidates
                and (station.unbounded or station.can_enter(request, self.now_ps))
            ):
                self._enter(station, request)
            else:
                station.candidates.append(request)
                self._contest(station)
            return
        self._leave(request)
        now_ps = self.now_ps
        request.arrived_ps = request.accepted_ps = now_ps
        if self._teller is None:
            # Nothing is decided in a run of plain delays, and nobody asks: one event for all.
            request.hop = index + hop.run_hops - 1
            finish_ps = now_ps + hop.run_ps
        else:
            request.hop = index
            finish_ps = now_ps + hop.derived_ps
            self._teller.note(now_ps, Kind.ARRIVED, request)
            self._teller.note(now_ps, Kind.ACCEPTED, request)
        heappush(self._due, (finish_ps, self._tie(), request))

    def _enter(self, station: Station, request: Request) -> None:
        """The request leaves where it is and joins the station's channel."""
        self._leave(request)
        now_ps = self.now_ps
        request.hop += 1
        request.arrived_ps = now_ps
        if self._teller is not None:
            self._teller.note(self.now_ps, Kind.ARRIVED, request)
        if station.actor is not None:
            self._ready += arrive(station, request, now_ps)
            self._hear(station)
            return
        hop = request.plan.hops[request.hop]
        if station.plain:
            request.accepted_ps = now_ps
            if self._teller is not None:
                self._teller.note(self.now_ps, Kind.ACCEPTED, request)
            finish_ps = now_ps + hop.derived_ps + serve(hop, request, now_ps)[1]
            heappush(self._due, (finish_ps, self._tie(), request))
        elif station.unbounded and hop.serve is None and self._teller is None:
            # First in, first out, and no limit but interval and clock: all is known, and nobody
            # asks in between. So the wait costs no event.
            at_ps = station.earliest(now_ps)
            self._start(station, request, at_ps)
        else:
            station.channel.put(request, now_ps)
            self._ready.append(station)
            if station.can_be_blocked:
                station.watch(request, now_ps)
                self._touch(station)

    def _hear(self, station: Station) -> None:
        """Does what an actor has asked for."""
        port = station.port
        first = let_out(station, self.now_ps, self._teller)
        if first is not None:
            self._next.append(first)
        dropped, port.dropped = port.dropped, []
        for request in dropped:
            self._drop(request, station.name)
        if station.candidates:
            self._contest(station)
        if port.decision is not None:
            self._deciding.append(station)
        if port.alarms:
            self._wake_at(station, port.alarms[0][0])

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
        if self._teller is not None:
            self._teller.left(now_ps, request)
        if hop.tells:
            self._passed += [(one, request) for one in hop.tells]
        if request.rides:
            request.rides = False
            self._release_all(hop, request)
            return
        station = hop.station
        # What an actor drops has never been on its way out.
        if station.is_ordered and request.finished:
            if station.leave(request, now_ps):
                if station.refill_ps:
                    self._wake_at(station, station.refill_ps[-1])
                self._touch(station)
                self._ready.append(station)
            if station.inside and station.inside[0].finished:
                self._next.append(station.inside[0])
            if station.actor is not None:
                gone_on(station, request, now_ps)
                self._ready.append(station)
        if hop.releases:
            self._release_all(hop, request)
        if hop.ends_batch and request.riders:
            for rider in let_go(request, now_ps, self._teller):
                rider.rides = True
                self._next.append(rider)

    def _release_all(self, hop: Hop, request: Request) -> None:
        for pool in hop.releases:
            # A batch holds one unit, and what is skipped takes none: there is none to give back.
            if request not in pool.holders:
                continue
            if pool in hop.later:
                unit = TimedUnit(pool, request)
                pool.keep(request, unit)
                heappush(self._due, (hop.later[pool].after(self.now_ps), self._tie(), unit))
            else:
                self._release(pool, request)

    def _release(self, pool: Pool, holder: Request | TimedUnit) -> None:
        pool.release(holder, self.now_ps)
        for user in pool.users:
            self._touch(user)
            self._ready.append(user)

    # -- accepting --------------------------------------------------------------------------

    def _accept(self, station: Station) -> None:
        """Accepts all that the station can by itself."""
        if station.actor is not None:
            station.port.now_ps = self.now_ps
            station.port.ring()
            self._hear(station)
            return
        channel = station.channel
        while channel.waiting:
            now_ps = self.now_ps
            heads = channel.heads(now_ps)
            if not heads:
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
            if station.chooses:
                self._wanting.append(station)
                self._wake_at(station, channel.next_change(now_ps))
                return
            self._take(station, heads[0])

    def _take(self, station: Station, request: Request) -> None:
        """Accepts a request of the channel, whose place becomes free."""
        channel = station.channel
        now_ps = self.now_ps
        channel.take(request, now_ps)
        if station.batch != 1:
            request.riders = gather(station, request, now_ps, self._teller)
        self._start(station, request, now_ps)
        if station.candidates:
            self._contest(station)
        if channel.clock is not None:
            self._wake_at(station, channel.next_change(now_ps))

    def _start(self, station: Station, request: Request, at_ps: int) -> None:
        """The handshake at `at_ps`, for which `station.edge` stands: its time there begins."""
        hop = request.plan.hops[request.hop]
        request.accepted_ps = at_ps
        if at_ps != request.arrived_ps:
            charge_wait_of(station, request)
        if station.batch != 1:
            request.shared_charges = len(request.charges)
        station.first_ps = at_ps
        if station.blocked:
            for lane in station.blocked.values():
                lane.accept(at_ps)
        if station.is_ordered:
            station.enter(request, hop, at_ps)
        if self._teller is not None:
            self._teller.note(self.now_ps, Kind.ACCEPTED, request)
        extra, extra_ps = (0, 0) if hop.serve is None else serve(hop, request, at_ps)
        busy = hop.busy
        if request.riders and hop.carries_each:
            late_ps = carry_riders(request, hop)
            busy += late_ps
            extra += late_ps
            extra_ps += late_ps
        finish_ps = station.begin(at_ps, busy, hop.latency + extra)
        # Cutting edges to whole picoseconds can make a clocked stage longer than on paper.
        cut_ps = finish_ps - at_ps - hop.derived_ps - extra_ps
        if cut_ps:
            request.charges.append((request.hop, SERVICE, cut_ps))
        heappush(self._due, (finish_ps, self._tie(), request))
        if station.depth is not None:
            self._touch(station)
        if hop.takes:
            self._take_units(hop, request, at_ps)

    def _take_units(self, hop: Hop, request: Request, at_ps: int) -> None:
        for pool in hop.takes:
            if pool in hop.timed:
                unit = TimedUnit(pool, request)
                pool.take(request, at_ps, unit)
                heappush(self._due, (at_ps + hop.timed[pool], self._tie(), unit))
            else:
                pool.take(request, at_ps)
            for user in pool.users:
                self._touch(user)

    # -- what several may want --------------------------------------------------------------

    def _contest(self, station: Station) -> None:
        if not station.contested:
            station.contested = True
            self._contested.append(station)

    def _drop(self, request: Request, at: str) -> None:
        """The request is lost at that stage, with all that it holds given back."""
        request.dropped_at = at
        self._leave(request)
        self._passed += [(one, request) for one in told_later(request.plan.hops, request.hop)]
        for pool in self.pools:
            if request in pool.holders:
                self._release(pool, request)
        del self.inside[request]
        if self._teller is not None:
            self._teller.dropped(self.now_ps, request)
        if self._dropped is not None:
            self._dropped(request)

    def _decide(self) -> bool:
        """Decides one thing, now that all else has settled, so that what follows settles first.

        It says whether there was anything to decide.
        What actors watch for comes first; then completions; then the channel that comes first in
        the path; then the pools; then the actors, in the order of the path; and overflows last.
        """
        if self._passed:
            passed, self._passed = self._passed, []
            self._ready += tell_passed(passed, self.now_ps)
        elif self._done:
            done, self._done = self._done, []
            for request in sorted(done, key=_sequence):
                self._end(request)
        elif self._contested:
            self._contested.sort(key=_index, reverse=True)
            station = self._contested.pop()
            station.contested = False
            for request in winners(station, self.now_ps):
                self._enter(station, request)
            if station.candidates and station.overflow != "hold":
                self._overfull.append(station)
        elif self._wanting:
            wanting, self._wanting = self._wanting, []
            for station, request in granted(wanting, self.now_ps):
                self._take(station, request)
                self._ready.append(station)
        elif self._deciding:
            self._deciding.sort(key=_index, reverse=True)
            station = self._deciding.pop()
            station.port.now_ps = self.now_ps
            station.port.decide()
            self._hear(station)
        elif self._overfull:
            # Only now is it sure that no place becomes free in this instant. What the last in the
            # path drops can make room for those before it.
            self._overfull.sort(key=_index)
            station = self._overfull.pop()
            for request in overflow(station, self.now_ps):
                self._drop(request, station.name)
        else:
            return False
        return True

    def _end(self, request: Request) -> None:
        """The request is complete."""
        self._leave(request)
        request.completed_ps = self.now_ps
        del self.inside[request]
        if self._teller is not None:
            self._teller.note(self.now_ps, Kind.COMPLETED, request)
        self._complete(request)

    # -- what others are told ---------------------------------------------------------------

    def _touch(self, station: Station) -> None:
        if not station.touched and station.can_be_blocked:
            station.touched = True
            self._touched.append(station)


_sequence = attrgetter("sequence")
_index = attrgetter("index")
