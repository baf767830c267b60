"""`emu run`: many requests through one placement."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from emu.cli import INTERRUPTED
from emu.cli.options import (
    JsonOption,
    OpOption,
    OptionError,
    SetOption,
    default_operation,
    nanoseconds,
    rate,
    read_operation,
    read_size,
)
from emu.cli.output import print_json, print_table, print_text
from emu.errors import EmuError
from emu.path import Path as EmulatedPath
from emu.report import Report
from emu.run import run_workload
from emu.table import load
from emu.time import format_time
from emu.units import parse_time
from emu.workload.build import closed_loop, described, says_kinds
from emu.workload.read import read_workload
from emu.workload.schema import BurstSpec, ReplaySpec

REQUESTS = 1000
SIZE = "64"
#: How many of the most used stages and resources the text names.
MOST_USED = 5


def register(app: typer.Typer) -> None:
    """Adds the command to the `emu` command line."""
    app.command("run")(run)


def run(
    table: Annotated[str, typer.Argument(help="A shipped table by name, or your own as a file.")],
    op: OpOption = None,
    size: Annotated[
        str | None,
        typer.Option(
            metavar="BYTES", help=f"Bytes moved: `64`, `'64 B'` or `4KiB`; {SIZE} without it."
        ),
    ] = None,
    requests: Annotated[
        int | None,
        typer.Option(
            min=1,
            help=f"How many requests in all; {REQUESTS} without it and without --until, and all "
            "of a file that is replayed.",
        ),
    ] = None,
    outstanding: Annotated[
        int | None,
        typer.Option(min=1, help="How many the program keeps open at a time; 1 without it."),
    ] = None,
    workload: Annotated[
        str | None,
        typer.Option(
            metavar="WORKLOAD",
            help="What is posted and when: a YAML mapping, as in '{kind: open, rate: 10 M/s}', a "
            ".yaml file with one, or a .csv or .jsonl file to replay.",
        ),
    ] = None,
    until: Annotated[
        str | None, typer.Option(metavar="TIME", help="Stop there, as in `'100 us'`.")
    ] = None,
    seed: Annotated[int, typer.Option(help="What all random numbers come from.")] = 1,
    overrides: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run requests through one path: latency, rate, where the time went, and what limits it.

    Addresses step through memory by the size. Without --op: a read, or a load on a placement
    whose processor issues loads and stores.

    Examples:

      emu run pcie_nic --requests 100000 --outstanding 64

      emu run ub_async --op write --size 4KiB --set wire.latency='75 ns'

      emu run pcie_nic --workload '{kind: open, rate: 40 M/s, arrivals: poisson}' --until '1 ms'
    """
    loaded = load(table, overrides=overrides or [])
    until_ps = None if until is None else _read_until(until)
    word = op or default_operation(loaded)
    kind = (read_operation(word), read_size(size or SIZE))
    if workload is None:
        limit = requests or (REQUESTS if until is None else None)
        posted = closed_loop(kind, outstanding or 1, limit)
    else:
        if outstanding is not None:
            raise OptionError("--outstanding beside --workload; expected one of the two")
        spec, said = read_workload(workload)
        if says_kinds(spec) and (op is not None or size is not None):
            what = "--op" if op is not None else "--size"
            raise OptionError(f"{what} beside a workload that says so itself; expected one of both")
        endless = isinstance(spec, ReplaySpec) or (
            until is not None and not isinstance(spec, BurstSpec)
        )
        limit = requests or (None if endless else REQUESTS)
        posted = described(spec, said, kind, seed, limit)
        word = posted.kind[0].value if posted.kind is not None and says_kinds(spec) else word
    report = run_workload(EmulatedPath(loaded, seed), posted, until_ps=until_ps)
    if as_json:
        named = {} if report.kind is None else {"operation": word}
        print_json({**report.as_json(), **named})
    else:
        _print_report(report, word, workload)
    if report.interrupted:
        sys.exit(INTERRUPTED)


def _read_until(text: str) -> int:
    try:
        return parse_time(text)
    except EmuError as error:
        raise OptionError(f"--until {text}: {error}") from error


def _print_report(report: Report, word: str, workload: str | None) -> None:
    count = "" if report.requests is None else f"{report.requests} x "
    what = "a mix" if report.kind is None else f"{word} of {report.kind[1]} B"
    how = workload or f"{report.workload['outstanding']} outstanding"
    print_text(f"{report.table}: {count}{what}, {how}, {report.engine} engine", "bold")
    if report.interrupted:
        print_text("interrupted: this is what had been delivered by then", "bold")
    elif report.in_flight and report.until_ps is not None:
        print_text(f"stopped at {format_time(report.until_ps)}", "bold")
    print_text()
    latencies = report.latencies_ps()
    names = {"mean": "mean", "p50": "median", "p99": "99th", "p999": "99.9th", "max": "largest"}
    cells = [f"{v / 1000:.3f}" if v is not None else "" for v in latencies.values()]
    print_table(["", *(names[key] for key in latencies)], [["latency (ns)", *cells]])
    print_text()
    print_text(f"rate: {rate(report.rate_per_s)}")
    print_text(
        f"posted {report.posted} = delivered {report.delivered} + dropped {report.dropped} "
        f"+ in flight {report.in_flight}"
    )
    for what, where in (("dropped", report.dropped_at), ("still inside", report.in_flight_at)):
        if where:
            places = ", ".join(f"{count} at {stage}" for stage, count in where.items())
            print_text(f"{what}: {places}")
    if not report.delivered:
        return
    print_text()
    _print_parts(report)
    print_text()
    _print_limits(report)


def _print_parts(report: Report) -> None:
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
    print_table(
        ["stage", *parts, "sum"],
        rows,
        title="where the time went (ns a request, mean)",
        strong_rows=[len(rows) - 1],
    )
    if report.derived_ps is not None:
        print_text(f"derived, one alone: {nanoseconds(report.derived_ps)} ns")


def _print_limits(report: Report) -> None:
    """What is used most, and what requests wait for most."""
    print_text("what limits it", "bold")
    used = [item for item in report.utilisation.items() if item[1]]
    for name, fraction in sorted(used, key=lambda item: -item[1])[:MOST_USED]:
        print_text(f"  {name} is in use {fraction:.1%} of the time")
    if not used:
        print_text("  no stage and no resource: each takes any number of requests at once")
    part = report.largest_part
    if part is not None:
        share = report.parts[part] / report.latency.sum
        print_text(f"  beyond service, most time goes to {part}: {share:.1%} of the latency")
    if report.in_flight_mean is not None:
        print_text(f"  in flight on average: {report.in_flight_mean:.4g}")


def _mean(time_ps: int | None, report: Report) -> str:
    return f"{time_ps / report.delivered / 1000:.3f}" if time_ps else ""
