"""DMA over PCIe: how many reads tags and credits let under way, and writes that need neither."""

from __future__ import annotations

from emu.figures.measure import (
    KV_DIRECT,
    NS,
    US,
    closed,
    completions_ps,
    count_between,
    least,
    millions_per_s,
)
from emu.figures.model import Figure, Point, Series
from emu.request import Operation
from emu.workload import Closed, staying

TABLE = "kv_direct"
SIZE_BYTES = 64
OUTSTANDING = 256
#: Whole round trips, since as many reads as there are tags come back in each.
FROM_PS, TO_PS = 5 * 1050 * NS, 35 * 1050 * NS
TAGS = (1, 8, 16, 32, 48, 64, 84, 96, 128, 192)
NO_CREDITS = "pcie.nonposted_credits=unlimited"
DMA = f"{KV_DIRECT}, section on DMA over PCIe"
CEILING = 87.4


def figure() -> Figure:
    """Reads against tags, with the other side's credits and without, and posted writes."""
    reads = {tags: _reads(f"pcie.tags={tags}") for tags in TAGS}
    alone = {tags: _reads(f"pcie.tags={tags}", NO_CREDITS) for tags in TAGS}
    writes = {tags: _rate(Operation.WRITE, f"pcie.tags={tags}") for tags in TAGS}
    ceiling = _reads("pcie.tags=unlimited", NO_CREDITS)
    atomic = millions_per_s(closed(TABLE, Operation.FETCH_AND_ADD, 8, outstanding=1, requests=100))
    needed = least(1, 128, lambda n: _reads(f"pcie.tags={n}", NO_CREDITS) > ceiling * 0.995)
    points = (
        Point("reads, 64 tags", "M/s", 60.9, reads[64], 60.9 * 0.005, DMA),
        Point("reads, 128 tags: 84 credits bind", "M/s", 80.0, reads[128], 0.4, DMA),
        Point("reads, neither", "M/s", CEILING, ceiling, CEILING * 0.005, DMA),
        Point("reads, neither, bytes", "GB/s", 5.6, ceiling * SIZE_BYTES / 1000, 0.05, DMA),
        Point("reads under way that fill the link", "reads", 92, needed, 0, DMA),
        Point("posted writes, 1 tag", "M/s", CEILING, writes[1], CEILING * 0.01, DMA),
        Point(
            "atomics, one on one key at a time",
            "M/s",
            0.95,
            atomic,
            0.95 * 0.005,
            f"{KV_DIRECT}, section on atomics",
        ),
    )
    return Figure(
        name="pcie-tags",
        title="DMA of 64 B over PCIe Gen3 ×8 against tags",
        points=points,
        series=(
            Series("reads, 84 credits", TAGS, list(reads.values())),
            Series("reads, credits without end", TAGS, list(alone.values())),
            Series("posted writes", TAGS, list(writes.values())),
        ),
        x_label="tags",
        y_label="million requests a second",
    )


def _reads(*overrides: str) -> float:
    return _rate(Operation.READ, *overrides)


def _rate(operation: Operation, *overrides: str) -> float:
    workload = Closed([staying(operation, SIZE_BYTES)], OUTSTANDING)
    times_ps = completions_ps(TABLE, workload, TO_PS, overrides)[operation]
    return count_between(times_ps, FROM_PS, TO_PS) * US / (TO_PS - FROM_PS)
