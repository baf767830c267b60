"""What a sweep's file says, read back."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from emu.sweep.errors import SweepError
from emu.sweep.grammar import KINDS, read_number
from emu.sweep.worker import RESULTS


@dataclass(frozen=True)
class Column:
    """Something that was varied, with its different values in the order of the file."""

    name: str
    texts: tuple[str, ...]

    @cached_property
    def numbers(self) -> tuple[float, ...] | None:
        """The values as numbers in the unit of the first; `None` if some are not."""
        read = [read_number(text) for text in self.texts]
        units = [number[1] for number in read if number is not None]
        if len(units) < len(read):
            return None
        for kind in KINDS:
            if all(unit in kind for unit in units):
                return tuple(
                    float(number[0] * kind[number[1]] / kind[units[0]])
                    for number in read
                    if number is not None
                )
        return None

    @property
    def unit(self) -> str:
        """The unit of `numbers`; empty where there is none."""
        first = read_number(self.texts[0])
        return first[1] if first is not None else ""


@dataclass(frozen=True)
class Swept:
    """The rows: for each the place of its value in every column, and a result."""

    columns: tuple[Column, ...]
    places: tuple[tuple[int, ...], ...]
    results: dict[str, tuple[float | None, ...]]


def read_swept(file: Path, wanted: Sequence[str]) -> Swept:
    """Reads these results; `SweepError` if it is not the file of a sweep."""
    try:
        with file.open(newline="") as stream:
            return _read(file, csv.reader(stream), wanted)
    except (OSError, UnicodeError, csv.Error) as error:
        said = error.strerror if isinstance(error, OSError) else error
        raise SweepError(f"{file}: cannot be read: {said}") from error


def _read(file: Path, lines: Iterator[list[str]], wanted: Sequence[str]) -> Swept:
    header = next(lines, [])
    if header[:1] != ["table"] or tuple(header[-len(RESULTS) :]) != RESULTS:
        raise SweepError(
            f"{file}: not the file of a sweep; expected the columns table, what was varied, "
            f"{', '.join(RESULTS)}"
        )
    names = header[: -len(RESULTS)]
    values: list[dict[str, int]] = [{} for _ in names]
    results: dict[str, list[float | None]] = {name: [] for name in wanted}
    places: list[tuple[int, ...]] = []
    for number, cells in enumerate(lines, 2):
        if len(cells) != len(header):
            raise SweepError(
                f"{file}:{number}: the row has {len(cells)} cells; expected {len(header)}"
            )
        places.append(
            tuple(
                seen.setdefault(cell, len(seen)) for seen, cell in zip(values, cells, strict=False)
            )
        )
        for name, found in results.items():
            found.append(_number(file, number, name, cells[header.index(name)]))
    if not places:
        raise SweepError(f"{file}: there are no rows in it; expected one or more")
    return Swept(
        tuple(Column(name, tuple(seen)) for name, seen in zip(names, values, strict=True)),
        tuple(places),
        {name: tuple(found) for name, found in results.items()},
    )


def _number(file: Path, line: int, name: str, cell: str) -> float | None:
    if not cell:
        return None
    try:
        return float(cell)
    except ValueError:
        raise SweepError(f"{file}:{line}: {name} is '{cell}'; expected a number") from None
