"""Lockstep: a path of the emulator beside a DUT, on the DUT's clock, compared cycle for cycle."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from cocotb.handle import HierarchyObject
from cocotb.triggers import RisingEdge
from cocotb.utils import get_sim_time

from emu.cosim.ahead import CHUNK_CYCLES, Ahead
from emu.cosim.binding import Bound, MemoryPort, in_reset
from emu.cosim.compare import Comparison, Mismatch, Rule, Seen, Value
from emu.cosim.errors import BadSignalError, CosimError
from emu.cosim.explain import explain, waits_at
from emu.cosim.model import (
    MEANING,
    Handshakes,
    Model,
    beat_bytes_of,
    beside,
    leaves_with_last,
)
from emu.cosim.pins import Answerer, Driver, PacketDriver, PacketTaker, Taker, carrying
from emu.cosim.place import PATIENCE_CYCLES
from emu.cosim.report import Difference, DutEvent, Kind, PortEvent, Result
from emu.cosim.signals import LAST, Data, Dut
from emu.cosim.stimulus import Always, Stimulus, Willing
from emu.errors import listed
from emu.random import Random
from emu.table.schema import Table
from emu.trace.events import Listener
from emu.trace.header import header_of
from emu.trace.vcd_file import open_vcd

#: Cycles after the last item in which nothing more may come.
AFTER_CYCLES = 64

#: Is called as a run goes on, with what gives the handshakes since it was called last.
Watch = Callable[[Callable[[], list[DutEvent]]], None]


class Lockstep:
    """A path beside a DUT: the same stimulus into both, and what they do at their ports compared.

    The table's first stage takes at the binding's one `sink` port, its last gives at the one
    `source` port; where there are more, at `in` and `out`, and the others are of memories. A
    request of several beats is taken with the first of them; it is given with the last where the
    time of the table's last stage counts beats, and else with the first. A port moves a beat a
    cycle once the first has been taken.

    So many requests as `left_over` may not come through, `None` for any number; with `holds` false
    the DUT may take back what it shows. After a difference the simulation goes on for `on_cycles`.
    Every so many cycles `watch` is called, and can ask for the DUT's handshakes since, in the order
    of cycles, and in a cycle from input to output.
    """

    def __init__(
        self,
        top: HierarchyObject,
        bound: Bound,
        table: Table,
        stimulus: Stimulus,
        *,
        rule: Rule | None = None,
        left_over: int | None = 0,
        holds: bool = True,
        patience_cycles: int = PATIENCE_CYCLES,
        on_cycles: int = 0,
        watch: Watch | None = None,
    ) -> None:
        self.binding = bound.binding
        self.dut = Dut(top, bound)
        self.rule = rule or Rule()
        self._table = table
        self._start_ps = 0
        #: The last cycle up to which both sides have been compared.
        self._compared = -1
        self._left_over = left_over
        self._patience_cycles = patience_cycles
        self._on_cycles = on_cycles
        self._watch = watch
        sink, source = bound.end("sink"), bound.end("source")
        data, self._out = self.dut.data(sink), self.dut.data(source)
        self._check_fields(data, self._out)
        self._widths = {name: w for name, w in data.widths.items() if name != LAST}
        if self.binding.ports[source].ready is None:
            # What cannot be stopped is taken in every cycle.
            stimulus = replace(stimulus, ready=Always())
        self.stimulus = stimulus
        items = stimulus.items(self._widths)
        self._carry = carrying(items.names, self._out)
        #: What is answered when it has left.
        self._answered = [
            name for name, pair in self.binding.memory.items() if pair.request == source
        ]
        ports = self.binding.ports
        offered = (data, items, stimulus.may_offer(), stimulus.requests)
        taken = (self._out, stimulus.is_ready())
        self._driver: Driver
        self._taker: Taker
        if stimulus.most_beats == 1:
            self._driver = Driver(sink, self.dut, ports[sink], *offered)
            self._taker = Taker(source, self.dut, ports[source], *taken, holds=holds)
        else:
            self._check_beats(sink, source)
            beats = self._beats_of(items.names)
            self._driver = PacketDriver(sink, self.dut, ports[sink], *offered, beats=beats)
            self._taker = PacketTaker(
                source,
                self.dut,
                ports[source],
                *taken,
                holds=holds,
                counts_last=leaves_with_last(table),
            )
        #: Who takes what a memory is asked, and who answers.
        self._memories: list[Taker | Answerer] = []
        for name, pair in self.binding.memory.items():
            self._add_memory(name, pair)
        self._comparison = Comparison([sink, source], self.rule)
        self._check_ports()

    async def run(self) -> Result:
        """Drives clock and reset, and both sides until all items are through, or they differ."""
        clock = self.dut.start_clock()
        edge = RisingEdge(self.dut.clock)
        try:
            result = await self._run(edge)
            if not result.is_equal:
                for _ in range(self._on_cycles):
                    await edge
            return result
        finally:
            clock.stop()

    def model(self, listener: Listener | None = None) -> Model:
        """The emulator's side, from cycle 0 on."""
        return Model(
            self._table,
            self.stimulus,
            self._widths,
            carry=self._carry,
            period_ps=self.binding.clock.period,
            start_ps=self._start_ps,
            answered=self._answered,
            listener=listener,
        )

    def so_far(self) -> Result:
        """What agreed by now, in a run that Ctrl-C has ended."""
        return replace(self._result(self._compared, None), interrupted=True)

    def write_trace(self, file: Path, to_cycle: int) -> None:
        """Writes what the emulator does up to a cycle as waveforms, in the simulator's time.

        To be called after `run`, from which that time is known.
        """
        table = beside(self._table, self.model().clock)
        header = header_of(table, self.stimulus.seed, {"requests": self.stimulus.requests})
        writer = open_vcd(file, header)
        try:
            self.model(writer.tell).advance(to_cycle)
        finally:
            writer.close()

    # -- set up -----------------------------------------------------------------------------

    def _add_memory(self, name: str, pair: MemoryPort) -> None:
        """What answers the DUT: a memory, or the far end of what it sends."""
        ports = self.binding.ports
        data = self.dut.data(pair.answer)
        answers = self.stimulus.answers_of(name)
        answerer = Answerer(pair.answer, self.dut, ports[pair.answer], data, answers)
        if pair.request == self._taker.name:
            model = self.model()

            def answer_what_is_awaited(cycle: int, value: Value) -> None:
                said = self._out.unpack(value)
                if model.awaits(name, said):
                    answerer.hear(cycle, said)

            self._taker.tell(answer_what_is_awaited)
        else:
            asked = self.dut.data(pair.request)
            taker = Taker(
                pair.request,
                self.dut,
                ports[pair.request],
                asked,
                Willing(Always().runs(Random(0, name))),
                holds=True,
            )
            taker.tell(lambda cycle, value: answerer.hear(cycle, asked.unpack(value)))
            self._memories.append(taker)
        self._memories.append(answerer)

    def _check_beats(self, sink: str, source: str) -> None:
        """Requests of several beats need to end somewhere, and to have a size."""
        for name in (sink, source):
            if self.binding.ports[name].last is None:
                raise CosimError(
                    f"{self.dut.bound.file}: port '{name}' has no 'last', and requests have up to "
                    f"{self.stimulus.most_beats} beats; expected 'last', or one beat"
                )
        first, most = self._table.entries[0], self.stimulus.most_beats
        if beat_bytes_of(first) is None:
            raise CosimError(
                f"{self._table.name}: stage '{first.name}' does not say what a beat carries, and "
                f"requests have up to {most}; expected 'beat' or 'flit', or one beat"
            )

    def _beats_of(self, names: Sequence[str]) -> Callable[[tuple[int, ...]], int]:
        """How many beats an item has, asked in turn: what its size says in the table."""
        model, sizes = self.model(), self.stimulus.beats_of_items()

        def beats(values: tuple[int, ...]) -> int:
            said = dict(zip(names, values, strict=True))
            known = {name: value for name, value in said.items() if name in MEANING}
            return model.beats(known, next(sizes))

        return beats

    def _beats_of_item(self, item: int) -> int:
        """How many beats an item has."""
        items = self.stimulus.items(self._widths)
        beats = self._beats_of(items.names)
        return [beats(items.take(number)) for number in range(item + 1)][-1]

    def _check_ports(self) -> None:
        """Every port must be driven or taken from by someone."""
        used = {self._driver.name, self._taker.name, *(one.name for one in self._memories)}
        for name in self.binding.ports:
            if name not in used:
                raise CosimError(
                    f"{self.dut.bound.file}: port '{name}' is neither where the path begins or "
                    "ends nor of a memory; expected it under 'memory', or left out"
                )

    def _check_fields(self, data: Data, out: Data) -> None:
        """What comes out must have gone in: nothing else is known of it."""
        file = self.dut.bound.file
        for name, width in out.widths.items():
            if name == LAST:
                continue
            if name not in data.widths:
                raise CosimError(
                    f"{file}: field '{name}' of port '{out.port}' is none of port '{data.port}'; "
                    f"expected one of {listed(data.widths)}, which the DUT is to pass on"
                )
            if width != data.widths[name]:
                raise CosimError(
                    f"{file}: field '{name}' has {width} bits at port '{out.port}' and "
                    f"{data.widths[name]} at port '{data.port}'; expected the same"
                )

    # -- the run ----------------------------------------------------------------------------

    async def _run(self, edge: RisingEdge) -> Result:
        await self._reset(edge)
        self._start_ps = round(get_sim_time("ps")) + self.binding.clock.period
        driver, taker = self._driver, self._taker
        ports: list[Driver | Taker | Answerer] = [driver, taker, *self._memories]
        for one in ports:
            one.prepare()
        cycle = moved_at = -1
        with Ahead(self.model) as ahead:
            while True:
                bad: BadSignalError | None = None
                end = cycle + CHUNK_CYCLES
                try:
                    while cycle < end:
                        await edge
                        cycle += 1
                        for one in ports:
                            one.step(cycle)
                except BadSignalError as error:
                    bad = error
                chunk = ahead.next()
                moved_at = max([moved_at, *driver.cycles[-1:], *taker.cycles[-1:]])
                found = self._compare(chunk.handshakes, cycle)
                # A handshake of that cycle is missing because its signals could not be read.
                if found is not None and (bad is None or found.cycle < bad.cycle):
                    return self._result(cycle, self._difference(found))
                if bad is not None:
                    return self._result(cycle, self._bad(one.name, bad))
                self._compared = cycle
                quiet = cycle - moved_at
                is_through = chunk.is_over and not self._comparison.open_of_emulator
                if quiet >= (AFTER_CYCLES if is_through else self._patience_cycles):
                    return self._end(cycle, chunk.dropped)

    async def _reset(self, edge: RisingEdge) -> None:
        """Holds reset; when it returns, the DUT is to be driven for cycle 0."""
        for one in (self._driver, self._taker, *self._memories):
            one.rest()
        if not await self.dut.reset(lambda: edge):
            await edge

    def _compare(self, said: Handshakes, cycle: int) -> Mismatch | None:
        """The first difference up to a cycle that both sides have reached, the DUT as the last."""
        driver, taker = self._driver, self._taker
        taken = bisect_right(said.taken, cycle)
        given = bisect_right(said.given, cycle)
        sink, source = self._comparison.ports.values()
        sink.of_dut(driver.cycles, [0] * len(driver.cycles))
        sink.of_emulator(said.taken[:taken], [0] * taken)
        source.of_dut(taker.cycles, taker.values)
        source.of_emulator(said.given[:given], said.values[:given])
        if self._watch is not None:
            self._watch(self._seen)
        for one in (driver, taker):
            one.cycles.clear()
            one.values.clear()
        found = self._comparison.check(cycle)
        if found is None:
            taker.not_last.clear()
        return found

    def _seen(self) -> list[DutEvent]:
        """The DUT's handshakes that have not been compared."""
        events = [
            DutEvent(cycle, one.name, one.data.unpack(value))
            for one in (self._driver, self._taker)
            for cycle, value in zip(one.cycles, one.values, strict=True)
        ]
        return sorted(events, key=lambda event: event.cycle)

    # -- the end ----------------------------------------------------------------------------

    def _end(self, cycle: int, dropped: int) -> Result:
        """Nothing more comes: what is left over decides."""
        allowed = self._left_over
        found = self._comparison.finish(allowed)
        if found is not None and found.emulator is None:
            return self._result(cycle, self._difference(found))
        through = min(one.matched for one in self._comparison.ports.values())
        left = max(self.stimulus.requests - dropped - through, self._comparison.open_of_dut)
        if self._comparison.matched and (allowed is None or left <= allowed):
            return self._result(cycle, None, left)
        return self._result(cycle, self._stall(cycle, left))

    def _result(self, cycle: int, difference: Difference | None, left_over: int = 0) -> Result:
        return Result(
            seed=self.stimulus.seed,
            mode=str(self.rule),
            offer=str(self.stimulus.offers),
            ready=str(self.stimulus.readies),
            cycles=cycle + 1,
            matched={name: one.matched for name, one in self._comparison.ports.items()},
            left_over=left_over,
            difference=difference,
        )

    def _difference(self, found: Mismatch) -> Difference:
        dut, emulator = found.dut, found.emulator
        one = emulator or dut
        assert one is not None  # a mismatch is of at least one side
        value = None if emulator is not None else one.value
        said = replace(
            self._found("event", found.port, found.cycle, self._what(found), one.number, value),
            dut=self._event(found.port, dut),
            emulator=self._event(found.port, emulator),
        )
        beat = self._taker.not_last.get(found.cycle)
        if dut is not None or found.port != self._taker.name or beat is None:
            return said
        assert emulator is not None  # as the DUT has no handshake
        assert said.explanation is not None  # it has been asked for
        item, (shown, count) = said.explanation.item, beat
        beats = self._beats_of_item(item)
        if shown != emulator.value or count < beats:
            return said  # it is of another request, or late
        return replace(said, what=f"'last' is 0 in beat {count} of {beats}; expected 1")

    def _what(self, found: Mismatch) -> str:
        dut, emulator = found.dut, found.emulator
        if emulator is None:
            return "the DUT has a handshake there, and the emulator has none"
        if dut is None:
            return "the emulator has a handshake there, and the DUT has none"
        if dut.value != emulator.value:
            return f"handshake {dut.number} carries other values"
        apart = abs(dut.cycle - emulator.cycle)
        return f"handshake {dut.number} is {apart} cycles apart; {self.rule} cycles is allowed"

    def _bad(self, port: str, error: BadSignalError) -> Difference:
        compared = self._comparison.ports
        number = compared[port if port in compared else self._taker.name].matched
        what = str(error)
        if error.kind == "unknown" and (undriven := self.dut.undriven()):
            what += f"; nothing drives {listed(undriven)}: expected it in the binding"
        return self._found(error.kind, port, error.cycle, what, number)

    def _stall(self, cycle: int, left: int) -> Difference:
        what = (
            f"nothing has moved for {self._patience_cycles} cycles, with {left} of "
            f"{self.stimulus.requests} items left"
            if self._comparison.matched
            else "nothing was compared: no port had a handshake"
        )
        if not self._comparison.ports[self._taker.name].matched:
            hint = in_reset(self.binding.reset)
            what += f" ({hint}, must some input be tied, or does it wait for more?)"
        source = self._taker.name
        difference = self._found(
            "stall", source, cycle, what, self._comparison.ports[source].matched
        )
        return replace(
            difference,
            dut_ports=[one.state() for one in (self._driver, self._taker, *self._memories)],
            emulator_waits=waits_at(self.model, cycle),
        )

    def _found(
        self,
        kind: Kind,
        port: str,
        cycle: int,
        what: str,
        number: int,
        value: Value | None = None,
    ) -> Difference:
        """A difference with its surroundings.

        What explains it is the item that the DUT alone gave, as `value`, or that of the
        emulator's handshake `number` of the port.
        """
        bound = self.binding.ports[port]
        data = [bits.signal for bits in bound.fields.values()]
        signals = [bound.valid, bound.ready, bound.last, *data]
        ports = self._comparison.ports
        return Difference(
            kind=kind,
            cycle=cycle,
            time_ps=self._start_ps + cycle * self.binding.clock.period,
            port=port,
            signals=list(dict.fromkeys(name for name in signals if name is not None)),
            what=what,
            dut=None,
            emulator=None,
            last_of_dut={name: self._events(name, one.last_of_dut) for name, one in ports.items()},
            last_of_emulator={
                name: self._events(name, one.last_of_emulator) for name, one in ports.items()
            },
            explanation=explain(self.model, self._item_of(port, number, value), cycle),
        )

    def _item_of(self, port: str, number: int, value: Value | None) -> Callable[[Handshakes], int]:
        """Which item a difference is about, as the emulator's handshakes tell it."""

        def item_of(said: Handshakes) -> int:
            if port != self._taker.name:
                return number
            if value is not None:
                items = self.stimulus.items(self._widths)
                gone = set(said.items[:number])
                for item in range(self._driver.number):
                    if item not in gone and self._carry(items[item]) == value:
                        return item
            return said.items[number] if number < len(said.items) else number

        return item_of

    def _events(self, port: str, seen: Iterable[Seen]) -> list[PortEvent]:
        return [event for event in (self._event(port, one) for one in seen) if event is not None]

    def _event(self, port: str, seen: Seen | None) -> PortEvent | None:
        if seen is None:
            return None
        if port == self._taker.name:
            return PortEvent(seen.number, seen.cycle, self._out.unpack(seen.value))
        items = self.stimulus.items(self._widths)
        fields = dict(zip(items.names, items[seen.number], strict=True))
        return PortEvent(seen.number, seen.cycle, fields)
