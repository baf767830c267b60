"""JSON lines, the format of record: a header line, then an event a line; written and read back."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any

from emu.errors import EmuError, did_you_mean, listed
from emu.table.catalog import shown
from emu.table.errors import Location, problem
from emu.time import Clock
from emu.trace.events import Event, Held, Kind, Left, Submitted, Touched
from emu.trace.header import Header, StageLine
from emu.trace.whole_file import WholeFile

FORMAT = "rdma-path-emu trace"
SCHEMA = 1


class TraceError(EmuError):
    """A file that is no trace, or is one with something wrong in it."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How events of a kind are written: key to attribute and type, in the order of a line."""

    event: type[Event]
    keys: dict[str, tuple[str, type]]


_COMMON: dict[str, tuple[str, type]] = {
    "t_ps": ("time_ps", int),
    "kind": ("kind", str),
    "req": ("request", int),
    "stage": ("stage", str),
    "init": ("initiator", int),
}
_PLAIN = Shape(Event, _COMMON)
_SUBMITTED = Shape(
    Submitted,
    {
        **_COMMON,
        "op": ("operation", str),
        "bytes": ("size_bytes", int),
        "addr": ("address", int),
        "dest": ("destination", int),
        "order": ("order", str),
        "service": ("service", str),
        "fence": ("fence", bool),
    },
)
_HELD = Shape(Held, {**_COMMON, "behind": ("behind", int)})
_TOUCHED = Shape(Touched, {**_COMMON, "addr": ("address", int), "value": ("value", int)})
_LEFT = Shape(Left, {**_COMMON, "parts_ps": ("parts", dict)})
SHAPES: dict[str, Shape] = {
    **dict.fromkeys(Kind, _PLAIN),
    Kind.SUBMITTED: _SUBMITTED,
    Kind.HELD: _HELD,
    Kind.SAMPLED: _TOUCHED,
    Kind.VISIBLE: _TOUCHED,
    Kind.LEFT: _LEFT,
}

_HEADER: dict[str, type] = {
    "format": str,
    "schema": int,
    "version": str,
    "table": str,
    "title": str,
    "digest": str,
    "seed": int,
    "workload": dict,
    "clocks": list,
    "stages": list,
}
_CLOCK: dict[str, type] = {"name": str, "period_ps": str, "phase_ps": int, "aligned": bool}
_STAGE: dict[str, type] = {"name": str, "kind": str, "at": str, "clock": str}
_TYPES = {
    int: "a whole number",
    str: "text",
    bool: "true or false",
    dict: "an object",
    list: "a list",
}
_PERIOD = re.compile(r"[1-9]\d{0,30}/[1-9]\d{0,30}")


# -- writing --------------------------------------------------------------------------------


def open_jsonl(path: Path, header: Header) -> JsonlWriter:
    """A writer of the format of record."""
    return JsonlWriter(path, header)


class JsonlWriter:
    """Writes each event as it comes; keeps nothing."""

    def __init__(self, path: Path, header: Header) -> None:
        self._file = WholeFile(path)
        self._file.write(f"{_dumped(header_as_json(header))}\n")

    def tell(self, event: Event) -> None:
        """One more line."""
        values = {key: getattr(event, name) for key, (name, _) in SHAPES[event.kind].keys.items()}
        if isinstance(event, Left):
            values["parts_ps"] = dict(event.parts)
        self._file.write(f"{_dumped(values)}\n")

    def close(self) -> None:
        """The file is complete."""
        self._file.close()


def header_as_json(header: Header) -> dict[str, Any]:
    """The first line: a clock's period is an exact fraction of picoseconds."""
    return {
        "format": FORMAT,
        "schema": SCHEMA,
        "version": header.version,
        "table": header.table,
        "title": header.title,
        "digest": header.digest,
        "seed": header.seed,
        "workload": header.workload,
        "clocks": [
            {
                "name": clock.name,
                "period_ps": f"{clock.period_ps.numerator}/{clock.period_ps.denominator}",
                "phase_ps": clock.phase_ps,
                "aligned": clock.aligned,
            }
            for clock in header.clocks
        ],
        "stages": [
            {"name": stage.name, "kind": stage.kind, "at": stage.at, "clock": stage.clock}
            for stage in header.stages
        ],
    }


_dumped: Callable[[Any], str] = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


# -- reading --------------------------------------------------------------------------------


class Recording:
    """A trace that was written: its header, and, by iteration, its events; used with `with`.

    `TraceError` with file, line and column at the first thing that is wrong.
    """

    def __init__(self, path: Path) -> None:
        self._file = str(shown(path))
        try:
            self._stream = path.open("rb")
        except OSError as error:
            where = Location(self._file)
            raise _wrong(where, f"cannot be read: {error.strerror}", "expected a trace") from None
        try:
            self.header = self._read_header()
        except EmuError:
            self._stream.close()
            raise

    def __enter__(self) -> Recording:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stream.close()

    def __iter__(self) -> Iterator[Event]:
        now_ps = 0
        for number, raw in enumerate(self._stream, start=2):
            line = self._line(raw, number)
            event = _event(line)
            if event.time_ps < now_ps:
                what = f"{event.time_ps} ps is before the event above, at {now_ps} ps"
                raise line.wrong("t_ps", what, "expected events in the order of time")
            now_ps = event.time_ps
            yield event

    def _read_header(self) -> Header:
        raw = self._stream.readline()
        if not raw:
            expected = "expected the header of a trace on the first line"
            raise _wrong(Location(self._file, 1, 1), "the file is empty", expected)
        return _header(self._line(raw, 1))

    def _line(self, raw: bytes, number: int) -> _Line:
        start = Location(self._file, number, 1)
        if not raw.endswith(b"\n"):
            at = Location(self._file, number, len(raw.decode(errors="replace")) + 1)
            raise _wrong(at, "the last line is cut off", "expected a line feed at its end")
        try:
            text = raw.decode()
        except UnicodeDecodeError as error:
            at = Location(self._file, number, len(raw[: error.start].decode()) + 1)
            what = f"byte 0x{raw[error.start]:02x} is not UTF-8"
            raise _wrong(at, what, "expected a file in UTF-8") from None
        try:
            values = json.loads(text, object_pairs_hook=_once)
        except json.JSONDecodeError as error:
            at = Location(self._file, number, error.colno)
            what = f"this is no JSON: {error.msg}"
            raise _wrong(at, what, "expected an object on each line") from None
        except _TwiceError as error:
            line = _Line(text, start, {})
            what = f"'{error}' is given twice"
            raise line.wrong(str(error), what, "expected it once") from None
        except (RecursionError, ValueError):
            what = "this is too large"
            raise _wrong(start, what, "expected a small object on each line") from None
        if not isinstance(values, dict):
            raise _wrong(start, "this is no object", "expected one on each line")
        return _Line(text, start, values)


class _TwiceError(Exception):
    """A key that an object has twice."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        keys = [key for key, _ in pairs]
        raise _TwiceError(next(key for key in values if keys.count(key) > 1))
    return values


@dataclass(frozen=True, slots=True)
class _Line:
    """A line as text and as values."""

    text: str
    start: Location
    values: dict[str, Any]

    def wrong(self, key: str, what: str, expected: str, hint: str = "") -> TraceError:
        """An error at the value of a key, or, with one that is not there, at the line's start."""
        found = list(re.finditer(rf'"{re.escape(key)}"\s*:\s*', self.text)) if key else []
        at = self.start
        if found:
            # What a value holds may look like a key too; a key of the line comes first or last.
            at = Location(at.file, at.line, found[0].end() + 1)
        return _wrong(at, what, expected, hint)

    def check(self, values: Mapping[str, Any], types: Mapping[str, type], where: str = "") -> None:
        """Raises unless `values` has these keys and no other, each of its type."""
        inside = f" in {where}" if where else ""
        for key in types:
            if key not in values:
                what = f"'{key}' is missing{inside}"
                raise self.wrong("", what, f"expected {', '.join(types)}")
        for key, value in values.items():
            if key not in types:
                hint = did_you_mean(key, types)
                what = f"unknown key '{key}'{inside}"
                raise self.wrong(key, what, f"expected {', '.join(types)}", hint)
            if type(value) is not types[key]:
                what = f"{json.dumps(value, ensure_ascii=False)} does not fit '{key}'{inside}"
                raise self.wrong(key, what, f"expected {_TYPES[types[key]]}")


def _event(line: _Line) -> Event:
    values = line.values
    kind = values.get("kind")
    shape = SHAPES.get(kind) if isinstance(kind, str) else None
    if shape is None:
        if "kind" not in values:
            raise line.wrong("", "'kind' is missing", f"expected {listed(Kind)}")
        hint = did_you_mean(str(kind), Kind)
        raise line.wrong("kind", f"'{kind}' is no kind of event", f"expected {listed(Kind)}", hint)
    found = {}
    for key, (name, wanted) in shape.keys.items():
        value = values.get(key)
        if type(value) is not wanted:
            break
        found[name] = value
    if len(found) != len(values) or len(found) != len(shape.keys):
        line.check(values, {key: wanted for key, (_, wanted) in shape.keys.items()})
    if found["time_ps"] < 0:
        raise line.wrong("t_ps", f"{found['time_ps']} ps is negative", "expected zero or more")
    found["kind"] = Kind(found["kind"])
    if shape is _LEFT:
        for part, time_ps in found["parts"].items():
            if type(time_ps) is not int:
                raise line.wrong(part, f"{time_ps!r} is no time", "expected whole picoseconds")
        found["parts"] = tuple(found["parts"].items())
    return shape.event(**found)


def _header(line: _Line) -> Header:
    values = line.values
    if values.get("format") != FORMAT:
        raise line.wrong("format", "this is no trace", f'expected "format": "{FORMAT}" first')
    if values.get("schema") != SCHEMA:
        what = f"schema {values.get('schema')} is not known"
        raise line.wrong("schema", what, f"expected {SCHEMA}, as this version of emu writes")
    line.check(values, _HEADER)
    clocks, stages = values["clocks"], values["stages"]
    for name, items, types in (("clocks", clocks, _CLOCK), ("stages", stages, _STAGE)):
        for index, item in enumerate(items):
            if not isinstance(item, dict):
                raise line.wrong(name, f"{name}[{index}] is no object", "expected one")
            line.check(item, types, f"{name}[{index}]")
    for clock in clocks:
        if not _PERIOD.fullmatch(clock["period_ps"]):
            what = f"'{clock['period_ps']}' is no period of a clock"
            raise line.wrong("period_ps", what, "expected picoseconds as in '500000/161'")
    return Header(
        version=values["version"],
        table=values["table"],
        title=values["title"],
        digest=values["digest"],
        seed=values["seed"],
        workload=values["workload"],
        clocks=tuple(
            Clock(c["name"], Fraction(c["period_ps"]), c["phase_ps"], c["aligned"]) for c in clocks
        ),
        stages=tuple(StageLine(**stage) for stage in stages),
    )


def _wrong(at: Location, what: str, expected: str, hint: str = "") -> TraceError:
    return TraceError(str(problem(at, "", what, expected, hint)))
