"""`emu compare`: placements side by side."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from emu.cli import INTERRUPTED
from emu.cli.options import (
    JsonOption,
    OpOption,
    OptionError,
    SizeOption,
    load_all,
    nanoseconds,
    rate,
    read_operation,
    read_size,
)
from emu.cli.output import print_json, print_table, print_text
from emu.compare import (
    PhaseSweep,
    Placement,
    merged_names,
    operation_on,
    phase_sweep,
    place_all,
    stage_differences,
)
from emu.path import build
from emu.report import Report

#: What is compared when no table is named.
FOUR_PLACEMENTS = ("pcie_nic", "nic_processor", "ub_async", "ub_load")
ABSENT = "–"
#: How many requests a run under load posts, unless it is said.
REQUESTS = 10_000


def register(app: typer.Typer) -> None:
    """Adds the command to the `emu` command line."""
    app.command("compare")(compare)


def compare(
    tables: Annotated[
        list[str] | None,
        typer.Argument(metavar="TABLE", help="Shipped tables by name, or your own as files."),
    ] = None,
    op: OpOption = None,
    size: SizeOption = "64",
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw a waterfall of the stages: .png, .svg or .pdf."),
    ] = None,
    sweep: Annotated[
        bool,
        typer.Option(
            "--phase-sweep",
            help="Also submit at every instant of a clock period: least, mean and most.",
        ),
    ] = False,
    outstanding: Annotated[
        int | None,
        typer.Option(min=1, help="Also run each placement with so many requests open at a time."),
    ] = None,
    requests: Annotated[
        int | None,
        typer.Option(min=1, help=f"How many requests that run posts; {REQUESTS} without it."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Compare controller placements for one remote memory access, and say why one is faster.

    Without a table: the four placements pcie_nic, nic_processor, ub_async and ub_load. A read is a
    load, and a write a store, where the processor issues loads and stores. [bold]Derived[/bold] is
    the sum straight from the table; [bold]emulated[/bold] is what the clocked path does with one
    request submitted at time 0.

    Examples:

      emu compare

      emu compare --op write --size 4KiB --plot write.png

      emu compare openurma_loadstore ub_load

      emu compare --outstanding 1024 --requests 20000
    """
    if requests is not None and outstanding is None:
        raise OptionError("--requests without --outstanding; expected both, or --outstanding alone")
    word = op or "read"
    operation = read_operation(word)
    size_bytes = read_size(size)
    loaded = load_all(list(tables or FOUR_PLACEMENTS))
    placements, left_out = place_all(loaded, operation, size_bytes)
    if not placements:
        raise OptionError("\n".join(left_out.values()))
    placed = {placement.table for placement in placements}
    sweeps = (
        {t.name: phase_sweep(t, operation, size_bytes) for t in loaded if t.name in placed}
        if sweep
        else {}
    )
    reports = {}
    if outstanding is not None:
        for one in loaded:
            if one.name in placed:
                reports[one.name] = build(one).run(
                    operation=operation_on(one, operation),
                    size_bytes=size_bytes,
                    requests=requests or REQUESTS,
                    outstanding=outstanding,
                )
                if reports[one.name].interrupted:
                    sys.exit(INTERRUPTED)
    if plot is not None:
        from emu.plot import waterfall  # matplotlib is slow to import

        waterfall(placements, plot)
    if as_json:
        print_json(_as_json(word, size_bytes, placements, left_out, sweeps, reports))
        return
    print_text(f"one {word} of {size_bytes} B, alone; all times in ns", "bold")
    print_text()
    _print_stages(placements)
    if len(placements) == 2:
        _print_pair(*sorted(placements, key=lambda placement: -placement.derived_ps))
    elif len(placements) > 2:
        _print_reasons(placements)
    if sweeps:
        _print_sweeps(sweeps)
    if reports:
        _print_load(reports)
    for reason in left_out.values():
        print_text(f"left out: {reason}")
    if plot is not None:
        print_text(f"picture: {plot}")


def _as_json(
    word: str,
    size_bytes: int,
    placements: list[Placement],
    left_out: dict[str, str],
    sweeps: dict[str, PhaseSweep],
    reports: dict[str, Report],
) -> dict[str, Any]:
    rows = []
    for placement in placements:
        row = placement.as_json()
        if placement.table in sweeps:
            swept = sweeps[placement.table]
            row["phase_sweep"] = {
                "instants": swept.instants,
                "period_ps": swept.period_ps,
                "least_ps": swept.least_ps,
                "mean_ps": swept.mean_ps,
                "most_ps": swept.most_ps,
            }
        if placement.table in reports:
            row["load"] = _load_as_json(reports[placement.table])
        rows.append(row)
    return {
        "operation": word,
        "bytes": size_bytes,
        "placements": rows,
        "left_out": [{"table": name, "reason": reason} for name, reason in left_out.items()],
    }


def _load_as_json(report: Report) -> dict[str, Any]:
    latencies = report.latencies_ps()
    return {
        "outstanding": report.workload["outstanding"],
        "requests": report.requests,
        "delivered": report.delivered,
        "rate_per_s": report.rate_per_s,
        "latency_ps": {"mean": latencies["mean"], "p99": latencies["p99"]},
        "binds": report.binds(),
    }


def _print_stages(placements: list[Placement]) -> None:
    rows: list[list[str]] = []
    by_name = [
        {stage.name: stage.derived_ps for stage in placement.stages} for placement in placements
    ]
    idle = _without_time(placements)
    for name in merged_names(placements):
        if name not in idle:
            cells = [nanoseconds(times[name]) if name in times else ABSENT for times in by_name]
            rows.append([name, *cells])
    strong = [len(rows)]
    rows.append(["derived total", *(nanoseconds(p.derived_ps) for p in placements)])
    beyond = [placement.beyond_derived() for placement in placements]
    for part in dict.fromkeys(part for parts in beyond for part in parts):
        label = f"+ {part}"
        if part == "service" and all(_is_cut(placement) for placement in placements):
            label += " (edges on whole ps)"
        cells = [nanoseconds(parts[part]) if part in parts else ABSENT for parts in beyond]
        rows.append([label, *cells])
    strong.append(len(rows))
    rows.append(["emulated total", *(nanoseconds(p.emulated_ps) for p in placements)])
    fastest_ps = min(placement.emulated_ps for placement in placements)
    rows.append(["ratio to the fastest", *(_ratio(p.emulated_ps, fastest_ps) for p in placements)])
    print_table(["stage", *(p.table for p in placements)], rows, strong_rows=strong)
    if idle:
        print_text(f"without time here: {', '.join(idle)}")


def _is_cut(placement: Placement) -> bool:
    """Whether cut edges, a picosecond a stage, are all that service has beyond what is derived."""
    return abs(placement.beyond_derived().get("service", 0)) <= len(placement.stages)


def _without_time(placements: list[Placement]) -> list[str]:
    """The stages that take no time on any placement."""
    stages = [stage for placement in placements for stage in placement.stages]
    timed = {stage.name for stage in stages if stage.derived_ps or stage.emulated_ps}
    return [name for name in merged_names(placements) if name not in timed]


def _ratio(time_ps: int, fastest_ps: int) -> str:
    return f"{time_ps / fastest_ps:.2f}" if fastest_ps else ABSENT


def _print_pair(slow: Placement, fast: Placement) -> None:
    """Stage by stage and part by part, where the slower placement's extra time is."""
    rows_by_stage = stage_differences(slow, fast)
    parts = list(dict.fromkeys(part for row in rows_by_stage.values() for part in row))
    rows = [
        [
            name,
            *(nanoseconds(row[part]) if part in row else "" for part in parts),
            nanoseconds(sum(row.values())),
        ]
        for name, row in rows_by_stage.items()
    ]
    sums = [sum(row.get(part, 0) for row in rows_by_stage.values()) for part in parts]
    rows.append(["derived difference", *map(nanoseconds, sums), nanoseconds(sum(sums))])
    print_text()
    print_table(
        ["stage", *parts, "sum"],
        rows,
        title=f"where {slow.table} spends {nanoseconds(sum(sums))} ns more than {fast.table}",
        strong_rows=[len(rows) - 1],
    )
    print_text(
        f"emulated difference: {nanoseconds(slow.emulated_ps - fast.emulated_ps)} ns; "
        f"alignment to clock edges makes up the rest"
    )


def _print_reasons(placements: list[Placement]) -> None:
    """For each slower placement the stages that make it so, largest first."""
    fastest = min(placements, key=lambda placement: placement.derived_ps)
    print_text()
    print_text(f"why {fastest.table} is fastest (derived, ns):", "bold")
    for slow in placements:
        if slow is fastest:
            continue
        rows = {name: sum(row.values()) for name, row in stage_differences(slow, fastest).items()}
        listed = sorted(rows.items(), key=lambda row: (-abs(row[1]), row[0]))
        terms = ", ".join(f"{name} {'+' if ps > 0 else ''}{nanoseconds(ps)}" for name, ps in listed)
        print_text(f"  {slow.table} +{nanoseconds(slow.derived_ps - fastest.derived_ps)}: {terms}")


def _print_sweeps(sweeps: dict[str, PhaseSweep]) -> None:
    rows = [
        [
            name,
            str(swept.instants),
            nanoseconds(swept.least_ps),
            f"{swept.mean_ps / 1000:.3f}",
            nanoseconds(swept.most_ps),
        ]
        for name, swept in sweeps.items()
    ]
    print_text()
    print_table(
        ["emulated total", "instants", "least", "mean", "most"],
        rows,
        title="submitted at every instant of a period of the slowest clock",
    )


def _print_load(reports: dict[str, Report]) -> None:
    """A row a placement: how fast it goes with many requests inside, and what it is that binds."""
    rows = []
    for name, report in reports.items():
        latencies = report.latencies_ps()
        mean_ps, p99_ps = latencies["mean"], latencies["p99"]
        busiest = report.busiest
        rows.append(
            [
                name,
                rate(report.rate_per_s),
                ABSENT if mean_ps is None else f"{mean_ps / 1000:.3f}",
                ABSENT if p99_ps is None else f"{p99_ps / 1000:.3f}",
                ABSENT if busiest is None else busiest,
                ABSENT if busiest is None else f"{report.utilisation[busiest]:.1%}",
                report.largest_part or ABSENT,
            ]
        )
    one = next(iter(reports.values()))
    print_text()
    print_table(
        ["under load", "rate", "mean", "99th", "binds", "in use", "beyond service, most goes to"],
        rows,
        title=f"{one.requests} requests, {one.workload['outstanding']} outstanding; times in ns",
    )
