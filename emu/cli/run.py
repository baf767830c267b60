"""`emu run`: many requests through one placement."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from emu.cli import INTERRUPTED
from emu.cli.marks import print_unkept_marks
from emu.cli.options import (
    EngineOption,
    JsonOption,
    OpOption,
    SetOption,
    nanoseconds,
    rate,
    read_engine,
    say_compiling,
)
from emu.cli.output import print_json, print_table, print_text
from emu.cli.posting import (
    OutstandingOption,
    PostedSizeOption,
    RequestsOption,
    SeedOption,
    TableArgument,
    UntilOption,
    WorkloadOption,
    read_posting,
)
from emu.path import Path as EmulatedPath
from emu.profile import Profile, profile
from emu.report import Report
from emu.run import run_on
from emu.table import load
from emu.time import format_time
from emu.utilisation import Used

#: How many of the most used stages and resources the text names.
MOST_USED = 5


def register(app: typer.Typer) -> None:
    """Adds the command to the `emu` command line."""
    app.command("run")(run)


def run(
    table: TableArgument,
    op: OpOption = None,
    size: PostedSizeOption = None,
    requests: RequestsOption = None,
    outstanding: OutstandingOption = None,
    workload: WorkloadOption = None,
    until: UntilOption = None,
    seed: SeedOption = 1,
    overrides: SetOption = None,
    engine: EngineOption = "auto",
    profiled: Annotated[
        bool,
        typer.Option(
            "--profile",
            help="Say which stage or resource binds, and how much room every other one has.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Run requests through one path: latency, rate, where the time went, and what limits it.

    Addresses step through memory by the size. Without --op: a read, or a load on a placement
    whose processor issues loads and stores.

    Examples:

      emu run pcie_nic --requests 100000 --outstanding 64

      emu run ub_async --op write --size 4KiB --set wire.latency='75 ns'

      emu run pcie_nic --workload '{kind: open, rate: 40 M/s, arrivals: poisson}' --until '1 ms'

      emu run kv_direct --outstanding 400 --requests 100000 --profile
    """
    chosen = read_engine(engine)
    loaded = load(table, overrides=overrides or [])
    posted = read_posting(
        loaded,
        op=op,
        size=size,
        requests=requests,
        outstanding=outstanding,
        workload=workload,
        until=until,
        seed=seed,
    )
    try:
        report = run_on(
            chosen,
            EmulatedPath(loaded, seed),
            posted.described,
            until_ps=posted.until_ps,
            compiling=say_compiling,
        )
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)  # before the run itself began
    if as_json:
        named = {} if report.kind is None else {"operation": posted.word}
        more = {"profile": profile(report).as_json()} if profiled else {}
        print_json({**report.as_json(), **named, **more})
    else:
        print_report(report, posted.word, workload, profile(report) if profiled else None)
    if report.interrupted:
        sys.exit(INTERRUPTED)


def print_report(
    report: Report, word: str, workload: str | None, profiled: Profile | None = None
) -> None:
    """Prints a report of requests whose operation the user calls `word`."""
    count = "" if report.requests is None else f"{report.requests} x "
    what = "a mix" if report.kind is None else f"{word} of {report.kind[1]} B"
    how = workload or f"{report.workload['outstanding']} outstanding"
    print_text(f"{report.table}: {count}{what}, {how}, {report.engine} engine", "bold")
    if report.prevented is not None:
        print_text(f"not on the fast engine: {report.prevented}")
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
    print_text(f"rate: {rate(report.rate_per_s) if report.delivered else 'nothing was delivered'}")
    print_text(
        f"posted {report.posted} = delivered {report.delivered} + dropped {report.dropped} "
        f"+ in flight {report.in_flight}"
    )
    for what, where in (("dropped", report.dropped_at), ("still inside", report.in_flight_at)):
        if where:
            places = ", ".join(f"{count} at {stage}" for stage, count in where.items())
            print_text(f"{what}: {places}")
    print_unkept_marks(report)
    if not report.used and not report.delivered:
        return
    print_text()
    if report.delivered:
        _print_parts(report)
        print_text()
    if profiled is None:
        _print_limits(report)
    else:
        _print_profile(report, profiled)


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
        print_text("  no stage and no resource whose use is counted")
    _print_waits(report)


def _print_waits(report: Report) -> None:
    part = report.largest_part
    if part is not None and report.latency.sum:
        share = report.parts[part] / report.latency.sum
        print_text(f"  beyond service, most time goes to {part}: {share:.1%} of the latency")
    if report.in_flight_mean is not None:
        print_text(f"  in flight on average: {report.in_flight_mean:.4g}")


def _print_profile(report: Report, profiled: Profile) -> None:
    """What binds and by how much, then all that can be used up, most used first."""
    print_text("profile", "bold")
    binds, following = profiled.binds, profiled.following
    if binds is None:
        print_text(
            "  nothing counted is full: what is posted, and how long it takes, makes the rate"
        )
    else:
        print_text(f"  binds: {_in_use(binds)}")
    for one in profiled.full_too:
        print_text(f"  full as well: {_in_use(one)}")
    if following is not None:
        room = _room(following, report)
        print_text(f"  {'most used' if binds is None else 'next'}: {_in_use(following)}{room}")
    _print_waits(report)
    print_text()
    rows = []
    for one in profiled.used:
        held = f"{one.utilisation * one.capacity:.4g} of {one.capacity}" if one.is_held else ""
        full_at = one.full_at_per_s(profiled.delivered)
        said = "" if full_at is None else rate(full_at)
        rows.append([one.name, one.kind, f"{one.utilisation:.1%}", held, said])
    if rows:
        print_table(["", "kind", "in use", "held on average", "full at"], rows, left=2)
    if any(one.is_held for one in profiled.used):
        print_text("full at, of depths and pools: if they are held as long as in this run")
    if any(one.filled != 1 for one in profiled.used):
        print_text("full at, of stages that take several together: if they always get so many")
    if profiled.uncounted:
        print_text(f"with no limit that is counted: {', '.join(profiled.uncounted)}")


def _room(one: Used, report: Report) -> str:
    full_at, now = one.full_at_per_s(report.delivered), report.rate_per_s
    if full_at is None or not now:
        return ""
    return f"; full at {full_at / now:.3g} times the rate of this run"


def _in_use(one: Used) -> str:
    return f"{one.name} ({one.kind}), in use {one.utilisation:.1%} of the time"


def _mean(time_ps: int | None, report: Report) -> str:
    return f"{time_ps / report.delivered / 1000:.3f}" if time_ps else ""
