"""`emu rtl`: many requests through one placement, some of whose stages are a DUT."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Annotated

import typer

from emu.cli import INTERRUPTED
from emu.cli.cosim import (
    BindingArgument,
    BuildsOption,
    HdlOption,
    ParameterOption,
    PatienceOption,
    SimOption,
    TopOption,
    number_or_text,
    pairs,
    split,
)
from emu.cli.options import JsonOption, OpOption, SetOption
from emu.cli.output import error, print_json, print_table, print_text
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
from emu.cli.run import print_report
from emu.cosim.place import PATIENCE_CYCLES
from emu.cosim.rtl_run import Posting, RtlRun, beyond_emulated, run_with_rtl
from emu.cosim.run import BUILDS
from emu.path import Path as EmulatedPath
from emu.report import Report
from emu.run import run_workload
from emu.table import load

StagesArgument = Annotated[
    str,
    typer.Argument(
        metavar="STAGE[..STAGE]",
        help="The stage of the table, or several in a row, in whose place the DUT is.",
    ),
]


def register(app: typer.Typer) -> None:
    """Adds the command to the `emu` command line."""
    app.command("rtl")(rtl)


def rtl(
    table: TableArgument,
    stages: StagesArgument,
    files: BindingArgument,
    top: TopOption,
    hdl: HdlOption = None,
    sim: SimOption = "icarus",
    parameters: ParameterOption = None,
    op: OpOption = None,
    size: PostedSizeOption = None,
    requests: RequestsOption = None,
    outstanding: OutstandingOption = None,
    workload: WorkloadOption = None,
    until: UntilOption = None,
    seed: SeedOption = 1,
    overrides: SetOption = None,
    patience: PatienceOption = PATIENCE_CYCLES,
    builds: BuildsOption = BUILDS,
    as_json: JsonOption = False,
) -> None:
    """Run requests through one path with RTL in the place of some stages: all else as `emu run`.

    Below the report is what the stages of the table would have done with the same requests.

    Examples:

      emu rtl pcie_nic target_rx pipeline.yaml --hdl pipeline.sv --top pipeline

      emu rtl openurma_tx doorbell..ethenc sender.yaml --hdl *.sv --top sender --op write
    """
    binding, sources = split(files, hdl or [])
    posting = Posting(op, size, requests, outstanding, workload, until)
    loaded = load(table, overrides=overrides or [])
    posted = read_posting(loaded, **asdict(posting), seed=seed)
    # First: what the table does not take is told before anything is built.
    emulated = run_workload(EmulatedPath(loaded, seed), posted.described, until_ps=posted.until_ps)
    if emulated.interrupted:
        sys.exit(INTERRUPTED)
    try:
        run = run_with_rtl(
            table,
            stages,
            binding,
            sources,
            top,
            posting,
            seed=seed,
            overrides=overrides or [],
            simulator=sim,
            parameters=pairs("--parameter", parameters or [], number_or_text),
            patience_cycles=patience,
            builds=builds,
        )
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    report = run.report
    for note in run.notes:
        error(note)
    if as_json:
        named = {} if report.kind is None else {"operation": posted.word}
        # Sums of other requests are not compared.
        beyond = None
        if report.delivered == emulated.delivered:
            beyond = {
                stage: {part: both[0] - both[1] for part, both in parts.items()}
                for stage, parts in beyond_emulated(run.place, report, emulated).items()
            }
        said = {"rtl": run.place.name, "parts_beyond_emulated": beyond, "stages": report.stages}
        print_json({**report.as_json(), **named, **said})
    else:
        print_text(f"{run.place.name} is {top} ({', '.join(map(str, sources))}), in {sim}")
        print_report(report, posted.word, workload)
        _print_beyond(run, emulated)
    if report.interrupted:
        sys.exit(INTERRUPTED)


def _print_beyond(run: RtlRun, emulated: Report) -> None:
    """Stage by stage and part by part, where requests spend other times than as emulated."""
    report = run.report
    print_text()
    if report.delivered != emulated.delivered:
        print_text(
            f"emulated, {emulated.delivered} of the same requests are delivered: means of "
            "others are not compared"
        )
        return
    beyond = beyond_emulated(run.place, report, emulated)
    if not beyond:
        print_text(f"the same as with the table's own {run.place.name}, to the picosecond")
        return
    rows = []
    for stage, parts in beyond.items():
        for part, both in parts.items():
            with_rtl, without = (time_ps / report.delivered / 1000 for time_ps in both)
            more = f"{with_rtl - without:+.3f}"
            # Edges are whole picoseconds: on others a request can be one longer.
            if more.strip("+-0."):
                rows.append([stage, part, f"{with_rtl:.3f}", f"{without:.3f}", more])
    latency = [one.latency.sum / one.delivered / 1000 for one in (report, emulated)]
    rows.append(
        ["latency", "", *(f"{ns:.3f}" for ns in latency), f"{latency[0] - latency[1]:+.3f}"]
    )
    print_table(
        ["stage", "part", "with RTL", "emulated", "more"],
        rows,
        title="what the RTL changes (ns a request, mean)",
        strong_rows=[len(rows) - 1],
    )
