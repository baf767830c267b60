"""The figures of `emu figure`, each of their points as a check."""

from __future__ import annotations

from fractions import Fraction

from emu.figures.model import Point
from emu.figures.registry import FIGURES, reproduce
from emu.verify.check import Check, Verification


def verify_figures() -> list[Verification]:
    """Reproduces every figure, in the order in which they are listed."""
    return [
        Verification(name, tuple(_check(name, point) for point in reproduce(name).points))
        for name in FIGURES
    ]


def _check(name: str, point: Point) -> Check:
    return Check(
        name=f"{name}: {point.name}",
        source=point.source,
        expected=Fraction(point.expected),
        got=Fraction(point.measured),
        tolerance=Fraction(point.tolerance),
        unit=point.unit,
    )
