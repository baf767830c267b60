"""`emu run`: many requests through one placement."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from emu.cli.options import (
    JsonOption,
    OpOption,
    SetOption,
    SizeOption,
    default_operation,
    nanoseconds,
    read_operation,
    read_size,
)
from emu.cli.output import print_json, print_table, print_text
from emu.path import build
from emu.report import Report
from emu.table import load

INTERRUPTED = 130


def register(app: typer.Typer) -> None:
    """Adds the command to the `emu` command line."""
    app.command("run")(run)


def run(
    table: Annotated[str, typer.Argument(help="A shipped table by name, or your own as a file.")],
    op: OpOption = None,
    size: SizeOption = "64",
    requests: Annotated[int, typer.Option(min=1, help="How many requests in all.")] = 1000,
    outstanding: Annotated[
        int, typer.Option(min=1, help="How many the program keeps open at a time.")
    ] = 1,
    overrides: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run requests through one path: latency, rate, and where the time went.

    Addresses step through memory by the size. Without --op: a read, or a load on a placement
    whose processor issues loads and stores.

    Examples:

      emu run pcie_nic --requests 100000 --outstanding 64

      emu run ub_async --op write --size 4KiB --set wire.latency='75 ns'
    """
    loaded = load(table, overrides=overrides or [])
    word = op or default_operation(loaded)
    path = build(loaded)
    report = path.run(
        operation=read_operation(word),
        size_bytes=read_size(size),
        requests=requests,
        outstanding=outstanding,
    )
    if as_json:
        print_json({**report.as_json(), "operation": word})
    else:
        _print_report(report, word)
    if report.interrupted:
        sys.exit(INTERRUPTED)


def _print_report(report: Report, word: str) -> None:
    print_text(
        f"{report.table}: {report.requests} x {word} of {report.size_bytes} B, "
        f"{report.outstanding} outstanding, {report.engine} engine",
        "bold",
    )
    if report.interrupted:
        print_text("interrupted: this is what had been delivered by then", "bold")
    print_text()
    latencies = report.latencies_ps()
    names = {"mean": "mean", "p50": "median", "p99": "99th", "p999": "99.9th", "max": "largest"}
    cells = [f"{v / 1000:.3f}" if v is not None else "" for v in latencies.values()]
    print_table(["", *(names[key] for key in latencies)], [["latency (ns)", *cells]])
    print_text()
    rate = report.rate_per_s
    print_text(f"rate: {_rate(rate)}" if rate is not None else "rate: not defined for one instant")
    print_text(
        f"posted {report.posted} = delivered {report.delivered} + dropped {report.dropped} "
        f"+ in flight {report.in_flight}"
    )
    if not report.delivered:
        return
    parts = list(report.parts)
    rows = [
        [name, *(_mean(row.get(part), report) for part in parts), _mean(sum(row.values()), report)]
        for name, row in report.stages.items()
    ]
    rows.append(
        [
            "total",
            *(_mean(report.parts[part], report) for part in parts),
            _mean(sum(report.parts.values()), report),
        ]
    )
    print_text()
    print_table(
        ["stage", *parts, "sum"],
        rows,
        title="where the time went (ns a request, mean)",
        strong_rows=[len(rows) - 1],
    )
    print_text(f"derived, one alone: {nanoseconds(report.derived_ps)} ns")


def _mean(time_ps: int | None, report: Report) -> str:
    return f"{time_ps / report.delivered / 1000:.3f}" if time_ps else ""


def _rate(rate_per_s: float) -> str:
    return f"{rate_per_s / 1e6:.4g} M/s" if rate_per_s >= 1e5 else f"{rate_per_s:.4g} /s"
