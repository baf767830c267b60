"""A user's own cocotb tests: lockstep in them, and cocotbext-axi beside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

from tests.cosim.bound import HDL, Bench, simulators


@pytest.mark.parametrize("simulator", simulators("icarus"))
def test_lockstep_and_cocotbext_axi_live_in_one_test_bench(
    bench: Bench, simulator: str, tmp_path: Path
) -> None:
    runner = get_runner(simulator)
    runner.build(
        sources=[HDL / "pipeline.sv"],
        hdl_toplevel="pipeline",
        build_dir=tmp_path / "build",
        timescale=("1ps", "1ps"),
    )
    results = runner.test(
        test_module="tests.cosim.own_bench",
        hdl_toplevel="pipeline",
        build_dir=tmp_path / "build",
        extra_env={"OWN_BENCH": str(bench.binding.parent)},
        log_file=tmp_path / "log.txt",
    )
    assert get_results(results) == (2, 0)
