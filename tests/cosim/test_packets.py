"""Requests of several beats in lockstep, beside a stage that counts them."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path

import pytest

from emu.cosim.errors import CosimError
from emu.cosim.report import Result
from emu.cosim.run import Beside, run_lockstep
from emu.cosim.stimulus import Stimulus
from tests.cosim.bound import HDL, simulators
from tests.hdl.bench import files

icarus = pytest.mark.parametrize("simulator", simulators("icarus"))

#: A pipeline through which packets go, a beat a cycle, and in which there is room for all of them.
PACKETS = """\
module packets #(parameter int LATENCY = 5, FAULT = 0, FAULT_AT = 0, LAST_LOST_AT = -1) (
    input logic clk, input logic rst,
    input logic s_tvalid, output logic s_tready, input logic [31:0] s_tdata, input logic s_tlast,
    output logic m_tvalid, input logic m_tready, output logic [31:0] m_tdata, output logic m_tlast
);
  pipeline #(.W(33), .LATENCY(LATENCY), .DEPTH(1024), .FAULT(FAULT), .FAULT_AT(FAULT_AT)) beats (
      .clk, .rst, .s_tvalid, .s_tready, .s_tdata({s_tlast, s_tdata}),
      .m_tvalid, .m_tready, .m_tdata({last, m_tdata}), .blocked()
  );
  logic last;
  assign m_tlast = last && int'(m_tdata[15:0]) != LAST_LOST_AT;
endmodule
"""
BINDING = """\
schema: 1
clock: {signal: clk, period: 3106 ps}
reset: {signal: rst, active: high, cycles: 4}
ports:
  in:
    {side: sink, valid: s_tvalid, ready: s_tready, last: s_tlast, fields: {id: "s_tdata[15:0]"}}
  out:
    {side: source, valid: m_tvalid, ready: m_tready, last: m_tlast, fields: {id: "m_tdata[15:0]"}}
"""
TABLE = """\
schema: 1
name: under_test
title: A pipeline for packets
clocks: {nic: 322 MHz}
messages: {write: {request: payload, response: 8 B}}
path:
  - stage: nic_pipeline
    name: packets
    clock: nic
    latency: 5 cycles
    interval: 1 cycle
    beat: {bytes: 32 B, BEAT}
    depth: unlimited
    queue: 1
    source: {text: a test, kind: assumed}
"""
#: A request leaves with its last beat, or with its first.
LAST, FIRST = "cost: 1 cycle", "latency: 0 cycles, interval: 1 cycle"
REQUESTS = 200


def run(
    folder: Path,
    simulator: str,
    *,
    beat: str = LAST,
    binding: str = BINDING,
    table: str = TABLE,
    seeds: int = 1,
    ready: str = "",
    offer: str = "",
    **parameters: int | str,
) -> list[Result]:
    """The pipeline beside the table; each request has up to four beats."""
    for name, text in (("packets.sv", PACKETS), ("packets.yaml", binding)):
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "under_test.yaml").write_text(table.replace("BEAT", beat), encoding="utf-8")
    return run_lockstep(
        folder / "packets.yaml",
        [HDL / "pipeline.sv", folder / "packets.sv"],
        "packets",
        Beside(
            table=folder / "under_test.yaml",
            requests=REQUESTS,
            seeds=range(1, seeds + 1),
            beats=4,
            ready=ready,
            offer=offer,
        ),
        simulator=simulator,
        parameters=parameters,
        builds=folder / "builds",
    )


@pytest.mark.parametrize("simulator", simulators("icarus", "verilator"))
@pytest.mark.parametrize("beat", (LAST, FIRST))
def test_packets_are_equal_whichever_beat_counts(tmp_path: Path, simulator: str, beat: str) -> None:
    results = run(tmp_path, simulator, beat=beat, seeds=12)
    assert len(results) == 12
    for result in results:
        assert result.is_equal, "\n".join(result.lines())
        assert result.matched == {"in": REQUESTS, "out": REQUESTS}


@icarus
@pytest.mark.parametrize(
    ("beat", "kind", "what"),
    (
        (LAST, "event", r"'last' is 0 in beat (\d) of \1; expected 1"),
        (FIRST, "data", "a beat shows other fields than those .*, of which none was the last"),
    ),
)
def test_a_last_that_is_not_there_is_told(
    tmp_path: Path, simulator: str, beat: str, kind: str, what: str
) -> None:
    for number in (20, 21, 22):
        (result,) = run(
            tmp_path, simulator, beat=beat, offer="always", ready="always", LAST_LOST_AT=number
        )
        found = result.difference
        assert found is not None
        assert (found.kind, found.port) == (kind, "out")
        assert re.fullmatch(what, found.what)
        assert result.matched["out"] == number + (beat == FIRST)
        if beat == LAST:
            assert (found.dut, found.emulator and found.emulator.fields["id"]) == (None, number)


@icarus
@pytest.mark.parametrize("beat", (LAST, FIRST))
def test_a_cycle_too_late_is_seen_at_the_beat_that_counts(
    tmp_path: Path, simulator: str, beat: str
) -> None:
    # The first request is offered in cycle 0.
    first = next(Stimulus(seed=1, most_beats=4).beats_of_items())
    (result,) = run(tmp_path, simulator, beat=beat, ready="always", offer="always", LATENCY=6)
    found = result.difference
    assert found is not None
    late = first - 1 if beat == LAST else 0
    assert (found.port, found.cycle) == ("out", 5 + late)


@icarus
def test_a_table_that_does_not_count_beats_is_told_at_the_next_request(
    tmp_path: Path, simulator: str
) -> None:
    beats = list(islice(Stimulus(seed=1, most_beats=4).beats_of_items(), REQUESTS))
    number = next(at for at, count in enumerate(beats) if count > 1)
    wrong = "latency: 0 cycles, interval: 2 cycles"
    (result,) = run(tmp_path, simulator, beat=wrong, ready="always", offer="always")
    found = result.difference
    assert found is not None
    # The DUT takes the next when it has taken all beats of the first that has several.
    assert (found.port, found.cycle) == ("in", sum(beats[: number + 1]))


@icarus
def test_a_beat_that_is_lost_is_told(tmp_path: Path, simulator: str) -> None:
    (result,) = run(
        tmp_path, simulator, ready="always", offer="always", FAULT=2, FAULT_AT=0, beat=FIRST
    )
    found = result.difference
    assert found is not None
    assert (found.port, found.cycle) == ("out", 5)


@icarus
def test_what_several_beats_need_is_told_where_it_is_missing(
    tmp_path: Path, simulator: str
) -> None:
    with pytest.raises(CosimError) as error:
        run(tmp_path, simulator, binding=BINDING.replace(" last: m_tlast,", ""))
    assert str(error.value) == (
        f"{tmp_path / 'packets.yaml'}: port 'out' has no 'last', and requests have up to 4 beats; "
        "expected 'last', or one beat"
    )
    with pytest.raises(CosimError) as missing:
        run(tmp_path, simulator, table=TABLE.replace("    beat: {bytes: 32 B, BEAT}\n", ""))
    assert str(missing.value) == (
        "under_test: stage 'packets' does not say what a beat carries, and requests have up to 4; "
        "expected 'beat' or 'flit', or one beat"
    )


#: A scheduler whose requests are flits of 32 B: nothing stops one that has begun.
FLITS = """\
schema: 1
name: under_test
title: A scheduler of flits
clocks: {nic: 322 MHz}
messages:
  read: {request: payload, response: payload}
  write: {request: payload, response: 8 B}
path:
  - stage: scheduler
    name: scheduler
    clock: nic
    pick: PICK
    queues: 4
    depth: 1024
    flit: 32 B
    overflow: hold
    latency: 3 cycles
    interval: 1 cycle
    source: {text: a test, kind: assumed}
"""


@icarus
@pytest.mark.parametrize("pick", ("scan", "round_robin"))
def test_flits_of_a_scheduler_are_equal(tmp_path: Path, simulator: str, pick: str) -> None:
    table = tmp_path / "under_test.yaml"
    table.write_text(FLITS.replace("PICK", pick), encoding="utf-8")
    results = run_lockstep(
        HDL / "bindings" / "scheduler.yaml",
        files("scheduler"),
        "scheduler",
        Beside(
            table=table,
            requests=REQUESTS,
            seeds=range(1, 6),
            beats=3,
            ready="always",
            limits={"initiator": 8},
        ),
        simulator=simulator,
        parameters={
            "QUEUES": 4,
            "DEPTH": 1024,
            "LATENCY": 3,
            "PICK": int(pick == "round_robin"),
            "OUTSTANDING": 255,
        },
        builds=tmp_path / "builds",
    )
    assert len(results) == 5
    for result in results:
        assert result.is_equal, "\n".join(result.lines())
        assert result.matched == {"in": REQUESTS, "out": REQUESTS}
