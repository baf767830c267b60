"""Requests a second of the compiled engine, on one core, beside SimPy and the reference engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from emu.engines import Engine
from emu.path import build
from emu.report import Report
from emu.request import Operation
from emu.run import run_on
from emu.table import load
from emu.workload.build import Described, described
from emu.workload.schema import ClosedSpec, DestinationPick, Pick
from testbenches.bench import simpy_model
from testbenches.bench.agreement import same

COLUMNS = (
    *("path", "model", "requests", "seconds", "requests/s"),
    *("times SimPy", "times the reference engine"),
)
SIMPY, REFERENCE, FAST = "SimPy", "emu, reference engine", "emu, compiled engine"
#: What the compiled engine must reach through all of a path, and how often SimPy's rate.
LINE_PER_S = 2_000_000
TIMES_SIMPY = 200
#: And where a scheduler and an ordering engine decide what goes next.
ORDERED_PER_S = 500_000
#: By how much a request of a long run may take longer than one of a short run: noise, in percent.
LONGER_PERCENT = 5.0
#: Short runs are repeated, so that each round measures about as long.
SHORT_RUNS = 10


@dataclass(frozen=True, eq=False)
class Case:
    """Equal reads through a path."""

    title: str
    table: str
    size_bytes: int
    spec: ClosedSpec
    #: Of the compiled engine's runs, the shortest first.
    requests: tuple[int, ...]
    #: Whether there is a SimPy model of it.
    in_simpy: bool = False

    def described(self, requests: int) -> Described:
        """The workload."""
        return described(self.spec, {}, (Operation.READ, self.size_bytes), 1, requests)

    def run(self, engine: Engine, requests: int) -> Report:
        """One run over a fresh path."""
        return run_on(engine, build(load(self.table)), self.described(requests))


LINE = Case(
    "all of pcie_nic, 64 outstanding",
    "pcie_nic",
    64,
    ClosedSpec(kind="closed", outstanding=64),
    (10**5, 10**7),
    in_simpy=True,
)
ORDERED = Case(
    "openurma_tx: scan scheduler, ordering engine, 16 initiators with 4 outstanding each",
    "openurma_tx",
    32,
    ClosedSpec(kind="closed", outstanding=4, initiators=Pick(count=16)),
    (10**6,),
)
#: Nothing but its time is looked at.
PAIRS = Case(
    "context_pcie: a million queue pairs at random, 64 outstanding",
    "context_pcie",
    64,
    ClosedSpec(
        kind="closed",
        outstanding=64,
        per="all",
        initiators=Pick(count=1024, choose="uniform"),
        destinations=DestinationPick(count=1024, choose="uniform"),
    ),
    (10**6,),
)
CASES = (LINE, ORDERED, PAIRS)

#: Requests a second, by model and number of requests.
Rates = dict[tuple[str, int], float]


def measure(case: Case, few: int, rounds: int) -> Rates:
    """Median rates of all models by turns; those that are slow run `few` requests.

    `DisagreementError` if the engines differ.
    """
    # This compiles, too.
    same(case.run("fast", few), case.run("reference", few))
    models: list[tuple[str, int, int, Callable[[int], float]]] = [
        (REFERENCE, few, 1, lambda requests: case.run("reference", requests).wall_s),
        *(
            (
                FAST,
                requests,
                SHORT_RUNS if requests < case.requests[-1] else 1,
                lambda requests: case.run("fast", requests).wall_s,
            )
            for requests in case.requests
        ),
    ]
    if case.in_simpy:
        steps = simpy_model.steps(load(case.table), Operation.READ, case.size_bytes)
        models.append((SIMPY, few, 1, lambda requests: _simpy_s(case, steps, requests)))
    walls_s: dict[tuple[str, int], list[float]] = {}
    for _ in range(rounds):
        for name, requests, times, wall_s in models:
            walls_s.setdefault((name, requests), []).extend(wall_s(requests) for _ in range(times))
    return {key: key[1] / median(walls) for key, walls in walls_s.items()}


def _simpy_s(case: Case, steps: list[simpy_model.Step], requests: int) -> float:
    return simpy_model.run(
        steps, requests=requests, outstanding=case.spec.outstanding, every_resource=True
    ).wall_s


def rows(case: Case, rates: Rates) -> list[tuple[str, ...]]:
    """The rows of a table."""
    by_model = {name: rate for (name, _), rate in rates.items() if name != FAST}
    simpy = by_model.get(SIMPY)
    return [
        (
            case.title,
            name,
            str(requests),
            f"{requests / rate:.2f}",
            f"{rate:.0f}",
            "" if simpy is None else f"{rate / simpy:.2f}",
            f"{rate / by_model[REFERENCE]:.2f}",
        )
        for (name, requests), rate in rates.items()
    ]


def verdicts(line: Rates, ordered: Rates) -> list[tuple[str, bool, str]]:
    """What must hold, whether it does, and by what figures."""
    short, long = (line[FAST, requests] for (name, requests) in line if name == FAST)
    simpy = next(rate for (name, _), rate in line.items() if name == SIMPY)
    (decided,) = (rate for (name, _), rate in ordered.items() if name == FAST)
    slowest = min(short, long)
    return [
        (f"at least {LINE_PER_S} requests/s", slowest >= LINE_PER_S, f"{slowest:.0f} at the least"),
        (
            f"at least {TIMES_SIMPY} times as fast as SimPy",
            slowest >= TIMES_SIMPY * simpy,
            f"{slowest / simpy:.0f} at the least",
        ),
        (
            "a request of a long run takes no longer than one of a short run",
            long * (1 + LONGER_PERCENT / 100) >= short,
            f"{short / long:.3f} times as long",
        ),
        (
            f"at least {ORDERED_PER_S} requests/s through scheduler and ordering engine",
            decided >= ORDERED_PER_S,
            f"{decided:.0f}",
        ),
    ]
