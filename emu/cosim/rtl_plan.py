"""Plan of a run with RTL in the path, as JSON in a file for the process with the simulator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
