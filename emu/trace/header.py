"""Header: what a trace says of the run that it is of."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import Any

from emu.table.schema import Table
from emu.time import Clock
from emu.trace.filter import Filter

DISTRIBUTION = "rdma-path-emu"


@dataclass(frozen=True, slots=True)
class StageLine:
    """A stage of the path: its name in the table, its kind, the end it stands at, its clock."""

    name: str
    kind: str
    at: str
    clock: str


@dataclass(frozen=True, slots=True)
class Header:
    """What the run can be repeated with, then clocks, stages, and what is left out of the trace.

    `stages` are in the order of the path; `workload` is as in the report of the run, and `run` what
    the options said beside it. Of all events those are told that pass each of the `filters`.
    """

    version: str
    table: str
    title: str
    digest: str
    seed: int
    workload: dict[str, Any]
    clocks: tuple[Clock, ...]
    stages: tuple[StageLine, ...]
    run: dict[str, Any] = field(default_factory=dict)
    filters: tuple[Filter, ...] = ()

    @property
    def from_ps(self) -> int:
        """When the window of the trace begins."""
        return max((one.from_ps for one in self.filters), default=0)

    def filtered(self, wanted: Filter) -> Header:
        """The header of what passes one more filter."""
        if wanted == Filter():
            return self
        return replace(self, filters=(*self.filters, wanted))


def header_of(
    table: Table, seed: int, workload: dict[str, Any], run: dict[str, Any] | None = None
) -> Header:
    """The header of a run of `workload` over a path made from `table`."""
    return Header(
        version=version(DISTRIBUTION),
        table=table.name,
        title=table.head.title,
        digest=table.digest,
        seed=seed,
        workload=workload,
        clocks=tuple(table.clocks.values()),
        stages=tuple(
            StageLine(
                entry.name,
                entry.timing.stage,
                entry.timing.at or "",
                entry.timing.clock or "",
            )
            for entry in table.entries
        ),
        run=run or {},
    )
