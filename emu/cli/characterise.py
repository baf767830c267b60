"""`emu characterise`: a DUT measured, and its timing table."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from emu.cli import INTERRUPTED
from emu.cli.cosim import (
    BindingArgument,
    BuildsOption,
    HdlOption,
    LimitOption,
    ParameterOption,
    PatienceOption,
    SimOption,
    TopOption,
    number_or_text,
    pairs,
    split,
)
from emu.cli.options import JsonOption, OptionError
from emu.cli.output import print_json, print_text
from emu.cosim.characterise.plan import PATIENCE_CYCLES, REQUESTS, SEEDS
from emu.cosim.characterise.run import characterise
from emu.cosim.run import BUILDS
from emu.errors import listed
from emu.picture import write_whole
from emu.table.catalog import SUFFIXES
from emu.trace.whole_file import check_folder


def register(app: typer.Typer) -> None:
    """Adds the command to the `emu` command line."""
    app.command("characterise")(command)


def command(
    files: BindingArgument,
    top: TopOption,
    hdl: HdlOption = None,
    sim: SimOption = "icarus",
    parameters: ParameterOption = None,
    out: Annotated[
        Path | None, typer.Option(metavar="TABLE.yaml", help="Write the timing table there.")
    ] = None,
    counting: Annotated[
        list[str] | None,
        typer.Option(
            "--count",
            metavar="FIELD",
            help="A field that counts the requests, as id does; all others are 0. May be given "
            "several times.",
        ),
    ] = None,
    limits: LimitOption = None,
    requests: Annotated[
        int, typer.Option(min=1, help="How many go through in each run that checks the table.")
    ] = REQUESTS,
    seeds: Annotated[
        int, typer.Option(min=1, help="So many runs, each with pauses of its own, check the table.")
    ] = SEEDS,
    patience: PatienceOption = PATIENCE_CYCLES,
    builds: BuildsOption = BUILDS,
    as_json: JsonOption = False,
) -> None:
    """Measure a DUT: latency, interval, depth, tags; and write its timing table.

    It is driven alone, in bursts, with its output blocked, and with a memory behind it if the
    binding names one. What cannot be told is said in words. The table is then run against the DUT
    with random pauses on both sides, and the report says whether it matched in every cycle.

    Examples:

      emu characterise pipeline.yaml --hdl pipeline.sv --top pipeline --out mine.yaml

      emu characterise dma.yaml --hdl dma.v --top dma --sim verilator --json
    """
    binding, sources = split(files, hdl or [])
    if out is not None:
        if out.suffix not in SUFFIXES:
            raise OptionError(f"--out {out}: expected a name that ends in {listed(SUFFIXES)}")
        check_folder(out)
    try:
        found = characterise(
            binding,
            sources,
            top,
            simulator=sim,
            parameters=pairs("--parameter", parameters or [], number_or_text),
            counting=counting or (),
            limits=pairs("--limit", limits or [], int),
            patience_cycles=patience,
            requests=requests,
            seeds=range(1, seeds + 1),
            builds=builds,
        )
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    if out is not None:
        write_whole(out, found.table.encode())
    if as_json:
        print_json(found.as_json())
        return
    for line in found.lines():
        print_text(line)
    if out is not None:
        print_text(f"written: {out}")
