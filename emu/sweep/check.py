"""Checks before anything runs: every table loads with every value, and has the operations."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path

from emu.compare import same_names
from emu.errors import EmuError
from emu.path import build
from emu.sweep.axis import LEAST, Axis, Value
from emu.sweep.errors import SweepError
from emu.sweep.plan import MOST_ROWS, Common, Origin, Sweep, issued, operation_words
from emu.table import TableError, load
from emu.table.catalog import is_file_name
from emu.table.schema import Table

#: Up to so many combinations of table parameters are all tried. Of more, each value is tried once,
#: and a combination that does not load is an error when its point comes.
MOST_COMBINATIONS = 256


def check(sweep: Sweep) -> Common:
    """What the points share; `SweepError` with all that is wrong with the sweep."""
    problems = list(dict.fromkeys(_problems_of_axes(sweep)))
    if problems:
        raise SweepError("\n".join(problems))
    origins: list[Origin] = []
    named: list[tuple[str | Path, str]] = []
    for given in sweep.tables:
        # Workers may have another current directory.
        place = Path(given).resolve() if is_file_name(str(given)) else str(given)
        checker = _TableChecker(sweep, given)
        problems += checker.problems
        if checker.first is not None:
            table, overrides = checker.first
            origins.append(Origin(table.name, place, overrides, table.digest))
            named.append((given, table.name))
    problems += same_names(named)
    if problems:
        raise SweepError("\n".join(dict.fromkeys(problems)))
    names = tuple(axis.name for axis in sweep.axes)
    return Common(tuple(origins), names, sweep.settings, sweep.requests)


def _problems_of_axes(sweep: Sweep) -> Iterator[str]:
    if not sweep.tables:
        yield "there is no table to sweep; expected one or more"
    if sweep.requests < 1:
        yield f"--requests {sweep.requests}: nothing would run; expected 1 or more"
    names = [axis.name for axis in sweep.axes]
    fixed = [text.partition("=")[0].strip() for text in sweep.settings]
    for axis in sweep.axes:
        name = axis.name
        if names.count(name) > 1:
            yield f"--vary {name}: it is varied twice; expected each axis once"
        if name in fixed:
            yield f"--vary {name}: it is also given by --set; expected one of the two"
        if not axis.values:
            yield f"--vary {name}: it has no values; expected one or more"
        if name in LEAST and not all(isinstance(value, int) for value in axis.values):
            yield f"--vary {name}: its values are not all whole numbers; expected those"
    if len(sweep) > MOST_ROWS:
        yield f"the sweep has {len(sweep)} rows; expected at most {MOST_ROWS}"


class _TableChecker:
    """Loads one table with all its values and collects what is wrong."""

    def __init__(self, sweep: Sweep, given: str | Path) -> None:
        self.problems: list[str] = []
        self.first: tuple[Table, tuple[str, ...]] | None = None
        self._told: set[tuple[str, str]] = set()
        self._given = given
        for varied in _combinations([axis for axis in sweep.axes if axis.is_setting]):
            table = self._load(sweep.settings, varied)
            if table is not None and self.first is None:
                self.first = table, (*sweep.settings, *varied)
                self._check_operations(table, operation_words(sweep))

    def _load(self, fixed: tuple[str, ...], varied: tuple[str, ...]) -> Table | None:
        try:
            return load(self._given, overrides=(*fixed, *varied))
        except TableError as error:
            for problem in error.problems:
                text = problem.file.removeprefix("--set ")
                is_override = problem.file.startswith("--set ")
                # An axis whose name is wrong is told once, and not for each of its values.
                about = text.partition("=")[0] if is_override else str(problem.location)
                if (about, problem.what) in self._told:
                    continue
                self._told.add((about, problem.what))
                said = str(problem)
                if text in varied:
                    said = said.replace(problem.file, f"--vary {text}", 1)
                self.problems.append(f"{self._given}: {said}" if is_override else said)
            return None

    def _check_operations(self, table: Table, words: Iterable[str | None]) -> None:
        path = build(table)
        for word in words:
            try:
                path.plan(issued(table, word), 64)
            except EmuError as error:
                self.problems.append(f"--vary op={word}: {error}" if word else str(error))


def _combinations(axes: list[Axis]) -> Iterator[tuple[str, ...]]:
    def texts(values: Iterable[Value]) -> tuple[str, ...]:
        return tuple(f"{axis.name}={value}" for axis, value in zip(axes, values, strict=True))

    if math.prod(len(axis.values) for axis in axes) <= MOST_COMBINATIONS:
        yield from map(texts, product(*(axis.values for axis in axes)))
        return
    first = [axis.values[0] for axis in axes]
    yield texts(first)
    for place, axis in enumerate(axes):
        for value in axis.values[1:]:
            yield texts([*first[:place], value, *first[place + 1 :]])
