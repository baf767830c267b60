"""Signals: the handles of a DUT that a binding names, and how fields lie in them."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass

from cocotb.clock import Clock
from cocotb.handle import (
    ArrayObject,
    EnumObject,
    HierarchyArrayObject,
    HierarchyObject,
    IntegerObject,
    LogicArrayObject,
    LogicObject,
    PackedObject,
    RealObject,
    SimHandleBase,
    StringObject,
)

from emu.cosim.binding import Bound, Slice
from emu.cosim.errors import BadSignalError, CosimError
from emu.errors import did_you_mean
from emu.table.errors import Problem, TableError

#: A handle whose value is bits.
Signal = LogicObject | LogicArrayObject | PackedObject[LogicObject]
_BITS = (LogicObject, LogicArrayObject, PackedObject)
#: What else a handle can be.
_KINDS: dict[type, str] = {
    ArrayObject: "an array",
    EnumObject: "an enumeration",
    HierarchyArrayObject: "an array of blocks",
    HierarchyObject: "a block",
    IntegerObject: "an integer",
    RealObject: "a real number",
    StringObject: "text",
}
#: As a field, what `last` of a port is called.
LAST = "last"
#: Makes cocotb read X and Z as something else.
RESOLVES = "COCOTB_RESOLVE_X"


@dataclass(frozen=True, slots=True)
class Bits:
    """A field: so many bits of a signal, from its bit `low` on; which signal of the port's."""

    name: str
    signal: int
    low: int
    width: int

    @property
    def mask(self) -> int:
        """Its bits, from 0 on."""
        return (1 << self.width) - 1


class Data:
    """The signals of a port that carry its fields.

    In a handshake they are one number: the first signal lowest, with bits that no field names 0.
    """

    def __init__(self, port: str, signals: Sequence[Signal], fields: Sequence[Bits]) -> None:
        self.port = port
        self.signals = tuple(signals)
        self.fields = tuple(fields)
        self._offsets: list[int] = []
        offset = 0
        for signal in signals:
            self._offsets.append(offset)
            offset += width_of(signal)
        #: Of each signal its lowest bit in the number, and its bits.
        self._places = [
            (signal, offset, (1 << width_of(signal)) - 1)
            for signal, offset in zip(self.signals, self._offsets, strict=True)
        ]
        self.mask = 0
        for field in fields:
            self.mask |= field.mask << self._shift(field)
        self._alone = self.signals[0] if len(self.signals) == 1 else None

    @property
    def widths(self) -> dict[str, int]:
        """Field to its width in bits."""
        return {field.name: field.width for field in self.fields}

    @property
    def shifts(self) -> dict[str, int]:
        """Field to where its lowest bit is in the number."""
        return {field.name: self._shift(field) for field in self.fields}

    def pack(self, values: Iterable[int]) -> int:
        """The number for these values, in the order of the fields."""
        number = 0
        for field, value in zip(self.fields, values, strict=True):
            number |= value << self._shift(field)
        return number

    def unpack(self, number: int) -> dict[str, int]:
        """Field to value."""
        return {f.name: number >> self._shift(f) & f.mask for f in self.fields}

    def write(self, number: int) -> None:
        """Drives the signals."""
        if self._alone is not None:
            self._alone.value = number
            return
        for signal, offset, mask in self._places:
            signal.value = number >> offset & mask

    def read(self, cycle: int) -> int:
        """What the signals carry; `BadSignalError` where a field has X or Z."""
        try:
            if self._alone is not None:
                return int(self._alone.value) & self.mask
            number = 0
            for signal, offset, _ in self._places:
                number |= int(signal.value) << offset
        except ValueError:
            return self._read_known(cycle)
        return number & self.mask

    def _read_known(self, cycle: int) -> int:
        """The same where bits are X or Z: that matters only if they are of a field."""
        number = 0
        for field in self.fields:
            signal = self.signals[field.signal]
            text = str(signal.value)
            end = len(text) - field.low
            bits = text[end - field.width : end].replace("H", "1").replace("L", "0")
            if bits.strip("01"):
                where = f"{signal._name}[{field.low + field.width - 1}:{field.low}]"
                raise BadSignalError(
                    "unknown",
                    cycle,
                    f"{where} is {bits} where field '{field.name}' is valid; expected 0 and 1",
                )
            number |= int(bits, 2) << self._shift(field)
        return number

    def _shift(self, field: Bits) -> int:
        return self._offsets[field.signal] + field.low


def is_one(signal: Signal, cycle: int, what: str) -> bool:
    """Whether a signal of one bit is 1; `BadSignalError` where it is X or Z."""
    try:
        return bool(int(signal.value))
    except ValueError:
        raise BadSignalError(
            "unknown", cycle, f"{signal._name} is {signal.value!s} as {what}; expected 0 or 1"
        ) from None


def width_of(signal: Signal) -> int:
    """How many bits it has."""
    return 1 if isinstance(signal, LogicObject) else len(signal)


class Dut:
    """A DUT as a binding sees it; `TableError` with all that the DUT does not have."""

    def __init__(self, top: HierarchyObject, bound: Bound) -> None:
        if os.environ.get(RESOLVES):
            raise CosimError(
                f"{RESOLVES} is set, and cocotb then takes X and Z for 0 or 1; expected it unset"
            )
        self.top = top
        self.bound = bound
        self._problems: list[Problem] = []
        self._signals: dict[str, Signal] = {}
        for path, bits in bound.binding.signals():
            self._find(path, bits)
        if self._problems:
            raise TableError(self._problems)

    @property
    def clock(self) -> LogicObject:
        """The handle of the clock."""
        clock = self._signals[self.bound.binding.clock.signal]
        assert isinstance(clock, LogicObject)  # checked as it was found
        return clock

    def start_clock(self) -> Clock:
        """Starts the clock with the binding's period, low at first."""
        period_ps = self.bound.binding.clock.period
        clock = Clock(self.clock, period_ps, "ps", period_high=period_ps // 2)
        clock.start(start_high=False)
        return clock

    async def reset(self, next_edge: Callable[[], Awaitable[object]]) -> int:
        """Ties what is tied, and holds reset as the binding says; how many edges that took.

        Without a reset none: it returns at once.
        """
        for name, value in self.bound.binding.tie.items():
            self.signal(name).value = value
        reset = self.bound.binding.reset
        if reset is None:
            return 0
        signal, active = self.signal(reset.signal), int(reset.active == "high")
        signal.value = active
        for _ in range(reset.cycles):
            await next_edge()
        signal.value = 1 - active
        for _ in range(reset.settle):
            await next_edge()
        return reset.cycles + reset.settle

    def undriven(self) -> list[str]:
        """Signals at the DUT's top that nothing drives, nor does the binding name them."""
        return [
            child._name
            for child in self.top
            if isinstance(child, _BITS)
            and child._name not in self._signals
            and not str(child.value).strip("Zz")
        ]

    def signal(self, name: str) -> Signal:
        """The handle of a signal that the binding names."""
        return self._signals[name]

    def data(self, name: str) -> Data:
        """The fields of a port, `last` among them if it has one."""
        port = self.bound.binding.ports[name]
        slices = dict(port.fields)
        if port.last is not None:
            slices[LAST] = Slice(port.last)
        names = list(dict.fromkeys(bits.signal for bits in slices.values()))
        signals = [self._signals[signal] for signal in names]
        fields = []
        for field, bits in slices.items():
            at = names.index(bits.signal)
            high = width_of(signals[at]) - 1 if bits.high is None else bits.high
            fields.append(Bits(field, at, bits.low, high - bits.low + 1))
        return Data(name, signals, fields)

    def _find(self, path: tuple[str | int, ...], bits: Slice) -> None:
        handle: SimHandleBase = self.top
        for step in bits.signal.split("."):
            names = [child._name for child in handle] if isinstance(handle, HierarchyObject) else []
            if step not in names:
                of = self.top._name if handle is self.top else handle._name
                what = f"'{of}' has no signal '{step}'"
                near = did_you_mean(step, names)
                self._problems.append(
                    self.bound.problem(path, what, "expected one that it has", near)
                )
                return
            assert isinstance(handle, HierarchyObject)
            handle = handle[step]
        if not isinstance(handle, _BITS):
            what = f"'{bits.signal}' is {_KINDS.get(type(handle), 'something else')}"
            self._problems.append(self.bound.problem(path, what, "expected bits", ""))
            return
        self._fits(path, bits, handle)
        self._signals[bits.signal] = handle

    def _fits(self, path: tuple[str | int, ...], bits: Slice, handle: Signal) -> None:
        width = width_of(handle)
        if bits.high is not None and bits.high >= width:
            what = f"'{bits.signal}' has {width} bits"
            expected = f"expected bits up to {width - 1}"
            self._problems.append(self.bound.problem(path, what, expected, ""))
        if path[0] == "tie" and (value := self.bound.binding.tie[bits.signal]) >> width:
            bits_of = "1 bit" if width == 1 else f"{width} bits"
            what = f"{value} does not fit into '{bits.signal}', which has {bits_of}"
            expected = f"expected at most {(1 << width) - 1}"
            self._problems.append(self.bound.problem(path, what, expected, ""))
        is_data = path[-2] == "fields" or path[0] == "tie"
        is_bit = isinstance(handle, LogicObject) if path[0] == "clock" else width == 1
        if not is_data and not is_bit:
            what = f"'{bits.signal}' has {width} bits"
            self._problems.append(self.bound.problem(path, what, "expected one bit", ""))
