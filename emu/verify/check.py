"""What a verification says: figures that were recomputed, and those that cannot be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Check:
    """One published figure and what comes out here; times are exact picoseconds.

    A mean over several requests need not be whole. `tolerance_ps` still counts as held.
    """

    name: str
    source: str
    expected_ps: Fraction
    got_ps: Fraction
    tolerance_ps: Fraction

    @property
    def difference_ps(self) -> Fraction:
        """What comes out here, less what was published."""
        return self.got_ps - self.expected_ps

    @property
    def ok(self) -> bool:
        """Whether the two are as near as they should be."""
        return abs(self.difference_ps) <= self.tolerance_ps


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
    def largest_difference_ps(self) -> Fraction:
        """The largest difference either way; zero where nothing was checked."""
        return max((abs(check.difference_ps) for check in self.checks), default=Fraction(0))


def all_held(verifications: Iterable[Verification]) -> bool:
    """Whether no check failed."""
    return not any(verification.failures for verification in verifications)
