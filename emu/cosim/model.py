"""Model: a path of the emulator on the DUT's clock, between a source and a sink."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, Protocol, runtime_checkable

from emu.actor import Actor, Port
from emu.cosim.errors import CosimError
from emu.cosim.stimulus import Always, Items, Stimulus, Willing
from emu.errors import did_you_mean, listed
from emu.kernel import Kernel
from emu.path import Path
from emu.plan import Hop, Plan
from emu.request import Operation, Request
from emu.stage import NoParameters, Served, Stage
from emu.station import Station
from emu.table.schema import WHOLE, Entry, Source, StageTiming, Table
from emu.time import Clock
from emu.trace.events import Listener
from emu.waits import who_waits_for_whom

#: Stage of the model that takes what the DUT gives at its output.
SINK = "sink"
#: Bytes of every request where beats do not count: fields say nothing of it.
SIZE_BYTES = 64
#: What the numbers in a field stand for, as in the project's HDL models.
ORDERS = ("NO", "RO", "SO")
SERVICES = ("ROI", "ROT", "ROL", "UNO")
#: Fields that a request has; any other is only carried along.
MEANING = ("initiator", "destination", "address", "order", "service", "fence", "is_read")


class Sink(Actor):
    """Takes a beat a cycle, and the first of a request in a cycle in which it is ready.

    A request leaves the stage in front with its last beat where the time of that counts beats, and
    else with its first.
    """

    clocked = True
    bounded = True

    _kernel: Kernel
    _station: Station
    _clock: Clock
    _ready: Willing
    _hear: Callable[[int, Request], None]
    #: How many beats a request has, `None` where all have one; whether it leaves with the last.
    _beats: Callable[[Request], int] | None
    _counts_last: bool

    def __init__(self, parameters: Any) -> None:
        super().__init__(parameters)
        self._free_from = 0

    def open(
        self,
        kernel: Kernel,
        station: Station,
        clock: Clock,
        ready: Willing,
        hear: Callable[[int, Request], None],
        beats: Callable[[Request], int] | None = None,
        counts_last: bool = False,
    ) -> None:
        """To be called before the path runs: what it needs to be looked at when it is ready.

        `hear` is told of each handshake, with its cycle.
        """
        self._kernel, self._station = kernel, station
        self._clock, self._ready = clock, ready
        self._hear = hear
        self._beats, self._counts_last = beats, counts_last

    def has_room(self, request: Request) -> bool:
        """Whether this is an edge at which it takes another."""
        port = self._station.port
        cycle, before = self._clock.edge_at_or_after(port.now_ps), self._before(request)
        cycle = self._ready.first(max(cycle - before, self._free_from)) + before
        edge_ps = self._clock.edge(cycle)
        if edge_ps == port.now_ps:
            return True
        self._kernel.call_at(self._station, edge_ps, _look_again)
        return False

    def arrive(self, request: Request, port: Port) -> None:
        """The output handshake."""
        cycle = self._clock.edge_at_or_after(port.now_ps)
        beats = 1 if self._beats is None else self._beats(request)
        self._free_from = cycle - self._before(request) + beats
        self._hear(cycle, request)
        port.emit(request, ())

    def _before(self, request: Request) -> int:
        """Cycles from the first beat to that with which it leaves."""
        if self._beats is None or not self._counts_last:
            return 0
        return self._beats(request) - 1


def _look_again() -> None:
    """The engine asks for room again by itself."""


@runtime_checkable
class TakesAnswers(Protocol):
    """A stage that waits for answers to what it let go, and can be told them from outside."""

    def awaits(self, request: Request) -> bool:
        """Whether it waits for the answer to such a request."""

    def answered(self, initiator: int, port: Port) -> None:
        """An answer has come, to the oldest of the initiator that waits for one."""


@dataclass(frozen=True)
class Handshakes:
    """Handshakes of the model, in order.

    `taken` are the cycles of those at the input, of one item after the other; `given` the cycles
    of those at the output, each with its item and what that carries there.
    """

    taken: list[int]
    given: list[int]
    items: list[int]
    values: list[int]


class Model:
    """A path between a source and a sink; edge n of its clock is cycle n.

    The source offers item after item: each in the first cycle from the one after the last one's
    acceptance on in which it may. The table has at most one clock, and that is the DUT's here,
    whatever its frequency; `CosimError` if it has more. `fields` are those of the items, each so
    many bits wide, and `carry` what an item's values are at the output, as one number. The stages
    `answered` get an answer to each request that leaves and for which they wait. Where requests
    have several beats, the first stage says of how many bytes, and the source offers the next
    request when the last of them has been accepted.
    """

    def __init__(
        self,
        table: Table,
        stimulus: Stimulus,
        fields: Mapping[str, int],
        *,
        carry: Callable[[tuple[int, ...]], int],
        period_ps: int,
        start_ps: int = 0,
        answered: Iterable[str] = (),
        listener: Listener | None = None,
    ) -> None:
        clock = Clock(_clock_of(table), Fraction(period_ps), start_ps)
        # A listener hears of the sink; without one it is left out where it does nothing.
        self._has_sink = listener is not None or not (
            stimulus.readies == Always() and lets_go_in_turn(table)
        )
        self.table = beside(table, clock, with_sink=self._has_sink)
        self.clock = clock
        self.delivered = 0
        self.dropped = 0
        self._stimulus = stimulus
        self._carry = carry
        #: What the items inside carry at the output.
        self._carried: dict[int, int] = {}
        self._items: Items = stimulus.items(fields)
        self._names = self._items.names
        self._may_offer = stimulus.may_offer()
        self._path = Path(self.table, stimulus.seed)
        self.kernel = self._path.kernel(self._completed, drop=self._lost, listener=listener)
        self._answered = [
            (self._stage_that_is_answered(name), stimulus.answers_of(name)) for name in answered
        ]
        if self._has_sink:
            sink = self._path.actor(SINK)
            assert isinstance(sink.actor, Sink)  # made so by beside()
            sink.actor.open(
                self.kernel,
                sink,
                clock,
                stimulus.is_ready(),
                self._gave,
                None if stimulus.most_beats == 1 else self._beats_of,
                leaves_with_last(table),
            )
        self._read, self._write = _operations(table, self._names)
        self._beat_bytes = beat_bytes_of(table.entries[0]) if stimulus.most_beats > 1 else None
        self._sizes = stimulus.beats_of_items()
        #: Of the item that was offered last.
        self._beats = 1
        self._sources = {name: at for at, name in enumerate(self._names) if name in MEANING}
        self._tapped: dict[Plan, None] = {}
        self._tapped_actors: dict[Station, None] = {}
        self._taken: list[int] = []
        self._given: list[int] = []
        self._given_items: list[int] = []
        self._sent = 0
        self._offer(0)

    @property
    def is_over(self) -> bool:
        """Whether all items have gone through."""
        return self.delivered + self.dropped == self._stimulus.requests

    def advance(self, cycle: int) -> Handshakes:
        """Runs up to and including a cycle; the handshakes since it was called last."""
        self.kernel.run(until_ps=self.clock.edge(cycle))
        taken, self._taken = self._taken, []
        given, self._given = self._given, []
        items, self._given_items = self._given_items, []
        carried = self._carried
        values = [carried.pop(item) for item in items]
        return Handshakes(taken, given, items, values)

    def waits(self) -> str:
        """Where each request that is inside is, and for what it waits."""
        return who_waits_for_whom(self.kernel)

    # -- the source -------------------------------------------------------------------------

    def _offer(self, cycle: int) -> None:
        """Brings in the next item from a cycle on."""
        number = self._sent
        if number == self._stimulus.requests:
            return
        self._sent += 1
        offered_ps = self.clock.edge(self._may_offer.first(cycle))
        values = self._items.take(number)
        self._carried[number] = self._carry(values)
        said = {name: values[at] for name, at in self._sources.items()} if self._sources else {}
        if self._beat_bytes is None:
            request = self.request(number, offered_ps, said)
        else:
            request = self.request(number, offered_ps, said, next(self._sizes) * self._beat_bytes)
            self._beats = self._beats_of(request)
        self.kernel.submit(request)

    def beats(self, said: Mapping[str, int], most: int) -> int:
        """How many beats a request of these fields has whose size has `most`."""
        assert self._beat_bytes is not None  # asked only then
        return self._beats_of(self.request(0, 0, said, most * self._beat_bytes))

    def _beats_of(self, request: Request) -> int:
        assert self._beat_bytes is not None  # asked only then
        return max(1, -(-request.plan.hops[0].message_bytes // self._beat_bytes))

    def request(
        self,
        number: int,
        submitted_ps: int,
        said: Mapping[str, int],
        size_bytes: int = SIZE_BYTES,
    ) -> Request:
        """The request that fields say."""
        operation = self._read if said.get("is_read", 1) else self._write
        address = said.get("address", 0)
        return Request(
            number,
            operation,
            size_bytes,
            address,
            submitted_ps,
            self._plan(operation, size_bytes, address),
            said.get("initiator", 0),
            said.get("destination", 0),
            ORDERS[said["order"]] if "order" in said else "",
            SERVICES[said["service"]] if "service" in said else "",
            bool(said.get("fence", 0)),
        )

    def _plan(self, operation: Operation, size_bytes: int, address: int) -> Plan:
        plan = self._path.plan(operation, size_bytes, address)
        if plan not in self._tapped:
            self._tapped[plan] = None
            self._tap(plan.hops[0])
        return plan

    def _tap(self, hop: Hop) -> None:
        """From now on the acceptance of a request at the first stage is the input handshake."""
        actor = hop.station.actor
        if actor is None:
            serve = hop.serve

            def serve_and_note(request: Request, now_ps: int) -> Served | None:
                self._accepted(now_ps)
                return None if serve is None else serve(request, now_ps)

            hop.serve = serve_and_note
        elif hop.station not in self._tapped_actors:
            self._tapped_actors[hop.station] = None
            arrive = actor.arrive

            def arrive_and_note(request: Request, port: Port) -> None:
                self._accepted(port.now_ps)
                arrive(request, port)

            actor.arrive = arrive_and_note  # type: ignore[method-assign]  # of this one alone

    def _accepted(self, now_ps: int) -> None:
        cycle = self.clock.edge_at_or_after(now_ps)
        self._taken.append(cycle)
        self._offer(cycle + self._beats)

    # -- answers ----------------------------------------------------------------------------

    def awaits(self, name: str, said: Mapping[str, int]) -> bool:
        """Whether the stage `name` waits for the answer to a request of these fields."""
        actor: object = self._stage_that_is_answered(name).actor
        assert isinstance(actor, TakesAnswers)  # found as one
        return actor.awaits(self.request(0, 0, said))

    def _answer(self, cycle: int, request: Request) -> None:
        for station, answers in self._answered:
            actor: object = station.actor
            assert isinstance(actor, TakesAnswers)  # found as one
            if actor.awaits(request):
                due_ps = self.clock.edge(answers.due(cycle))
                answer = partial(actor.answered, request.initiator, station.port)
                self.kernel.call_at(station, due_ps, answer)

    def _stage_that_is_answered(self, name: str) -> Station:
        """The station of that name; with only one that takes answers, whatever its name."""
        actors: dict[Station, object] = {one: one.actor for one in self._path.stations}
        found = {one.name: one for one, actor in actors.items() if isinstance(actor, TakesAnswers)}
        if name in found:
            return found[name]
        if len(found) == 1:
            return next(iter(found.values()))
        near = did_you_mean(name, found)
        raise CosimError(
            f"{self.table.name} has no stage '{name}' that takes answers; expected {listed(found)}"
            + (f"; {near}" if near else "")
        )

    # -- the end ----------------------------------------------------------------------------

    def _gave(self, cycle: int, request: Request) -> None:
        """The output handshake."""
        self._given.append(cycle)
        self._given_items.append(request.sequence)
        if self._answered:
            self._answer(cycle, request)

    def _completed(self, request: Request) -> None:
        self.delivered += 1
        if not self._has_sink:
            self._gave(self.clock.edge_at_or_after(request.completed_ps), request)

    def _lost(self, request: Request) -> None:
        self.dropped += 1
        del self._carried[request.sequence]


def lets_go_in_turn(table: Table) -> bool:
    """Whether the table is one stage that lets no two requests go in one cycle.

    Then a sink that is always ready would change nothing.
    """
    if len(table.entries) != 1:
        return False
    (entry,) = table.entries
    timing, stage = entry.timing, entry.stage
    takes_all_alike = (
        not issubclass(stage, Actor)
        and stage.serve is Stage.serve
        and stage.applies is Stage.applies
        and not stage.looks_up
        and entry.batch == 1
        and all(one is None for one in (timing.when, timing.uses, timing.beat, timing.bandwidth))
    )
    latencies = set((timing.latency or {}).values())
    intervals = (timing.interval or {}).values()
    return (
        takes_all_alike
        and timing.clock is not None
        and len(latencies) == 1
        and all(interval.count > 0 for interval in intervals)
        and bool(intervals)
    )


def beat_bytes_of(entry: Entry) -> int | None:
    """What a beat carries at a stage, `None` where it does not say."""
    beat = entry.timing.beat
    flit: int | None = getattr(entry.parameters, "flit", None)
    return flit if beat is None else beat.bytes


def leaves_with_last(table: Table) -> bool:
    """Whether a request has left the last stage with its last beat, and not with its first."""
    beat = table.entries[-1].timing.beat
    if beat is None:
        return False
    latency = beat.cost or beat.latency
    return latency is not None and latency.count > 0


def beside(table: Table, clock: Clock, *, with_sink: bool = True) -> Table:
    """The table on that clock, with a sink at its end."""
    if any(entry.name == SINK for entry in table.entries):
        raise CosimError(f"{table.name} has a stage '{SINK}'; expected another name beside a DUT")
    if not with_sink:
        return replace(table, clocks={clock.name: clock})
    timing = StageTiming(
        stage=SINK, clock=clock.name, source={WHOLE: Source(text="the test bench", kind="assumed")}
    )
    sink = Entry(
        name=SINK,
        stage=Sink,
        timing=timing,
        parameters=NoParameters(),
        queue=None,
        channel="bypass",
        depth=None,
        refill="at_once",
        batch=1,
        where="the test bench",
    )
    return replace(table, clocks={clock.name: clock}, entries=(*table.entries, sink))


def one_stage(table: Table, name: str) -> Table:
    """The table with one of its stages alone; `CosimError` if it has none of that name."""
    names = [entry.name for entry in table.entries]
    if name not in names:
        near = did_you_mean(name, names)
        raise CosimError(
            f"{table.name} has no stage '{name}'; expected {listed(names)}"
            + (f"; {near}" if near else "")
        )
    entry = table.entries[names.index(name)]
    used = {key: one for key, one in table.clocks.items() if key == entry.timing.clock}
    return replace(table, clocks=used, entries=(entry,))


def _clock_of(table: Table) -> str:
    """The name of the table's clock."""
    if len(table.clocks) > 1:
        raise CosimError(
            f"{table.name} has the clocks {listed(table.clocks)}; expected one beside a DUT, or "
            "one stage of it"
        )
    return next(iter(table.clocks), "dut")


def _operations(table: Table, fields: Sequence[str]) -> tuple[Operation, Operation]:
    """What requests do: what the field `is_read` says, or else the first that the table has."""
    if "is_read" not in fields:
        return table.operations[0], table.operations[0]
    for operation in (Operation.READ, Operation.WRITE):
        if operation not in table.operations:
            raise CosimError(
                f"{table.name} has no {operation}, and the field 'is_read' tells reads from "
                f"writes; expected both among its operations: {listed(table.operations)}"
            )
    return Operation.READ, Operation.WRITE
