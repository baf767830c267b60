"""One 64 B read on four placements of a controller: where it is after each stage."""

from __future__ import annotations

from itertools import accumulate

from emu.compare import Placement, place
from emu.figures.engine import SINGLE_PARTS, needs_reference
from emu.figures.measure import CHAPTER, NS, OPENURMA
from emu.figures.model import Figure, Point, Series
from emu.request import Operation
from emu.table import load

SIZE_BYTES = 64
#: Table to the derived total in whole nanoseconds.
DERIVED_NS = {"pcie_nic": 2222, "nic_processor": 1572, "ub_async": 746, "ub_load": 419}
#: Table to what OpenURMA's two-node simulator gives.
SIMULATED_NS = {
    "openurma_roce_dma": 2236,
    "openurma_roce_bf": 1736,
    "openurma_urma": 757,
    "openurma_loadstore": 500,
}


def figure() -> Figure:
    """Derived totals as the chapter has them, emulated ones as OpenURMA's simulator has them."""
    needs_reference(SINGLE_PARTS)
    placed = {name: _placed(name) for name in (*DERIVED_NS, *SIMULATED_NS)}
    derived = [
        Point(
            name=f"{name}, derived",
            unit="ns",
            expected=expected_ns,
            measured=placed[name].derived_ps / NS,
            tolerance=0.5,
            source=f"{CHAPTER}, section on four placements of a controller",
        )
        for name, expected_ns in DERIVED_NS.items()
    ]
    simulated = [
        Point(
            name=f"{name}, emulated",
            unit="ns",
            expected=expected_ns,
            measured=placed[name].emulated_ps / NS,
            tolerance=0,
            source=f"{OPENURMA}, two-node simulator",
        )
        for name, expected_ns in SIMULATED_NS.items()
    ]
    return Figure(
        name="read-paths",
        title="One 64 B remote read, alone, on four placements",
        points=(*derived, *simulated),
        series=tuple(_series(placed[name]) for name in DERIVED_NS),
        x_label="stages passed",
        y_label="time since the request was submitted (ns)",
    )


def _placed(name: str) -> Placement:
    return place(load(name), Operation.READ, SIZE_BYTES)


def _series(placement: Placement) -> Series:
    times_ns = [stage.emulated_ps / NS for stage in placement.stages]
    return Series(placement.table, range(len(times_ns) + 1), [0, *accumulate(times_ns)])
