"""What a figure consists of: points with an expected value, and series for the picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Point:
    """One number: what is expected of it, what the emulator gave, and how far off it may be.

    `tolerance` is absolute, in `unit`.
    """

    name: str
    unit: str
    expected: float
    measured: float
    tolerance: float
    source: str

    @property
    def ok(self) -> bool:
        """Whether the measured value is within the tolerance."""
        return abs(self.measured - self.expected) <= self.tolerance


@dataclass(frozen=True)
class Series:
    """One line of the picture."""

    name: str
    x: Sequence[float]
    y: Sequence[float]


@dataclass(frozen=True)
class Figure:
    """A reproduced figure; `x_label` and `y_label` carry the units.

    `prevented` says what kept it from the compiled engine, where that was asked for.
    """

    name: str
    title: str
    points: tuple[Point, ...]
    series: tuple[Series, ...]
    x_label: str
    y_label: str
    x_log: bool = False
    y_log: bool = False
    engine: str = "reference"
    prevented: str | None = None
