"""A run with a listener: the same report, and every event in its place."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path as FilePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.actor import Actor, Port
from emu.path import Path
from emu.request import Request
from emu.run import run_workload
from emu.table import load
from emu.table.catalog import table_names
from emu.table.schema import Table
from emu.trace.events import Event, Kind, Left
from emu.trace.header import header_of
from emu.trace.jsonl import open_jsonl
from emu.trace.kanata import open_kanata
from emu.trace.recording import Recording
from emu.workload import Timed, stepping
from emu.workload.build import Described, closed_loop
from tests.build import READ, delay, posts, run, station, table
from tests.properties.random_paths import tables
from tests.trace.kanata_checker import read_kanata
from tests.trace.made import export


def described(times_ps: list[int]) -> Described:
    return Described(Timed(zip(sorted(times_ps), stepping(READ, 64), strict=False)), {}, None)


@given(tables(), st.lists(st.integers(0, 20_000), min_size=1, max_size=10), st.integers(0, 60_000))
def test_a_listener_changes_no_report(source: Table, load: list[int], until_ps: int) -> None:
    events: list[Event] = []
    plain = run_workload(Path(source), described(load), until_ps=until_ps)
    told = run_workload(Path(source), described(load), until_ps=until_ps, listener=events.append)
    # Histograms are compared by what they hold.
    assert told.as_json() == {**plain.as_json(), "wall_s": told.wall_s}
    assert replace(told, latency=plain.latency, wall_s=0) == replace(plain, wall_s=0)
    kinds = [event.kind for event in events]
    assert kinds.count(Kind.SUBMITTED) == told.posted
    assert kinds.count(Kind.COMPLETED) == told.delivered
    assert kinds.count(Kind.DROPPED) == told.dropped


def test_what_is_inside_a_run_of_plain_delays() -> None:
    source = table([delay("a", "10 ns"), delay("b", "5 ns"), delay("c", "7 ns")])
    for until_ps, stage in ((9999, "a"), (10_000, "b"), (14_999, "b"), (15_000, "c")):
        for listener in (None, list[Event]().append):
            report = run_workload(
                Path(source), described([0]), until_ps=until_ps, listener=listener
            )
            assert report.in_flight_at == {stage: 1}


def test_events_are_in_order_and_parts_are_all_of_the_time() -> None:
    events: list[Event] = []
    loop = closed_loop((READ, 64), 16, 200)
    report = run_workload(Path(load("pcie_nic_link")), loop, listener=events.append)
    keys = [(event.time_ps, event.request) for event in events]
    assert all(before <= after for before, after in pairwise(keys))
    parts = [part for event in events if isinstance(event, Left) for part in event.parts]
    assert sum(time_ps for _, time_ps in parts) == report.latency.sum


class Refuses(Actor):
    """Gives up whatever comes."""

    def arrive(self, request: Request, port: Port) -> None:
        """It is lost here."""
        port.drop(request)


def test_a_drop_says_at_which_stage() -> None:
    full = table([delay("a", "1 ns"), station("x", "5 ns", depth=1, queue=1, overflow="drop")])
    refusing = table([delay("a", "1 ns"), delay("x", "0 ns")], behaviour={"x": Refuses})
    for source, lost in ((full, [2, 3]), (refusing, [0, 1, 2, 3])):
        drops = [e for e in run(source, posts(0, 0, 0, 1000)).events if e.kind is Kind.DROPPED]
        assert [(event.request, event.stage) for event in drops] == [(n, "x") for n in lost]


@pytest.mark.parametrize("name", table_names())
def test_each_shipped_table(name: str, tmp_path: FilePath) -> None:
    source = load(name)
    operation = READ if READ in source.operations else source.operations[0]
    loop = closed_loop((operation, 64), 8, 16)
    header = header_of(source, 1, loop.said)
    events: list[Event] = []
    report = run_workload(Path(source), loop, listener=events.append)
    assert {event.stage for event in events} <= {"", *(stage.name for stage in header.stages)}
    kinds = Counter(event.kind for event in events)
    # What a stage with rules of its own gives up does not leave it.
    assert 0 <= kinds[Kind.ARRIVED] - kinds[Kind.LEFT] <= kinds[Kind.DROPPED] == report.dropped
    file = tmp_path / "t.jsonl"
    export(open_jsonl, file, header, events)
    with Recording(file) as recording:
        assert (recording.header, list(recording)) == (header, events)
    for clock in header.clocks:
        text = export(open_kanata, tmp_path / "t.kanata", header, events, clock)
        log = read_kanata(text)
        flushed = sum(one.is_flushed for one in log.instructions)
        assert (flushed, len(log.instructions)) == (report.dropped, report.posted)
