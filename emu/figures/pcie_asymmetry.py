"""Posted writes and tagged reads that share one direction of PCIe."""

from __future__ import annotations

from emu.figures.measure import CHAPTER, KV_DIRECT, US, completions_ps, count_between
from emu.figures.model import Figure, Point, Series
from emu.request import Operation
from emu.workload import Closed, staying

TABLE = "pcie_sharing"
SIZE_BYTES = 64
#: With its packet's header and framing.
PACKET_BYTES = 90
GB_PER_S = 31.5
TAGS = (16, 32, 64, 128, 256, 384, 512, 768)
#: Both are kept open in such numbers that neither ever runs out.
OUTSTANDING = 1024
TO_PS = 20 * US
SOURCE = f"{CHAPTER}, section on PCIe credits and tags; round trip and header of {KV_DIRECT}"


def figure() -> Figure:
    """The share of each in the direction, in percent of its 31.5 GB/s."""
    shares = {tags: _percent(tags) for tags in TAGS}
    reads = {tags: share for tags, (share, _) in shares.items()}
    writes = {tags: share for tags, (_, share) in shares.items()}
    return Figure(
        name="pcie-asymmetry",
        title="One direction of PCIe Gen4 ×16: posted writes, and completions of reads",
        points=(
            Point("reads, 64 tags", "%", 17, reads[64], 0.5, SOURCE),
            Point("reads, 512 tags", "%", 50, reads[512], 0.5, SOURCE),
            Point("both, 64 tags", "%", 100, reads[64] + writes[64], 0.5, SOURCE),
            Point("both, 512 tags", "%", 100, reads[512] + writes[512], 0.5, SOURCE),
        ),
        series=(
            Series("reads", TAGS, list(reads.values())),
            Series("posted writes", TAGS, list(writes.values())),
        ),
        x_label="tags",
        y_label="share of the direction (%)",
        x_log=True,
    )


def _percent(tags: int) -> tuple[float, float]:
    """What part of the direction's bytes the reads have, and what part the writes."""
    streams = [
        staying(operation, SIZE_BYTES, initiator)
        for initiator, operation in enumerate((Operation.READ, Operation.WRITE))
    ]
    times_ps = completions_ps(TABLE, Closed(streams, OUTSTANDING), TO_PS, [f"pcie.tags={tags}"])
    reads_ps, writes_ps = times_ps[Operation.READ], times_ps[Operation.WRITE]
    # Reads come back in rounds, as many as there are tags: whole rounds are counted.
    rounds = len(reads_ps) // tags
    from_ps, to_ps = reads_ps[rounds // 4 * tags - 1], reads_ps[rounds * tags - 1]
    packet_percent = 100 * PACKET_BYTES / (GB_PER_S * (to_ps - from_ps) / 1000)
    reads = count_between(reads_ps, from_ps, to_ps) * packet_percent
    return reads, count_between(writes_ps, from_ps, to_ps) * packet_percent
