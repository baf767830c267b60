"""Bindings: which signals of a DUT are its clock, its reset and its ready/valid ports."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import pydantic
from pydantic import Field, PlainValidator, WithJsonSchema

from emu.cosim.errors import CosimError
from emu.errors import UnitError, did_you_mean, listed
from emu.table.catalog import shown
from emu.table.errors import Problem, TableError, problem
from emu.table.fields import NameField, TimeField
from emu.table.nodes import Node, read_file
from emu.table.schema import Strict
from emu.table.shape import Shape
from emu.table.translate import dotted, translate

#: How the whole of it is called in errors.
WHERE = "binding"

_SIGNAL = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*(\.[A-Za-z_][A-Za-z0-9_$]*)*")
_SLICE = re.compile(r"([^\[\]]+)(?:\[(\d{1,6})(?::(\d{1,6}))?\])?")


@dataclass(frozen=True, slots=True)
class Slice:
    """Bits of a signal, both ends included; `high` is `None` for all of it."""

    signal: str
    high: int | None = None
    low: int = 0

    def __str__(self) -> str:
        if self.high is None:
            return self.signal
        return f"{self.signal}[{self.high}:{self.low}]"


def parse_signal(value: object) -> str:
    """The name of a signal, with dots where it lies deeper."""
    if not isinstance(value, str) or not _SIGNAL.fullmatch(value):
        raise UnitError(f"'{value}' is no name of a signal; expected for example 's_tvalid'")
    return value


def parse_slice(value: object) -> Slice:
    """A signal, or bits of it: `s_tdata[15:0]`, `s_tdata[3]`, `s_tuser`."""
    match = _SLICE.fullmatch(value) if isinstance(value, str) else None
    if match is None or not _SIGNAL.fullmatch(match[1]):
        raise UnitError(
            f"'{value}' names no bits of a signal; expected for example 's_tdata[15:0]'"
        )
    if match[2] is None:
        return Slice(match[1])
    high, low = int(match[2]), int(match[3] if match[3] is not None else match[2])
    if high < low:
        raise UnitError(
            f"'{value}' counts upwards; expected the higher bit first, as in "
            f"'{match[1]}[{low}:{high}]'"
        )
    return Slice(match[1], high, low)


def _parse_period(value: object) -> int:
    period_ps = pydantic.TypeAdapter(TimeField).validate_python(value)
    if period_ps < 2:
        raise UnitError(f"'{value}' is no period of a clock; expected 2 ps or more")
    return period_ps


SignalField = Annotated[
    str,
    PlainValidator(parse_signal),
    WithJsonSchema({"type": "string", "pattern": f"^{_SIGNAL.pattern}$", "examples": ["s_tvalid"]}),
]
SliceField = Annotated[
    Slice,
    PlainValidator(parse_slice),
    WithJsonSchema({"type": "string", "examples": ["s_tdata[15:0]"]}),
]
PeriodField = Annotated[
    int,
    PlainValidator(_parse_period),
    WithJsonSchema({"type": "string", "examples": ["3106 ps"]}),
]


class ClockSignal(Strict):
    """The DUT's clock, and how long its cycle is beside the emulator."""

    signal: SignalField
    period: PeriodField


class ResetSignal(Strict):
    """The DUT's reset, for how many cycles it is held, and how long after it nothing is wanted."""

    signal: SignalField
    active: Literal["high", "low"]
    cycles: Annotated[int, Field(strict=True, ge=1, le=10**6)]
    settle: Annotated[int, Field(strict=True, ge=0, le=10**6)] = 0


def in_reset(reset: ResetSignal | None) -> str:
    """What to ask of the reset where a DUT does nothing at all."""
    if reset is None:
        return "does it need a reset"
    return f"is '{reset.signal}' {reset.active} in reset"


class Port(Strict):
    """A ready/valid port: at a sink the DUT takes, at a source it gives."""

    side: Literal["sink", "source"]
    valid: SignalField
    ready: SignalField | None = None
    last: SignalField | None = None
    fields: Annotated[dict[NameField, SliceField], Field(min_length=1)]


class MemoryPort(Strict):
    """Two ports that belong together: what the DUT asks a memory, and what it answers.

    The field `tag` says which answer belongs to which request.
    """

    request: NameField
    answer: NameField
    tag: NameField


class Binding(Strict):
    """A DUT's clock, reset, parameters, tied inputs and ports."""

    schema_: Annotated[Literal[1], Field(alias="schema")]
    clock: ClockSignal
    reset: ResetSignal | None = None
    parameters: dict[NameField, int | str] = Field(default_factory=dict)
    tie: dict[SignalField, Annotated[int, Field(strict=True, ge=0)]] = Field(default_factory=dict)
    ports: Annotated[dict[NameField, Port], Field(min_length=1)]
    memory: dict[NameField, MemoryPort] = Field(default_factory=dict)

    def signals(self) -> Iterator[tuple[tuple[str | int, ...], Slice]]:
        """All signals that it names, each with where it stands."""
        yield ("clock", "signal"), Slice(self.clock.signal)
        if self.reset is not None:
            yield ("reset", "signal"), Slice(self.reset.signal)
        for name in self.tie:
            yield ("tie", name), Slice(name)
        for name, port in self.ports.items():
            yield ("ports", name, "valid"), Slice(port.valid)
            if port.ready is not None:
                yield ("ports", name, "ready"), Slice(port.ready)
            if port.last is not None:
                yield ("ports", name, "last"), Slice(port.last)
            for field, bits in port.fields.items():
                yield ("ports", name, "fields", field), bits


@dataclass(frozen=True)
class Bound:
    """A binding, with the places of its words for errors that only the DUT can show."""

    binding: Binding
    node: Node
    file: Path

    def problem(self, path: Sequence[str | int], what: str, expected: str, hint: str) -> Problem:
        """A problem of the value at a path; of the key in what is tied."""
        node = self.node
        for step in path:
            child = node.child(step)
            assert child is not None  # asked for what has been read
            node = child
        at = node.key_at if path[0] == "tie" else node.at
        return problem(at, dotted(WHERE, path), what, expected, hint)

    def end(self, side: Literal["sink", "source"], memory: Sequence[str] = ()) -> str:
        """The port where requests come in or leave: the only one of its side, or `in` or `out`.

        Those of a `memory` do not count. `CosimError` where it is not clear.
        """
        wanted = "in" if side == "sink" else "out"
        ports = self.binding.ports
        names = [name for name, port in ports.items() if port.side == side and name not in memory]
        if len(names) == 1:
            return names[0]
        if wanted in names:
            return wanted
        beside = " beside those of its memory" if memory else ""
        found = f": {listed(names)}" if names else ""
        raise CosimError(
            f"{self.file}: {len(names)} ports of side {side}{beside}{found}; expected one, or one "
            f"of the name '{wanted}'"
        )


def read_binding(file: Path) -> Bound:
    """The binding in a file; `TableError` with all that is wrong, each with its place."""
    name = str(shown(file))
    node, problems = read_file(file, name, "expected a binding in YAML")
    problems = [*problems, *_empty_values(node)]
    try:
        binding = Binding(**node.plain())
    except pydantic.ValidationError as error:
        shape = Shape.of(Binding)
        raise TableError([*problems, *translate(error, node, shape, WHERE)]) from None
    bound = Bound(binding, node, file)
    problems += _check(bound)
    if problems:
        raise TableError(problems)
    return bound


def _empty_values(node: Node) -> list[Problem]:
    expected = "expected a value, or the key left out"
    return [
        problem(one.at, dotted(WHERE, path), "there is no value", expected)
        for path, one in node.walk()
        if one.value is None
    ]


def _check(bound: Bound) -> Iterator[Problem]:
    """What one value alone does not show."""
    yield from _twice(bound)
    yield from _overlaps(bound)
    for name, pair in bound.binding.memory.items():
        yield from _memory(bound, name, pair)


def _twice(bound: Bound) -> Iterator[Problem]:
    """Signals that stand for two things; data signals may carry the fields of one port."""
    first: dict[str, tuple[str | int, ...]] = {}
    for path, bits in bound.binding.signals():
        known = first.setdefault(bits.signal, path)
        is_same_data = path[:-1] == known[:-1] and path[-2] == "fields"
        if known is not path and not is_same_data:
            what = f"signal '{bits.signal}' is at {dotted(WHERE, known)} already"
            yield bound.problem(path, what, "expected another signal", "")


def _overlaps(bound: Bound) -> Iterator[Problem]:
    for name, port in bound.binding.ports.items():
        before: list[tuple[str, Slice]] = []
        for field, bits in port.fields.items():
            for other, taken in before:
                if bits.signal == taken.signal and _overlap(bits, taken):
                    what = f"bits of {bits} are those of '{other}', {taken}, too"
                    path = ("ports", name, "fields", field)
                    yield bound.problem(path, what, "expected bits of its own", "")
            before.append((field, bits))


def _overlap(one: Slice, other: Slice) -> bool:
    if one.high is None or other.high is None:
        return True
    return one.low <= other.high and other.low <= one.high


def _memory(bound: Bound, name: str, pair: MemoryPort) -> Iterator[Problem]:
    ports = bound.binding.ports
    for key, port_name, side in (
        ("request", pair.request, "source"),
        ("answer", pair.answer, "sink"),
    ):
        path = ("memory", name, key)
        port = ports.get(port_name)
        if port is None:
            hint = did_you_mean(port_name, ports)
            what = f"there is no port '{port_name}'"
            yield bound.problem(path, what, f"expected one of {listed(ports)}", hint)
        elif port.side != side:
            what = f"port '{port_name}' is a {port.side}"
            yield bound.problem(path, what, f"expected a {side}", "")
        elif pair.tag not in port.fields:
            hint = did_you_mean(pair.tag, port.fields)
            what = f"port '{port_name}' has no field '{pair.tag}'"
            expected = f"expected one of {listed(port.fields)}"
            yield bound.problem(("memory", name, "tag"), what, expected, hint)
            return  # of the other port it would say the same
