"""What `emu trace` and `emu convert` share: filters, and files by their format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from emu.cli.options import OptionError
from emu.cli.output import error, print_text, several
from emu.cli.posting import read_time
from emu.errors import listed
from emu.trace.exporter import Exporter
from emu.trace.exporters import (
    IN_CYCLES,
    MAYBE_IN_CYCLES,
    Outputs,
    choose_clock,
    suffix_of,
)
from emu.trace.filter import Filter, read_requests
from emu.trace.header import Header

FromOption = Annotated[
    str | None,
    typer.Option(
        "--from", metavar="TIME", help="Only what happens from then on, and who is there then."
    ),
]
ToOption = Annotated[
    str | None, typer.Option("--to", metavar="TIME", help="Only what happens up to then.")
]
RequestOption = Annotated[
    list[str] | None,
    typer.Option(
        "--request",
        metavar="N|A..B",
        help="Only this request, or these, as in `--request 100..199`; may be given several times.",
    ),
]
InitiatorOption = Annotated[
    list[int] | None,
    typer.Option(
        "--initiator",
        metavar="N",
        min=0,
        help="Only requests of this initiator; may be given several times.",
    ),
]
StageOption = Annotated[
    list[str] | None,
    typer.Option(
        "--stage",
        metavar="NAME",
        help="Only what happens at this stage, and submission and completion; may be given "
        "several times.",
    ),
]
ClockOption = Annotated[
    str | None,
    typer.Option(
        "--clock",
        metavar="NAME",
        help="The clock whose cycles a file counts: needed for .kanata where the table has several "
        "clocks; without it, .json and .pftrace count picoseconds.",
    ),
]


def read_filter(
    header: Header,
    *,
    start: str | None,
    end: str | None,
    requests: Sequence[str] | None,
    initiators: Sequence[int] | None,
    stages: Sequence[str] | None,
) -> Filter:
    """The filter that the options describe; an `EmuError` that names the option that is wrong."""
    from_ps = 0 if start is None else read_time("--from", start)
    to_ps = None if end is None else read_time("--to", end)
    if to_ps is not None and to_ps < from_ps:
        raise OptionError(f"--to {end} is before --from {start}; expected a window of time")
    wanted = Filter(
        from_ps,
        to_ps,
        read_requests(requests or ()),
        tuple(initiators or ()),
        tuple(stages or ()),
    )
    wanted.check_stages(header)
    return wanted


def check_clock(header: Header, clock: str | None, files: Iterable[Path]) -> None:
    """An `EmuError` where the clock is not one of the trace, or nothing counts its cycles."""
    suffixes = {suffix_of(file) for file in files}
    if clock is not None and not suffixes.intersection((*IN_CYCLES, *MAYBE_IN_CYCLES)):
        formats = listed((*IN_CYCLES, *MAYBE_IN_CYCLES))
        raise OptionError(f"--clock {clock}, and no file counts cycles; expected a {formats} file")
    if clock is not None or suffixes.intersection(IN_CYCLES):
        choose_clock(header, clock)


def check_not_read(files: Iterable[Path], read: Mapping[Path, str]) -> None:
    """An `EmuError` where a file would take the place of one that is read, by what that is."""
    places = {file.resolve(): what for file, what in read.items()}
    for file in files:
        what = places.get(file.resolve())
        if what is not None:
            raise OptionError(f"{file}: this is the {what} that is read; expected another file")


def print_written(files: Mapping[Path, Exporter], outputs: Outputs) -> None:
    """What is in each file that is complete, and why others are not there."""
    events, requests = several(outputs.events, "event"), several(outputs.requests, "request")
    for file, exporter in files.items():
        if exporter in outputs.completed:
            print_text(f"{file}: {events} of {requests}")
    for one in outputs.too_much:
        error(str(one))


def check_told(header: Header, outputs: Outputs) -> None:
    """An `EmuError` where nothing was told."""
    if not outputs.events:
        what = "passes the filter" if header.filters else "is in this trace"
        raise OptionError(f"{header.table}: no event {what}; expected at least one")
