"""Replay: the requests of a recorded run, from comma-separated values or JSON lines."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from pathlib import Path
from typing import Any

from emu.errors import UnitError, did_you_mean, listed
from emu.memory import WORD_MASK
from emu.request import OPERATION_GROUPS, READS, Operation
from emu.table.catalog import shown
from emu.table.errors import Location, Problem, TableError, problem
from emu.table.fields import parse_operation_word
from emu.units import parse_bytes, parse_time
from emu.workload.access import Access

SUFFIXES = (".csv", ".jsonl")
ORDERS = ("NO", "RO", "SO")
SERVICES = ("ROI", "ROT", "ROL", "UNO")

_WHOLE = re.compile(r"\d{1,20}|0x[0-9a-fA-F]{1,16}")
_DECIMAL = re.compile(r"\d{1,18}(\.\d{1,18})?")
_FLAGS = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a file: column to value, and column to place."""

    values: dict[str, object]
    at: dict[str, Location]
    start: Location


@dataclass(frozen=True, slots=True)
class Replay:
    """Time in picoseconds and access of each line, in order; whether any says a value."""

    posts: list[tuple[int, Access]]
    brings_values: bool


def read_replay(path: Path) -> Replay:
    """What is in a file; `TableError` with all problems."""
    file = str(shown(path))
    problems: list[Problem] = []
    text = _text(path, file)
    rows = (_csv_rows if path.suffix == ".csv" else _json_rows)(text, file, problems)
    posts: list[tuple[int, Access]] = []
    brings_values = False
    now_ps = end_of_memory = 0
    for row in rows:
        before = len(problems)
        values = _read(row, problems)
        at_ps = _time_ps(row, values, now_ps, problems)
        _check_values(row, values, problems)
        if len(problems) > before:
            continue
        now_ps = at_ps
        address = values.get("address", end_of_memory)
        end_of_memory = address + values["bytes"]
        access = Access(
            values["operation"],
            values["bytes"],
            address,
            values.get("initiator", 0),
            values.get("destination", 0),
            values.get("order", ""),
            values.get("service", ""),
            values.get("fence", False),
            values.get("value", 0),
            values.get("compare", 0),
        )
        posts.append((at_ps, access))
        brings_values = brings_values or not TAKERS.keys().isdisjoint(values)
    if not posts and not problems:
        expected = "expected at least one request"
        problems.append(problem(Location(file, 1, 1), "", "the file has no rows", expected))
    if problems:
        raise TableError(problems)
    return Replay(posts, brings_values)


# -- columns --------------------------------------------------------------------------------


def _whole(value: object) -> int:
    if _WHOLE.fullmatch(str(value)) and not isinstance(value, bool):
        return int(str(value), 0 if str(value).startswith("0x") else 10)
    raise UnitError(f"'{value}' does not fit; expected a whole number from 0 on")


def _word(value: object) -> int:
    if _WHOLE.fullmatch(str(value)) and (number := _whole(value)) <= WORD_MASK:
        return number
    raise UnitError(f"'{value}' does not fit; expected a whole number from 0 to {WORD_MASK}")


def _bytes(value: object) -> int:
    return _whole(value) if _WHOLE.fullmatch(str(value)) else parse_bytes(value)


def _nanoseconds(value: object) -> int:
    if not _DECIMAL.fullmatch(str(value)):
        raise UnitError(f"'{value}' is no time; expected nanoseconds, zero or more")
    time_ps = Fraction(str(value)) * 1000
    if time_ps.denominator != 1:
        raise UnitError(f"'{value}' is no whole number of picoseconds; expected steps of 0.001")
    return int(time_ps)


def _operation(value: object) -> Operation:
    return OPERATION_GROUPS[parse_operation_word(value)][0]


def _word_of(known: tuple[str, ...]) -> Callable[[object], str]:
    def read(value: object) -> str:
        if value not in known:
            raise UnitError(f"'{value}' is not known; expected {listed(known)}")
        return str(value)

    return read


def _flag(value: object) -> bool:
    flag = _FLAGS.get(str(value).lower())
    if flag is None:
        raise UnitError(f"'{value}' does not fit; expected true or false")
    return flag


#: What says when a request is posted: at a time, or so long after the one before it.
TIMES: dict[str, Callable[[object], int]] = {
    "time": parse_time,
    "time_ns": _nanoseconds,
    "gap": parse_time,
    "gap_ns": _nanoseconds,
}
NEEDED: dict[str, Callable[[object], Any]] = {"operation": _operation, "bytes": _bytes}
COLUMNS: dict[str, Callable[[object], Any]] = {
    **TIMES,
    **NEEDED,
    "address": _whole,
    "initiator": _whole,
    "destination": _whole,
    "order": _word_of(ORDERS),
    "service": _word_of(SERVICES),
    "fence": _flag,
    "value": _word,
    "compare": _word,
}
#: Column of a value to what operations do with it, and which do.
TAKERS = {
    "value": ("brings", tuple(one for one in Operation if one not in READS)),
    "compare": ("compares with", (Operation.COMPARE_AND_SWAP,)),
}


def _read(row: Row, problems: list[Problem]) -> dict[str, Any]:
    """The values of a row; what is wrong with them is noted."""
    values: dict[str, Any] = {}
    for column, value in row.values.items():
        if value is None:
            expected = "expected a value, or the key left out"
            problems.append(problem(row.at[column], column, "there is no value", expected))
            continue
        try:
            values[column] = COLUMNS[column](value)
        except UnitError as error:
            what, _, expected = str(error).partition("; ")
            problems.append(problem(row.at[column], column, what, expected))
    for column in NEEDED:
        if column not in row.values:
            what = f"'{column}' is missing"
            problems.append(problem(row.start, "", what, f"expected a value for '{column}'"))
    return values


def _time_ps(row: Row, values: dict[str, Any], now_ps: int, problems: list[Problem]) -> int:
    """When the request of a row is posted, `now_ps` being the time of the row before."""
    given = [column for column in TIMES if column in row.values]
    if len(given) != 1:
        what = f"{' and '.join(given)} are all given" if given else "no time is given"
        problems.append(problem(row.start, "", what, f"expected one of {listed(TIMES)}"))
        return now_ps
    column = given[0]
    if column not in values:
        return now_ps
    if column.startswith("gap"):
        return now_ps + int(values[column])
    at_ps: int = values[column]
    if at_ps < now_ps:
        what = f"'{row.values[column]}' is before the time of the row above"
        problems.append(problem(row.at[column], column, what, "expected rows in the order of time"))
    return at_ps


def _check_values(row: Row, values: dict[str, Any], problems: list[Problem]) -> None:
    """Notes a value in the row of an operation that takes none."""
    operation = values.get("operation")
    for column, (verb, takers) in TAKERS.items():
        if column in values and operation is not None and operation not in takers:
            what = f"a {operation} {verb} none"
            expected = f"expected it left out, or {listed(takers)}"
            problems.append(problem(row.at[column], column, what, expected))


def _unknown(column: str, at: Location) -> Problem:
    hint = did_you_mean(column, COLUMNS)
    return problem(at, "", f"unknown column '{column}'", f"expected {listed(COLUMNS)}", hint)


# -- files ----------------------------------------------------------------------------------


def _text(path: Path, file: str) -> str:
    expected = "expected a file of requests to replay"
    try:
        raw = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        what = f"cannot be read: {reason}"
        raise TableError([problem(Location(file), "", what, expected)]) from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        what, expected = "this is not UTF-8", "expected a file in UTF-8"
        raise TableError([problem(Location(file), "", what, expected)]) from None


def _csv_rows(text: str, file: str, problems: list[Problem]) -> Iterator[Row]:
    """The lines under the heading, with the cells that are not empty; none holds a comma."""
    heading: list[str] | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        raw = line.split(",")
        cells = [cell.strip().strip('"') for cell in raw]
        ends = accumulate((len(cell) + 1 for cell in raw), initial=1)
        places = [
            Location(file, number, end + len(cell) - len(cell.lstrip()))
            for cell, end in zip(raw, ends, strict=False)
        ]
        if heading is None:
            heading = cells
            wrong = _heading_problems(heading, places)
            if wrong:
                problems += wrong
                return
        elif len(cells) != len(heading):
            what = f"{len(cells)} cells under {len(heading)} columns"
            problems.append(problem(places[0], "", what, "expected one under each"))
        else:
            named = zip(heading, cells, places, strict=True)
            given = {column: (cell, at) for column, cell, at in named if cell}
            values: dict[str, object] = {column: cell for column, (cell, _) in given.items()}
            yield Row(values, {column: at for column, (_, at) in given.items()}, places[0])


def _heading_problems(heading: list[str], places: list[Location]) -> list[Problem]:
    problems = []
    for index, (column, at) in enumerate(zip(heading, places, strict=True)):
        if column not in COLUMNS:
            problems.append(_unknown(column, at))
        elif column in heading[:index]:
            problems.append(problem(at, "", f"column '{column}' is there twice", "expected once"))
    for column in NEEDED:
        if column not in heading:
            what = f"the heading has no column '{column}'"
            problems.append(
                problem(places[0], "", what, f"expected {' and '.join(NEEDED)}, and a time")
            )
    return problems


def _json_rows(text: str, file: str, problems: list[Problem]) -> Iterator[Row]:
    """One object a line; its numbers stay as they are written."""
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        start = Location(file, number, 1)
        try:
            pairs = json.loads(line, object_pairs_hook=list, parse_float=str, parse_constant=str)
        except json.JSONDecodeError as error:
            at = Location(file, number, error.colno)
            problems.append(problem(at, "", f"this is no JSON: {error.msg}", "expected an object"))
            continue
        except (RecursionError, ValueError):
            problems.append(problem(start, "", "this is too large", "expected a small object"))
            continue
        if not line.lstrip().startswith("{"):
            problems.append(problem(start, "", "this is no object", "expected one on each line"))
            continue
        row = Row({}, {}, start)
        for key, value in pairs:
            at = Location(file, number, _value_column(line, key))
            if key not in COLUMNS:
                problems.append(_unknown(key, at))
            elif key in row.values:
                problems.append(problem(at, "", f"'{key}' is given twice", "expected it once"))
            else:
                row.values[key] = value
                row.at[key] = at
        yield row


def _value_column(line: str, key: str) -> int:
    """Where the value of a key starts, as far as the key is written plainly."""
    found = re.search(rf'"{re.escape(key)}"\s*:\s*', line)
    return found.end() + 1 if found else 1
