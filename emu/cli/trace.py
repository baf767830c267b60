"""`emu trace`: what happens to each request, and when, on a terminal or in files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from emu.cli import BAD_INPUT, INTERRUPTED
from emu.cli.marks import print_unkept_marks
from emu.cli.options import OpOption, SetOption
from emu.cli.output import print_text
from emu.cli.posting import (
    OutstandingOption,
    Posted,
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
    check_not_read,
    check_told,
    print_written,
    read_filter,
)
from emu.memory import Memory
from emu.path import Path as EmulatedPath
from emu.picture import check_picture_file
from emu.run import run_workload
from emu.table import load
from emu.table.catalog import is_file, is_file_name
from emu.trace.exporters import TRACES, Outputs, check_files, check_limits, open_exporter
from emu.trace.filter import Filter
from emu.trace.header import header_of
from emu.workload.build import says_kinds
from emu.workload.read import read_workload
from emu.workload.schema import ReplaySpec, Spec


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
    spec = None if workload is None else read_workload(workload)[0]
    said = _said(posted, spec, overrides or [])
    header = header_of(loaded, seed, posted.described.said, said)
    wanted = read_filter(
        header, start=start, end=end, requests=request, initiators=initiator, stages=stage
    )
    files = list(out or ())
    check_files(files, TRACES)
    check_clock(header, clock, files)
    if plot is not None:
        check_picture_file(plot)
        files.append(plot)
    check_not_read(files, _read_files(table, workload, spec))
    count = _count(posted, spec, wanted)
    if count is not None:
        check_limits(files, count)
    header = header.filtered(wanted)
    # Without a value to bring nobody asks what is read, except stages that need to know.
    memory = Memory() if posted.described.brings_values else None
    path = EmulatedPath(loaded, seed, memory)
    shown = FirstRequests() if not files else None
    exporters = {file: open_exporter(file, header, clock) for file in files}
    outputs = Outputs(wanted, exporters.values() if shown is None else [shown])
    # Nothing that comes after the window changes what is in it.
    until_ps = min((ps for ps in (posted.until_ps, wanted.to_ps) if ps is not None), default=None)
    end_ps = 0
    try:
        report = run_workload(
            path,
            posted.described,
            until_ps=until_ps,
            listener=outputs.tell,
        )
        if until_ps is not None and not report.interrupted:
            end_ps = until_ps
    finally:
        try:
            outputs.close(end_ps)
        finally:
            if shown is not None:
                shown.show(header.table, outputs.requests)
            else:
                print_written(exporters, outputs)
    print_unkept_marks(report)
    if report.interrupted:
        print_text("interrupted: this is what had happened by then", "bold")
        sys.exit(INTERRUPTED)
    if outputs.too_much:
        sys.exit(BAD_INPUT)
    check_told(header, outputs)


def _said(posted: Posted, spec: Spec | None, overrides: list[str]) -> dict[str, Any]:
    """What the options say besides table, seed and workload, as far as they say anything."""
    said: dict[str, Any] = {}
    kind = posted.described.kind
    if kind is not None and (spec is None or not says_kinds(spec)):
        said["operation"], said["bytes"] = kind[0].value, kind[1]
    if posted.described.requests is not None:
        said["requests"] = posted.described.requests
    if posted.until_ps is not None:
        said["until_ps"] = posted.until_ps
    if overrides:
        said["set"] = overrides
    return said


def _read_files(table: str, workload: str | None, spec: Spec | None) -> dict[Path, str]:
    """Each file that the run is made from, and what it is."""
    read: dict[Path, str] = {}
    if is_file_name(table):
        read[Path(table)] = "table"
    if workload is not None and is_file(Path(workload)):
        read[Path(workload)] = "workload"
    if isinstance(spec, ReplaySpec):
        read[Path(spec.file)] = "workload"
    return read


def _count(posted: Posted, spec: Spec | None, wanted: Filter) -> int | None:
    """How many requests will be told, where that is known: a file may have fewer than are asked."""
    requests = posted.described.requests
    if requests is None or posted.until_ps is not None or isinstance(spec, ReplaySpec):
        return None
    return wanted.count(requests)
