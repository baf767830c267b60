"""Runs a DUT beside the emulator: from a command line, or from pytest."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from emu.cosim.binding import Bound, read_binding
from emu.cosim.compare import Rule
from emu.cosim.crop import crop
from emu.cosim.errors import CosimError
from emu.cosim.model import one_stage
from emu.cosim.place import PATIENCE_CYCLES
from emu.cosim.plan import (
    AFTER_CYCLES,
    ALIVE,
    BEFORE_CYCLES,
    EVENTS,
    LOG,
    STOP,
    TRACE,
    WAVEFORM,
    Plan,
    Simulation,
)
from emu.cosim.report import Result, result_from_json
from emu.cosim.said import said_in, told
from emu.cosim.simulators import Simulator, check_sources, find_simulator
from emu.cosim.stimulus import read_pattern
from emu.errors import RunError
from emu.table import load
from emu.trace.whole_file import WholeFile, check_folder

#: Where builds are kept, from the current folder on.
BUILDS = Path("build") / "cosim"
#: The table where none is given.
PASSES_ON = Path(__file__).with_name("passes_on.yaml")
#: How often a simulation is looked at, and after which time without a single step it is ended; what
#: stalls while time goes on is seen by the run itself.
LOOK_S = 1
STUCK_S = 600
#: Is told now and then how many seeds of how many have run.
Progress = Callable[[int, int], None]
#: Variables of pytest and of cocotb that would make the runner think that it is in a test.
_NOT_FOR_CHILDREN = ("PYTEST_CURRENT_TEST", "WAVES", "GUI", "COCOTB_RESOLVE_X")


@dataclass(frozen=True)
class Beside:
    """What stands beside a DUT, what is sent, and when the two are equal.

    Without a table everything is to come out as it went in, in order. `seeds` run one after
    another, up to the first in which the two differ; a pattern left empty is drawn from the seed.
    """

    table: Path | str | None = None
    #: One stage of the table alone.
    stage: str = ""
    overrides: tuple[str, ...] = ()
    rule: Rule = field(default_factory=Rule)
    requests: int = 1000
    seeds: Sequence[int] = (1,)
    offer: str = ""
    ready: str = ""
    #: To how many values a field is held.
    limits: Mapping[str, int] = field(default_factory=dict)
    #: The most beats that a request has; each has a random number of them.
    beats: int = 1
    #: The shortest and longest time from a request to its answer, where a memory or the far end of
    #: what the DUT sends answers it.
    answer_cycles: tuple[int, int] = (1, 40)
    #: How many requests may not have come through when nothing moves any more; `None`: any.
    left_over: int | None = 0
    #: Whether what the DUT shows has to stay until it is taken.
    holds: bool = True
    patience_cycles: int = PATIENCE_CYCLES


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, with the results by then; the seed that ran is the last, if one did."""

    def __init__(self, results: Sequence[Result]) -> None:
        self.results = list(results)
        super().__init__()


def run_lockstep(
    binding: Path | str,
    sources: Sequence[Path | str],
    top: str,
    beside: Beside,
    *,
    simulator: str = "icarus",
    parameters: Mapping[str, int | str] | None = None,
    waves: Path | None = None,
    events: Path | None = None,
    builds: Path = BUILDS,
    progress: Progress | None = None,
) -> list[Result]:
    """Builds and simulates a DUT beside the emulator; a result for each seed.

    The last result is the first in which the two differ, if there is one; with `waves` its
    waveform and trace are written into that folder. The DUT's handshakes are written to `events`,
    a JSON value a line. `parameters` go over those of the binding.
    `EmuError` for what cannot be run, `RunError` for what did not come to an end; after Ctrl-C
    `Interrupted`, once the events by then are written.
    """
    if not beside.seeds:
        raise CosimError("no seeds; expected at least one")
    bound = read_binding(Path(binding))
    for pattern in (beside.offer, beside.ready):
        if pattern:
            read_pattern(pattern)
    table = PASSES_ON if beside.table is None else beside.table
    if beside.table is None and beside.rule.mode != "order":
        raise CosimError(f"mode {beside.rule.mode} without a table; expected order")
    if beside.table is None and beside.beats > 1:
        raise CosimError(
            f"requests of up to {beside.beats} beats without a table; expected one whose first "
            "stage says with 'beat' or 'flit' what a beat carries"
        )
    loaded = load(table, overrides=beside.overrides)
    if beside.stage:
        one_stage(loaded, beside.stage)
    found = find_simulator(simulator)
    paths = [Path(source) for source in sources]
    check_sources(found, paths)
    with tempfile.TemporaryDirectory(prefix="emu-cosim-") as folder:
        plan = Plan(
            binding=str(binding),
            sources=[str(path) for path in paths],
            top=top,
            simulator=simulator,
            parameters={**bound.binding.parameters, **(parameters or {})},
            table=str(table),
            overrides=beside.overrides,
            stage=beside.stage,
            mode=beside.rule.mode,
            skew_cycles=beside.rule.skew_cycles,
            requests=beside.requests,
            seeds=list(beside.seeds),
            offer=beside.offer,
            ready=beside.ready,
            limits=dict(beside.limits),
            beats=beside.beats,
            answer_cycles=beside.answer_cycles,
            left_over=beside.left_over,
            holds=beside.holds,
            patience_cycles=beside.patience_cycles,
            here=str(Path.cwd()),
            builds=str(builds),
            folder=folder,
            waves=False,
            events=events is not None,
        )
        if events is not None:
            check_folder(events)
        results = _simulate(plan, found, progress)
        if events is not None:
            _copy(Path(folder) / EVENTS, events)
        if results[-1].interrupted:
            raise Interrupted(results)
        try:
            if not found.knows_unknown:
                plan, results = _with_unknown(plan, found, results)
            if waves is not None and not results[-1].is_equal:
                seeds = [result.seed for result in results]
                _simulate_to_end(replace(plan, seeds=seeds, waves=True), found)
                results[-1] = replace(results[-1], files=_waves(plan, results[-1], bound, waves))
        except KeyboardInterrupt:
            raise Interrupted(results) from None
        return results


def _with_unknown(
    plan: Plan, simulator: Simulator, results: list[Result]
) -> tuple[Plan, list[Result]]:
    """Looks whether X matters, where a simulator has no such value: takes other values for it.

    The run that differed, or else the first one, is done again so; where that makes a difference,
    something that is compared depends on what is unknown. The plan is of the run that shows it.
    """
    count = 1 if results[-1].is_equal else len(results)
    again = replace(plan, seeds=plan.seeds[:count], unknown_as=1)
    other, one = _simulate_to_end(again, simulator)[-1], results[count - 1]
    if other == one:
        return plan, results
    shown, plan = (one, plan) if other.is_equal else (other, again)
    difference = shown.difference
    assert difference is not None  # one of the two differs from the emulator, as they do
    what = f"{difference.what}; with other values for what is unknown in the DUT it is not so"
    found = replace(shown, difference=replace(difference, kind="unknown", what=what))
    return plan, [*results[: count - 1], found]


def _waves(plan: Plan, result: Result, bound: Bound, folder: Path) -> list[str]:
    """Writes waveform and trace around the difference, in one time; their files."""
    difference = result.difference
    assert difference is not None  # asked by the caller
    check_folder(folder / "x.vcd")
    name = f"{plan.top}.seed{result.seed}"
    period_ps = bound.binding.clock.period
    start_ps = difference.time_ps - min(BEFORE_CYCLES, difference.cycle) * period_ps
    end_ps = difference.time_ps + AFTER_CYCLES * period_ps
    dut, emulator = folder / f"{name}.dut.vcd", folder / f"{name}.emu.vcd"
    crop(Path(plan.folder) / WAVEFORM, dut, start_ps, end_ps)
    crop(Path(plan.folder) / TRACE, emulator, start_ps, end_ps)
    return [str(dut), str(emulator)]


def _simulate(plan: Plan, simulator: Simulator, progress: Progress | None = None) -> list[Result]:
    """The results of a plan, from a process of its own; after Ctrl-C those by then."""

    def is_whole(said: Sequence[Mapping[str, Any]]) -> bool:
        if not said:
            return False
        last = said[-1]
        return last["interrupted"] or not last["equal"] or len(said) == len(plan.seeds)

    def look() -> None:
        if progress is not None:
            progress(len(said_in(plan.results)), len(plan.seeds))

    said = simulated(plan, simulator, is_whole, can_stop=True, look=look)
    return [result_from_json(one) for one in said]


def _simulate_to_end(plan: Plan, simulator: Simulator) -> list[Result]:
    """The same; what Ctrl-C ended is nothing."""
    results = _simulate(plan, simulator)
    if results[-1].interrupted:
        raise KeyboardInterrupt
    return results


def simulated(
    plan: Simulation,
    simulator: Simulator,
    is_whole: Callable[[Sequence[Mapping[str, Any]]], bool],
    *,
    can_stop: bool = False,
    look: Callable[[], None] = lambda: None,
) -> list[dict[str, Any]]:
    """What a plan's module wrote as its results, in a process of its own.

    `RunError` where it ended before they are whole. One that `can_stop` has Ctrl-C inside once it
    runs, and writes what it has by then; a second one ends it here. `look` is called now and then.
    """
    folder = Path(plan.folder)
    file = folder / "plan.json"
    plan.write(file)
    # A simulation before this one may have been in the same folder.
    for left in (plan.results, folder / ALIVE, folder / STOP):
        left.unlink(missing_ok=True)
    inherited = {key: value for key, value in os.environ.items() if key not in _NOT_FOR_CHILDREN}
    environment = simulator.environment()
    if plan.waves and simulator.wave_args:
        environment["SIM_CMD_SUFFIX"] = simulator.wave_args
    output = _watched(
        [sys.executable, "-m", "emu.cosim.simulate", str(file)],
        {**inherited, **environment},
        folder,
        can_stop=can_stop,
        look=look,
    )
    results = []
    for line in said_in(plan.results):
        said = json.loads(line)
        if "error" in said:
            raise (RunError if said["ran"] else CosimError)(said["error"])
        results.append(said)
    if not is_whole(results):
        lines = "\n".join(told(said_in(folder / LOG) + output))
        raise RunError(f"{plan.simulator} ended before the run did; it said:\n{lines}")
    return results


def _watched(
    command: list[str],
    environment: Mapping[str, str],
    folder: Path,
    *,
    can_stop: bool,
    look: Callable[[], None],
) -> list[str]:
    """Runs a command to its end, with all its children; what it said.

    `RunError` where its simulation does not go on any more: not one step of time.
    """
    alive, output = folder / ALIVE, folder / "output.txt"
    with output.open("wb") as out:
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            while True:
                try:
                    process.wait(LOOK_S)
                    return said_in(output)
                except KeyboardInterrupt:
                    if not can_stop or not alive.exists():
                        raise
                    (folder / STOP).touch()
                    can_stop = False
                except subprocess.TimeoutExpired:
                    look()
                    if alive.exists() and time.time() - alive.stat().st_mtime > STUCK_S:
                        raise RunError(
                            f"the simulation has not gone on for {STUCK_S} s, in no cycle at all: "
                            "does something in the DUT change for ever in one instant?"
                        ) from None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _copy(source: Path, target: Path) -> None:
    out = WholeFile(target)
    with source.open("rb") as lines:
        for line in lines:
            out.write_bytes(line)
    out.close()
