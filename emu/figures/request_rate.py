"""Rate and bytes against size: where the sender is the limit, and where the wire is."""

from __future__ import annotations

from collections.abc import Iterator

from emu.engines import Run
from emu.figures.measure import CHAPTER, OPENURMA, closed, least, millions_per_s, window_ps
from emu.figures.model import Figure, Point, Series
from emu.request import Operation
from emu.time import PS_PER_S

#: Enough to fill the longest path at its rate.
OUTSTANDING = 256
REQUESTS = 1500
BURST = 256
SIZES_BYTES = (64, 96, 128, 192, 256, 310, 384, 512, 768, 932, 1280, 2048, 4096)
TABLES = ("ub_async", "pcie_nic")

SECTION = f"{CHAPTER}, section on request rates"
#: At 64 B: millions a second, and GB/s; the size from which the wire limits; all by table.
RATES = {"ub_async": 161.0, "pcie_nic": 53.7}
GB_PER_S = {"ub_async": 10.3, "pcie_nic": 3.4}
CROSSOVERS_BYTES = {"ub_async": 310, "pcie_nic": 932}
#: 4 KiB, as many as the sender could send, if the wire were no limit.
SENDER_GB_PER_S = {"ub_async": 660, "pcie_nic": 220}
FAST_WIRE = "wire.bandwidth=100000 GB/s"
#: 4 KiB over 50 GB/s.
WIRE_RATE = 12.2
BURSTS_PER_US = {"ub_sender": 154.4, "rc_sender": 53.6}
#: Longer than a clock edge can move a completion.
PERIOD_PS = 3106


def figure() -> Figure:
    """Both placements, and a burst through each sender alone."""
    points: list[Point] = []
    series: list[Series] = []
    for table in TABLES:
        rates = [millions_per_s(_run(table, size)) for size in SIZES_BYTES]
        gb_per_s = [rate * size / 1000 for rate, size in zip(rates, SIZES_BYTES, strict=True)]
        points += _points(table, rates, gb_per_s[0])
        series.append(Series(f"{table}, M/s", SIZES_BYTES, rates))
        series.append(Series(f"{table}, GB/s", SIZES_BYTES, gb_per_s))
    points += [_burst(table, expected) for table, expected in BURSTS_PER_US.items()]
    return Figure(
        name="request-rate",
        title="Rate and bytes of reads against their size",
        points=tuple(points),
        series=tuple(series),
        x_label="bytes of a read",
        y_label="million requests a second, or GB/s",
        x_log=True,
        y_log=True,
    )


def _run(table: str, size_bytes: int, *overrides: str) -> Run:
    return closed(
        table,
        Operation.READ,
        size_bytes,
        outstanding=OUTSTANDING,
        requests=REQUESTS,
        overrides=overrides,
    )


def _points(table: str, rates: list[float], gb_per_s: float) -> Iterator[Point]:
    rate = RATES[table]
    yield Point(f"{table}, 64 B", "M/s", rate, rates[0], rate * 0.005, SECTION)
    yield Point(f"{table}, 64 B, bytes", "GB/s", GB_PER_S[table], gb_per_s, 0.05, SECTION)
    yield Point(f"{table}, 4 KiB", "M/s", WIRE_RATE, rates[-1], WIRE_RATE * 0.005, SECTION)
    largest = SIZES_BYTES[-1]
    alone = millions_per_s(_run(table, largest, FAST_WIRE)) * largest / 1000
    name, expected = f"{table}, 4 KiB if no wire limited", SENDER_GB_PER_S[table]
    yield Point(name, "GB/s", expected, alone, expected * 0.005, SECTION)
    crossover = CROSSOVERS_BYTES[table]
    name = f"{table}, size from which the wire limits"
    yield Point(name, "B", crossover, _crossover_bytes(table), 1, SECTION)


def _crossover_bytes(table: str) -> int:
    """The least size at which the same requests take longer than at 64 B."""
    shortest_ps = window_ps(_run(table, SIZES_BYTES[0]))

    def is_slower(size_bytes: int) -> bool:
        return window_ps(_run(table, size_bytes)) > shortest_ps + PERIOD_PS

    return least(SIZES_BYTES[0], SIZES_BYTES[-1], is_slower)


def _burst(table: str, expected: float) -> Point:
    """All at once; from the first in to the last on the wire."""
    burst = closed(table, Operation.READ, 64, outstanding=BURST, requests=BURST)
    per_us = BURST * PS_PER_S / (burst.last_completion_ps - burst.first_post_ps) / 10**6
    source = f"{OPENURMA}, per-element files of its SystemC sender pipelines"
    return Point(f"{table}, burst of {BURST}", "1/µs", expected, per_us, 0.05, source)
