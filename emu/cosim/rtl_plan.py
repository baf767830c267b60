"""Plan of a run with RTL in the path, as JSON in a file for the process with the simulator."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emu.cosim.plan import Simulation


@dataclass(frozen=True, kw_only=True)
class RtlPlan(Simulation):
    """A table, the stages of it in whose place the DUT is, and what is posted."""

    module: str = "emu.cosim.rtl_inside"
    table: str
    overrides: Sequence[str]
    stages: str
    #: In the words of `emu run`, without the seed.
    posting: dict[str, Any]
    seed: int
    patience_cycles: int
    is_traced: bool


def read_rtl_plan(file: Path) -> RtlPlan:
    """The plan that another process has written."""
    said: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return RtlPlan(**said)
