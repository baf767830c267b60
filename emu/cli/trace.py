"""`emu trace`: what happens to each request, and when, on a terminal or in files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from emu.cli import INTERRUPTED
from emu.cli.options import OpOption, SetOption
from emu.cli.output import print_text
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
from emu.cli.timeline import FirstRequests
from emu.cli.tracing import (
    ClockOption,
    FromOption,
    InitiatorOption,
    RequestOption,
    StageOption,
    ToOption,
    check_clock,
    print_written,
    read_filter,
)
from emu.path import Path as EmulatedPath
from emu.picture import check_picture_file
from emu.run import run_workload
from emu.table import load
from emu.trace.exporters import TRACES, Outputs, check_files, open_exporter
from emu.trace.header import header_of


def register(app: typer.Typer) -> None:
    """Adds the command to the `emu` command line."""
    app.command("trace")(trace)


def trace(
    table: TableArgument,
    op: OpOption = None,
    size: PostedSizeOption = None,
    requests: RequestsOption = None,
    outstanding: OutstandingOption = None,
    workload: WorkloadOption = None,
    until: UntilOption = None,
    seed: SeedOption = 1,
    overrides: SetOption = None,
    out: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Where the trace goes: .jsonl (the format of record), .vcd, .json or .pftrace "
            "(Perfetto), .kanata (Konata), .csv or .html; may be given several times.",
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw it: .png, .svg or .pdf."),
    ] = None,
    clock: ClockOption = None,
    start: FromOption = None,
    end: ToOption = None,
    request: RequestOption = None,
    initiator: InitiatorOption = None,
    stage: StageOption = None,
) -> None:
    """Run requests as `emu run` does, and say when each of them was where, and what it waited for.

    Without --out and --plot: a table of the first requests. Ctrl-C ends the run; the files are
    complete up to there.

    Examples:

      emu trace pcie_nic --requests 2

      emu trace pcie_nic --outstanding 64 --out trace.jsonl --out trace.vcd

      emu trace ub_async --workload '{kind: burst}' --request 0..31 --plot burst.svg
    """
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
    header = header_of(loaded, seed, posted.described.said)
    wanted = read_filter(
        header, start=start, end=end, requests=request, initiators=initiator, stages=stage
    )
    files = list(out or ())
    check_files(files, TRACES)
    check_clock(header, clock, files)
    if plot is not None:
        check_picture_file(plot)
        files.append(plot)
    path = EmulatedPath(loaded, seed)
    shown = FirstRequests() if not files else None
    exporters = {file: open_exporter(file, header, clock) for file in files}
    outputs = Outputs(wanted, exporters.values() if shown is None else [shown])
    # Nothing that comes after the window changes what is in it.
    ends_ps = [ps for ps in (posted.until_ps, wanted.to_ps) if ps is not None]
    try:
        report = run_workload(
            path,
            posted.described,
            until_ps=min(ends_ps, default=None),
            listener=outputs.tell,
        )
    finally:
        outputs.close()
        if shown is not None:
            shown.show(header.table, outputs.requests)
        else:
            print_written(exporters, outputs)
    if report.interrupted:
        print_text("interrupted: this is what had happened by then", "bold")
        sys.exit(INTERRUPTED)
