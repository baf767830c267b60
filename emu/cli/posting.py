"""The options that say what is posted, for commands that run a workload."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from emu.cli.options import OptionError, default_operation, read_operation, read_size
from emu.errors import EmuError
from emu.table.schema import Table
from emu.units import parse_time
from emu.workload.build import Described, closed_loop, described, says_kinds
from emu.workload.read import read_workload
from emu.workload.schema import BurstSpec, ReplaySpec

REQUESTS = 1000
SIZE = "64"

TableArgument = Annotated[
    str, typer.Argument(help="A shipped table by name, or your own as a file.")
]
PostedSizeOption = Annotated[
    str | None,
    typer.Option(
        "--size",
        metavar="BYTES",
        help=f"Bytes moved: `64`, `'64 B'` or `4K`, which is 4KiB; {SIZE} without it.",
    ),
]
RequestsOption = Annotated[
    int | None,
    typer.Option(
        "--requests",
        min=1,
        help=f"How many requests in all; {REQUESTS} without it and without --until, and all "
        "of a file that is replayed.",
    ),
]
OutstandingOption = Annotated[
    int | None,
    typer.Option(
        "--outstanding", min=1, help="How many the program keeps open at a time; 1 without it."
    ),
]
WorkloadOption = Annotated[
    str | None,
    typer.Option(
        "--workload",
        metavar="WORKLOAD",
        help="What is posted and when: a YAML mapping, as in '{kind: open, rate: 10 M/s}', a "
        ".yaml file with one, or a .csv or .jsonl file to replay. Kinds: closed, open, burst, "
        "chain, replay; docs/workloads.md has all their keys.",
    ),
]
UntilOption = Annotated[
    str | None, typer.Option("--until", metavar="TIME", help="Stop there, as in `'100 us'`.")
]
SeedOption = Annotated[int, typer.Option("--seed", help="What all random numbers come from.")]


@dataclass(frozen=True)
class Posted:
    """What the options say: the workload, its operation as a word, and when to stop."""

    described: Described
    word: str
    until_ps: int | None


def read_posting(
    table: Table,
    *,
    op: str | None,
    size: str | None,
    requests: int | None,
    outstanding: int | None,
    workload: str | None,
    until: str | None,
    seed: int,
) -> Posted:
    """The workload for `table`; an `EmuError` that names the option where one is wrong."""
    until_ps = None if until is None else read_time("--until", until)
    word = op or default_operation(table)
    kind = (read_operation(word), read_size(size or SIZE))
    if workload is None:
        limit = requests or (REQUESTS if until is None else None)
        return Posted(closed_loop(kind, outstanding or 1, limit), word, until_ps)
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
    return Posted(posted, word, until_ps)


def read_time(option: str, text: str) -> int:
    """Picoseconds from the text of an option."""
    try:
        return parse_time(text)
    except EmuError as error:
        raise OptionError(f"{option} {text}: {error}") from error
