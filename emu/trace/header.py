"""Header: what a trace says of the run that it is of."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from emu.table.schema import Table
from emu.time import Clock

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
    """Seed, table and version: with these the run can be repeated; then clocks and stages.

    `stages` are in the order of the path; `workload` is as in the report of the run.
    """

    version: str
    table: str
    title: str
    digest: str
    seed: int
    workload: dict[str, Any]
    clocks: tuple[Clock, ...]
    stages: tuple[StageLine, ...]


def header_of(table: Table, seed: int, workload: dict[str, Any]) -> Header:
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
    )
