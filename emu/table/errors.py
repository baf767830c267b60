"""What is wrong with a table, and where: one grammar for every error, all of a file at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from emu.errors import EmuError


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in a file, counted from 1; or, with line 0, a whole file or a `--set` text."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Problem:
    """One error: where it stands, what is wrong there, and what was expected instead."""

    file: str
    line: int
    column: int
    where: str
    what: str
    expected: str

    @property
    def location(self) -> Location:
        """The place that the error points at."""
        return Location(self.file, self.line, self.column)

    def __str__(self) -> str:
        place = f"{self.location}: {self.where}" if self.where else str(self.location)
        text = f"{place}: {self.what}"
        return f"{text}; {self.expected}" if self.expected else text


def problem(at: Location, where: str, what: str, expected: str, hint: str = "") -> Problem:
    """A problem at a location; a hint (`did you mean ...?`) follows what was expected."""
    return Problem(
        at.file, at.line, at.column, where, what, f"{expected}; {hint}" if hint else expected
    )


class TableError(EmuError):
    """A table that cannot be used; its text is all its problems, one a line."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        # An aliased value is wrong once, however often it is used: the first use speaks.
        first: dict[tuple[Location, str], Problem] = {}
        for one in problems:
            first.setdefault((one.location, one.what), one)
        self.problems: tuple[Problem, ...] = tuple(
            sorted(first.values(), key=lambda one: one.location)
        )
        super().__init__("\n".join(str(one) for one in self.problems))
