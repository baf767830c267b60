"""Runs scenarios of OpenURMA's sender through the table `openurma_tx`, and compares every cycle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import zip_longest
from pathlib import Path

from emu.edge_run import EdgeRun
from emu.request import Operation
from emu.table import load
from emu.table.catalog import shown
from emu.table.schema import Table
from emu.verify.check import DEPARTURES, Check, Verification
from emu.verify.openurma.scenarios import RequestEvent, Scenario, read_scenarios
from emu.workload import Access

TABLE = "openurma_tx"
#: A request's bytes stand for its header flits there.
FLIT_BYTES = 32
#: The stage whose leaving is the first chunk on the wire.
WIRE = "ethenc"
#: Where an answer of each kind goes.
ANSWERED = {"fence_release": "jsched", "order_release": "ord_ini"}
SOURCE = "OpenURMA (arXiv 2605.28717), SystemC kernels of its sender"

#: The cycle in which a header left a stage, and whose it was; on the wire the cycle alone.
Departure = tuple[int, ...]
Departures = Mapping[str, Sequence[Departure]]


@dataclass(frozen=True, slots=True)
class Difference:
    """The first departure that differs, counted from 1; `None` where there is none."""

    stage: str
    number: int
    expected: Departure | None
    got: Departure | None


@dataclass(frozen=True, slots=True)
class Compared:
    """A scenario, how many departures there are, how many are as expected, and the first not."""

    name: str
    line: int
    departures: int
    matched: int
    difference: Difference | None


def verify_openurma_cycles(file: Path) -> list[Compared]:
    """Runs every scenario of a file; `TableError` with all that is wrong with it."""
    scenarios = read_scenarios(file, str(shown(file)))
    table = load(TABLE)
    return [_compared(line, scenario, departures(scenario, table)) for line, scenario in scenarios]


def cycles_verification(file: Path) -> Verification:
    """The scenarios of a file, each as a check of how many departures are as expected."""
    checks = (
        Check(
            f"line {one.line}: {one.name}",
            SOURCE,
            Fraction(one.departures),
            Fraction(one.matched),
            Fraction(0),
            unit=DEPARTURES,
        )
        for one in verify_openurma_cycles(file)
    )
    return Verification(file.name, tuple(checks), is_rows=True)


def departures(scenario: Scenario, table: Table) -> Departures:
    """When which header left each stage, in a run of the scenario's events."""
    run = EdgeRun(table)
    ids: list[int] = []
    for event in scenario.events:
        if isinstance(event, RequestEvent):
            marks = (event.order, event.service, event.fence)
            operation, size_bytes = Operation(event.op), FLIT_BYTES * event.flits
            run.post(event.cycle, Access(operation, size_bytes, 0, event.initiator, 0, *marks))
            ids.append(event.id)
        else:
            run.answer(event.cycle, ANSWERED[event.kind], event.initiator)
    return {
        stage: [(edge,) if stage == WIRE else (edge, ids[number]) for edge, number in left]
        for stage, left in run.run().items()
    }


def _compared(line: int, scenario: Scenario, got: Departures) -> Compared:
    wire = [(cycle,) for cycle in scenario.wire_first_flit]
    expected: Departures = {**scenario.expect.model_dump(), WIRE: wire}
    count = matched = 0
    first = None
    for stage, left in got.items():
        pairs = zip_longest(expected.get(stage, ()), left)
        for number, (one, other) in enumerate(pairs, start=1):
            count += 1
            if one == other:
                matched += 1
            elif first is None:
                first = Difference(stage, number, one, other)
    return Compared(scenario.name, line, count, matched, first)
