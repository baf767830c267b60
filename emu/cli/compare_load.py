"""What `emu compare` does under load: a run of each placement, and what binds it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from emu.cli.options import rate, say_compiling
from emu.cli.output import print_table, print_text
from emu.compare import operation_on
from emu.engines import Engine
from emu.errors import EmuError
from emu.path import Path
from emu.profile import profile
from emu.report import Report
from emu.request import Operation
from emu.run import run_on
from emu.table.schema import Table
from emu.utilisation import Used
from emu.workload.build import closed_loop

ABSENT = "–"


@dataclass
class Loads:
    """The runs of placements under load: reports by table, and errors where a run did not end."""

    outstanding: int
    requests: int
    reports: dict[str, Report] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    #: Ctrl-C came; what had been run by then is here.
    interrupted: bool = False


def run_loads(
    tables: Iterable[Table],
    operation: Operation,
    size_bytes: int,
    outstanding: int,
    requests: int,
    engine: Engine,
) -> Loads:
    """Runs so many requests through a fresh path of each table, so many of them open at a time."""
    loads = Loads(outstanding, requests)
    for table in tables:
        posted = closed_loop((operation_on(table, operation), size_bytes), outstanding, requests)
        try:
            report = run_on(engine, Path(table), posted, compiling=say_compiling)
        except EmuError as error:
            loads.failures[table.name] = str(error)
            continue
        except KeyboardInterrupt:
            loads.interrupted = True  # before the run itself began
            break
        if report.interrupted:
            loads.interrupted = True
            break
        loads.reports[table.name] = report
    return loads


def load_as_json(loads: Loads, table: str) -> dict[str, Any] | None:
    """The run of one table as scripts read it; `None` if Ctrl-C came before its end."""
    posted = {"outstanding": loads.outstanding, "requests": loads.requests}
    if table in loads.failures:
        return {**posted, "error": loads.failures[table]}
    report = loads.reports.get(table)
    if report is None:
        return None
    latencies = report.latencies_ps()
    profiled = profile(report)
    return {
        **posted,
        "engine": report.engine,
        "engine_prevented": report.prevented,
        "delivered": report.delivered,
        "rate_per_s": report.rate_per_s,
        "latency_ps": {"mean": latencies["mean"], "p99": latencies["p99"]},
        "binds": _used_as_json(profiled.binds),
        "most_used": _used_as_json(profiled.binds or profiled.following),
        "waits_most_for": report.largest_part,
    }


def _used_as_json(used: Used | None) -> dict[str, Any] | None:
    if used is None:
        return None
    return {"name": used.name, "kind": used.kind, "utilisation": used.utilisation}


def print_loads(loads: Loads) -> None:
    """A row a placement: how fast it goes with many requests inside, and what it is that binds."""
    rows = []
    for name, report in loads.reports.items():
        latencies = report.latencies_ps()
        mean_ps, p99_ps = latencies["mean"], latencies["p99"]
        profiled = profile(report)
        binds, most_used = profiled.binds, profiled.binds or profiled.following
        rows.append(
            [
                name,
                rate(report.rate_per_s),
                ABSENT if mean_ps is None else f"{mean_ps / 1000:.3f}",
                ABSENT if p99_ps is None else f"{p99_ps / 1000:.3f}",
                "nothing is full" if binds is None else binds.name,
                ABSENT if most_used is None else most_used.name,
                ABSENT if most_used is None else f"{most_used.utilisation:.1%}",
                report.largest_part or ABSENT,
                report.engine,
            ]
        )
    print_text()
    if rows:
        print_table(
            [
                *("under load", "rate", "mean", "99th", "binds", "most used", "in use"),
                *("beyond service, most goes to", "engine"),
            ],
            rows,
            title=f"{loads.requests} requests, {loads.outstanding} outstanding; times in ns",
        )
    for name, report in loads.reports.items():
        if report.prevented is not None:
            print_text(f"{name} is not on the fast engine: {report.prevented}")
    for name, error in loads.failures.items():
        print_text(f"{name} does not run under load: {error}")
    if loads.interrupted:
        print_text("interrupted: this is what had been run by then", "bold")
