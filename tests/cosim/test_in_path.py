"""RTL in the path: the same report where it does the same as its stage, and what it is if not."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from emu.cli.posting import read_posting
from emu.cosim.binding import read_binding
from emu.cosim.errors import CosimError
from emu.cosim.place import place_in, ports_in
from emu.cosim.rtl_run import Posting, RtlRun, beyond_emulated, run_with_rtl
from emu.errors import RunError
from emu.path import Path as EmulatedPath
from emu.report import Report
from emu.run import run_workload
from emu.table import load
from emu.trace.events import Event, Kind
from tests.build import clocked, delay, station
from tests.cosim.bound import HDL, SOURCES, simulators

BINDINGS = HDL / "bindings"
#: With numbers that come round.
PIPELINE = (BINDINGS / "pipeline.yaml").read_text(encoding="utf-8").replace("15:0", "5:0")
SENDER = (BINDINGS / "sender.yaml").read_text(encoding="utf-8")
#: The same with all chunks of a frame, of which the first counts.
SENDER_CHUNKS = SENDER.replace("valid: m_tuser", "valid: m_tvalid\n    last: m_tlast")
SENDER_FILES = ["channel", "pipeline", "scheduler", "ordering_engine", "framer", "sender"]
ALL_STAGES = "doorbell..ethenc"


class Rtl:
    """Runs with a DUT in the path, and the same emulated, in a folder of the test's own."""

    def __init__(self, folder: Path, builds: Path) -> None:
        self.folder = folder
        self.builds = builds
        self.events: list[Event] = []

    def binding(self, text: str) -> Path:
        file = self.folder / "binding.yaml"
        file.write_text(text, encoding="utf-8")
        return file

    def table(self, path: list[dict[str, Any]], **head: Any) -> Path:
        source = {"text": "a test", "kind": "assumed"}
        document = {
            "schema": 1,
            "name": "under_test",
            "title": "A path under test",
            "clocks": {"nic": "322 MHz"},
            "messages": {"read": {"request": "64 B", "response": "payload"}},
            "path": [{"source": source, **stage} for stage in path],
            **head,
        }
        file = self.folder / "under_test.yaml"
        file.write_text(json.dumps(document), encoding="utf-8")
        return file

    def pipeline(
        self,
        table: Path | str,
        stage: str,
        posting: Posting,
        parameters: dict[str, int | str],
        simulator: str = "icarus",
        **how: Any,
    ) -> tuple[RtlRun, Report]:
        """The project's pipeline in the place of a stage, and all emulated."""
        return self.run(
            table,
            stage,
            PIPELINE,
            [HDL / SOURCES[simulator]],
            "pipeline",
            posting,
            parameters=parameters,
            simulator=simulator,
            **how,
        )

    def sender(
        self, table: Path | str, posting: Posting, binding: str = SENDER, **how: Any
    ) -> tuple[RtlRun, Report]:
        """The project's sender in the place of all its stages, and all emulated."""
        files = [HDL / f"{name}.sv" for name in SENDER_FILES]
        return self.run(table, ALL_STAGES, binding, files, "sender", posting, **how)

    def run(
        self,
        table: Path | str,
        stages: str,
        binding: str,
        files: list[Path],
        top: str,
        posting: Posting,
        **how: Any,
    ) -> tuple[RtlRun, Report]:
        run = run_with_rtl(
            table,
            stages,
            self.binding(binding),
            files,
            top,
            posting,
            is_traced=True,
            builds=self.builds,
            **how,
        )
        loaded = load(table, overrides=list(how.get("overrides", ())))
        posted = read_posting(loaded, **asdict(posting), seed=1)
        self.events.clear()
        emulated = run_workload(
            EmulatedPath(loaded, 1),
            posted.described,
            until_ps=posted.until_ps,
            listener=self.events.append,
        )
        return run, emulated


@pytest.fixture
def rtl(tmp_path: Path, builds: Path) -> Rtl:
    return Rtl(tmp_path, builds)


def said(report: Report) -> dict[str, Any]:
    """All that a report says but how long the machine took, with every stage."""
    return {**report.as_json(), "wall_s": 0, "stages": report.stages}


def completed(events: Any) -> dict[int, int]:
    """When each request was complete."""
    return {one.request: one.time_ps for one in events if one.kind is Kind.COMPLETED}


def in_order(events: Any) -> list[str]:
    """Events, those of one instant in an order of their own."""
    return sorted(map(str, events))


# -- the same where it does the same ----------------------------------------------------------


def in_each(*simulators_: Any, long: tuple[str, ...] = ()) -> list[Any]:
    """Parameters of a test: the simulators, those that take long for `make test-long` only."""
    return [
        pytest.param(*one.values, marks=[*one.marks, pytest.mark.long])
        if one.values[0] in long
        else one
        for one in simulators(*simulators_)
    ]


@pytest.mark.parametrize("simulator", simulators("icarus", "verilator", "ghdl"))
def test_a_pipeline_that_equals_its_stage_gives_the_same_report_to_the_picosecond(
    rtl: Rtl, simulator: str
) -> None:
    check_pipeline(rtl, simulator, "pcie_nic", 9, 6)


@pytest.mark.parametrize(
    "simulator", in_each("icarus", "verilator", "ghdl", long=("verilator", "ghdl"))
)
def test_so_it_does_on_the_chip(rtl: Rtl, simulator: str) -> None:
    check_pipeline(rtl, simulator, "ub_async", 25, 2)


def check_pipeline(rtl: Rtl, simulator: str, table: str, latency: int, interval: int) -> None:
    parameters: dict[str, int | str] = {"LATENCY": latency, "INTERVAL": interval, "DEPTH": 32}
    posting = Posting(requests=100, outstanding=40)
    run, emulated = rtl.pipeline(table, "target_rx", posting, parameters, simulator)
    assert emulated.stages["target_rx"]["interval"] > 0
    assert said(run.report) == said(emulated)
    assert in_order(run.events) == in_order(rtl.events)
    assert beyond_emulated(run.place, run.report, emulated) == {}


#: Latency, interval, depth, refill and queue of the stage; what stands before it and behind it.
SURROUNDINGS: tuple[tuple[Any, ...], ...] = (
    (4, 1, 4, "at_once", 1, [], [clocked("after", 1, depth=1, queue=1)]),
    (4, 1, 2, "at_once", "unlimited", [clocked("before", 1, depth=2, queue=1)], []),
    (3, 2, 2, "next_edge", 2, [], [clocked("after", 2, 3, depth=1, queue=1, refill="next_edge")]),
    (1, 1, 1, "next_edge", 1, [clocked("before", 1, depth=1)], [clocked("after", 1, queue=1)]),
    (5, 3, 3, "at_once", "unlimited", [delay("before", "1 ns")], [clocked("after", 9, 4, depth=2)]),
    (4, 1, 1, "at_once", 1, [], [station("after", "7 ns", interval="11 ns", depth=1, queue=1)]),
    (2, 1, 1, "next_edge", "unlimited", [], [station("after", "5 ns", depth=1, queue=1)]),
)


@pytest.mark.parametrize("simulator", simulators("icarus"))
@pytest.mark.parametrize(
    ("latency", "interval", "depth", "refill", "queue", "before", "after"), SURROUNDINGS
)
def test_waits_at_its_input_and_output_are_charged_as_the_stage_charges_them(
    rtl: Rtl,
    simulator: str,
    latency: int,
    interval: int,
    depth: int,
    refill: str,
    queue: int | str,
    before: list[dict[str, Any]],
    after: list[dict[str, Any]],
) -> None:
    stage = clocked("x", latency, interval, depth=depth, refill=refill, queue=queue)
    table = rtl.table([*before, stage, *after])
    parameters: dict[str, int | str] = {
        "LATENCY": latency,
        "INTERVAL": interval,
        "DEPTH": depth,
        "REFILL_NEXT_EDGE": int(refill == "next_edge"),
    }
    posting = Posting(
        workload="{kind: open, rate: 200 M/s, arrivals: poisson}",
        requests=120,
    )
    run, emulated = rtl.pipeline(table, "x", posting, parameters, simulator)
    assert beyond_emulated(run.place, run.report, emulated) == {}
    assert in_order(run.events) == in_order(rtl.events)
    # While it is full, nothing tells from outside whether it also keeps its interval.
    for report in (run.report, emulated):
        report.utilisation.pop("x", None)
    assert said(run.report) == said(emulated)


@pytest.mark.parametrize("simulator", simulators("icarus"))
def test_what_waits_in_the_dut_behind_another_is_not_seen_to_be_finished(
    rtl: Rtl, simulator: str
) -> None:
    after = station("after", "7 ns", interval="11 ns", depth=1, queue=1)
    table = rtl.table([clocked("x", 2, depth=3, queue=1), after])
    parameters: dict[str, int | str] = {"LATENCY": 2, "DEPTH": 3}
    posting = Posting(workload="{kind: open, rate: 200 M/s, arrivals: poisson}", requests=120)
    run, emulated = rtl.pipeline(table, "x", posting, parameters, simulator)
    assert completed(run.events) == completed(rtl.events)
    beyond = beyond_emulated(run.place, run.report, emulated)
    assert list(beyond) == ["x"]
    assert list(beyond["x"]) == ["service", "backpressure"]
    more = {part: with_rtl - without for part, (with_rtl, without) in beyond["x"].items()}
    assert more["service"] == -more["backpressure"] > 0


# -- the ten stages of a sender -----------------------------------------------------------------


@pytest.mark.parametrize("simulator", in_each("icarus", "verilator", long=("verilator",)))
@pytest.mark.parametrize(("size", "binding"), (("32", SENDER), ("64", SENDER_CHUNKS)))
def test_the_sender_in_the_place_of_its_ten_stages_completes_each_request_at_the_same_time(
    rtl: Rtl, simulator: str, size: str, binding: str
) -> None:
    posting = Posting(op="write", size=size, requests=60, outstanding=12)
    run, emulated = rtl.sender("openurma_tx", posting, binding, simulator=simulator)
    assert (run.report.delivered, emulated.dropped) == (60, 0)
    assert completed(run.events) == completed(rtl.events)
    assert list(run.report.stages) == [ALL_STAGES]
    assert sum(run.report.parts.values()) == sum(emulated.parts.values())
    assert run.report.derived_ps == emulated.derived_ps


#: The sender's stages, and behind them a wire and a memory: what has left that is answered.
FAR_END = """\
schema: 1
extends: openurma_tx
name: far_end
title: A sender with a far end
insert:
  - after: ethenc
    stages:
      - {stage: wire, latency: 100 ns, source: &source {text: a test, kind: assumed}}
      - {stage: memory, latency: 30 ns, source: *source}
replace:
  jsched:
    stage: scheduler
    clock: nic
    pick: scan
    queues: 16
    depth: 31
    flit: 32 B
    latency: 1 cycle
    interval: 1 cycle
    overflow: drop
    until: memory
    source: *source
  ord_ini:
    stage: ordering_engine
    clock: nic
    pick: scan
    queues: 16
    flit: 32 B
    tracking: count
    strict: false
    latency: 1 cycle
    interval: 1 cycle
    until: memory
    source: *source
"""
#: Requests of several initiators, with marks.
MARKED = """\
time_ns,operation,bytes,initiator,order,service,fence
0,write,32,0,SO,ROI,false
0,write,64,1,RO,ROI,false
10,read,16,0,NO,ROI,false
20,write,32,0,SO,ROI,false
25,read,32,2,RO,ROT,false
30,write,32,1,SO,ROI,false
31,write,32,1,SO,ROI,false
32,read,32,1,NO,ROI,true
60,write,64,17,NO,UNO,true
200,write,16,1,SO,ROI,false
2000,read,64,0,SO,ROI,false
2001,write,32,0,SO,ROI,true
"""


@pytest.mark.parametrize("simulator", simulators("icarus"))
def test_answers_reach_the_dut_when_the_path_says_so(rtl: Rtl, simulator: str) -> None:
    table, workload = rtl.folder / "far_end.yaml", rtl.folder / "marked.csv"
    table.write_text(FAR_END, encoding="utf-8")
    workload.write_text(MARKED, encoding="utf-8")
    posting = Posting(workload=str(workload))
    run, emulated = rtl.sender(table, posting, simulator=simulator)
    # Order and fences make some of them wait for a round trip.
    assert emulated.parts["ordering"] > 5 * 130_000
    assert completed(run.events) == completed(rtl.events)
    assert run.report.stages["memory"] == emulated.stages["memory"]


# -- what it is where it does other things ------------------------------------------------------


@pytest.mark.parametrize("simulator", simulators("icarus"))
def test_a_slower_rtl_stage_shows_up_as_what_it_is(rtl: Rtl, simulator: str) -> None:
    parameters: dict[str, int | str] = {"LATENCY": 12, "INTERVAL": 10, "DEPTH": 32}
    one, alone = rtl.pipeline("pcie_nic", "target_rx", Posting(requests=1), parameters, simulator)
    # From edge to edge: 12 cycles of 322 MHz in place of 9.
    beyond = beyond_emulated(one.place, one.report, alone)
    assert beyond["target_rx"] == {"service": (37_267, 27_950)}
    # What follows is reached at another phase of its clock, and spends no other time than that.
    assert {part for parts in beyond.values() for part in parts} == {"service", "alignment"}

    posting = Posting(requests=240, outstanding=120)
    many, emulated = rtl.pipeline("pcie_nic", "target_rx", posting, parameters, simulator)
    under_load = beyond_emulated(many.place, many.report, emulated)["target_rx"]
    with_rtl, without = under_load["service"]
    assert abs(with_rtl - without - 240 * 3 * 3105.59) < 240
    assert under_load["interval"][0] > under_load["interval"][1]
    # One request in ten cycles is what it takes, and so the whole path does.
    assert many.report.rate_per_s is not None
    assert 31.5e6 < many.report.rate_per_s < 32.3e6
    assert many.report.busiest == "target_rx"
    assert 0.7 < many.report.utilisation["target_rx"] <= 1


#: Planted faults of the pipeline, each of request 5: see testbenches/hdl/README.md.
FAULTS = (
    (3, "target_rx, cycle \\d+, .* [nu]s: id 5 comes out, and inside is (6|nothing)"),
    (6, "nothing has moved at the DUT in the place of target_rx for \\d+ cycles"),
    (
        7,
        "target_rx, cycle \\d+, .* [nu]s: port 'out': m_tdata\\[5:0\\] is 00010X where field 'id'",
    ),
    (2, "nothing has moved at the DUT in the place of target_rx for \\d+ cycles"),
)


@pytest.mark.parametrize("simulator", simulators("icarus"))
@pytest.mark.parametrize(("fault", "what"), FAULTS)
def test_a_dut_that_does_what_none_may_ends_the_run(
    rtl: Rtl, simulator: str, fault: int, what: str
) -> None:
    parameters: dict[str, int | str] = {"LATENCY": 4, "DEPTH": 8, "FAULT": fault, "FAULT_AT": 5}
    posting = Posting(requests=40, outstanding=4)
    with pytest.raises(RunError, match=what) as error:
        rtl.pipeline("pcie_nic", "target_rx", posting, parameters, simulator, patience_cycles=300)
    if fault == 6:
        lines = str(error.value).splitlines()
        assert lines[0].endswith("0 inside, 4 waiting")
        assert lines[1:3] == [
            "  'in' has valid 1 and ready 0",
            "  'out' has valid 0 and ready 1",
        ]
        assert lines[-1] == "  request 8 (read) at target_rx is kept by the rules of that stage"


# -- what cannot be ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "stages", "what"),
    (
        ("pcie_nic", "target_rz", "pcie_nic has no stage 'target_rz'; expected verb_post, .*"),
        (
            "openurma_tx",
            "cwnd..jsched",
            "cwnd..jsched: jsched comes before cwnd; expected jsched..cwnd",
        ),
        ("pcie_nic", "memory", "stage 'memory' of pcie_nic has no clock with edges; .*"),
        (
            "pcie_nic",
            "target_rx..target_access",
            "stage 'target_access' of pcie_nic has no clock with edges; .*",
        ),
        (
            "ub_ordered",
            "ordering_engine",
            "stage 'channel_order' of ub_ordered goes by what 'ordering_engine' numbers; .*",
        ),
    ),
)
def test_where_no_dut_can_be_is_told(table: str, stages: str, what: str) -> None:
    with pytest.raises(CosimError, match=what):
        place_in(load(table), stages)


@pytest.mark.parametrize(
    ("old", "new", "what"),
    (
        (
            "{id:",
            "{number:",
            "port 'in' has no field 'id'; expected one, by which requests are known",
        ),
        (
            "initiator:",
            "initiators:",
            "field 'initiators' of port 'in' is nothing that a request has; .*mean 'initiator'?",
        ),
        (
            '    fields: {id: "m_tdata[5:0]"',
            '    fields: {id: "m_tdata[5:0]", fence: "m_tdata[28]"',
            "field 'fence' of port 'out' is none of port 'in'; expected one of id or initiator",
        ),
        (
            "  out:",
            "  more: {side: source, valid: x, fields: {id: y}}\n  out:",
            "port 'more' has no counterpart in a path; expected it left out",
        ),
    ),
)
def test_ports_that_no_path_has_are_told(rtl: Rtl, old: str, new: str, what: str) -> None:
    bound = read_binding(rtl.binding(PIPELINE.replace(old, new)))
    with pytest.raises(CosimError, match=what):
        ports_in(place_in(load("pcie_nic"), "target_rx"), bound)


def test_answers_need_a_stage_that_waits_for_them(rtl: Rtl) -> None:
    bound = read_binding(rtl.binding(SENDER))
    with pytest.raises(CosimError, match="memory 'jsched' is no stage in the place of the DUT"):
        ports_in(place_in(load("openurma_tx"), "btah_b..ethenc"), bound)
    ports = ports_in(place_in(load("openurma_tx"), ALL_STAGES), bound)
    assert list(ports.answers) == ["read_answers", "answers"]
    assert ports.until == ""
