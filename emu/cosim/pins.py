"""Pins: what drives and watches the ports of a DUT, a step for each cycle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from emu.cosim.binding import Port
from emu.cosim.compare import Value
from emu.cosim.errors import BadSignalError
from emu.cosim.signals import LAST, Data, Dut, is_one
from emu.cosim.stimulus import Answers, Items, Willing


class Driver:
    """Offers items at a port that the DUT takes from: what the source of the model does."""

    def __init__(
        self,
        name: str,
        dut: Dut,
        port: Port,
        data: Data,
        items: Items,
        willing: Willing,
        count: int,
    ) -> None:
        self.name = name
        self.data = data
        self.cycles: list[int] = []
        self.values: list[Value] = []
        self.is_offering = False
        #: The number of the item that is offered, or will be next.
        self.number = 0
        #: When it was offered, or a cycle before which it will not be.
        self.since = 0
        self._valid = dut.signal(port.valid)
        self._ready = None if port.ready is None else dut.signal(port.ready)
        self._items = items
        self._willing = willing
        self._count = count
        self._carry = carrying(items.names, data)
        #: What is driven.
        self._value = 0

    def rest(self) -> None:
        """Offers nothing."""
        self._valid.value = 0
        self.data.write(0)

    def prepare(self) -> None:
        """Drives cycle 0, as reset is released."""
        self.since = self._willing.first(0)
        if self.since == 0:
            self._raise()

    def step(self, cycle: int) -> None:
        """Takes what was settled before the edge of this cycle, and drives the next."""
        if self.is_offering:
            if self._ready is not None and not is_one(self._ready, cycle, "ready"):
                return
            if not self._take(cycle):
                return
            self.number += 1
            self.since = self._willing.first(cycle + 1)
            if self.since == cycle + 1 and self.number < self._count:
                self._write()
            else:
                self.is_offering = False
                self._valid.value = 0
        elif self.since <= cycle + 1 and self.number < self._count:
            self._raise()

    def state(self) -> str:
        """What both sides of the port show now."""
        ready = "always" if self._ready is None else str(self._ready.value)
        since = f"item {self.number} since cycle {self.since}" if self.is_offering else "nothing"
        return f"'{self.name}' is offered {since}; ready is {ready}"

    def _take(self, cycle: int) -> bool:
        """The handshake; whether nothing of the item is left to be taken."""
        self.cycles.append(cycle)
        self.values.append(self._value)
        return True

    def _raise(self) -> None:
        self.is_offering = True
        self._valid.value = 1
        self._write()

    def _write(self) -> None:
        self._value = self._carry(self._items.take(self.number))
        self.data.write(self._value)


class Taker:
    """Takes at a port that the DUT gives at: what the sink of the model does."""

    def __init__(
        self, name: str, dut: Dut, port: Port, data: Data, willing: Willing, *, holds: bool
    ) -> None:
        self.name = name
        self.data = data
        self.cycles: list[int] = []
        self.values: list[Value] = []
        self.is_ready = True
        #: Of requests of several beats: cycle to a beat that was not the last, as the request is
        #: with `last`, and which beat of it.
        self.not_last: dict[int, tuple[Value, int]] = {}
        self._valid = dut.signal(port.valid)
        self._ready = None if port.ready is None else dut.signal(port.ready)
        self._willing = willing
        self._holds = holds
        self._change = 0
        self._hear: list[Callable[[int, Value], None]] = []
        #: What has been shown and not taken.
        self._shown: Value | None = None

    def tell(self, hear: Callable[[int, Value], None]) -> None:
        """From now on calls it for each handshake, with the cycle and what was carried."""
        self._hear.append(hear)

    def rest(self) -> None:
        """Takes nothing."""
        if self._ready is not None:
            self._ready.value = 0

    def prepare(self) -> None:
        """Drives cycle 0, as reset is released."""
        self._drive(0)

    def step(self, cycle: int) -> None:
        """Takes what was settled before the edge of this cycle, and drives the next."""
        if is_one(self._valid, cycle, "valid"):
            value = self.data.read(cycle)
            if self._shown is not None and value != self._shown:
                raise BadSignalError("data", cycle, "what is shown changes before it is taken")
            if self.is_ready:
                self._shown = None
                self._take(cycle, value)
            elif self._holds:
                self._shown = value
        elif self._shown is not None:
            raise BadSignalError("valid", cycle, "valid falls before what is shown is taken")
        if cycle + 1 == self._change:
            self._drive(cycle + 1)

    def state(self) -> str:
        """What both sides of the port show now."""
        ready = "is ready" if self.is_ready else "is not ready"
        return f"'{self.name}' shows valid {self._valid.value!s}; its taker {ready}"

    def _take(self, cycle: int, value: Value) -> None:
        """The handshake."""
        self.cycles.append(cycle)
        self.values.append(value)
        for hear in self._hear:
            hear(cycle, value)

    def _drive(self, cycle: int) -> None:
        self.is_ready = self._willing.first(cycle) == cycle
        self._change = self._willing.change(cycle)
        if self._ready is not None:
            self._ready.value = int(self.is_ready)


class PacketDriver(Driver):
    """Offers items of several beats: all alike but for `last`, one after the other.

    An item is accepted with its first beat. `beats` is how many the item has that is asked for, in
    turn.
    """

    def __init__(self, *given: Any, beats: Callable[[tuple[int, ...]], int]) -> None:
        super().__init__(*given)
        self._beats = beats
        self._last = 1 << self.data.shifts[LAST]
        #: How many beats of the item are left, with the one that is offered; whether that is the
        #: first.
        self._left = 0
        self._is_first = True

    def _take(self, cycle: int) -> bool:
        """A beat has been taken."""
        if self._is_first:
            super()._take(cycle)
        self._left -= 1
        self._is_first = False
        if self._left:
            self._write_beat()
        return not self._left

    def _write(self) -> None:
        values = self._items.take(self.number)
        self._value = self._carry(values)
        self._left, self._is_first = self._beats(values), True
        self._write_beat()

    def _write_beat(self) -> None:
        self.data.write(self._value if self._left == 1 else self._value & ~self._last)


class PacketTaker(Taker):
    """Takes items of several beats: the first when it is willing, and then one in each cycle.

    What counts is the first beat, or with `counts_last` the last.
    """

    def __init__(self, *given: Any, holds: bool, counts_last: bool) -> None:
        super().__init__(*given, holds=holds)
        self._counts_last = counts_last
        self._last = 1 << self.data.shifts[LAST]
        #: What the beats of the packet carry that has begun, and how many there were.
        self._packet: Value | None = None
        self._beats = 0

    def step(self, cycle: int) -> None:
        """Takes what was settled before the edge of this cycle, and drives the next."""
        begun = self._packet
        super().step(cycle)
        if self._packet is not None and not self.is_ready:
            self.is_ready = True
            if self._ready is not None:
                self._ready.value = 1
        elif self._packet is None and begun is not None:
            self._drive(cycle + 1)

    def _take(self, cycle: int, value: Value) -> None:
        """A beat has been taken."""
        said, is_last = value | self._last, bool(value & self._last)
        begun = self._packet
        if begun is not None and said != begun:
            raise BadSignalError(
                "data",
                cycle,
                "a beat shows other fields than those before it, of which none was the last",
            )
        self._packet = None if is_last else said
        self._beats = 1 if begun is None else self._beats + 1
        if not is_last:
            self.not_last[cycle] = (said, self._beats)
        if is_last if self._counts_last else begun is None:
            super()._take(cycle, said)


class Answerer:
    """Answers at a port that the DUT takes from, a while after each request that it hears of."""

    def __init__(self, name: str, dut: Dut, port: Port, data: Data, answers: Answers) -> None:
        self.name = name
        self.data = data
        self._valid = dut.signal(port.valid)
        self._ready = None if port.ready is None else dut.signal(port.ready)
        self._answers = answers
        #: Cycle to the answer that is shown in it.
        self._due: dict[int, Value] = {}
        self._shows = False

    def hear(self, cycle: int, said: Mapping[str, int]) -> None:
        """A request; its answer has those of its fields that the port has, and 0 for others."""
        values = [1 if name == LAST else said.get(name, 0) for name in self.data.widths]
        self._due[self._answers.due(cycle)] = self.data.pack(values)

    def rest(self) -> None:
        """Answers nothing."""
        self._valid.value = 0
        self.data.write(0)

    def prepare(self) -> None:
        """Cycle 0 has no answer."""

    def step(self, cycle: int) -> None:
        """To be called after all that may hear of a request in this cycle."""
        if self._shows and self._ready is not None and not is_one(self._ready, cycle, "ready"):
            raise BadSignalError("ready", cycle, "an answer is not taken in the cycle it comes in")
        value = self._due.pop(cycle + 1, None)
        if value is not None:
            self.data.write(value)
            self._valid.value = 1
            self._shows = True
        elif self._shows:
            self._valid.value = 0
            self._shows = False

    def state(self) -> str:
        """What both sides of the port show now."""
        ready = "always" if self._ready is None else str(self._ready.value)
        return f"'{self.name}' is shown {len(self._due)} answers from now on; ready is {ready}"


def carrying(names: Iterable[str], data: Data) -> Callable[[tuple[int, ...]], Value]:
    """What items, whose fields are `names`, are at a port; `last` is 1 there."""
    places = list(names)
    shifts = data.shifts
    always = 1 << shifts[LAST] if LAST in shifts else 0
    moves = [(places.index(name), shift) for name, shift in shifts.items() if name != LAST]

    def carry(values: tuple[int, ...]) -> Value:
        number = always
        for place, shift in moves:
            number |= values[place] << shift
        return number

    return carry
