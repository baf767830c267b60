"""Bindings, tables and runs for tests beside HDL."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from emu.cosim.report import Result
from emu.cosim.run import Beside, run_lockstep
from tests.needs import builds

ROOT = Path(__file__).parents[2]
HDL = ROOT / "testbenches" / "hdl"

PIPELINE = """\
schema: 1
clock: {signal: clk, period: 3106 ps}
reset: {signal: rst, active: high, cycles: 4}
parameters: {W: 32}
ports:
  in:
    side: sink
    valid: s_tvalid
    ready: s_tready
    fields: {id: "s_tdata[15:0]", initiator: "s_tdata[23:16]"}
  out:
    side: source
    valid: m_tvalid
    ready: m_tready
    fields: {id: "m_tdata[15:0]", initiator: "m_tdata[23:16]"}
"""

TABLE = """\
schema: 1
name: under_test
title: A pipeline under test
clocks: {nic: 322 MHz}
messages: {read: {request: 64 B, response: payload}}
path:
  - stage: nic_pipeline
    name: pipeline
    clock: nic
    latency: 4 cycles
    interval: 1 cycle
    depth: 4
    queue: 1
    source: {text: a test, kind: assumed}
"""

SOURCES = {"icarus": "pipeline.sv", "verilator": "pipeline.sv", "ghdl": "pipeline.vhd"}


def simulators(*names: str) -> list[Any]:
    """Parameters of a test: a simulator each, skipped where it is not installed."""
    return [pytest.param(name, marks=builds(name)) for name in names]


class Bench:
    """The pipeline beside a table of the same numbers, in a folder of the test's own."""

    def __init__(self, folder: Path, builds: Path) -> None:
        self.builds = builds
        self.binding = folder / "pipeline.yaml"
        self.binding.write_text(PIPELINE, encoding="utf-8")
        self.table = folder / "under_test.yaml"
        self.table.write_text(TABLE, encoding="utf-8")

    def run(
        self,
        beside: Beside,
        *,
        simulator: str = "icarus",
        parameters: dict[str, int | str] | None = None,
        waves: Path | None = None,
    ) -> list[Result]:
        """Runs the pipeline of the project beside this bench's table, or the one that is given."""
        source = HDL / SOURCES[simulator]
        return run_lockstep(
            self.binding,
            [source],
            "pipeline",
            replace(beside, table=beside.table or self.table),
            simulator=simulator,
            parameters=parameters,
            waves=waves,
            builds=self.builds,
        )
