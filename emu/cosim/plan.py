"""Plan: all that a process with a simulator needs to know of a run, as JSON in a file."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Self

from emu.cosim.compare import Mode, Rule
from emu.cosim.stimulus import Pattern, Stimulus, read_pattern
from emu.errors import EmuError, RunError

#: Where a process with a simulator finds its plan.
VARIABLE = "EMU_COSIM_PLAN"
#: Waveform and trace show so many cycles before and after a difference.
BEFORE_CYCLES = 60
AFTER_CYCLES = 20
#: Files in the folder of the run: these two,
WAVEFORM, TRACE = "dump.vcd", "trace.vcd"
#: what the simulator said, the DUT's handshakes, what is touched as cycles go by, and what is there
#: when the run is to end as after Ctrl-C.
LOG, EVENTS, ALIVE, STOP = "simulation.log", "events.jsonl", "alive", "stop"


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
    #: Which values stand for X where the simulator has no such value: 0 or 1.
    unknown_as: int = 0

    @property
    def results(self) -> Path:
        """The file of the results, one JSON value a line."""
        return Path(self.folder) / "results.jsonl"

    def write(self, file: Path) -> None:
        """Writes it for another process."""
        file.write_text(json.dumps(asdict(self)), encoding="utf-8")

    @classmethod
    def read(cls, file: Path) -> Self:
        """The plan that another process has written; of another kind what all kinds have."""
        said = json.loads(file.read_text(encoding="utf-8"))
        return cls(**{one.name: said[one.name] for one in fields(cls)})

    @classmethod
    def inside(cls) -> Self:
        """The plan of the simulator that this process is; goes to the folder of its user."""
        plan = cls.read(Path(os.environ[VARIABLE]))
        # The simulator works in the folder that it writes to; errors name files as the user does.
        os.chdir(plan.here)
        return plan

    def goes_on(self) -> None:
        """Lets who waits outside see that time goes on inside; Ctrl-C, if there was one there."""
        folder = Path(self.folder)
        (folder / ALIVE).touch()
        stop = folder / STOP
        if not stop.exists():
            return
        stop.unlink()
        handler = signal.getsignal(signal.SIGINT)
        if not callable(handler) or handler is signal.default_int_handler:
            # A signal itself would be the simulator's, which may go on or wait for commands.
            raise KeyboardInterrupt
        signal.raise_signal(signal.SIGINT)


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
    beats: int
    answer_cycles: Sequence[int]
    left_over: int | None
    holds: bool
    patience_cycles: int
    #: Whether the DUT's handshakes are written.
    events: bool

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
            most_beats=self.beats,
            answers=(shortest, longest),
        )


def error_result(error: EmuError) -> dict[str, Any]:
    """What stands among the results for what went wrong, and whether a run had begun by then."""
    return {"error": str(error), "ran": isinstance(error, RunError)}


def _pattern(text: str) -> Pattern | None:
    return read_pattern(text) if text else None
