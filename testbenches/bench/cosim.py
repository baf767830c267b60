"""Cycles a second beside HDL: lockstep, cocotb alone, and the simulator without Python."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from emu.cosim.run import BUILDS, simulated
from emu.cosim.simulators import find_simulator
from testbenches.bench.cosim_inside import BARE, LOCKSTEP, PARTS, BenchPlan

BENCH = Path(__file__).parent
HDL = BENCH.parent / "hdl"
SIMULATOR = "the simulator without Python"
COLUMNS = ("DUT", "simulator", "runs", "cycles/s", "of cocotb alone", "of the simulator")
#: What lockstep of one stage must keep of what cocotb alone reaches, in percent.
KEPT_PERCENT = 70.0
LONG_CYCLES = 2_000_000
#: How much slower the last part of a long run may be than the second, and how much more memory its
#: processes may use.
SLOWER_PERCENT = 20.0
MORE_BYTES = 4 << 20


@dataclass(frozen=True)
class Case:
    """A DUT, what it stands beside, and how long it runs in each simulator, in requests."""

    title: str
    top: str
    files: tuple[str, ...]
    binding: Path
    table: str
    overrides: tuple[str, ...]
    valid: str
    offer: str
    requests: dict[str, int]


ONE_STAGE = Case(
    title="one stage, busy in every cycle",
    top="pipeline",
    files=("pipeline",),
    binding=HDL / "bindings" / "pipeline.yaml",
    table=str(BENCH / "one_stage.yaml"),
    overrides=(),
    valid="m_tvalid",
    offer="always",
    requests={"icarus": 60_000, "verilator": 150_000},
)
SENDER = Case(
    title="ten-stage sender",
    top="sender",
    files=("channel", "pipeline", "scheduler", "ordering_engine", "framer", "sender"),
    binding=BENCH / "sender.yaml",
    table="openurma_tx",
    overrides=("doorbell.depth=1", "jsched.overflow=hold", "messages.read.request=32 B"),
    valid="m_tuser",
    offer="pauses(10)",
    requests={"icarus": 400, "verilator": 10_000},
)


def rates(case: Case, simulator: str, rounds: int) -> dict[str, float]:
    """Median cycles a second of each way to run a DUT."""
    runs = measured(case, simulator, rounds)
    found = {
        name: median(one["cycles"] / one["wall_s"] for one in runs if one["name"] == name)
        for name in (LOCKSTEP, BARE)
    }
    cycles = max(one["cycles"] for one in runs)
    return found | {SIMULATOR: without_python(case, simulator, cycles, rounds)}


def measured(case: Case, simulator: str, rounds: int) -> list[dict[str, Any]]:
    """Cycles and seconds of runs in lockstep and with cocotb alone, by turns."""
    return _simulated(_plan(case, simulator, rounds), 2 * rounds)


def long_run(simulator: str, cycles: int = LONG_CYCLES) -> list[dict[str, Any]]:
    """Time and memory of each part of a lockstep run of so many cycles, one after another."""
    plan = replace(_plan(ONE_STAGE, simulator, 1), requests=cycles, watched=True)
    # The last part may end a few cycles after the run does.
    return _simulated(plan, PARTS - 1)


def without_python(case: Case, simulator: str, cycles: int, rounds: int) -> float:
    """Median cycles a second of a test bench in HDL that does the same."""
    found = find_simulator(simulator)
    environment = {**os.environ, **found.environment()}
    top = f"{case.top}_alone"
    files = [str(HDL / f"{name}.sv") for name in case.files] + [str(BENCH / f"{top}.sv")]
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/alone"
        if simulator == "icarus":
            build = ["iverilog", "-g2012", "-s", top, f"-P{top}.CYCLES={cycles}", "-o", program]
        else:
            build = ["verilator", "--binary", "--timing", "-Wno-fatal", "--top-module", top]
            # GCC 10 does not know coroutines by itself.
            build += ["-CFLAGS", "-std=c++20 -fcoroutines"]
            build += [f"-GCYCLES={cycles}", "--Mdir", folder, "-o", program]
        subprocess.run([*build, *files], env=environment, check=True, capture_output=True)
        seconds = []
        for _ in range(rounds):
            started_s = time.perf_counter()
            done = subprocess.run(
                ["vvp", program] if simulator == "icarus" else [program],
                env=environment,
                check=True,
                capture_output=True,
                text=True,
            )
            seconds.append(time.perf_counter() - started_s)
            given = re.search(r"given (\d+)", done.stdout)
            assert given is not None, done.stdout
            assert int(given[1]) > cycles // 20, "the DUT stands still"
    return cycles / median(seconds)


def compare(rounds: int) -> tuple[list[tuple[str, ...]], dict[tuple[str, str], float]]:
    """The rows of a table, and of each DUT and simulator what lockstep keeps of cocotb alone."""
    found: list[tuple[str, ...]] = []
    kept: dict[tuple[str, str], float] = {}
    for case in (ONE_STAGE, SENDER):
        for simulator in case.requests:
            by_name = rates(case, simulator, rounds)
            kept[case.top, simulator] = by_name[LOCKSTEP] / by_name[BARE]
            found += [
                (
                    case.title,
                    simulator,
                    name,
                    f"{rate:.0f}",
                    f"{rate / by_name[BARE]:.1%}" if name == LOCKSTEP else "",
                    "" if name == SIMULATOR else f"{rate / by_name[SIMULATOR]:.2%}",
                )
                for name, rate in by_name.items()
            ]
    return found, kept


def holds(parts: list[dict[str, Any]]) -> tuple[bool, str]:
    """Whether a long run holds its speed and its memory, and the figures, for people."""
    first, last = parts[1], parts[-1]
    speeds = [part["cycles"] / part["wall_s"] for part in (first, last)]
    more_bytes = sum(last["bytes"]) - sum(first["bytes"])
    slower = speeds[0] / speeds[1] - 1
    said = (
        f"{speeds[0]:.0f} cycles/s in the second tenth and {speeds[1]:.0f} in the last, "
        f"{sum(last['bytes']) / 2**20:.1f} MiB, {more_bytes / 1024:+.0f} KiB between them"
    )
    return slower * 100 < SLOWER_PERCENT and more_bytes < MORE_BYTES, said


def _plan(case: Case, simulator: str, rounds: int) -> BenchPlan:
    return BenchPlan(
        binding=str(case.binding),
        sources=[str(HDL / f"{name}.sv") for name in case.files],
        top=case.top,
        simulator=simulator,
        parameters={},
        here=str(Path.cwd()),
        builds=str(BUILDS),
        folder="",
        waves=False,
        table=case.table,
        overrides=list(case.overrides),
        valid=case.valid,
        offer=case.offer,
        requests=case.requests[simulator],
        rounds=rounds,
        watched=False,
    )


def _simulated(plan: BenchPlan, results: int) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory(prefix="emu-bench-") as folder:
        plan = replace(plan, folder=folder)
        return simulated(plan, find_simulator(plan.simulator), lambda said: len(said) >= results)
