"""Plan: all that a process with a simulator needs to know to characterise a DUT."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from emu.cosim.plan import Simulation

#: For so long an idle DUT may do nothing before it is given up.
PATIENCE_CYCLES = 2000
#: Requests of each run that checks the table, and how many runs.
REQUESTS = 300
SEEDS = 3


@dataclass(frozen=True, kw_only=True)
class Plan(Simulation):
    """Experiments with a DUT, and runs that check the table."""

    module: str = "emu.cosim.characterise.inside"
    #: Fields of a request that are its number; all others are 0.
    counting: Sequence[str]
    #: To how many values a field is held.
    limits: Mapping[str, int]
    patience_cycles: int
    #: Requests of each run that checks the table, and the seeds of these runs.
    requests: int
    seeds: Sequence[int]
