"""Characterise with modules that pass requests on: what it finds, and what it cannot tell."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

from emu.cosim.run import Beside, run_lockstep
from emu.errors import RunError
from emu.table import load
from tests.cosim.bound import HDL, Bench, simulators
from tests.cosim.measured import BINDING, of_pipeline, special

icarus = pytest.mark.parametrize("simulator", simulators("icarus"))

#: Latency, interval, depth, refill at the next edge.
FEW = (
    (9, 2, 3, 1),
    (1, 1, 2, 1),
    (1, 3, 1, 1),
)
MANY = (
    (4, 1, 4, 0),
    (1, 1, 1, 0),
    *(
        (latency, interval, depth, refill)
        for latency in (1, 2, 5, 9)
        for interval in (1, 2, 5)
        for depth in (2, 3, 9, 16)
        for refill in (0, 1)
    ),
)


def check(folder: Path, builds: Path, numbers: tuple[int, int, int, int], simulator: str) -> None:
    latency, interval, depth, refill = numbers
    parameters: dict[str, int | str] = {
        "LATENCY": latency,
        "INTERVAL": interval,
        "DEPTH": depth,
        "REFILL_NEXT_EDGE": refill,
    }
    found = of_pipeline(folder, builds, parameters, simulator=simulator)
    said = found.as_json()
    assert (said["latency_cycles"], said["interval_cycles"], said["depth"], said["refill"]) == (
        latency,
        interval,
        depth,
        ("at_once", "next_edge")[refill],
    )
    assert (said["accept_cycles"], said["settle_cycles"], said["could_not_tell"]) == (
        0,
        0,
        {"steady_interval_cycles": said["words"]["steady_interval_cycles"]}
        if said["steady_interval_cycles"] is None
        else {},
    )
    assert (said["outstanding"], said["hold_from"], said["hold_until"]) == (None, None, None)
    assert found.is_exact, "\n".join(found.lines())
    # The table says the same to a lockstep run.
    table = folder / "found.yaml"
    table.write_text(found.table, encoding="utf-8")
    suffix = "vhd" if simulator == "ghdl" else "sv"
    results = run_lockstep(
        folder / "pipeline.yaml",
        [HDL / f"pipeline.{suffix}"],
        "pipeline",
        Beside(table=table, requests=150, seeds=range(11, 14)),
        simulator=simulator,
        parameters=parameters,
        builds=builds,
    )
    assert results[-1].is_equal, "\n".join(results[-1].lines())


@icarus
@pytest.mark.parametrize("numbers", FEW)
def test_it_finds_the_parameters_of_the_pipeline(
    tmp_path: Path, builds: Path, numbers: tuple[int, int, int, int], simulator: str
) -> None:
    check(tmp_path, builds, numbers, simulator)


@pytest.mark.long
@icarus
@pytest.mark.parametrize("numbers", MANY)
def test_it_finds_many_parameters_of_the_pipeline(
    tmp_path: Path, builds: Path, numbers: tuple[int, int, int, int], simulator: str
) -> None:
    check(tmp_path, builds, numbers, simulator)


@pytest.mark.parametrize("simulator", simulators("ghdl"))
def test_it_measures_vhdl(tmp_path: Path, builds: Path, simulator: str) -> None:
    check(tmp_path, builds, (5, 2, 3, 1), simulator)


@icarus
def test_an_interval_that_a_single_place_hides_is_not_told(
    tmp_path: Path, builds: Path, simulator: str
) -> None:
    parameters: dict[str, int | str] = {"LATENCY": 4, "INTERVAL": 3, "DEPTH": 1}
    found = of_pipeline(tmp_path, builds, parameters, simulator=simulator)
    said = found.as_json()
    assert (said["latency_cycles"], said["interval_cycles"], said["depth"]) == (4, None, 1)
    assert said["could_not_tell"] == {
        "interval_cycles": "only one is inside at a time, which hides an interval of up to 4 cycles"
    }
    # The table with one cycle behaves the same.
    assert found.is_exact
    assert "kind: assumed" in found.table


# -- special modules --------------------------------------------------------------------------

#: A register that is free again only when it has been empty for a cycle.
HALF = """\
  reg full; reg [15:0] data;
  assign s_ready = !full;
  assign m_valid = full;
  assign m_data = data;
  always @(posedge clk)
    if (!rst_n) full <= 0;
    else if (s_valid && s_ready) begin full <= 1; data <= s_data; end
    else if (m_ready) full <= 0;
"""
#: Three registers that all stand still while the last can't leave.
STALLS = """\
  reg [2:0] valid; reg [47:0] data;
  wire moves = m_ready || !valid[2];
  assign s_ready = moves;
  assign m_valid = valid[2];
  assign m_data = data[47:32];
  always @(posedge clk)
    if (!rst_n) valid <= 0;
    else if (moves) begin valid <= {valid[1:0], s_valid}; data <= {data[31:0], s_data}; end
"""
#: Lets a request out only in every fourth cycle.
EVERY_FOURTH = """\
  reg full; reg [1:0] turn; reg [15:0] data;
  assign s_ready = !full;
  assign m_valid = full && turn == 0;
  assign m_data = data;
  always @(posedge clk)
    if (!rst_n) begin full <= 0; turn <= 0; end
    else begin
      turn <= turn + 1;
      if (s_valid && s_ready) begin full <= 1; data <= s_data; end
      else if (m_valid && m_ready) full <= 0;
    end
"""
#: Without ready on either side.
STROBE = """\
  reg [1:0] valid; reg [31:0] data;
  assign s_ready = 1;
  assign m_valid = valid[1];
  assign m_data = data[31:16];
  always @(posedge clk) begin
    valid <= rst_n ? {valid[0], s_valid} : 2'b0;
    data <= {data[15:0], s_data};
  end
"""
WIRE = "  assign s_ready = m_ready; assign m_valid = s_valid; assign m_data = s_data;"


@icarus
def test_a_half_buffer_is_one_place_that_is_free_at_the_next_edge(
    tmp_path: Path, simulator: str
) -> None:
    found = special(tmp_path, HALF)
    said = found.as_json()
    assert (said["latency_cycles"], said["depth"], said["refill"]) == (1, 1, "next_edge")
    assert (said["interval_cycles"], said["steady_interval_cycles"]) == (None, 2)
    assert found.is_exact


@icarus
def test_a_pipeline_that_stalls_as_a_whole_does_not_match_and_says_where(
    tmp_path: Path, simulator: str
) -> None:
    found = special(tmp_path, STALLS)
    said = found.as_json()
    assert (said["latency_cycles"], said["interval_cycles"], said["depth"]) == (3, 1, 3)
    assert said["refill"] == "at_once"
    assert not found.is_exact
    (first,) = {one.difference.split(" ", 2)[0] for one in found.checked if one.difference}
    assert first == "cycle"
    assert "the table does NOT match the DUT exactly" in list(found.lines())


@icarus
def test_a_latency_that_varies_with_the_phase_is_a_range(tmp_path: Path, simulator: str) -> None:
    said = special(tmp_path, EVERY_FOURTH).as_json()
    assert said["latency_cycles"] is None
    assert said["could_not_tell"]["latency_cycles"].startswith("varies, between 1 and 4 cycles, ")
    assert (said["depth"], said["refill"], said["steady_interval_cycles"]) == (1, "next_edge", 4)


@icarus
def test_without_ready_what_cannot_be_blocked_has_no_depth(tmp_path: Path, simulator: str) -> None:
    binding = BINDING.replace("ready: s_ready, ", "").replace("ready: m_ready, ", "")
    found = special(tmp_path, STROBE, binding=binding)
    said = found.as_json()
    assert (said["latency_cycles"], said["interval_cycles"]) == (2, 1)
    assert (said["depth"], said["refill"]) == (None, None)
    assert said["could_not_tell"] == {
        "depth": "port 'out' has no ready, so it cannot be blocked",
        "refill": "it cannot be filled, so no place becomes free",
        "refill_cycles": "it cannot be filled, so no place becomes free",
    }
    assert found.is_exact


@icarus
def test_a_wire_keeps_nothing(tmp_path: Path, simulator: str) -> None:
    said = special(tmp_path, WIRE).as_json()
    assert (said["latency_cycles"], said["depth"], said["refill"]) == (0, 0, None)


# -- what ends an experiment ------------------------------------------------------------------


#: Gives each request twice.
TWICE = """\
  reg [1:0] left; reg [15:0] data;
  assign s_ready = left == 0;
  assign m_valid = left != 0;
  assign m_data = data;
  always @(posedge clk)
    if (!rst_n) left <= 0;
    else if (s_valid && s_ready) begin left <= 2; data <= s_data; end
    else if (m_valid && m_ready) left <= left - 1;
"""
#: Text of a module's body to the text in its place, and what is said of it then.
ENDINGS = {
    "never ready": (
        ("assign s_ready = !full", "assign s_ready = 0"),
        (
            "port 'in': ready stayed 0 within 200 cycles after valid of request 0 at cycle 0; "
            "expected 1 of an idle DUT (is 'rst_n' low in reset, or must some input be tied?)"
        ),
    ),
    "never valid": (
        ("assign m_valid = full", "assign m_valid = 0"),
        (
            "request 0 was taken at cycle 0, and nothing came out at port 'out' within 200 "
            "cycles; expected one output for each request (is 'rst_n' low in reset, must some "
            "input be tied, or does it wait for more?)"
        ),
    ),
    "X in a field": (
        ("assign m_data = data", "assign m_data = {data[15:1], 1'bx}"),
        (
            "cycle 1 after reset: m_data[15:0] is 000000000000000X where field 'id' is valid; "
            "expected 0 and 1, so nothing can be measured"
        ),
    ),
    "Z as ready": (
        ("assign s_ready = !full", "assign s_ready = full ? 1'b0 : 1'bz"),
        ("cycle 0 after reset: s_ready is Z as ready; expected 0 or 1, so nothing can be measured"),
    ),
    "each twice": (
        (HALF, TWICE),
        (
            "port 'out' gave 2 times for 1 request at 'in'; expected one output for each, or "
            "'last' of port 'out' in the binding where it has several beats"
        ),
    ),
}


#: A register, and one more each time that request 40 goes through it; or another in its place.
ONE_WRONG = """\
  reg full, again; reg [15:0] data;
  assign s_ready = !full;
  assign m_valid = full;
  assign m_data = OUT;
  always @(posedge clk)
    if (!rst_n) begin full <= 0; again <= 0; end
    else if (s_valid && s_ready) begin full <= 1; data <= s_data; again <= AGAIN; end
    else if (m_valid && m_ready) begin full <= again; again <= 0; end
"""


@icarus
def test_more_outputs_than_requests_are_told_as_that(tmp_path: Path, simulator: str) -> None:
    body = ONE_WRONG.replace("OUT", "data").replace("AGAIN", "s_data == 40")
    with pytest.raises(RunError) as error:
        special(tmp_path, body)
    assert re.fullmatch(
        r"384 requests without pause were taken, and 385 came out at port 'out' within \d+ cycles "
        r"after the last; expected one output for each: 'id' 40 came out 2 times, expected 1",
        str(error.value),
    )


@icarus
def test_other_outputs_than_requests_are_not_said_to_be_in_another_order(
    tmp_path: Path, simulator: str
) -> None:
    body = ONE_WRONG.replace("OUT", "data == 40 ? 16'd41 : data").replace("AGAIN", "0")
    said = special(tmp_path, body).as_json()
    assert (
        "what comes out is not what went in: 'id' 40 came out 0 times, expected 1"
        in (said["notes"])
    )


@icarus
@pytest.mark.parametrize("ending", ENDINGS)
def test_what_ends_an_experiment_says_why(tmp_path: Path, simulator: str, ending: str) -> None:
    (old, new), expected = ENDINGS[ending]
    with pytest.raises(RunError) as error:
        special(tmp_path, HALF.replace(old, new))
    assert str(error.value) == expected


@icarus
def test_a_dut_that_changes_for_ever_in_one_instant_ends_the_run(
    tmp_path: Path, simulator: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("emu.cosim.run.STUCK_S", 1)
    restless = "  reg x = 0;\n  always @(x, s_valid) if (s_valid) x <= ~x;\n"
    with pytest.raises(RunError, match="has not gone on for 1 s, in no cycle at all"):
        special(tmp_path, restless + HALF)


@icarus
def test_the_same_dut_gives_the_same_table(tmp_path: Path, builds: Path, simulator: str) -> None:
    parameters: dict[str, int | str] = {"LATENCY": 4, "DEPTH": 4}
    runs: list[Any] = [of_pipeline(tmp_path, builds, parameters) for _ in range(2)]
    assert runs[0] == runs[1]


@icarus
def test_a_test_bench_of_ones_own_can_measure_its_dut(
    bench: Bench, tmp_path: Path, simulator: str
) -> None:
    runner = get_runner(simulator)
    runner.build(
        sources=[HDL / "pipeline.sv"],
        hdl_toplevel="pipeline",
        build_dir=tmp_path / "build",
        timescale=("1ps", "1ps"),
    )
    results = runner.test(
        test_module="tests.cosim.own_measurement",
        hdl_toplevel="pipeline",
        build_dir=tmp_path / "build",
        extra_env={"OWN_BENCH": str(bench.binding.parent)},
        log_file=tmp_path / "log.txt",
    )
    assert get_results(results) == (1, 0)
    assert load(tmp_path / "found.yaml").name == "pipeline"
