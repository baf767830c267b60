"""What runs inside the simulator: a path with a DUT in the place of some of its stages."""

from __future__ import annotations

import base64
import json
import pickle
from pathlib import Path

import cocotb
from cocotb.handle import HierarchyObject

from emu.cli.posting import read_posting
from emu.cosim.binding import read_binding
from emu.cosim.in_path import run_in_path
from emu.cosim.place import place_in
from emu.cosim.plan import error_result
from emu.cosim.rtl_plan import RtlPlan
from emu.errors import EmuError
from emu.table import load
from emu.trace.events import Event


@cocotb.test()
async def rtl_in_path(dut: HierarchyObject) -> None:
    """Runs the plan, and writes the report."""
    plan = RtlPlan.inside()
    plan.goes_on()
    try:
        said = await _run(plan, dut)
    except EmuError as error:
        said = error_result(error)
    plan.results.write_text(json.dumps(said) + "\n", encoding="utf-8")


async def _run(plan: RtlPlan, dut: HierarchyObject) -> dict[str, object]:
    table = load(plan.table, overrides=plan.overrides)
    posted = read_posting(table, **plan.posting, seed=plan.seed)
    events: list[Event] = []
    report = await run_in_path(
        dut,
        read_binding(Path(plan.binding)),
        place_in(table, plan.stages),
        posted.described,
        seed=plan.seed,
        until_ps=posted.until_ps,
        patience_cycles=plan.patience_cycles,
        listener=events.append if plan.is_traced else None,
        watch=plan.goes_on,
    )
    return {"run": base64.b64encode(pickle.dumps((report, events))).decode("ascii")}
