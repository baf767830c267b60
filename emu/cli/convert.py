"""`emu convert`: a recorded trace in another format."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from emu.cli import INTERRUPTED
from emu.cli.output import print_text
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
from emu.run import stopped_by_interrupt
from emu.trace.exporters import PICTURES, TRACES, Outputs, check_files, open_exporter
from emu.trace.recording import Recording


def register(app: typer.Typer) -> None:
    """Adds the command to the `emu` command line."""
    app.command("convert")(convert)


def convert(
    source: Annotated[
        Path,
        typer.Argument(metavar="IN.jsonl", help="A trace that was recorded as JSON lines."),
    ],
    target: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help="Where it goes: .jsonl, .vcd, .json, .pftrace, .kanata, .csv, .html, .png, .svg "
            "or .pdf.",
        ),
    ],
    clock: ClockOption = None,
    start: FromOption = None,
    end: ToOption = None,
    request: RequestOption = None,
    initiator: InitiatorOption = None,
    stage: StageOption = None,
) -> None:
    """Write a recorded trace in another format, or a part of it.

    The file is the same as if `emu trace` had written it.

    Examples:

      emu convert trace.jsonl trace.vcd

      emu convert trace.jsonl part.jsonl --from '1 us' --to '2 us' --stage wire
    """
    check_files([target], [*TRACES, *PICTURES])
    check_not_read([target], {source: "trace"})
    is_stopping = False

    def stop() -> None:
        nonlocal is_stopping
        is_stopping = True

    with Recording(source) as recording:
        header = recording.header
        wanted = read_filter(
            header, start=start, end=end, requests=request, initiators=initiator, stages=stage
        )
        check_clock(header, clock, [target])
        header = header.filtered(wanted)
        exporter = open_exporter(target, header, clock)
        outputs = Outputs(wanted, [exporter])
        try:
            with stopped_by_interrupt(stop):
                for event in recording:
                    outputs.tell(event)
                    if is_stopping:
                        break
        finally:
            # A part that was read ends where it does.
            try:
                outputs.close(recording.end_ps or 0)
            finally:
                print_written({target: exporter}, outputs)
    if is_stopping:
        print_text("interrupted: this is what had been read by then", "bold")
        sys.exit(INTERRUPTED)
    check_told(header, outputs)
