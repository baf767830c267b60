"""The 82 cycle scenarios of OpenURMA's sender, on the compiled engine."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from emu.engines import FaultError
from emu.fast import log
from emu.fast.events import Events
from emu.path import build
from emu.request import Operation
from emu.table import load
from emu.table.catalog import shipped_directory
from emu.table.schema import Table
from emu.verify.openurma.cycles import ANSWERED, FLIT_BYTES, TABLE, WIRE, departures
from emu.verify.openurma.scenarios import RequestEvent, Scenario, read_scenarios
from emu.workload import Access, Timed

SCENARIOS: Path = shipped_directory() / "published/openurma/ub_tx_cycle_scenarios.jsonl"


def compiled_departures(scenario: Scenario, table: Table) -> dict[str, list[tuple[int, ...]]]:
    path = build(table)
    (clock,) = path.clocks
    posts, ids = [], []
    for event in scenario.events:
        if isinstance(event, RequestEvent):
            marks = (event.order, event.service, event.fence)
            operation, size_bytes = Operation(event.op), FLIT_BYTES * event.flits
            access = Access(operation, size_bytes, 0, event.initiator, 0, *marks)
            posts.append((clock.edge(event.cycle), access))
            ids.append(event.id)
    in_order = sorted(range(len(posts)), key=lambda number: posts[number][0])
    run = Events(path, Timed([posts[number] for number in in_order]), logs=True)
    for event in scenario.events:
        if not isinstance(event, RequestEvent):
            run.answer(ANSWERED[event.kind], clock.edge(event.cycle), event.initiator)
    # Some scenarios end with requests that nobody answers.
    with suppress(FaultError):
        run.run()
    names = [entry.name for entry in table.entries]
    left: dict[str, list[tuple[int, ...]]] = {name: [] for name in names}
    lines = [line for line in run.log().tolist() if line[1] == log.LEFT]
    for time_ps, _, number, entry, *_ in sorted(lines, key=lambda line: (line[0], line[2])):
        edge, stage = clock.edge_at_or_after(time_ps), names[entry]
        left[stage].append((edge,) if stage == WIRE else (edge, ids[in_order[number]]))
    return left


def test_every_request_leaves_every_stage_on_the_edge_on_which_it_does_in_the_reference() -> None:
    scenarios = read_scenarios(SCENARIOS, SCENARIOS.name)
    table = load(TABLE)
    assert len(scenarios) == 82
    for _, scenario in scenarios:
        assert compiled_departures(scenario, table) == departures(scenario, table), scenario.name
