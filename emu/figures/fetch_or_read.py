"""A snapshot of 144 MiB: read it where it is, or bring it back first."""

from __future__ import annotations

from emu.figures.measure import CHAPTER, MS, one_after_another
from emu.figures.model import Figure, Point, Series
from emu.request import Operation
from emu.workload import Access

TABLE = "snapshot"
SNAPSHOT_BYTES = 144 * 2**20
TENTH_BYTES = SNAPSHOT_BYTES // 10
READS = 20
#: How near a time must be.
NEAR = 0.02
SOURCE = f"{CHAPTER}, section on a snapshot read remotely or brought back"

READ_ALL = Access(Operation.READ, SNAPSHOT_BYTES, 0)
STORE_ALL = Access(Operation.STORE, SNAPSHOT_BYTES, 0)
LOAD_ALL = Access(Operation.LOAD, SNAPSHOT_BYTES, 0)
READ_TENTH = Access(Operation.READ, TENTH_BYTES, 0)
LOAD_TENTH = Access(Operation.LOAD, TENTH_BYTES, 0)


def figure() -> Figure:
    """The three times, and from which read of a tenth on bringing it back pays."""
    counts = range(1, READS + 1)
    remote = [_ms([READ_TENTH] * count) for count in counts]
    local = [_ms([READ_ALL, STORE_ALL, *[LOAD_TENTH] * count]) for count in counts]
    pays = next(n for n, far, near in zip(counts, remote, local, strict=True) if near < far)
    return Figure(
        name="fetch-or-read",
        title="144 MiB, read a tenth at a time: remotely, or brought back first",
        points=(
            _time("read remotely", 3.025, [READ_ALL]),
            _time("brought back", 3.075, [READ_ALL, STORE_ALL]),
            _time("read locally", 0.046, [LOAD_ALL]),
            Point("brought back pays from read", "tenths", 11, pays, 0, SOURCE),
        ),
        series=(Series("read remotely", counts, remote), Series("brought back", counts, local)),
        x_label="reads of a tenth",
        y_label="time of all (ms)",
    )


def _time(name: str, expected_ms: float, accesses: list[Access]) -> Point:
    return Point(name, "ms", expected_ms, _ms(accesses), expected_ms * NEAR, SOURCE)


def _ms(accesses: list[Access]) -> float:
    return one_after_another(TABLE, accesses).last_completion_ps / MS
