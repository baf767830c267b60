"""A simulation in a process of its own: `python -m emu.cosim.simulate PLAN`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from cocotb_tools.runner import Runner, get_runner

from emu.cosim.build import TIMESCALE, built
from emu.cosim.errors import CosimError
from emu.cosim.plan import LOG, VARIABLE, WAVEFORM, Simulation, error_result
from emu.cosim.said import said_in, told
from emu.errors import EmuError


def main() -> None:
    """Builds and simulates what the plan in the first argument says."""
    file = Path(sys.argv[1])
    plan = Simulation.read(file)
    try:
        folder = built(plan)
        _run(plan, folder, file)
    except EmuError as error:
        plan.results.write_text(json.dumps(error_result(error)), encoding="utf-8")


def _run(plan: Simulation, build: Path, file: Path) -> None:
    folder = Path(plan.folder)
    is_ghdl = plan.simulator == "ghdl"
    runner = get_runner(plan.simulator)
    plusargs = []
    if plan.simulator == "verilator":
        # What has no value at the beginning is all 0 or all 1; an X that is assigned is random.
        plusargs.append(f"+verilator+rand+reset+{plan.unknown_as}")
        plusargs.append(f"+verilator+seed+{1 + plan.unknown_as}")
    if is_ghdl and plan.waves:
        plusargs.append(f"--vcd={folder / WAVEFORM}")
    if plan.simulator == "icarus":
        plusargs.append(f"+dumpfile_path={folder / WAVEFORM}")
    try:
        _test(runner, plan, build, plusargs, file)
    except RuntimeError:
        if not plan.results.exists():
            lines = "\n".join(told(said_in(folder / LOG)))
            raise CosimError(f"{plan.simulator} does not start; it said:\n{lines}") from None
        # Who waits for the results sees that they are not whole.


def _test(runner: Runner, plan: Simulation, build: Path, plusargs: list[str], file: Path) -> None:
    folder = Path(plan.folder)
    is_ghdl = plan.simulator == "ghdl"
    runner.test(
        test_module=plan.module,
        hdl_toplevel=plan.top,
        hdl_toplevel_lang="vhdl" if is_ghdl else "verilog",
        parameters=plan.parameters,
        build_dir=build,
        test_dir=folder,
        test_args=["--std=08", f"--workdir={build}"] if is_ghdl else [],
        plusargs=plusargs,
        extra_env={VARIABLE: str(file)},
        waves=plan.waves and not is_ghdl,
        results_xml=str(folder / "results.xml"),
        timescale=TIMESCALE,
        log_file=folder / LOG,
    )


if __name__ == "__main__":
    main()
