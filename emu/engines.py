"""Engines: which of the two runs a workload, and what both say of a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, Protocol, get_args

from emu.breakdown import Ledger
from emu.driver import Driver
from emu.errors import EmuError, RunError, did_you_mean, listed
from emu.histogram import Histogram
from emu.request import Operation
from emu.rounds import Rounds
from emu.workload import Workload

if TYPE_CHECKING:
    from emu.path import Path

#: `auto` takes the compiled engine where it can.
Engine = Literal["auto", "reference", "fast"]
ENGINES: tuple[Engine, ...] = get_args(Engine)


class EngineError(EmuError):
    """The compiled engine is asked for, and can't run this."""


class FaultError(RunError):
    """A run of the compiled engine that can't go on; the reference engine, run again, says why."""


class TooFarError(FaultError):
    """A run that goes on for longer than the compiled engine counts; the reference goes on."""


class Run(Protocol):
    """What a run over a fresh path has counted, whichever engine it is of; times in picoseconds."""

    latency: Histogram
    ledger: Ledger

    @property
    def rounds(self) -> Rounds:
        """When so many completions at a time were there."""

    def counts(self, stage: str) -> dict[str, int]:
        """What a stage with rules of its own has counted; `PathError` if there is none."""

    @property
    def posted(self) -> int:
        """How many requests were posted."""

    @property
    def marked(self) -> int:
        """How many of them with an order, a service mode or a fence."""

    @property
    def dropped(self) -> dict[str, int]:
        """Stage to how many requests it dropped."""

    @property
    def in_flight_at(self) -> dict[str, int]:
        """Stage to how many requests are still there."""

    @property
    def first_post_ps(self) -> int:
        """When the first request was posted."""

    @property
    def first_completion_ps(self) -> int:
        """When the first request was complete; 0 if none was."""

    @property
    def last_completion_ps(self) -> int:
        """When the last request was complete; 0 if none was."""

    @property
    def inside_ps(self) -> int:
        """Requests inside times picoseconds, from the first post to the last completion."""

    @property
    def changed_ps(self) -> int:
        """When a request came in or went out last."""

    @property
    def now_ps(self) -> int:
        """Up to when it has run."""


@dataclass(frozen=True, slots=True)
class Completed:
    """A request that is complete, as far as a compiled run remembers it."""

    sequence: int
    operation: Operation
    initiator: int
    submitted_ps: int
    completed_ps: int

    @property
    def latency_ps(self) -> int:
        """From submission to completion."""
        return self.completed_ps - self.submitted_ps


class Ended(Protocol):
    """What is told of a complete request; times in picoseconds."""

    @property
    def sequence(self) -> int:
        """Its number, in the order in which requests were posted."""

    @property
    def operation(self) -> Operation:
        """What it did."""

    @property
    def initiator(self) -> int:
        """Who posted it."""

    @property
    def submitted_ps(self) -> int:
        """When it was posted."""

    @property
    def completed_ps(self) -> int:
        """When it was complete."""

    @property
    def latency_ps(self) -> int:
        """From the one to the other."""


@dataclass(frozen=True, slots=True)
class Started:
    """A run that can begin: by which engine, and what prevented the compiled one, if it did."""

    run: Run
    #: Runs it to its end; and lets it end early, between two instants.
    go: Callable[[], None]
    stop: Callable[[], None]
    engine: str
    prevented: str | None = None
    is_compiled: bool = True


def cannot_run(why: str) -> str:
    """What is said where the fast engine is asked for what it can't run."""
    return f"the fast engine can't run this: {why}; expected --engine auto or reference"


def start(
    path: Path,
    workload: Workload,
    *,
    engine: Engine,
    requests: int | None = None,
    until_ps: int | None = None,
    on_complete: Callable[[Ended], None] | None = None,
) -> Started:
    """A workload over a fresh path; `EngineError` if `fast` is asked for what it can't run.

    It runs up to and including `until_ps`, or until nothing is left.
    """
    if engine not in ENGINES:
        near = did_you_mean(str(engine), ENGINES)
        raise EngineError(
            f"'{engine}' is no engine; expected {listed(ENGINES)}" + (f"; {near}" if near else "")
        )
    if until_ps is not None and until_ps < 0:
        raise EmuError(f"until_ps is {until_ps}; expected a time from 0 on")
    prevented = None
    if engine != "reference":
        from emu.fast.refusal import RefusalError  # numba is slow to import
        from emu.fast.start import is_compiled, start_fast

        try:
            run = start_fast(
                path, workload, requests=requests, until_ps=until_ps, on_complete=on_complete
            )
        except RefusalError as refusal:
            if engine == "fast":
                raise EngineError(cannot_run(str(refusal))) from None
            prevented = str(refusal)
        else:
            return Started(run, run.run, run.stop, "fast", is_compiled=is_compiled(run))
    driver = Driver(path, workload, requests=requests, on_complete=on_complete)
    return Started(driver, partial(driver.run, until_ps), driver.stop, "reference", prevented)
