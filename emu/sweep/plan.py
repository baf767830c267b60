"""Sweep: all points in their order, and what makes a sweep another one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

from emu.compare import operation_on
from emu.request import OPERATION_GROUPS, Operation
from emu.sweep.axis import OPERATION, Axis, Value
from emu.table.schema import Table

#: A point: the place of its table among the sweep's, then a value for each axis.
Point = tuple[int, tuple[Value, ...]]

#: Bookkeeping takes 8 bytes a row.
MOST_ROWS = 100_000_000


@dataclass(frozen=True, slots=True)
class Sweep:
    """Every table with every combination of values: tables vary slowest, the last axis fastest.

    `settings` are `NAME.PARAMETER=VALUE` texts that hold for every point, `requests` how many each
    point runs unless an axis says so.
    """

    tables: tuple[str | Path, ...]
    axes: tuple[Axis, ...]
    settings: tuple[str, ...] = ()
    requests: int = 1000

    def __len__(self) -> int:
        return len(self.tables) * math.prod(len(axis.values) for axis in self.axes)

    def point(self, index: int) -> Point:
        """The point of a row, counted from 0."""
        values: list[Value] = []
        for axis in reversed(self.axes):
            index, place = divmod(index, len(axis.values))
            values.append(axis.values[place])
        return index, tuple(reversed(values))

    def kinds(self) -> Iterator[Point]:
        """A point for each table and operation, with the first value of each other axis."""
        varied = [axis.values if axis.name == OPERATION else axis.values[:1] for axis in self.axes]
        yield from product(range(len(self.tables)), product(*varied))


@dataclass(frozen=True, slots=True)
class Origin:
    """A table of a sweep: where it is loaded from, and what it says at its first point."""

    name: str
    place: str | Path
    overrides: tuple[str, ...]
    digest: str


@dataclass(frozen=True, slots=True)
class Common:
    """What all points share: small, because every task carries it."""

    origins: tuple[Origin, ...]
    axes: tuple[str, ...]
    settings: tuple[str, ...]
    requests: int

    def overrides(self, values: tuple[Value, ...]) -> tuple[str, ...]:
        """What a point puts over its table."""
        named = zip(self.axes, values, strict=True)
        varied = (f"{name}={value}" for name, value in named if Axis(name, ()).is_setting)
        return (*self.settings, *varied)

    def described(self, point: Point) -> str:
        """A point as errors name it."""
        index, values = point
        named = (f"{name}={value}" for name, value in zip(self.axes, values, strict=True))
        return ", ".join((self.origins[index].name, *named))


def issued(table: Table, word: str | None) -> Operation:
    """What the program issues there for an operation; without one, a read or what is nearest.

    A read is a load, and a write a store, where the processor issues loads and stores.
    """
    if word is not None:
        return operation_on(table, OPERATION_GROUPS[word][0])
    operation = operation_on(table, Operation.READ)
    return operation if operation in table.operations else table.operations[0]


def operation_words(sweep: Sweep) -> Iterator[str | None]:
    """The operations that a sweep runs; `None` where none is named."""
    for axis in sweep.axes:
        if axis.name == OPERATION:
            yield from (str(value) for value in axis.values)
            return
    yield None


def parameters(sweep: Sweep, common: Common) -> dict[str, Any]:
    """All on which the bytes of the file depend."""
    return {
        "emu": version("rdma-path-emu"),
        "tables": {origin.name: origin.digest for origin in common.origins},
        "set": list(sweep.settings),
        "requests": sweep.requests,
        "vary": {axis.name: list(axis.values) for axis in sweep.axes},
    }
