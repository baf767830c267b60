"""When a request alone leaves a sender whose scheduler scans: it depends on when it was posted."""

from __future__ import annotations

from emu.figures.measure import OPENURMA, on_edges
from emu.figures.model import Figure, Point, Series
from emu.request import Operation
from emu.workload import Access

TABLE = "openurma_tx"
SCHEDULER, LAST = "jsched", "ethenc"
#: Queues of the scan, and so cycles until it is where it was.
QUEUES = 16
#: A header and its extension, of an initiator whose queue the scan is at on every sixteenth edge.
ACCESS = Access(Operation.READ, 64, 0)
#: The framer of the revision that the published figures are from took 11 cycles for such a packet.
PUBLISHED_FRAMER = ("ethenc.latency=11 cycles", "ethenc.beat.latency=0 cycles")
PUBLISHED = 24

SCENARIOS = f"{OPENURMA}, SystemC kernels of its sender, a request posted at each cycle"
PER_ELEMENT = f"{OPENURMA}, ub_sc_per_element.csv"
LATENCY = f"{OPENURMA}, ub_sc_tx_latency.csv"


def figure() -> Figure:
    """Each phase, with the framer of today and with that of the published figures."""
    today = [_alone(phase) for phase in range(QUEUES)]
    published = [_alone(phase, *PUBLISHED_FRAMER) for phase in range(QUEUES)]
    as_published = [phase for phase, (_, cycles) in enumerate(published) if cycles == PUBLISHED]
    phase = as_published[0] if as_published else 0
    scheduler, cycles = published[phase]
    return Figure(
        name="phase",
        title="A request alone in OpenURMA's sender: it leaves when the scan has come to its queue",
        points=(
            Point("fewest cycles", "cycles", 13, min(c for _, c in today), 0, SCENARIOS),
            Point("most cycles", "cycles", 28, max(c for _, c in today), 0, SCENARIOS),
            Point("phases that differ", "", QUEUES, len({c for _, c in today}), 0, SCENARIOS),
            Point("published framer: phases of 24", "", 1, len(as_published), 0, LATENCY),
            Point("… in such a phase, all of it", "cycles", PUBLISHED, cycles, 0, LATENCY),
            Point("… in such a phase, the scheduler", "cycles", 5, scheduler, 0, PER_ELEMENT),
        ),
        series=(
            Series("framer of today", range(QUEUES), [c for _, c in today]),
            Series("framer of 11 cycles, as published", range(QUEUES), [c for _, c in published]),
        ),
        x_label="posted so many cycles after the scan was at its queue",
        y_label="cycles until it has left",
    )


def _alone(phase: int, *overrides: str) -> tuple[int, int]:
    """Cycles at the scheduler and in all of a request posted so long after a look at its queue."""
    posted = QUEUES + phase
    run = on_edges(TABLE, overrides=overrides)
    run.post(posted, ACCESS)
    left = {stage: edge for stage, [(edge, _)] in run.run().items()}
    return left[SCHEDULER] - left["doorbell"], left[LAST] - posted
