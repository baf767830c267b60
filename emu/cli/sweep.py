"""`emu sweep`: many runs, one CSV file."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from emu.cli import INTERRUPTED
from emu.cli.options import EngineOption, SetOption, read_engine, say_compiling
from emu.cli.output import error, print_text, several
from emu.sweep import Outcome, Sweep, SweepError, read_axes
from emu.sweep import sweep as run_sweep

#: How long a Dask scheduler may take to answer.
DASK_ANSWERS_S = 10


def register(app: typer.Typer) -> None:
    """Adds the command to the `emu` command line."""
    app.command("sweep")(sweep)


def sweep(
    tables: Annotated[
        list[str],
        typer.Argument(
            metavar="TABLE",
            help="Shipped tables by name, or your own as files.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path, typer.Option(metavar="FILE.csv", help="Where the rows go.", show_default=False)
    ],
    vary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUES",
            help="What to vary: size, outstanding, requests, seed, op or NAME.PARAMETER of a "
            "table; values, and ranges such as `8..64K:x2` or `16..64:+16`, with commas between; "
            "may be given several times.",
            show_default=False,
        ),
    ] = None,
    overrides: SetOption = None,
    requests: Annotated[
        int, typer.Option(min=1, help="How many requests each row runs, unless that is varied.")
    ] = 1000,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="How many processes; without it, one a core.", show_default=False),
    ] = None,
    dask: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Run on the Dask cluster whose scheduler is there, as in tcp://host:8786.",
            show_default=False,
        ),
    ] = None,
    engine: EngineOption = "auto",
) -> None:
    """Run every table with every combination of values, a row each, into a CSV file.

    A row has 64 B and 1 outstanding where neither is varied. A read is a load, and a write a store,
    where the processor issues loads and stores. Stopped, or killed even, the same command goes on
    where it was; the file is there when it is complete.

    Examples:

      emu sweep pcie_nic ub_async --vary size=8..64K:x2 --vary outstanding=1,4,16,64 --out rate.csv

      emu sweep pcie_nic --vary 'wire.latency=100 ns..1 us:+100 ns' --vary op=read,write --out w.csv
    """
    if dask is not None and workers is not None:
        raise SweepError("--workers with --dask: the cluster has its own; expected one of the two")
    chosen = read_engine(engine)
    points = Sweep(tuple(tables), read_axes(vary or ()), tuple(overrides or ()), requests)
    with _progress() as progress:
        try:
            if dask is None:
                outcome = run_sweep(
                    points,
                    out,
                    workers=workers,
                    progress=progress,
                    engine=chosen,
                    compiling=say_compiling,
                )
            else:
                with _dask(dask) as (executor, threads):
                    outcome = run_sweep(
                        points,
                        out,
                        executor=executor,
                        workers=threads,
                        progress=progress,
                        engine=chosen,
                    )
        except KeyboardInterrupt:
            error(f"{out}: stopped; the same command goes on from there")
            # Not typer.Exit: nothing here may wait for what was interrupted.
            sys.exit(INTERRUPTED)
    print_text(_said(out, outcome))
    for reason, rows in outcome.prevented.items():
        print_text(f"{several(rows, 'row')} not on the fast engine: {reason}")


def _said(out: Path, outcome: Outcome) -> str:
    if outcome.found == outcome.rows:
        return f"{out}: complete already, with {outcome.rows} rows; nothing to do"
    after = f", {outcome.found} of them from before" if outcome.found else ""
    return f"{out}: {outcome.rows} rows{after}"


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """A bar with the time left on a terminal; nothing in a pipe."""
    bar = Progress(
        TextColumn("sweep"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(compact=True),
        TextColumn("left"),
        console=Console(stderr=True),
        disable=not sys.stderr.isatty(),
    )
    with bar:
        task = bar.add_task("sweep", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def _dask(address: str) -> Iterator[tuple[Executor, int]]:
    """The cluster as an executor, and how many tasks it runs at a time."""
    try:
        import distributed
    except ImportError as problem:
        raise SweepError(
            "--dask needs a package that is not installed; expected "
            "pip install 'rdma-path-emu[dask]' before"
        ) from problem
    connect: Any = distributed.Client  # it has no types
    try:
        client = connect(address, timeout=DASK_ANSWERS_S)
    except (OSError, ValueError) as problem:
        raise SweepError(
            f"--dask {address}: no scheduler answers there ({problem}); expected an address such "
            "as tcp://host:8786"
        ) from problem
    with client:
        threads = sum(client.nthreads().values())
        yield client.get_executor(), threads or os.cpu_count() or 1
