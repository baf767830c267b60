"""Lockstep with real simulators: equal where the DUT is, and the first difference where not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import pywellen  # type: ignore[import-untyped]

from emu.cosim.compare import Rule
from emu.cosim.errors import CosimError
from emu.cosim.report import PortEvent
from emu.cosim.run import Beside, run_lockstep
from emu.errors import EmuError, RunError
from tests.cosim.bound import PIPELINE, Bench, simulators

#: Planted faults of the pipeline: see testbenches/hdl/README.md.
LATE, LOST, DOUBLED, SWAPPED, READY_STUCK_HIGH, READY_STUCK_LOW, UNKNOWN = range(1, 8)
VALID_DROPPED = 9
#: The request that they befall.
AT = 20
#: Offered whenever there is room, and taken at once: cycle 24 is when item 20 comes out.
STEADY = Beside(requests=100, offer="always", ready="always", overrides=("pipeline.depth=8",))


def fault(number: int, at: int = AT) -> dict[str, int | str]:
    """Parameters that plant a fault; with more places than it needs, out has no effect on in."""
    return {"FAULT": number, "FAULT_AT": at, "DEPTH": 8}


@pytest.mark.parametrize("simulator", simulators("icarus", "verilator", "ghdl"))
def test_the_pipeline_equals_its_stage(bench: Bench, simulator: str) -> None:
    results = bench.run(Beside(requests=100, seeds=range(1, 9)), simulator=simulator)
    assert [result.seed for result in results] == list(range(1, 9))
    for result in results:
        assert result.is_equal, "\n".join(result.lines())
        assert (result.matched, result.left_over) == ({"in": 100, "out": 100}, 0)
    assert len({(result.offer, result.ready) for result in results}) == 8


@pytest.mark.long
@pytest.mark.parametrize("simulator", simulators("icarus", "verilator", "ghdl"))
@pytest.mark.parametrize(
    ("latency", "interval", "depth", "refill"),
    (
        (1, 1, 1, "at_once"),
        (1, 1, 2, "next_edge"),
        (2, 3, 1, "at_once"),
        (5, 2, 3, "next_edge"),
        (9, 1, 9, "at_once"),
        (9, 1, 4, "next_edge"),
        (4, 1, 16, "at_once"),
    ),
)
def test_the_pipeline_equals_its_stage_for_many_seeds(
    bench: Bench, simulator: str, latency: int, interval: int, depth: int, refill: str
) -> None:
    overrides = (
        f"pipeline.latency={latency} cycles",
        f"pipeline.interval={interval} cycles",
        f"pipeline.depth={depth}",
        f"pipeline.refill={refill}",
    )
    parameters: dict[str, int | str] = {
        "LATENCY": latency,
        "INTERVAL": interval,
        "DEPTH": depth,
        "REFILL_NEXT_EDGE": int(refill == "next_edge"),
    }
    beside = Beside(requests=200, seeds=range(200), overrides=overrides)
    results = bench.run(beside, simulator=simulator, parameters=parameters)
    assert results[-1].is_equal, "\n".join(results[-1].lines())
    assert len(results) == 200


@pytest.mark.parametrize("simulator", simulators("icarus"))
@pytest.mark.parametrize(
    ("planted", "kind", "port", "cycle", "dut", "emulator"),
    (
        (LATE, "event", "out", 24, None, (20, 24, 20)),
        (LOST, "event", "out", 24, None, (20, 24, 20)),
        (DOUBLED, "event", "out", 25, (21, 25, 20), (21, 25, 21)),
        (SWAPPED, "event", "out", 24, None, (20, 24, 20)),
        (READY_STUCK_LOW, "event", "in", 20, None, (20, 20, 20)),
        (UNKNOWN, "unknown", "out", 24, None, None),
    ),
)
def test_a_planted_fault_is_found_at_its_port_and_cycle(
    bench: Bench,
    simulator: str,
    planted: int,
    kind: str,
    port: str,
    cycle: int,
    dut: tuple[int, int, int] | None,
    emulator: tuple[int, int, int] | None,
) -> None:
    parameters = fault(planted)
    (result,) = bench.run(STEADY, simulator=simulator, parameters=parameters)
    found = result.difference
    assert found is not None
    assert (found.kind, found.port, found.cycle) == (kind, port, cycle)
    assert (shown(found.dut), shown(found.emulator)) == (dut, emulator)
    prefix = "s" if port == "in" else "m"
    assert found.signals == [f"{prefix}_tvalid", f"{prefix}_tready", f"{prefix}_tdata"]
    # Agreed is what came before, at both ports: the output is four cycles behind.
    assert result.matched["out"] == (20 if port == "out" else 17) + (planted == DOUBLED)
    assert found.explanation is not None
    assert found.explanation.item == 20 + (planted == DOUBLED)


def shown(event: PortEvent | None) -> tuple[int, int, int] | None:
    return None if event is None else (event.number, event.cycle, event.fields["id"])


@pytest.mark.long
@pytest.mark.parametrize("simulator", simulators("verilator"))
def test_what_is_unknown_matters_also_where_there_is_no_x(bench: Bench, simulator: str) -> None:
    (result,) = bench.run(STEADY, simulator=simulator, parameters=fault(UNKNOWN))
    found = result.difference
    assert found is not None
    assert (found.kind, found.port, found.cycle) == ("unknown", "out", 24)
    assert found.what == (
        "handshake 20 carries other values; with other values for what is unknown in the DUT it "
        "is not so"
    )


@pytest.mark.parametrize("simulator", simulators("icarus"))
def test_what_is_shown_has_to_stay_unless_it_may_be_taken_back(
    bench: Bench, simulator: str
) -> None:
    parameters = fault(VALID_DROPPED)
    beside = Beside(requests=100, seeds=(5,), overrides=("pipeline.depth=8",))
    (result,) = bench.run(beside, simulator=simulator, parameters=parameters)
    found = result.difference
    assert found is not None
    assert (found.kind, found.port) == ("valid", "out")
    assert found.what == "valid falls before what is shown is taken"
    (allowed,) = bench.run(
        replace(beside, holds=False, rule=Rule("order")),
        simulator=simulator,
        parameters=parameters,
    )
    assert allowed.is_equal


@pytest.mark.parametrize("simulator", simulators("icarus"))
def test_a_dut_that_stalls_ends_the_run_with_both_sides(bench: Bench, simulator: str) -> None:
    parameters = fault(READY_STUCK_LOW)
    beside = replace(STEADY, rule=Rule("order"), patience_cycles=700)
    (result,) = bench.run(beside, simulator=simulator, parameters=parameters)
    found = result.difference
    assert found is not None
    assert (found.kind, found.what) == (
        "stall",
        "nothing has moved for 700 cycles, with 80 of 100 items left",
    )
    assert found.dut_ports == [
        "'in' is offered item 20 since cycle 20; ready is 0",
        "'out' shows valid 0; its taker is ready",
    ]
    assert found.emulator_waits == ["nothing is inside any more"]
    assert result.matched == {"in": 20, "out": 20}
    # What may be left over is said.
    (few,) = bench.run(replace(beside, left_over=79), simulator=simulator, parameters=parameters)
    assert not few.is_equal
    (enough,) = bench.run(replace(beside, left_over=80), simulator=simulator, parameters=parameters)
    assert (enough.is_equal, enough.left_over) == (True, 80)


@pytest.mark.parametrize("simulator", simulators("icarus"))
def test_nothing_compared_is_a_failure(bench: Bench, simulator: str) -> None:
    parameters = fault(READY_STUCK_LOW, 0)
    beside = replace(STEADY, rule=Rule("order"), patience_cycles=100, left_over=None)
    (result,) = bench.run(beside, simulator=simulator, parameters=parameters)
    found = result.difference
    assert found is not None
    assert found.what == (
        "nothing was compared: no port had a handshake (is 'rst' high in reset, must some input be "
        "tied, or does it wait for more?)"
    )


@pytest.mark.parametrize("simulator", simulators("icarus", "ghdl"))
def test_waveform_and_trace_have_one_time(bench: Bench, simulator: str, tmp_path: Path) -> None:
    parameters = fault(LATE, 80)
    (result,) = bench.run(STEADY, simulator=simulator, parameters=parameters, waves=tmp_path)
    found = result.difference
    assert found is not None
    assert (found.cycle, found.explanation and found.explanation.item) == (84, 80)
    dut, emulator = result.files
    assert Path(result.files[0]).name == "pipeline.seed1.dut.vcd"
    edge_ps = found.time_ps
    # Before its edge the DUT shows nothing to take, and the emulator hands item 80 over.
    assert at(dut, "pipeline.m_tvalid", edge_ps - 1) == 0
    assert at(dut, "pipeline.m_tvalid", edge_ps - 3106 - 1) == 1
    assert at(emulator, "under_test.sink.accepted", edge_ps - 1) == 79
    assert at(emulator, "under_test.sink.accepted", edge_ps) == 80
    assert at(dut, "pipeline.clk", edge_ps - 1) == 0
    assert at(dut, "pipeline.clk", edge_ps) == 1


def at(file: str, name: str, time_ps: int) -> int:
    """The value of a variable at a time."""
    return int(pywellen.Waveform(file)[name].signal.value_at(time_ps))


@pytest.mark.parametrize("simulator", simulators("icarus"))
def test_signals_that_the_dut_does_not_have_are_told_with_the_near_one(
    bench: Bench, simulator: str
) -> None:
    bench.binding.write_text(
        PIPELINE.replace("ready: m_tready", "ready: m_tredy")
        .replace("s_tdata[23:16]", "s_tdata[40:33]")
        .replace("signal: rst", "signal: came"),
        encoding="utf-8",
    )
    with pytest.raises(EmuError) as error:
        bench.run(STEADY, simulator=simulator)
    lines = str(error.value).splitlines()
    assert lines == [
        f"{bench.binding}:3:17: binding.reset.signal: 'came' has 32 bits; expected one bit",
        (
            f"{bench.binding}:10:46: binding.ports.in.fields.initiator: 's_tdata' has 32 bits; "
            "expected bits up to 31"
        ),
        (
            f"{bench.binding}:14:12: binding.ports.out.ready: 'pipeline' has no signal 'm_tredy'; "
            "expected one that it has; did you mean 'm_tready'?"
        ),
    ]


@pytest.mark.parametrize("simulator", simulators("icarus"))
def test_values_and_signals_that_do_not_fit_are_told(bench: Bench, simulator: str) -> None:
    reset = "reset: {signal: rst, active: high, cycles: 4}"
    bench.binding.write_text(
        PIPELINE.replace(reset, "tie: {rst: 2}").replace("ready: m_tready", "ready: queue"),
        encoding="utf-8",
    )
    with pytest.raises(EmuError) as error:
        bench.run(STEADY, simulator=simulator)
    assert str(error.value).splitlines() == [
        (
            f"{bench.binding}:3:7: binding.tie.rst: 2 does not fit into 'rst', which has 1 bit; "
            "expected at most 1"
        ),
        f"{bench.binding}:14:12: binding.ports.out.ready: 'queue' is an array; expected bits",
    ]


@pytest.mark.parametrize("simulator", simulators("icarus"))
def test_an_input_that_nothing_drives_is_named(bench: Bench, simulator: str) -> None:
    text = PIPELINE.replace("    ready: m_tready\n", "")
    bench.binding.write_text(text, encoding="utf-8")
    (result,) = bench.run(STEADY, simulator=simulator)
    found = result.difference
    assert found is not None
    assert found.kind == "unknown"
    assert found.what.endswith("; nothing drives m_tready: expected it in the binding")


#: Counts up to what its type does not hold.
OUT_OF_RANGE = """\
library ieee;
use ieee.std_logic_1164.all;
entity counter is
  port (clk, rst, s_tvalid, m_tready : in std_logic; s_tready, m_tvalid : out std_logic;
        s_tdata : in std_logic_vector(31 downto 0); m_tdata : out std_logic_vector(31 downto 0));
end entity;
architecture a of counter is
  signal count : integer range 0 to 9 := 0;
begin
  s_tready <= '1';
  m_tvalid <= '0';
  m_tdata <= s_tdata;
  process (clk) begin
    if rising_edge(clk) then
      count <= count + 1;
    end if;
  end process;
end architecture;
"""


@pytest.mark.parametrize("simulator", simulators("ghdl"))
def test_what_ends_a_simulation_is_told_without_what_python_says_of_it(
    bench: Bench, simulator: str, tmp_path: Path
) -> None:
    source = tmp_path / "counter.vhd"
    source.write_text(OUT_OF_RANGE, encoding="utf-8")
    text = PIPELINE.replace("parameters: {W: 32}\n", "")
    bench.binding.write_text(text, encoding="utf-8")
    beside = Beside(rule=Rule("order"))
    with pytest.raises(RunError) as error:
        run_lockstep(
            bench.binding, [source], "counter", beside, simulator=simulator, builds=tmp_path
        )
    said = str(error.value)
    assert said.startswith("ghdl ended before the run did; it said:\n")
    assert "bound check failure at " in said
    assert f"{source}:15" in said
    assert "Traceback" not in said
    assert "cocotb" not in said


@pytest.mark.parametrize("simulator", simulators("icarus", "verilator", "ghdl"))
def test_a_parameter_that_the_dut_does_not_have_is_told(bench: Bench, simulator: str) -> None:
    with pytest.raises(CosimError, match=r"(?i)no_such"):
        bench.run(STEADY, simulator=simulator, parameters={"NO_SUCH": 1})


@pytest.mark.parametrize("simulator", simulators("icarus"))
def test_hdl_that_cannot_be_read_is_told(bench: Bench, simulator: str, tmp_path: Path) -> None:
    broken = tmp_path / "broken.sv"
    broken.write_text("module broken;\n  wrie x;\nendmodule\n", encoding="utf-8")
    beside = Beside(rule=Rule("order"))
    with pytest.raises(CosimError) as error:
        run_lockstep(
            bench.binding, [broken], "broken", beside, simulator=simulator, builds=tmp_path
        )
    assert str(error.value).startswith("icarus does not build; it said:\n")
    assert f"{broken}:2: " in str(error.value)
    log = str(error.value).splitlines()[-1].removeprefix("all of it is in ")
    assert f"{broken}:2: " in Path(log).read_text(encoding="utf-8")
