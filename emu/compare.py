"""Comparison: placements side by side, one request alone on each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path as FilePath
from typing import Any

from emu.breakdown import of_request, ordered, total
from emu.path import build
from emu.plan import PlanError
from emu.request import Operation, Request
from emu.run import Access, ClosedLoop
from emu.table.schema import Table

#: A phase sweep tries every picosecond of a clock period, or so many that are evenly spaced.
MOST_INSTANTS = 4096
#: Between those it looks for the instants at which the total jumps, in no more runs than this.
MOST_SEARCHED = 1024


@dataclass(frozen=True)
class StageTime:
    """One stage of one placement, in picoseconds; `parts` sums to `emulated_ps`."""

    name: str
    stage: str
    derived_ps: int
    emulated_ps: int
    start_ps: int
    parts: dict[str, int]
    derived_parts: dict[str, int]


@dataclass(frozen=True)
class Placement:
    """One request alone on one placement; `parts` sums to `emulated_ps`."""

    table: str
    title: str
    operation: str
    size_bytes: int
    derived_ps: int
    emulated_ps: int
    parts: dict[str, int]
    stages: tuple[StageTime, ...]

    @property
    def derived_parts(self) -> dict[str, int]:
        """Part to picoseconds of the derived total."""
        return total(stage.derived_parts for stage in self.stages)

    def beyond_derived(self) -> dict[str, int]:
        """What the emulated total has beyond the derived one, part by part."""
        return difference(self.parts, self.derived_parts)

    def as_json(self) -> dict[str, Any]:
        """The placement as scripts read it."""
        return {
            "table": self.table,
            "derived_ps": self.derived_ps,
            "emulated_ps": self.emulated_ps,
            "parts": self.parts,
            "stages": [
                {
                    "name": stage.name,
                    "derived_ps": stage.derived_ps,
                    "emulated_ps": stage.emulated_ps,
                    "parts": stage.parts,
                }
                for stage in self.stages
            ],
        }


@dataclass(frozen=True)
class PhaseSweep:
    """One request alone, submitted at so many instants of a clock period; times in picoseconds.

    Of a longer period not all whole picoseconds are tried: `instants` counts those that are, and
    the mean is of those that are evenly spaced.
    """

    instants: int
    period_ps: int
    least_ps: int
    mean_ps: float
    most_ps: int


def operation_on(table: Table, operation: Operation) -> Operation:
    """What the program issues for a read or write there: a load or store where it can."""
    loads = {Operation.READ: Operation.LOAD, Operation.WRITE: Operation.STORE}
    instead = loads.get(operation)
    return instead if instead is not None and instead in table.operations else operation


def place(table: Table, operation: Operation, size_bytes: int) -> Placement:
    """Derives and emulates one request alone, submitted at time 0 on a fresh path.

    `PlanError` if the table has no such operation.
    """
    issued = operation_on(table, operation)
    derived = build(table).derived(issued, size_bytes)
    request = _alone(table, issued, size_bytes, 0)
    stages: list[StageTime] = []
    at_ps = 0
    hops = list(zip(derived, of_request(request), strict=True))
    for _, several in groupby(hops, key=lambda both: both[0][0].entry):
        of_stage = list(several)
        hop = of_stage[0][0][0]
        derived_parts = total(parts for (_, parts), _ in of_stage)
        parts = total(parts for _, parts in of_stage)
        stage = StageTime(
            name=hop.name,
            stage=hop.kind,
            derived_ps=sum(derived_parts.values()),
            emulated_ps=sum(parts.values()),
            start_ps=at_ps,
            parts=parts,
            derived_parts=derived_parts,
        )
        stages.append(stage)
        at_ps += stage.emulated_ps
    return Placement(
        table=table.name,
        title=table.head.title,
        operation=issued.value,
        size_bytes=size_bytes,
        derived_ps=sum(stage.derived_ps for stage in stages),
        emulated_ps=request.latency_ps,
        parts=total(stage.parts for stage in stages),
        stages=tuple(stages),
    )


def place_all(
    tables: Iterable[Table], operation: Operation, size_bytes: int
) -> tuple[list[Placement], dict[str, str]]:
    """Places each table that has the operation; of the others, table name to the reason."""
    placements: list[Placement] = []
    left_out: dict[str, str] = {}
    for table in tables:
        try:
            placements.append(place(table, operation, size_bytes))
        except PlanError as reason:
            left_out[table.name] = str(reason)
    return placements, left_out


def phase_sweep(table: Table, operation: Operation, size_bytes: int) -> PhaseSweep:
    """Emulates one request alone, submitted at instants of a period of the slowest clock.

    Every whole picosecond; of a long period some that are evenly spaced, and those on both sides
    of each jump of the total between them, as far as `MOST_SEARCHED` runs find it.
    """
    issued = operation_on(table, operation)
    periods_ps = [clock.period_ps for clock in build(table).clocks]
    whole_ps = max((-(-period.numerator // period.denominator) for period in periods_ps), default=1)
    found: dict[int, int] = {}

    def total_ps(instant_ps: int) -> int:
        if instant_ps not in found:
            found[instant_ps] = _alone(table, issued, size_bytes, instant_ps).latency_ps
        return found[instant_ps]

    count = min(whole_ps, MOST_INSTANTS)
    spaced = [n * whole_ps // count for n in range(count)]
    mean_ps = sum(map(total_ps, spaced)) / count
    for before, after in pairwise([*spaced, whole_ps - 1]):
        while after - before > 1 and _jumps(total_ps, before, after):
            if len(found) - count >= MOST_SEARCHED:
                break
            middle = (before + after) // 2
            before, after = (
                (before, middle) if _jumps(total_ps, before, middle) else (middle, after)
            )
    return PhaseSweep(len(found), whole_ps, min(found.values()), mean_ps, max(found.values()))


def _jumps(total_ps: Callable[[int], int], before: int, after: int) -> bool:
    """Whether between the two the total does more than stay, or fall by the time between.

    What waits for an edge is complete at one instant, whenever it came.
    """
    return total_ps(before) - total_ps(after) not in (0, after - before)


def merged_names(placements: Sequence[Placement]) -> list[str]:
    """The names of all stages, each where it stands in its path as far as the paths agree."""
    merged: list[str] = []
    for placement in placements:
        at = 0
        for stage in placement.stages:
            if stage.name in merged:
                at = merged.index(stage.name) + 1
            else:
                merged.insert(at, stage.name)
                at += 1
    return merged


def same_names(named: Iterable[tuple[str | FilePath, str]]) -> list[str]:
    """What is wrong with these tables together, given as what and named how: a name stands for one.

    Results are told apart by it.
    """
    names: list[str] = []
    problems = []
    for given, name in named:
        if name in names:
            problems.append(f"{given}: there are two tables {name}; expected each once")
        names.append(name)
    return problems


def difference(parts: dict[str, int], other: dict[str, int]) -> dict[str, int]:
    """`parts` less `other`, part by part; what is the same is left out."""
    keys = {**parts, **other}
    return ordered({part: parts.get(part, 0) - other.get(part, 0) for part in keys})


def stage_differences(slow: Placement, fast: Placement) -> dict[str, dict[str, int]]:
    """Stage to part to picoseconds that `slow` has derived beyond `fast`; equal stages left out.

    The sum of all is the difference of the two derived totals.
    """
    parts = [
        {stage.name: stage.derived_parts for stage in placement.stages}
        for placement in (slow, fast)
    ]
    rows = {
        name: difference(parts[0].get(name, {}), parts[1].get(name, {}))
        for name in merged_names((slow, fast))
    }
    return {name: row for name, row in rows.items() if row}


def beyond_difference(slow: Placement, fast: Placement) -> dict[str, int]:
    """Part to picoseconds that the difference of the emulated totals has beyond the derived one."""
    return difference(slow.beyond_derived(), fast.beyond_derived())


def _alone(table: Table, operation: Operation, size_bytes: int, submitted_ps: int) -> Request:
    done: list[Request] = []
    loop = ClosedLoop(
        build(table),
        [Access(operation, size_bytes, 0)],
        outstanding=1,
        start_ps=submitted_ps,
        on_complete=done.append,
    )
    loop.run()
    return done[0]
