"""A test bench of a user's own that measures its DUT; see test_characterise.py."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import cocotb

from emu.cosim.binding import read_binding
from emu.cosim.characterise.measure import Characterise

FOLDER = Path(os.environ.get("OWN_BENCH", "."))


@cocotb.test()
async def the_pipeline_is_what_its_table_says(dut: Any) -> None:
    """Characterise in a cocotb test."""
    bound = read_binding(FOLDER / "pipeline.yaml")
    found = await Characterise(dut, bound, requests=60, seeds=(5,)).run()
    said = found.as_json()
    assert (said["latency_cycles"], said["depth"], said["exact"]) == (4, 4, True)
    (FOLDER / "found.yaml").write_text(found.table, encoding="utf-8")
