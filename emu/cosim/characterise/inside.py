"""What runs inside the simulator: the experiments of a plan."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cocotb
from cocotb.handle import HierarchyObject

from emu.cosim.binding import read_binding
from emu.cosim.characterise.measure import Characterise
from emu.cosim.characterise.plan import Plan
from emu.cosim.plan import error_result
from emu.errors import EmuError


@cocotb.test()
async def characterise(dut: HierarchyObject) -> None:
    """Measures the DUT, checks the table that follows from it, and writes both."""
    plan = Plan.inside()
    plan.goes_on()
    said: dict[str, Any]
    try:
        run = Characterise(
            dut,
            read_binding(Path(plan.binding)),
            parameters=plan.parameters,
            counting=plan.counting,
            limits=plan.limits,
            patience_cycles=plan.patience_cycles,
            requests=plan.requests,
            seeds=plan.seeds,
            watch=plan.goes_on,
        )
        said = (await run.run()).for_process()
    except EmuError as error:
        said = error_result(error)
    plan.results.write_text(json.dumps(said) + "\n", encoding="utf-8")
