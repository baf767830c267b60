"""The figures of `emu figure`, each of their points as a check."""

from __future__ import annotations

from fractions import Fraction

from emu.figures.model import Point
from emu.figures.registry import reproduce
from emu.verify.check import Check, Verification


def verify_figure(name: str) -> Verification:
    """Reproduces a figure, on the compiled engine where it can be."""
    return Verification(
        name, tuple(_check(name, point) for point in reproduce(name, "auto").points)
    )


def _check(name: str, point: Point) -> Check:
    return Check(
        name=f"{name}: {point.name}",
        source=point.source,
        expected=Fraction(point.expected),
        got=Fraction(point.measured),
        tolerance=Fraction(point.tolerance),
        unit=point.unit,
    )
