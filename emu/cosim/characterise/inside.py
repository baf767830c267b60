"""What runs inside the simulator: the experiments of a plan."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import cocotb
from cocotb.handle import HierarchyObject

from emu.cosim.binding import read_binding
from emu.cosim.characterise.measure import Characterise
from emu.cosim.characterise.plan import read_plan
from emu.cosim.plan import VARIABLE
from emu.errors import EmuError, RunError


@cocotb.test()
async def characterise(dut: HierarchyObject) -> None:
    """Measures the DUT, checks the table that follows from it, and writes both."""
    plan = read_plan(Path(os.environ[VARIABLE]))
    # The simulator works in the folder that it writes to; errors name files as the user does.
    os.chdir(plan.here)
    said: dict[str, Any]
    try:
        run = Characterise(
            dut,
            read_binding(Path(plan.binding)),
            parameters=plan.parameters,
            counting=plan.counting,
            patience_cycles=plan.patience_cycles,
            requests=plan.requests,
            seeds=plan.seeds,
        )
        said = (await run.run()).for_process()
    except EmuError as error:
        said = {"error": str(error), "ran": isinstance(error, RunError)}
    plan.results.write_text(json.dumps(said) + "\n", encoding="utf-8")
