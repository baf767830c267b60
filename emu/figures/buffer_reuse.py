"""Send done, visible at the receiver, consumed by it: when a buffer may be written again."""

from __future__ import annotations

from emu.buffers import Buffers
from emu.figures.engine import needs_reference
from emu.figures.measure import CHAPTER, US
from emu.figures.model import Figure, Point, Series
from emu.memory import Memory
from emu.path import Path, build
from emu.request import Operation, Request
from emu.table import load
from emu.table.schema import Table
from emu.trace.events import Event, Kind

SIZE_BYTES = 64
#: The send is done at the first; the receiver reads from the second to the third.
DONE_PS, READ_PS, CONSUMED_PS = 5 * US, 8 * US, 12 * US
#: A time at which it still reads.
MEANWHILE_PS = 10 * US
#: Times at which it is written again: from when it is done on.
STEP_PS = US // 10
STEPS = 90
RECEIVER, ADDRESS = 1, 0
SOURCE = f"{CHAPTER}, section on what a completion says"


class Sends:
    """Two sends into one buffer, the second visible at a time of choice; times in picoseconds."""

    def __init__(self, again_ps: int) -> None:
        table = _table()
        self.events: list[Event] = []
        memory = Memory()
        path = Path(table, memory=memory)
        buffers = Buffers(memory, [(RECEIVER, ADDRESS)])
        kernel = path.kernel(lambda request: None, listener=self.events.append)
        plan = path.plan(Operation.SEND, SIZE_BYTES)
        visible_ps, done_ps = way_ps(table)
        posted_ps = (DONE_PS - done_ps, again_ps - visible_ps)
        for number, post_ps in sorted(enumerate(posted_ps), key=lambda one: one[1]):
            kernel.submit(
                Request(
                    number,
                    Operation.SEND,
                    SIZE_BYTES,
                    ADDRESS,
                    post_ps,
                    plan,
                    destination=RECEIVER,
                    operand=number + 1,
                )
            )
        #: What the receiver finds when it begins to read, and at the end: all before is visible.
        self.found: list[int] = []
        for time_ps in (READ_PS, CONSUMED_PS):
            kernel.run(until_ps=time_ps - 1)
            self.found.append(memory.value(RECEIVER, ADDRESS))
        buffers.consumed(RECEIVER, ADDRESS, READ_PS, CONSUMED_PS)
        kernel.run()
        self.reuses = buffers.reuses

    def at_us(self, number: int, kind: Kind) -> float:
        """When something happened to one of the sends."""
        found = (one for one in self.events if (one.request, one.kind) == (number, kind))
        return next(found).time_ps / US


def way_ps(table: Table) -> tuple[int, int]:
    """On paper: how long until a send is visible, and until it is done."""
    stages = build(table).derived(Operation.SEND, SIZE_BYTES)
    times_ps = [sum(parts.values()) for _, parts in stages]
    before = next(index for index, (hop, _) in enumerate(stages) if hop.kind == "memory")
    return sum(times_ps[:before]), sum(times_ps)


def figure() -> Figure:
    """How often a buffer is reported, against when it is written again."""
    needs_reference("the figure follows values in memory")
    times_ps = [DONE_PS + step * STEP_PS for step in range(STEPS + 1)]
    reports = [len(Sends(time_ps).reuses) for time_ps in times_ps]
    safe_us = next(t for t, count in zip(times_ps, reports, strict=True) if not count) / US
    early, late = Sends(DONE_PS), Sends(CONSUMED_PS)
    first, last = Sends(MEANWHILE_PS).found
    visible_ps, done_ps = way_ps(_table())
    on_its_way_us = (done_ps - visible_ps) / US
    return Figure(
        name="buffer-reuse",
        title="A buffer that is written again before it was consumed",
        points=(
            Point("done", "µs", 5, late.at_us(0, Kind.COMPLETED), 0, SOURCE),
            Point(
                "visible",
                "µs",
                5 - on_its_way_us,
                late.at_us(0, Kind.VISIBLE),
                0.000001,
                "table ub_async: from the memory back to the program",
            ),
            Point("consumed", "µs", 12, late.at_us(0, Kind.CONSUMED), 0, SOURCE),
            Point("written again at 12 µs", "reports", 0, len(late.reuses), 0, SOURCE),
            Point("written again at 5 µs", "reports", 1, len(early.reuses), 0, SOURCE),
            Point("written again at 10 µs, found at 8 µs", "value", 1, first, 0, SOURCE),
            Point("written again at 10 µs, found at 12 µs", "value", 2, last, 0, SOURCE),
            Point("may be written again from", "µs", 12, safe_us, 0, SOURCE),
        ),
        series=(Series("reports", [time_ps / US for time_ps in times_ps], reports),),
        x_label="written again at (µs)",
        y_label="reports",
    )


def _table() -> Table:
    # Without edges each send takes what it takes on paper, whenever it is posted.
    return load("ub_async", overrides=["clocks.nic.aligned=false"])
