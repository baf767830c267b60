"""Recordings: traces in the format of record, read back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any

from emu.errors import EmuError, did_you_mean, listed
from emu.table.catalog import shown
from emu.table.errors import Location, problem
from emu.time import Clock
from emu.trace.events import Event, Kind
from emu.trace.filter import Filter, FilterError, read_requests
from emu.trace.header import Header, StageLine
from emu.trace.jsonl import END, FORMAT, LEFT, SCHEMA, SHAPES

_HEADER: dict[str, type] = {
    "format": str,
    "schema": int,
    "version": str,
    "table": str,
    "title": str,
    "digest": str,
    "seed": int,
    "workload": dict,
    "run": dict,
    "filters": list,
    "clocks": list,
    "stages": list,
}
_CLOCK: dict[str, type] = {"name": str, "period_ps": str, "phase_ps": int, "aligned": bool}
_STAGE: dict[str, type] = {"name": str, "kind": str, "at": str, "clock": str}
#: Keys of a filter, of which each has those that it needs.
_FILTER: dict[str, type] = {
    "from_ps": int,
    "to_ps": int,
    "request": list,
    "initiator": list,
    "stage": list,
}
_TYPES = {
    int: "a whole number",
    str: "text",
    bool: "true or false",
    dict: "an object",
    list: "a list",
}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PERIOD = re.compile(r"[1-9]\d{0,30}/[1-9]\d{0,30}")


class TraceError(EmuError):
    """A file that is no trace, or is one with something wrong in it."""


class Recording:
    """A trace that was written: its header, and, by iteration, its events; used with `with`.

    `TraceError` with file, line and column at the first thing that is wrong.
    """

    def __init__(self, path: Path) -> None:
        self._file = str(shown(path))
        #: When the trace ends; `None` before all is read, and where the file does not say so.
        self.end_ps: int | None = None
        try:
            self._stream = path.open("rb")
        except OSError as error:
            where = Location(self._file)
            raise _wrong(where, f"cannot be read: {error.strerror}", "expected a trace") from None
        try:
            self.header = self._read_header()
            #: Where an event can be; empty is nowhere.
            self._stages = ["", *(stage.name for stage in self.header.stages)]
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
            if self.end_ps is not None:
                what = "there is a line after the end of the trace"
                raise line.wrong("", what, f"expected '{END}' on the last line")
            if END in line.values:
                self.end_ps = _end_ps(line, now_ps)
                continue
            event = _event(line)
            if event.stage not in self._stages:
                hint = did_you_mean(event.stage, self._stages)
                what = f"the header has no stage '{event.stage}'"
                raise line.wrong("stage", what, f"expected {listed(self._stages[1:])}", hint)
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
        if not raw.endswith(b"\n"):
            at = Location(self._file, number, len(raw.decode(errors="replace")) + 1)
            raise _wrong(at, "the last line is cut off", "expected a line feed at its end")
        try:
            text = raw[:-1].decode()
        except UnicodeDecodeError as error:
            at = Location(self._file, number, len(raw[: error.start].decode()) + 1)
            what = f"byte 0x{raw[error.start]:02x} is not UTF-8"
            raise _wrong(at, what, "expected a file in UTF-8") from None
        try:
            values = _decoded(text)
        except json.JSONDecodeError as error:
            at = Location(self._file, number, error.colno)
            what = f"this is no JSON: {error.msg}"
            raise _wrong(at, what, "expected an object on each line") from None
        except _TwiceError as error:
            line = _Line(self._file, number, text, {})
            what = f"'{error}' is given twice"
            raise line.wrong(str(error), what, "expected it once") from None
        except (RecursionError, ValueError):
            what = "this is too large"
            raise _wrong(
                Location(self._file, number, 1), what, "expected a small object on each line"
            ) from None
        if not isinstance(values, dict):
            raise _wrong(
                Location(self._file, number, 1), "this is no object", "expected one on each line"
            )
        return _Line(self._file, number, text, values)


class _TwiceError(Exception):
    """A key that an object has twice."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        keys = [key for key, _ in pairs]
        raise _TwiceError(next(key for key in values if keys.count(key) > 1))
    return values


_decoded = json.JSONDecoder(object_pairs_hook=_once).decode


@dataclass(slots=True)
class _Line:
    """A line as text and as values, and where it is."""

    file: str
    number: int
    text: str
    values: dict[str, Any]

    def wrong(self, key: str, what: str, expected: str, hint: str = "") -> TraceError:
        """An error at the value of a key, or, with one that is not there, at the line's start."""
        found = re.search(rf'"{re.escape(key)}"\s*:\s*', self.text) if key else None
        at = Location(self.file, self.number, found.end() + 1 if found else 1)
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
    found: dict[str, Any] = {}
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
    if shape is LEFT:
        for part, time_ps in found["parts"].items():
            if type(time_ps) is not int:
                raise line.wrong(part, f"{time_ps!r} is no time", "expected whole picoseconds")
        found["parts"] = tuple(found["parts"].items())
    return shape.event(**found)


def _end_ps(line: _Line, now_ps: int) -> int:
    line.check(line.values, {END: int})
    end_ps: int = line.values[END]
    if end_ps < now_ps:
        what = f"{end_ps} ps is before the event above, at {now_ps} ps"
        raise line.wrong(END, what, "expected the end of the trace")
    return end_ps


def _filter(line: _Line, where: str, values: Any) -> Filter:
    if not isinstance(values, dict):
        raise line.wrong("filters", f"{where} is no object", "expected one")
    for key in values:
        if key not in _FILTER:
            hint = did_you_mean(key, _FILTER)
            what = f"unknown key '{key}' in {where}"
            raise line.wrong(key, what, f"expected {listed(_FILTER)}", hint)
    line.check(values, {key: _FILTER[key] for key in values}, where)
    for key, wanted in (("request", str), ("initiator", int), ("stage", str)):
        if not all(type(item) is wanted for item in values.get(key, ())):
            what = f"'{key}' in {where} has something else in it"
            raise line.wrong(key, what, f"expected {_TYPES[wanted]} and nothing else")
    try:
        requests = read_requests(values.get("request", ()))
    except FilterError as error:
        what, _, expected = str(error).partition("; ")
        raise line.wrong("request", f"{where}: {what}", expected) from None
    return Filter(
        values.get("from_ps", 0),
        values.get("to_ps"),
        requests,
        tuple(values.get("initiator", ())),
        tuple(values.get("stage", ())),
    )


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
    for name, items in (("clocks", clocks), ("stages", stages)):
        names = [item["name"] for item in items]
        for one in names:
            if not _NAME.fullmatch(one) or names.count(one) > 1:
                what = f"'{one}' in {name} is no name, or is there twice"
                raise line.wrong(name, what, "expected a name of its own for each")
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
        run=values["run"],
        filters=tuple(
            _filter(line, f"filters[{index}]", one) for index, one in enumerate(values["filters"])
        ),
    )


def _wrong(at: Location, what: str, expected: str, hint: str = "") -> TraceError:
    return TraceError(str(problem(at, "", what, expected, hint)))
