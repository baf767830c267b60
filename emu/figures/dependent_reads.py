"""Reads that wait for each other, and reads that do not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from emu.figures.measure import CHAPTER, NS, closed, run
from emu.figures.model import Figure, Point, Series
from emu.random import Random
from emu.request import Operation
from emu.workload import Chain

SIZE_BYTES = 64
READS = 8
SOURCE = f"{CHAPTER}, sections on four placements of a controller and on dependent reads"


@dataclass(frozen=True)
class Expected:
    """A round trip, the time between two reads that overlap, and what clock edges may add."""

    round_trip_ns: float
    interval_ns: float
    edges_ns: float


#: A request waits for an edge of the clock of 322 MHz at each of four passes. OpenURMA has no
#: edges, and the second 32 B of a read keep its pipeline busy for a third cycle.
PLACEMENTS = {
    "pcie_nic": Expected(2221.8, 18.634, 4 * 3.106),
    "ub_async": Expected(745.6, 6.211, 4 * 3.106),
    "openurma_urma": Expected(757, 9.318, 0.02),
}


def figure() -> Figure:
    """1 to 8 reads: each needs the answer of the one before, or all are posted at once."""
    points: list[Point] = []
    series: list[Series] = []
    counts = range(1, READS + 1)
    for table, expected in PLACEMENTS.items():
        dependent = [_dependent_ns(table, count) for count in counts]
        independent = [_independent_ns(table, count) for count in counts]
        points += _points(table, expected, dependent[-1], independent[-1])
        series.append(Series(f"{table}, dependent", counts, dependent))
        series.append(Series(f"{table}, independent", counts, independent))
    return Figure(
        name="dependent-reads",
        title="Reads of 64 B: a pointer chase, and independent addresses",
        points=tuple(points),
        series=tuple(series),
        x_label="reads",
        y_label="until the last is complete (ns)",
        y_log=True,
    )


def _points(
    table: str, expected: Expected, dependent_ns: float, independent_ns: float
) -> Iterator[Point]:
    chain_ns = READS * expected.round_trip_ns
    chain_edges_ns = READS * expected.edges_ns
    name = f"{table}, {READS} dependent"
    yield Point(name, "ns", chain_ns, dependent_ns, chain_edges_ns, SOURCE)
    all_ns = expected.round_trip_ns + (READS - 1) * expected.interval_ns
    name = f"{table}, {READS} independent"
    yield Point(name, "ns", all_ns, independent_ns, expected.edges_ns, SOURCE)


def _dependent_ns(table: str, count: int) -> float:
    chain = Chain(Operation.READ, SIZE_BYTES, Random(1, "chain"))
    return run(table, chain, requests=count).last_completion_ps / NS


def _independent_ns(table: str, count: int) -> float:
    at_once = closed(table, Operation.READ, SIZE_BYTES, outstanding=count, requests=count)
    return at_once.last_completion_ps / NS
