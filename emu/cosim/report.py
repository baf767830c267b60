"""Reports of a lockstep run: what agreed, the first difference, and what explains it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from emu.time import format_time

#: What a difference is of: a handshake; valid or data that do not stay as AXI wants it; an answer
#: that is not taken; X or Z; or that nothing moves.
Kind = Literal["event", "valid", "data", "ready", "unknown", "stall"]


@dataclass(frozen=True)
class PortEvent:
    """A handshake at a port: its number there, its cycle, and field to value."""

    number: int
    cycle: int
    fields: Mapping[str, int]

    def __str__(self) -> str:
        said = " ".join(f"{name}={value}" for name, value in self.fields.items())
        return f"{self.number} at cycle {self.cycle}: {said}"


@dataclass(frozen=True, slots=True)
class DutEvent:
    """A handshake of the DUT as it is seen: its cycle, its port, and field to value."""

    cycle: int
    port: str
    fields: Mapping[str, int]


@dataclass(frozen=True)
class StageVisit:
    """What became of an item at one stage of the emulator; cycles are -1 where it never came."""

    stage: str
    arrived: int
    accepted: int
    emitted: int
    left: int
    #: Part of the breakdown to cycles.
    parts: Mapping[str, str]

    def __str__(self) -> str:
        parts = ", ".join(f"{part} {length}" for part, length in self.parts.items())
        cycles = [
            f"{what} {cycle}"
            for what, cycle in (
                ("arrived", self.arrived),
                ("accepted", self.accepted),
                ("finished", self.emitted),
                ("left", self.left),
            )
            if cycle >= 0
        ]
        return f"{self.stage}: {', '.join(cycles)}" + (f" ({parts})" if parts else "")


@dataclass(frozen=True)
class Explanation:
    """What the emulator says of the item that the difference is about."""

    item: int
    #: Where it was in the cycle of the difference, and for what it waited.
    waited: str
    stages: Sequence[StageVisit] = ()


@dataclass(frozen=True)
class Difference:
    """The first difference of a run."""

    kind: Kind
    cycle: int
    time_ps: int
    port: str
    signals: Sequence[str]
    what: str
    dut: PortEvent | None
    emulator: PortEvent | None
    #: Port to its last events, of the DUT and of the emulator.
    last_of_dut: Mapping[str, Sequence[PortEvent]] = field(default_factory=dict)
    last_of_emulator: Mapping[str, Sequence[PortEvent]] = field(default_factory=dict)
    explanation: Explanation | None = None
    #: For a stall: what each port of the DUT shows, and where the emulator's requests are.
    dut_ports: Sequence[str] = ()
    emulator_waits: Sequence[str] = ()

    def lines(self) -> Iterator[str]:
        """The difference for people."""
        where = f"port '{self.port}' ({', '.join(self.signals)})" if self.port else "no port"
        yield f"cycle {self.cycle}, {format_time(self.time_ps)}, {where}: {self.what}"
        if self.dut is not None or self.emulator is not None:
            yield ""
            yield from self._fields()
        for port, events in self.last_of_dut.items():
            yield ""
            yield f"  last at '{port}' that agree" if events else f"  none at '{port}' agree"
            for dut, emulator in zip(events, self.last_of_emulator[port], strict=True):
                same = dut.cycle == emulator.cycle
                yield f"    {dut}" + ("" if same else f" (emulator: cycle {emulator.cycle})")
        if self.explanation is not None:
            yield ""
            yield f"  the emulator on item {self.explanation.item}: {self.explanation.waited}"
            for stage in self.explanation.stages:
                yield f"    {stage}"
        for title, said in (("DUT", self.dut_ports), ("emulator", self.emulator_waits)):
            if said:
                yield ""
                yield f"  {title}"
                for line in said:
                    yield f"    {line}"

    def _fields(self) -> Iterator[str]:
        sides = [self.dut, self.emulator]
        names = dict.fromkeys(name for side in sides if side is not None for name in side.fields)
        rows = [["", "DUT", "emulator", ""]]
        rows.append(["cycle", *(_or_dash(None if s is None else s.cycle) for s in sides), ""])
        for name in names:
            cells = [None if side is None else side.fields[name] for side in sides]
            rows.append([name, *(_or_dash(cell) for cell in cells), ""])
        for row in rows[1:]:
            row[3] = "" if row[1] == row[2] else "<"
        widths = [max(len(row[at]) for row in rows) for at in range(3)]
        for row in rows:
            first = row[0].ljust(widths[0])
            rest = "  ".join(row[at].rjust(widths[at]) for at in (1, 2))
            yield f"  {first}  {rest}  {row[3]}".rstrip()


def _or_dash(value: int | None) -> str:
    return "-" if value is None else str(value)


@dataclass(frozen=True)
class Result:
    """One lockstep run: of one seed."""

    seed: int
    mode: str
    offer: str
    ready: str
    #: Cycles from the release of reset on that were compared.
    cycles: int
    #: Port to how many of its handshakes agree.
    matched: Mapping[str, int]
    #: How many handshakes were left over at the end, of either side, where that is allowed.
    left_over: int = 0
    difference: Difference | None = None
    #: Whether Ctrl-C ended it before all was through.
    interrupted: bool = False
    #: Files that were written of it.
    files: Sequence[str] = field(default_factory=list)

    @property
    def is_equal(self) -> bool:
        """Whether no difference was found."""
        return self.difference is None

    def as_json(self) -> dict[str, Any]:
        """The result as JSON values."""
        return {"equal": self.is_equal, **asdict(self)}

    def lines(self) -> Iterator[str]:
        """The result for people."""
        matched = ", ".join(f"{count} at '{port}'" for port, count in self.matched.items())
        what = "equal" if self.is_equal else "DIFFERENT"
        if self.interrupted:
            what = "interrupted, and equal up to there,"
        yield (
            f"seed {self.seed}: {what} in {self.cycles} cycles ({self.mode}; offered "
            f"{self.offer}, ready {self.ready}); agreed: {matched}"
            + (f"; left over: {self.left_over}" if self.left_over else "")
        )
        if self.difference is not None:
            for line in self.difference.lines():
                yield f"  {line}".rstrip()
        for file in self.files:
            yield f"  written: {file}"


def result_from_json(value: dict[str, Any]) -> Result:
    """The result that `as_json` gave."""
    said = {key: one for key, one in value.items() if key != "equal"}
    difference = said["difference"]
    if difference is not None:
        said["difference"] = _difference(difference)
    return Result(**said)


def _difference(said: dict[str, Any]) -> Difference:
    explanation = said["explanation"]
    if explanation is not None:
        stages = [StageVisit(**stage) for stage in explanation["stages"]]
        explanation = Explanation(explanation["item"], explanation["waited"], stages)
    last = {
        side: {
            port: [PortEvent(**event) for event in events] for port, events in said[side].items()
        }
        for side in ("last_of_dut", "last_of_emulator")
    }
    sides = {
        side: None if said[side] is None else PortEvent(**said[side])
        for side in ("dut", "emulator")
    }
    return Difference(**{**said, **last, **sides, "explanation": explanation})
