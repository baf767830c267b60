"""`emu cosim`: a DUT beside a table, in one simulation, compared cycle for cycle."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, TypeVar, cast

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from emu.cli import FAILED, INTERRUPTED
from emu.cli.options import JsonOption, OptionError, SetOption
from emu.cli.output import error, print_json, print_text
from emu.cosim.compare import MODES, Mode, Rule
from emu.cosim.place import PATIENCE_CYCLES
from emu.cosim.report import Result
from emu.cosim.run import BUILDS, Beside, Interrupted, run_lockstep
from emu.cosim.simulators import SIMULATORS
from emu.errors import listed
from emu.table.catalog import SUFFIXES

T = TypeVar("T")
#: How often a pipe is told how far a run is.
TOLD_S = 60

BindingArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="BINDING.yaml",
        help="Which signals of the DUT are its clock, reset and ports; HDL files may follow.",
        show_default=False,
    ),
]
HdlOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--hdl",
        metavar="FILE...",
        help="The HDL files, what others need first; a folder is where headers are looked for.",
    ),
]
TopOption = Annotated[
    str, typer.Option(metavar="NAME", help="The module or entity.", show_default=False)
]
SimOption = Annotated[
    str, typer.Option("--sim", metavar="SIMULATOR", help=f"{listed(SIMULATORS)}.")
]
ParameterOption = Annotated[
    list[str] | None,
    typer.Option(
        "--parameter",
        metavar="NAME=VALUE",
        help="A parameter or generic of the DUT, over that of the binding; may be given several "
        "times.",
    ),
]
LimitOption = Annotated[
    list[str] | None,
    typer.Option(
        "--limit",
        metavar="FIELD=COUNT",
        help="Send only so many values of a field, from 0 on; may be given several times.",
    ),
]
PatienceOption = Annotated[
    int, typer.Option(min=1, metavar="CYCLES", help="So long nothing may move before it ends.")
]
BuildsOption = Annotated[
    Path, typer.Option(metavar="FOLDER", help="Where builds are kept for the next time.")
]


def register(app: typer.Typer) -> None:
    """Adds the command to the `emu` command line."""
    app.command("cosim")(cosim)


def cosim(
    files: BindingArgument,
    top: TopOption,
    hdl: HdlOption = None,
    table: Annotated[
        str | None,
        typer.Option(
            metavar="TABLE",
            help="What stands beside the DUT, by name or as a file; without it, that everything "
            "comes out as it went in, in order.",
        ),
    ] = None,
    stage: Annotated[
        str | None, typer.Option(metavar="NAME", help="One stage of the table alone.")
    ] = None,
    overrides: SetOption = None,
    sim: SimOption = "icarus",
    parameters: ParameterOption = None,
    mode: Annotated[
        str | None,
        typer.Option(
            metavar="MODE",
            help=f"{listed(MODES)}: events in the same cycle, at most --skew apart, or only in "
            "the same order. exact with a table, order without.",
        ),
    ] = None,
    skew: Annotated[
        int | None, typer.Option(min=1, metavar="CYCLES", help="Allowed with --mode bounded.")
    ] = None,
    requests: Annotated[int, typer.Option(min=1, help="How many go through.")] = 1000,
    seed: Annotated[int, typer.Option(help="The first seed of stimulus and pauses.")] = 1,
    seeds: Annotated[int, typer.Option(min=1, help="So many seeds, one after another.")] = 1,
    offer: Annotated[
        str | None,
        typer.Option(
            metavar="PATTERN",
            help="When the input is offered something: always, pauses(PERCENT) or "
            "bursts(OPEN, CLOSED) in cycles; without it, drawn from the seed.",
        ),
    ] = None,
    ready: Annotated[
        str | None,
        typer.Option(metavar="PATTERN", help="When the output is taken from, in the same words."),
    ] = None,
    limits: LimitOption = None,
    beats: Annotated[
        int,
        typer.Option(
            min=1,
            help="Send requests of 1 to so many beats, of the bytes that the first stage's 'beat' "
            "or 'flit' says.",
        ),
    ] = 1,
    answers: Annotated[
        str,
        typer.Option(
            metavar="CYCLES",
            help="From a request to its answer, where a memory or the far end answers the DUT: "
            "`20`, or `1..40` for a random time.",
        ),
    ] = "1..40",
    left_over: Annotated[
        str,
        typer.Option(
            metavar="COUNT",
            help="How many requests may not have come through when nothing moves any more, or "
            "'any'.",
        ),
    ] = "0",
    patience: PatienceOption = PATIENCE_CYCLES,
    may_retract: Annotated[
        bool,
        typer.Option(
            "--may-retract", help="The DUT may take back what it shows before it is taken."
        ),
    ] = False,
    waves: Annotated[
        bool,
        typer.Option(
            "--waves", help="Write waveform and trace of the first difference, side by side."
        ),
    ] = False,
    events: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.jsonl", help="Write the DUT's handshakes: seed, cycle, port, fields."
        ),
    ] = None,
    builds: BuildsOption = BUILDS,
    as_json: JsonOption = False,
) -> None:
    """Run a DUT beside the emulator and show the first cycle in which they differ.

    Exit code 0: equal; 1: different, or stalled; 2: something cannot be used as it is; 130: Ctrl-C,
    with a report of the seeds that had run, and what agreed by then in the one that ran.

    Examples:

      emu cosim pipeline.yaml --hdl pipeline.sv --top pipeline --table mine.yaml --seeds 20

      emu cosim fifo.yaml --hdl fifo.sv --top fifo --sim verilator --waves
    """
    binding, sources = split(files, hdl or [])
    chosen = cast("Mode", mode or ("order" if table is None else "exact"))
    beside = Beside(
        table=table,
        stage=stage or "",
        overrides=tuple(overrides or ()),
        rule=Rule(chosen, skew or 0),
        requests=requests,
        seeds=tuple(range(seed, seed + seeds)),
        offer=offer or "",
        ready=ready or "",
        limits=pairs("--limit", limits or [], int),
        beats=beats,
        answer_cycles=_range(answers),
        left_over=_left_over(left_over),
        holds=not may_retract,
        patience_cycles=patience,
    )
    try:
        with _progress() as progress:
            results = run_lockstep(
                binding,
                sources,
                top,
                beside,
                simulator=sim,
                parameters=pairs("--parameter", parameters or [], number_or_text),
                waves=Path() if waves else None,
                events=events,
                builds=builds,
                progress=progress,
            )
    except Interrupted as stopped:
        _print(stopped.results, as_json)
        sys.exit(INTERRUPTED)
    except KeyboardInterrupt:
        error("interrupted before the run began")
        sys.exit(INTERRUPTED)
    _print(results, as_json)
    if not results[-1].is_equal:
        sys.exit(FAILED)


def _print(results: list[Result], as_json: bool) -> None:
    if as_json:
        print_json([result.as_json() for result in results])
        return
    for result in results:
        for line in result.lines():
            print_text(line)


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal; in a pipe a line now and then, so that a long run is seen to go on."""
    if not sys.stderr.isatty():
        yield _lines_now_and_then()
        return
    bar = Progress(
        TextColumn("seeds"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task("seeds", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _lines_now_and_then() -> Callable[[int, int], None]:
    told_s = time.monotonic()

    def tell(done: int, total: int) -> None:
        nonlocal told_s
        if time.monotonic() - told_s >= TOLD_S:
            told_s = time.monotonic()
            error(f"{done} of {total} seeds have run")

    return tell


def split(files: list[Path], hdl: list[Path]) -> tuple[Path, list[Path]]:
    """The binding, and the HDL files: of several after one `--hdl`, most come as arguments."""
    bindings = [file for file in files if file.suffix in SUFFIXES]
    if len(bindings) != 1:
        raise OptionError(
            f"{len(bindings)} bindings: {listed(map(str, bindings))}; expected one file that ends "
            f"in {listed(SUFFIXES)}"
        )
    return bindings[0], [*hdl, *(file for file in files if file not in bindings)]


def pairs(option: str, texts: list[str], read: Callable[[str], T]) -> dict[str, T]:
    """Name to value, from texts such as `NAME=VALUE`; `OptionError` where one cannot be read."""
    found: dict[str, T] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        try:
            if not equals or not name or name in found:
                raise ValueError
            found[name] = read(value)
        except ValueError:
            raise OptionError(
                f"{option} {text}: cannot be read; expected NAME=VALUE, each name once"
            ) from None
    return found


def number_or_text(text: str) -> int | str:
    """What an HDL parameter is given."""
    return int(text) if text.removeprefix("-").isdecimal() else text


def _left_over(text: str) -> int | None:
    if text == "any":
        return None
    if text.isdecimal():
        return int(text)
    raise OptionError(f"--left-over {text}: expected a number from 0 on, or 'any'")


def _range(text: str) -> tuple[int, int]:
    first, dots, last = text.partition("..")
    if first.isdecimal() and (last.isdecimal() if dots else True):
        return int(first), int(last) if dots else int(first)
    raise OptionError(f"--answers {text}: expected cycles, as in '20' or '1..40'")
