"""A ConnectX-4's rate by number of queue pairs: a cache of few ways, beside the measured curve."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from typing import TextIO

from emu.engines import Ended
from emu.figures.measure import run_table
from emu.figures.model import Figure, Point, Series
from emu.request import Operation
from emu.table import load
from emu.table.catalog import shipped_directory
from emu.table.schema import Table
from emu.workload import Closed, Stream
from emu.workload.choice import Constant, InTurn
from emu.workload.stream import Slots

#: How far off, as a share, the model may be.
TOLERANCE = 0.15
SIZE_BYTES = 64
OUTSTANDING = 64
#: Requests before the measured ones: more than the cache holds, and enough to fill the path.
WARM, MEASURED = 2_000, 4_000
#: Beside the measured points, so that the picture shows how the rate slides.
BETWEEN = (20, 50, 150, 300, 700, 2_000, 5_000)


@dataclass(frozen=True)
class Measured:
    """One point of the curve."""

    queue_pairs: int
    mega_per_s: float
    source: str


def read_curve(file: TextIO) -> list[Measured]:
    """The points of a published curve."""
    return [
        Measured(int(row["queue_pairs"]), float(row["mega_operations_per_s"]), row["source"])
        for row in csv.DictReader(file)
    ]


def mega_per_s(table: Table, queue_pairs: int) -> float:
    """Millions of writes a second, by one application that uses its queue pairs in turn."""
    ends_ps: list[int] = []

    def note(ended: Ended) -> None:
        ends_ps.append(ended.completed_ps)

    # The cache remembers less than the warm-up, so it may start anywhere. The last ones keep the
    # path full until the measured are done.
    same = Constant(0)
    writes = Stream(
        [(Operation.WRITE, SIZE_BYTES)],
        same,
        Slots(same, SIZE_BYTES),
        initiators=same,
        destinations=InTurn(queue_pairs),
        left=WARM + MEASURED + OUTSTANDING,
    )
    run_table(table, Closed([writes], OUTSTANDING), on_complete=note)
    return MEASURED / (ends_ps[WARM + MEASURED] - ends_ps[WARM]) * 1e6


def figure() -> Figure:
    """The rate of the table `connectx4`, point by point beside the measured one."""
    path = shipped_directory() / "published" / "hardware" / "connectx4_qp_scaling.csv"
    with path.open(encoding="utf-8", newline="") as file:
        curve = read_curve(file)
    table = load("connectx4")
    counts = sorted({*BETWEEN, *(one.queue_pairs for one in curve)})
    rates = {count: mega_per_s(table, count) for count in counts}
    return Figure(
        name="connectx4",
        title="RDMA writes of one core on a ConnectX-4, by queue pairs used in turn",
        points=tuple(
            Point(
                f"{one.queue_pairs} queue pairs",
                "M/s",
                one.mega_per_s,
                rates[one.queue_pairs],
                TOLERANCE * one.mega_per_s,
                one.source,
            )
            for one in curve
        ),
        series=(
            Series("emulated", counts, [rates[count] for count in counts]),
            Series(
                "measured", [one.queue_pairs for one in curve], [one.mega_per_s for one in curve]
            ),
        ),
        x_label="queue pairs",
        y_label="million writes a second",
        x_log=True,
    )
