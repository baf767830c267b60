"""What runs inside the simulator: the lockstep runs of a plan, one after another."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import IO

import cocotb
from cocotb.handle import HierarchyObject

from emu.cosim.binding import read_binding
from emu.cosim.lockstep import Lockstep, Watch
from emu.cosim.model import one_stage
from emu.cosim.plan import AFTER_CYCLES, EVENTS, TRACE, Plan, error_result
from emu.cosim.report import DutEvent
from emu.errors import EmuError
from emu.table import load
from emu.table.schema import Table


@cocotb.test()
async def lockstep(dut: HierarchyObject) -> None:
    """Runs the plan up to the first seed in which the sides differ, and writes the results.

    Ctrl-C ends it as well, with what agreed by then.
    """
    plan = Plan.inside()
    plan.goes_on()
    folder = Path(plan.folder)
    with (
        plan.results.open("w", encoding="utf-8") as out,
        (folder / EVENTS).open("w", encoding="utf-8") as events,
    ):
        try:
            for seed in plan.seeds:
                run = lockstep_of(plan, seed, dut, partial(_note, plan, seed, events))
                try:
                    result = await run.run()
                except KeyboardInterrupt:
                    result = run.so_far()
                if plan.waves and result.difference is not None:
                    run.write_trace(folder / TRACE, result.difference.cycle + AFTER_CYCLES)
                out.write(json.dumps(result.as_json()) + "\n")
                out.flush()
                if result.interrupted or not result.is_equal:
                    break
        except EmuError as error:
            out.write(json.dumps(error_result(error)) + "\n")


def _note(plan: Plan, seed: int, out: IO[str], events: Callable[[], list[DutEvent]]) -> None:
    """Writes the DUT's handshakes, and lets who waits outside see that the run goes on."""
    plan.goes_on()
    if plan.events:
        for event in events():
            out.write(json.dumps({"seed": seed, **asdict(event)}) + "\n")


def lockstep_of(plan: Plan, seed: int, dut: HierarchyObject, watch: Watch) -> Lockstep:
    """The run of one seed."""
    return Lockstep(
        dut,
        read_binding(Path(plan.binding)),
        table_of(plan),
        plan.stimulus(seed),
        rule=plan.rule,
        left_over=plan.left_over,
        holds=plan.holds,
        patience_cycles=plan.patience_cycles,
        on_cycles=AFTER_CYCLES if plan.waves else 0,
        watch=watch,
    )


def table_of(plan: Plan) -> Table:
    """The table of the plan, or the one stage of it that stands beside the DUT."""
    table = load(plan.table, overrides=plan.overrides)
    return one_stage(table, plan.stage) if plan.stage else table
