"""What a verification says: figures that were recomputed, and those that cannot be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

#: The unit of times, which are exact.
PS = "ps"
#: The unit of scenarios: how many headers left a stage.
DEPARTURES = "departures"


@dataclass(frozen=True, slots=True)
class Check:
    """One published figure and what comes out here, both in `unit`.

    A mean over several requests need not be whole. The tolerance itself still counts as held.
    With `is_beaten` the figure is one to be beaten, and any more than it holds as well.
    """

    name: str
    source: str
    expected: Fraction
    got: Fraction
    tolerance: Fraction
    unit: str = PS
    is_beaten: bool = False

    @property
    def difference(self) -> Fraction:
        """What comes out here, less what was published."""
        return self.got - self.expected

    @property
    def ok(self) -> bool:
        """Whether the two are as near as they should be, or the one is beaten."""
        if self.is_beaten:
            return self.difference > 0
        return abs(self.difference) <= self.tolerance


@dataclass(frozen=True, slots=True)
class NotComparable:
    """A published row that says nothing about this emulator, and why."""

    name: str
    source: str
    reason: str


@dataclass(frozen=True, slots=True)
class Verification:
    """All that was looked at under one heading: a file of figures, or a file of rows."""

    title: str
    checks: tuple[Check, ...]
    not_comparable: tuple[NotComparable, ...] = ()
    #: The checks are the rows of a results file, too many to print one by one.
    is_rows: bool = False

    @property
    def failures(self) -> tuple[Check, ...]:
        """The checks that did not hold."""
        return tuple(check for check in self.checks if not check.ok)

    @property
    def is_empty(self) -> bool:
        """Whether it is a file of rows of which none could be compared."""
        return self.is_rows and not self.checks

    @property
    def largest_difference(self) -> Fraction:
        """The largest difference either way; zero where nothing was checked."""
        return max((abs(check.difference) for check in self.checks), default=Fraction(0))


def all_held(verifications: Iterable[Verification]) -> bool:
    """Whether something was checked, of every file of rows as well, and no check failed."""
    found = list(verifications)
    return any(one.checks for one in found) and not any(
        one.failures or one.is_empty for one in found
    )
