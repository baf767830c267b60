"""Plan: all that a process with a simulator needs to know of a run, as JSON in a file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from emu.cosim.compare import Mode, Rule
from emu.cosim.stimulus import Pattern, Stimulus, read_pattern

#: Where a process with a simulator finds its plan.
VARIABLE = "EMU_COSIM_PLAN"
#: Waveform and trace show so many cycles before and after a difference.
BEFORE_CYCLES = 60
AFTER_CYCLES = 20
#: Files in the folder of the run: these two,
WAVEFORM, TRACE = "dump.vcd", "trace.vcd"
#: what the simulator said, the DUT's handshakes, and what is touched as cycles go by.
LOG, EVENTS, ALIVE = "simulation.log", "events.jsonl", "alive"


@dataclass(frozen=True, kw_only=True)
class Simulation:
    """One simulation: what is built, and which module of ours runs inside."""

    module: str
    binding: str
    #: HDL files, and folders in which headers are looked for.
    sources: Sequence[str]
    top: str
    simulator: str
    #: Put over those of the binding.
    parameters: dict[str, int | str]
    #: The folder from which files are named; where builds are kept; and where this run writes.
    here: str
    builds: str
    folder: str
    waves: bool
    #: Whether the DUT's handshakes are written.
    events: bool = False
    #: Which values stand for X where the simulator has no such value: 0 or 1.
    unknown_as: int = 0

    @property
    def results(self) -> Path:
        """The file of the results, one JSON value a line."""
        return Path(self.folder) / "results.jsonl"

    def write(self, file: Path) -> None:
        """Writes it for another process."""
        file.write_text(json.dumps(asdict(self)), encoding="utf-8")


def read_simulation(file: Path) -> Simulation:
    """The simulation of a plan of any kind, that another process has written."""
    said = json.loads(file.read_text(encoding="utf-8"))
    return Simulation(**{one.name: said[one.name] for one in fields(Simulation)})


@dataclass(frozen=True, kw_only=True)
class Plan(Simulation):
    """Lockstep runs, one after another, in one simulation."""

    module: str = "emu.cosim.inside"
    table: str
    overrides: Sequence[str]
    #: One stage of the table; empty for all of it.
    stage: str
    mode: Mode
    skew_cycles: int
    requests: int
    seeds: Sequence[int]
    offer: str
    ready: str
    limits: dict[str, int]
    answer_cycles: Sequence[int]
    left_over: int | None
    holds: bool
    patience_cycles: int

    @property
    def rule(self) -> Rule:
        """When two events are equal."""
        return Rule(self.mode, self.skew_cycles)

    def stimulus(self, seed: int) -> Stimulus:
        """What is sent with a seed."""
        shortest, longest = self.answer_cycles
        return Stimulus(
            requests=self.requests,
            seed=seed,
            offer=_pattern(self.offer),
            ready=_pattern(self.ready),
            limits=tuple(self.limits.items()),
            answers=(shortest, longest),
        )


def read_plan(file: Path) -> Plan:
    """The plan that another process has written."""
    said: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return Plan(**said)


def _pattern(text: str) -> Pattern | None:
    return read_pattern(text) if text else None
