"""Ports with less, or laid out in another way, than those of the project's own models."""

from __future__ import annotations

from pathlib import Path

import pytest

from emu.cosim import Beside, run_lockstep
from emu.cosim.report import Result
from tests.cosim.bound import simulators

#: Three registers in a row that nothing stops; what is asked for must be enabled.
HDL = """\
module plain #(parameter int STEPS = 3) (
    input  logic       clock,
    input  logic       reset_n,
    input  logic       enable,
    input  logic       in_valid,
    input  logic [4:0] in_id,
    input  logic       in_flag,
    output logic       out_valid,
    output logic       out_last,
    output logic [7:0] out_word
);
  logic [6:0] steps[0:STEPS-1];
  always_ff @(posedge clock or negedge reset_n)
    for (int i = 0; i < STEPS; i++)
      if (!reset_n) steps[i] <= '0;
      else if (i == 0) steps[i] <= {in_valid && enable, in_flag, in_id};
      else steps[i] <= steps[i-1];
  assign out_valid = steps[STEPS-1][6];
  assign out_last = steps[STEPS-1][6];
  // What is in between says nothing.
  assign out_word = {steps[STEPS-1][4:0], 2'bx, steps[STEPS-1][5]};
endmodule
"""

BINDING = """\
schema: 1
clock: {signal: clock, period: 3107 ps}
reset: {signal: reset_n, active: low, cycles: 2}
parameters: {STEPS: 3}
tie: {enable: 1}
ports:
  here: {side: sink, valid: in_valid, fields: {id: in_id, flag: in_flag}}
  there:
    side: source
    valid: out_valid
    last: out_last
    fields: {flag: "out_word[0]", id: "out_word[7:3]"}
"""

TABLE = """\
schema: 1
name: plain
title: Three registers
clocks: {core: 200 MHz}
messages: {write: {request: payload, response: 8 B}}
path:
  - stage: pipeline_step
    name: before
    latency: 7 ns
    source: {text: not of this DUT, kind: assumed}
  - stage: nic_pipeline
    name: registers
    clock: core
    latency: 3 cycles
    interval: 1 cycle
    depth: 3
    queue: 1
    source: {text: three registers, kind: derived}
"""


def run(folder: Path, builds: Path, simulator: str, binding: str = BINDING) -> Result:
    files = {"plain.sv": HDL, "plain.yaml": binding, "table.yaml": TABLE}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    beside = Beside(folder / "table.yaml", stage="registers", requests=60, seeds=(3,))
    (result,) = run_lockstep(
        folder / "plain.yaml",
        [folder / "plain.sv"],
        "plain",
        beside,
        simulator=simulator,
        builds=builds,
    )
    return result


@pytest.mark.parametrize("simulator", simulators("icarus"))
def test_a_port_without_ready_is_taken_from_and_takes_in_every_cycle(
    tmp_path: Path, builds: Path, simulator: str
) -> None:
    result = run(tmp_path, builds, simulator)
    assert result.is_equal, "\n".join(result.lines())
    assert (result.ready, result.matched) == ("always", {"here": 60, "there": 60})


@pytest.mark.parametrize("simulator", simulators("icarus"))
def test_an_input_that_is_not_tied_is_seen(tmp_path: Path, builds: Path, simulator: str) -> None:
    result = run(tmp_path, builds, simulator, BINDING.replace("enable: 1", "enable: 0"))
    found = result.difference
    assert found is not None
    assert (found.port, found.emulator is not None, found.dut) == ("there", True, None)
    assert found.signals == ["out_valid", "out_last", "out_word"]


@pytest.mark.parametrize("simulator", simulators("icarus"))
def test_bits_of_a_field_that_are_unknown_are_an_error(
    tmp_path: Path, builds: Path, simulator: str
) -> None:
    binding = BINDING.replace("out_word[7:3]", "out_word[5:1]")
    found = run(tmp_path, builds, simulator, binding).difference
    assert found is not None
    assert (found.kind, found.port) == ("unknown", "there")
    assert found.what.startswith("out_word[5:1] is ")
    assert found.what.endswith("XX where field 'id' is valid; expected 0 and 1")
