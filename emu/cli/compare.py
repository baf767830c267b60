"""`emu compare`: placements side by side."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from emu.breakdown import total
from emu.cli import FAILED, INTERRUPTED
from emu.cli.compare_load import ABSENT, Loads, load_as_json, print_loads, run_loads
from emu.cli.options import (
    EngineOption,
    JsonOption,
    OpOption,
    OptionError,
    SetOption,
    SizeOption,
    load_together,
    nanoseconds,
    read_engine,
    read_operation,
    read_size,
)
from emu.cli.output import print_json, print_table, print_text
from emu.compare import (
    PhaseSweep,
    Placement,
    beyond_difference,
    merged_names,
    phase_sweep,
    place_all,
    stage_differences,
)

#: What is compared when no table is named.
FOUR_PLACEMENTS = ("pcie_nic", "nic_processor", "ub_async", "ub_load")
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
            help="Also submit at the instants of a clock period: least, mean and most.",
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
    overrides: SetOption = None,
    engine: EngineOption = "auto",
    as_json: JsonOption = False,
) -> None:
    """Compare controller placements for one remote memory access, and say why one is faster.

    Without a table: the four placements pcie_nic, nic_processor, ub_async and ub_load. A read is a
    load, and a write a store, where the processor issues loads and stores. [bold]Derived[/bold] is
    the sum straight from the table; [bold]emulated[/bold] is what the clocked path does with one
    request submitted at time 0, and by that one is the fastest. --set changes the tables that have
    what it names; --engine is for the runs with --outstanding.

    Examples:

      emu compare

      emu compare --op write --size 4KiB --plot write.png

      emu compare openurma_loadstore ub_load

      emu compare --outstanding 1024 --requests 20000

      emu compare ub_async ub_load --set 'wire_out.latency=75 ns'
    """
    if requests is not None and outstanding is None:
        raise OptionError("--requests without --outstanding; expected both, or --outstanding alone")
    chosen = read_engine(engine)
    if chosen != "auto" and outstanding is None:
        raise OptionError(
            f"--engine {chosen} without --outstanding; expected both, as one request alone runs "
            "on the reference engine"
        )
    word = op or "read"
    operation = read_operation(word)
    size_bytes = read_size(size)
    settings = overrides or []
    together = load_together(list(tables or FOUR_PLACEMENTS), settings)
    loaded = [table for table, _ in together]
    changed = {table.name: own for table, own in together}
    placements, left_out = place_all(loaded, operation, size_bytes)
    if not placements:
        raise OptionError("\n".join(left_out.values()))
    placed = [table for table in loaded if table.name not in left_out]
    sweeps = {t.name: phase_sweep(t, operation, size_bytes) for t in placed} if sweep else {}
    loads = (
        None
        if outstanding is None
        else run_loads(placed, operation, size_bytes, outstanding, requests or REQUESTS, chosen)
    )
    if plot is not None:
        from emu.plot import waterfall  # matplotlib is slow to import

        waterfall(placements, plot)
    if as_json:
        print_json(_as_json(word, size_bytes, placements, left_out, sweeps, loads, changed))
        _exit(loads)
        return
    print_text(f"one {word} of {size_bytes} B, alone; all times in ns", "bold")
    for text in settings:
        having = ", ".join(table.name for table, own in together if text in own)
        print_text(f"changed here, whatever the source says: {text}, in {having}")
    print_text()
    _print_stages(placements)
    if len(placements) == 2:
        _print_pair(*sorted(placements, key=lambda placement: -placement.emulated_ps))
    elif len(placements) > 2:
        _print_reasons(placements)
    if sweeps:
        _print_sweeps(sweeps)
    if loads is not None:
        print_loads(loads)
    for reason in left_out.values():
        print_text(f"left out: {reason}")
    if plot is not None:
        print_text(f"picture: {plot}")
    _exit(loads)


def _exit(loads: Loads | None) -> None:
    """Ends with what came of the runs under load, once all is told that is known."""
    if loads is not None and loads.interrupted:
        sys.exit(INTERRUPTED)
    if loads is not None and loads.failures:
        raise typer.Exit(FAILED)


def _as_json(
    word: str,
    size_bytes: int,
    placements: list[Placement],
    left_out: dict[str, str],
    sweeps: dict[str, PhaseSweep],
    loads: Loads | None,
    changed: Mapping[str, list[str]],
) -> dict[str, Any]:
    rows = []
    for placement in placements:
        row = placement.as_json()
        if changed[placement.table]:
            row["set"] = changed[placement.table]
        if placement.table in sweeps:
            swept = sweeps[placement.table]
            row["phase_sweep"] = {
                "instants": swept.instants,
                "period_ps": swept.period_ps,
                "least_ps": swept.least_ps,
                "mean_ps": swept.mean_ps,
                "most_ps": swept.most_ps,
            }
        load = None if loads is None else load_as_json(loads, placement.table)
        if load is not None:
            row["load"] = load
        rows.append(row)
    return {
        "operation": word,
        "bytes": size_bytes,
        "placements": rows,
        "left_out": [{"table": name, "reason": reason} for name, reason in left_out.items()],
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
    rows_by_stage, beyond = stage_differences(slow, fast), beyond_difference(slow, fast)
    if not rows_by_stage and not beyond:
        print_text()
        print_text(f"{slow.table} and {fast.table} take the same time, stage by stage")
        return
    of_stages = [part for row in rows_by_stage.values() for part in row]
    parts = list(dict.fromkeys([*of_stages, *beyond]))
    rows = [
        [name, *(_difference(row, part) for part in parts), nanoseconds(sum(row.values()))]
        for name, row in rows_by_stage.items()
    ]
    sums = total(rows_by_stage.values())
    derived_ps, emulated_ps = sum(sums.values()), slow.emulated_ps - fast.emulated_ps
    last = [("derived difference", sums, derived_ps)]
    if beyond:
        last.append(("+ beyond derived", beyond, sum(beyond.values())))
    last.append(("emulated difference", total((sums, beyond)), emulated_ps))
    strong = [len(rows), len(rows) + len(last) - 1]
    for name, row, sum_ps in last:
        rows.append([name, *(_difference(row, part) for part in parts), nanoseconds(sum_ps)])
    print_text()
    print_table(
        ["stage", *parts, "sum"],
        rows,
        title=f"where {slow.table} spends {nanoseconds(emulated_ps)} ns more than {fast.table}",
        strong_rows=strong,
    )


def _difference(row: Mapping[str, int], part: str) -> str:
    return nanoseconds(row[part]) if part in row else ""


def _print_reasons(placements: list[Placement]) -> None:
    """For each slower placement the stages that make it so, largest first, then the rest."""
    fastest = min(placements, key=lambda placement: placement.emulated_ps)
    print_text()
    print_text(
        f"why {fastest.table} is fastest (emulated, ns; of the stages what is derived):", "bold"
    )
    for slow in placements:
        if slow is fastest:
            continue
        rows = {name: sum(row.values()) for name, row in stage_differences(slow, fastest).items()}
        listed = dict(sorted(rows.items(), key=lambda row: (-abs(row[1]), row[0])))
        reasons = [_terms(listed)] if listed else []
        if beyond := beyond_difference(slow, fastest):
            reasons.append(f"beyond derived: {_terms(beyond)}")
        slower = nanoseconds(slow.emulated_ps - fastest.emulated_ps)
        print_text(f"  {slow.table} +{slower}" + (f": {'; '.join(reasons)}" if reasons else ""))


def _terms(times_ps: Mapping[str, int]) -> str:
    return ", ".join(
        f"{name} {'+' if ps > 0 else ''}{nanoseconds(ps)}" for name, ps in times_ps.items()
    )


def _print_sweeps(sweeps: dict[str, PhaseSweep]) -> None:
    rows = [
        [
            name,
            f"{swept.instants} of {swept.period_ps}",
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
        title="submitted at instants of a period of the slowest clock, 1 ps apart",
    )
    if any(swept.instants < swept.period_ps for swept in sweeps.values()):
        print_text(
            "where not all are tried: evenly spaced ones, which the mean is of, and those around "
            "each jump that was found between two of them"
        )
