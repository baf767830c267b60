"""Comparison: what was seen at each port of the DUT against what the emulator says."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from dataclasses import dataclass
from typing import Literal

from emu.cosim.errors import CosimError
from emu.errors import did_you_mean, listed

Mode = Literal["exact", "bounded", "order"]
MODES: tuple[Mode, ...] = ("exact", "bounded", "order")
#: So many of the last events that agreed are kept for reports.
REMEMBERED = 4
#: What a port carries in a handshake, packed into one number.
Value = int


@dataclass(frozen=True)
class Rule:
    """When two events are equal: in the same cycle, within a skew, or as the same in order."""

    mode: Mode = "exact"
    skew_cycles: int = 0

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            near = did_you_mean(self.mode, MODES)
            raise CosimError(
                f"mode '{self.mode}' is not known; expected {listed(MODES)}"
                + (f"; {near}" if near else "")
            )
        if self.mode == "bounded" and self.skew_cycles < 1:
            raise CosimError("mode bounded without a skew; expected 1 cycle or more")
        if self.mode != "bounded" and self.skew_cycles:
            raise CosimError(f"a skew of {self.skew_cycles} in mode {self.mode}; expected bounded")

    def __str__(self) -> str:
        return f"bounded by {self.skew_cycles}" if self.mode == "bounded" else self.mode


@dataclass(frozen=True, slots=True)
class Seen:
    """A handshake: its number at its port, its cycle, and what was carried."""

    number: int
    cycle: int
    value: Value


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The first handshake of a port in which the two sides differ; `None` for none of that side.

    `cycle` is when the first of the two happened; where only order counts, when the DUT's did, if
    it has one: the emulator's may be long before it.
    """

    port: str
    cycle: int
    dut: Seen | None
    emulator: Seen | None


class PortComparison:
    """The handshakes of one port, in order, from both sides; what agrees is let go."""

    def __init__(self, port: str, rule: Rule) -> None:
        self.port = port
        #: How many agree.
        self.matched = 0
        #: The last that agreed, as each side had them.
        self.last_of_dut: deque[Seen] = deque(maxlen=REMEMBERED)
        self.last_of_emulator: deque[Seen] = deque(maxlen=REMEMBERED)
        self._rule = rule
        self._dut: tuple[list[int], list[Value]] = ([], [])
        self._emulator: tuple[list[int], list[Value]] = ([], [])

    @property
    def open_of_dut(self) -> int:
        """How many of the DUT's have no counterpart yet."""
        return len(self._dut[0])

    @property
    def open_of_emulator(self) -> int:
        """How many of the emulator's have no counterpart yet."""
        return len(self._emulator[0])

    def of_dut(self, cycles: list[int], values: list[Value]) -> None:
        """More handshakes of the DUT."""
        self._dut[0].extend(cycles)
        self._dut[1].extend(values)

    def of_emulator(self, cycles: list[int], values: list[Value]) -> None:
        """More handshakes of the emulator."""
        self._emulator[0].extend(cycles)
        self._emulator[1].extend(values)

    def check(self, cycle: int) -> tuple[int, Mismatch | None]:
        """How many agree, up to and including a cycle that both sides have reached; what follows.

        Nothing is let go: see `agree`.
        """
        if self._dut == self._emulator:
            return len(self._dut[0]), None
        rule, skew = self._rule, self._rule.skew_cycles
        (dut_cycles, dut_values), (cycles, values) = self._dut, self._emulator
        both = min(len(dut_cycles), len(cycles))
        for at in range(both):
            apart = abs(dut_cycles[at] - cycles[at])
            if dut_values[at] != values[at] or (rule.mode != "order" and apart > skew):
                return at, self._mismatch(at)
        alone = dut_cycles[both:] or cycles[both:]
        if alone and rule.mode != "order" and alone[0] + skew <= cycle:
            return both, self._mismatch(both)
        return both, None

    def finish(self, left_over: int | None) -> Mismatch | None:
        """Compares what is left when nothing more comes.

        So many may be without counterpart; any number, where it is `None`.
        """
        open_ones = max(self.open_of_dut, self.open_of_emulator)
        if left_over is None or open_ones <= left_over:
            return None
        return self._mismatch(0)

    def _mismatch(self, at: int) -> Mismatch:
        dut, emulator = self._seen(self._dut, at), self._seen(self._emulator, at)
        is_late = self._rule.mode == "order" and dut is not None
        both = (dut,) if is_late else (dut, emulator)
        cycle = min(one.cycle for one in both if one is not None)
        if dut is not None and emulator is not None and self._rule.mode == "exact":
            # In that cycle only one of the two did anything.
            dut = dut if dut.cycle == cycle else None
            emulator = emulator if emulator.cycle == cycle else None
        return Mismatch(self.port, cycle, dut, emulator)

    def _seen(self, side: tuple[list[int], list[Value]], at: int) -> Seen | None:
        cycles, values = side
        if at >= len(cycles):
            return None
        return Seen(self.matched + at, cycles[at], values[at])

    def agree(self, count: int, until_cycle: int | None = None) -> None:
        """Lets the first so many go, as they agree; of them those up to a cycle, if it is given."""
        if until_cycle is not None:
            count = bisect_right(self._dut[0], until_cycle, 0, count)
        for side, last in (
            (self._dut, self.last_of_dut),
            (self._emulator, self.last_of_emulator),
        ):
            for at in range(max(0, count - REMEMBERED), count):
                seen = self._seen(side, at)
                assert seen is not None  # counted by the callers
                last.append(seen)
            del side[0][:count], side[1][:count]
        self.matched += count


class Comparison:
    """All ports of a DUT; `ports` from the input side to the output side."""

    def __init__(self, ports: list[str], rule: Rule) -> None:
        self.ports = {port: PortComparison(port, rule) for port in ports}

    def check(self, cycle: int) -> Mismatch | None:
        """The first difference up to a cycle that both sides have reached."""
        checked = [(port, *port.check(cycle)) for port in self.ports.values()]
        first = _first([found for _, _, found in checked])
        for port, count, _ in checked:
            port.agree(count, None if first is None else first.cycle)
        return first

    def finish(self, left_over: int | None) -> Mismatch | None:
        """The first difference in what is left when nothing more comes."""
        return _first([port.finish(left_over) for port in self.ports.values()])

    @property
    def matched(self) -> int:
        """How many handshakes agree, of all ports."""
        return sum(port.matched for port in self.ports.values())

    @property
    def open_of_dut(self) -> int:
        """How many of the DUT's have no counterpart yet, at the port with most of them."""
        return max(port.open_of_dut for port in self.ports.values())

    @property
    def open_of_emulator(self) -> int:
        """The same of the emulator's."""
        return max(port.open_of_emulator for port in self.ports.values())


def _first(found: list[Mismatch | None]) -> Mismatch | None:
    """The one in the earliest cycle.

    In one cycle what is nearer to the output comes first: a ready that looks through the DUT at
    the ready behind it makes an input follow the output, and never the other way around.
    """
    first: Mismatch | None = None
    for one in reversed(found):
        if one is not None and (first is None or one.cycle < first.cycle):
            first = one
    return first
