"""Time: whole picoseconds, exact clocks, and durations that know their unit."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from emu.errors import UnitError

PS_PER_S = 10**12


@dataclass(frozen=True, slots=True, order=True)
class Picoseconds:
    """A length of time; it adds to another length of time, and to nothing else."""

    count: int

    def __add__(self, other: object) -> Picoseconds:
        if isinstance(other, Picoseconds):
            return Picoseconds(self.count + other.count)
        raise UnitError(_does_not_add(self, other))

    def __str__(self) -> str:
        return format_time(self.count)


@dataclass(frozen=True, slots=True, order=True)
class Cycles:
    """A number of cycles; it becomes time only through a `Clock`."""

    count: int

    def __add__(self, other: object) -> Cycles:
        if isinstance(other, Cycles):
            return Cycles(self.count + other.count)
        raise UnitError(_does_not_add(self, other))

    def __str__(self) -> str:
        return f"{self.count} cycle" if self.count == 1 else f"{self.count} cycles"


Duration = Picoseconds | Cycles


def _does_not_add(left: Duration, right: object) -> str:
    return (
        f"{left} and {right} do not add up: cycles become time only through a named clock, "
        "Clock.span(cycles)"
    )


@dataclass(frozen=True, slots=True)
class Clock:
    """An exact clock: edge n is at `phase_ps + floor(n * period)`.

    `period_ps` is an exact fraction of picoseconds. With `aligned` false the clock has no edges:
    its cycle is then a mere unit of time.
    """

    name: str
    period_ps: Fraction
    phase_ps: int = 0
    aligned: bool = True
    # The period's two halves, kept because the kernel asks for an edge at every handshake.
    _numerator: int = field(init=False, repr=False, compare=False)
    _denominator: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_numerator", self.period_ps.numerator)
        object.__setattr__(self, "_denominator", self.period_ps.denominator)

    def edge(self, n: int) -> int:
        """Time of edge `n`, in whole picoseconds."""
        return self.phase_ps + n * self._numerator // self._denominator

    def edge_at_or_after(self, time_ps: int) -> int:
        """Number of the first edge that is not before `time_ps`."""
        # floor(n * p) >= x holds exactly from n = ceil(x / p) on, since x is whole.
        return -((self.phase_ps - time_ps) * self._denominator // self._numerator)

    def edge_after(self, time_ps: int) -> int:
        """Number of the first edge that is later than `time_ps`."""
        return self.edge_at_or_after(time_ps + 1)

    def span(self, cycles: Cycles) -> int:
        """Whole picoseconds in so many cycles; the rest of a picosecond is cut."""
        return cycles.count * self._numerator // self._denominator

    @property
    def frequency_hz(self) -> Fraction:
        """Frequency, as an exact fraction."""
        return PS_PER_S / self.period_ps


def format_time(time_ps: int) -> str:
    """A time for people: the largest unit that keeps it exact and above one."""
    for unit, size in (("s", PS_PER_S), ("ms", 10**9), ("us", 10**6), ("ns", 10**3)):
        if abs(time_ps) >= size:
            whole, rest = divmod(abs(time_ps), size)
            digits = f"{rest:0{len(str(size)) - 1}d}".rstrip("0")
            sign = "-" if time_ps < 0 else ""
            return f"{sign}{whole}{'.' if digits else ''}{digits} {unit}"
    return f"{time_ps} ps"
