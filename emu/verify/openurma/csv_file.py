"""Comma-separated files whose cells know their place; all that is wrong is collected."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from emu.errors import EmuError, did_you_mean, listed
from emu.table.errors import Location, Problem, problem

_WHOLE = re.compile(r"\d{1,18}")
_DECIMAL = re.compile(r"\d{1,18}(\.\d{1,18})?([eE][+-]?\d{1,2})?")


class CsvError(EmuError):
    """A file that cannot be used; its text is all that is wrong with it, one a line."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(sorted(problems, key=lambda one: one.location))
        super().__init__("\n".join(str(one) for one in self.problems))


@dataclass(frozen=True, slots=True)
class Cell:
    """One value of a file: its text without the space around it, its column and its place."""

    text: str
    column: str
    at: Location


@dataclass
class CsvFile:
    """A file as it was read; `problems` grows while its cells are."""

    rows: list[dict[str, Cell]]
    problems: list[Problem] = field(default_factory=list)

    def whole(self, cell: Cell, least: int, most: int | None = None) -> int:
        """A whole number within bounds, or `least` and a problem."""
        if _WHOLE.fullmatch(cell.text):
            value = int(cell.text)
            if least <= value and (most is None or value <= most):
                return value
        bounds = f"from {least} on" if most is None else f"from {least} to {most}"
        self._add(cell, f"'{cell.text}' does not fit", f"expected a whole number {bounds}")
        return least

    def time_ps(self, cell: Cell) -> Fraction:
        """Exact picoseconds in a number of nanoseconds, or zero and a problem."""
        if _DECIMAL.fullmatch(cell.text):
            return Fraction(cell.text) * 1000
        self._add(cell, f"'{cell.text}' is no time", "expected nanoseconds, zero or more")
        return Fraction(0)

    def number(self, cell: Cell) -> Fraction:
        """An exact number, zero or more, or zero and a problem."""
        if _DECIMAL.fullmatch(cell.text):
            return Fraction(cell.text)
        self._add(cell, f"'{cell.text}' is no number", "expected one of zero or more")
        return Fraction(0)

    def whole_ps(self, cell: Cell) -> int:
        """As `time_ps`, where the emulator needs whole picoseconds."""
        value = self.time_ps(cell)
        if value.denominator != 1:
            self._add(
                cell, f"'{cell.text}' is no whole number of picoseconds", "expected steps of 0.001"
            )
        return int(value)

    def word(self, cell: Cell, known: Collection[str]) -> str:
        """One of the known words, or the text and a problem."""
        if cell.text not in known:
            expected = f"expected {listed(known)}"
            hint = did_you_mean(cell.text, known)
            self.problems.append(
                problem(cell.at, cell.column, f"'{cell.text}' is not known", expected, hint)
            )
        return cell.text

    def raise_problems(self) -> None:
        """`CsvError` with all problems, if there are any."""
        if self.problems:
            raise CsvError(self.problems)

    def _add(self, cell: Cell, what: str, expected: str) -> None:
        self.problems.append(problem(cell.at, cell.column, what, expected))


def read_csv(
    path: Path, needed: Sequence[str], shown: str | None = None, optional: Sequence[str] = ()
) -> CsvFile:
    """The rows under a heading that has at least the needed columns; no cell is quoted.

    `CsvError` where the file cannot be read, is empty or lacks a column, or has one whose name is
    nearly that of one that it lacks. A row with too few or too many cells is a problem of the file
    that is returned.
    """
    shown = shown or str(path)
    lines = list(_lines(path, shown))
    if not lines:
        at = Location(shown, 1, 1)
        raise CsvError(
            [problem(at, "heading", "the file is empty", f"expected {','.join(needed)}")]
        )
    heading = lines[0]
    columns = [cell.text for cell in heading]
    problems = [
        problem(cell.at, "heading", f"column '{cell.text}' is there twice", "expected it once")
        for index, cell in enumerate(heading)
        if cell.text in columns[:index]
    ]
    missing = [column for column in needed if column not in columns]
    if missing:
        what = f"without {', '.join(missing)}"
        problems.append(problem(heading[0].at, "heading", what, f"expected {','.join(needed)}"))
    lacking = [column for column in (*needed, *optional) if column not in columns]
    for cell in heading:
        near = did_you_mean(cell.text, lacking)
        if near and cell.text not in (*needed, *optional):
            what = f"column '{cell.text}' is not known"
            expected = f"expected one of {listed(lacking)}"
            problems.append(problem(cell.at, "heading", what, expected, near))
    if problems:
        raise CsvError(problems)
    file = CsvFile([])
    for cells in lines[1:]:
        if len(cells) != len(columns):
            what = f"{len(cells)} cells under {len(columns)} columns"
            file.problems.append(problem(cells[0].at, "row", what, "expected one under each"))
            continue
        file.rows.append(
            {
                column: Cell(cell.text, column, cell.at)
                for column, cell in zip(columns, cells, strict=True)
            }
        )
    if len(lines) == 1:
        at = Location(shown, 2, 1)
        file.problems.append(problem(at, "row", "there is none", "expected at least one"))
    return file


def _lines(path: Path, shown: str) -> Iterator[list[Cell]]:
    """The cells of each line that is not blank, under no column yet."""
    whole = Location(shown)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        what = f"cannot be read: {error.strerror}"
        raise CsvError([problem(whole, "", what, "expected a CSV file")]) from None
    except UnicodeDecodeError:
        raise CsvError([problem(whole, "", "this is not UTF-8", "expected a CSV file")]) from None
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        column = 1
        cells = []
        for raw in line.split(","):
            start = column + len(raw) - len(raw.lstrip())
            cells.append(Cell(raw.strip(), "", Location(shown, number, start)))
            column += len(raw) + 1
        yield cells
