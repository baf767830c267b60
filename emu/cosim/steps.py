"""Steps: a DUT that is taken from cycle to cycle, and looked at within each as often as needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from cocotb.clock import Clock
from cocotb.handle import HierarchyObject
from cocotb.triggers import ClockCycles, Timer

from emu.cosim.binding import Bound, Port
from emu.cosim.compare import Value
from emu.cosim.errors import BadSignalError
from emu.cosim.signals import Dut, is_one

#: From so many cycles on it costs less to start a clock than to drive each edge.
CLOCKED_CYCLES = 4
#: After so many looks, and at most so many cycles at a time, who watches is told.
WATCHED_LOOKS = 1024
WATCHED_CYCLES = 100_000


@dataclass(frozen=True, slots=True)
class Driven:
    """What the other side does in a cycle: a beat offered, whether one is taken, and answers."""

    offer: Value | None = None
    is_ready: bool = True
    #: Port to the beat that is offered there.
    answers: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Shown:
    """What the DUT does in a cycle: whether it takes, what it gives, and which answers it takes.

    `can_take` is also known where nothing is offered.
    """

    can_take: bool
    gives: Value | None
    takes_answers: frozenset[str]


REST = Driven()


class Steps:
    """A DUT at the ports `sink`, `source` and `answers` of its binding, in cycle `cycle`.

    That is the one before the edge of that number; edge 0 is the first after reset. The clock is
    driven here, and stands still as long as nobody asks, so the simulator's own time says nothing.
    `watch` is called now and then, as time goes on.
    """

    def __init__(
        self,
        top: HierarchyObject,
        bound: Bound,
        sink: str,
        source: str,
        answers: tuple[str, ...],
        watch: Callable[[], None],
    ) -> None:
        self.cycle = 0
        self.dut = dut = Dut(top, bound)
        self.sink, self.source = dut.data(sink), dut.data(source)
        self.answers = {name: dut.data(name) for name in answers}
        ports = bound.binding.ports
        self._in, self._out = ports[sink], ports[source]
        self._answers = {name: ports[name] for name in answers}
        self._driven = REST
        self._watch = watch
        self._looks = 0
        period_ps = bound.binding.clock.period
        self._high_ps = period_ps // 2
        self._low_ps = period_ps - self._high_ps

    @property
    def cannot_stop(self) -> bool:
        """Whether the DUT gives without asking whether that is taken."""
        return self._out.ready is None

    async def reset(self) -> None:
        """Holds reset for as long as the binding says, and goes to cycle 0."""
        self.dut.clock.value = 0
        self._drive(REST)
        await self.dut.reset(self._next_edge)
        await Timer(self._low_ps, "ps")
        self.cycle = 0

    async def look(self, cycle: int, driven: Driven) -> Shown:
        """Goes to a cycle that is not over, and drives it; what the DUT shows once it has settled.

        What was driven last was so up to the next edge. If that is not the last before the cycle,
        nothing is offered after it, and anything taken.
        """
        if cycle > self.cycle:
            await self._edge()
            self.cycle += 1
            if cycle > self.cycle:
                self._drive(REST)
                await Timer(self._low_ps, "ps")
                while cycle > self.cycle:
                    cycles = min(cycle - self.cycle, WATCHED_CYCLES)
                    await self._run(cycles)
                    self.cycle += cycles
                    self._watch()
                    if cycle > self.cycle:
                        await Timer(self._low_ps, "ps")
        self._looks += 1
        if self._looks % WATCHED_LOOKS == 0:
            self._watch()
        self._drive(driven)
        await Timer(self._low_ps, "ps")
        return self._shown()

    def state(self) -> list[str]:
        """What both sides of the two ports show now, for people."""
        lines = []
        for data, port in ((self.sink, self._in), (self.source, self._out)):
            ready = "always" if port.ready is None else str(self.dut.signal(port.ready).value)
            valid = str(self.dut.signal(port.valid).value)
            lines.append(f"'{data.port}' has valid {valid} and ready {ready}")
        return lines

    # -- inside -----------------------------------------------------------------------------

    async def _next_edge(self) -> None:
        """The clock is low for its time, and then rises and falls."""
        await Timer(self._low_ps, "ps")
        await self._edge()

    async def _edge(self) -> None:
        """The clock rises, and falls again."""
        clock = self.dut.clock
        clock.value = 1
        await Timer(self._high_ps, "ps")
        clock.value = 0

    async def _run(self, cycles: int) -> None:
        """So many edges at which nothing else is done; at the end the clock has fallen."""
        if cycles < CLOCKED_CYCLES:
            for left in reversed(range(cycles)):
                await self._edge()
                if left:
                    await Timer(self._low_ps, "ps")
            return
        signal = self.dut.clock
        clock = Clock(
            signal, self._low_ps + self._high_ps, "ps", period_high=self._high_ps, impl="gpi"
        )
        clock.start(start_high=False)
        await ClockCycles(signal, cycles)
        clock.stop()
        await Timer(self._high_ps, "ps")
        signal.value = 0

    def _drive(self, driven: Driven) -> None:
        before, self._driven = self._driven, driven
        if driven.offer != before.offer or driven is REST:
            self.dut.signal(self._in.valid).value = int(driven.offer is not None)
            self.sink.write(driven.offer or 0)
        if self._out.ready is not None:
            self.dut.signal(self._out.ready).value = int(driven.is_ready)
        for name, port in self._answers.items():
            value = driven.answers.get(name)
            self.dut.signal(port.valid).value = int(value is not None)
            self.answers[name].write(value or 0)

    def _shown(self) -> Shown:
        cycle, driven = self.cycle, self._driven
        name = self.source.port
        taken = set()
        try:
            valid = self.dut.signal(self._out.valid)
            gives = self.source.read(cycle) if is_one(valid, cycle, "valid") else None
            for name in driven.answers:
                if self._is_ready(self._answers[name], True):
                    taken.add(name)
            name = self.sink.port
            can_take = self._is_ready(self._in, driven.offer is not None)
        except BadSignalError as error:
            raise BadSignalError(error.kind, cycle, f"port '{name}': {error}") from None
        return Shown(can_take, gives, frozenset(taken))

    def _is_ready(self, port: Port, is_needed: bool) -> bool:
        """Whether the DUT takes at a port; X counts as no, where it is not needed to know."""
        if port.ready is None:
            return True
        signal = self.dut.signal(port.ready)
        return is_one(signal, self.cycle, "ready") if is_needed else str(signal.value) == "1"
