"""The `emu` command."""

from __future__ import annotations

import sys

import typer

from emu.cli.output import error
from emu.errors import EmuError, RunError

#: Exit codes besides 0: something did not hold; the input was bad; Ctrl-C.
FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130

app = typer.Typer(
    name="emu",
    help="Emulates the path of a remote memory access, cycle by cycle, and says where every "
    "picosecond went.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Entry point of the `emu` command; an `EmuError` is printed as it stands.

    It exits with 2, or with 1 where the input was good and its run did not come to an end.
    """
    # Commands register themselves here, so that importing emu.cli from Python stays cheap.
    from emu.cli import (
        characterise,
        compare,
        convert,
        cosim,
        figure,
        litmus,
        plot,
        rtl,
        run,
        stages,
        state,
        sweep,
        tables,
        trace,
        verify,
    )

    for module in (
        *(compare, run, trace, convert, sweep, plot, figure, cosim, characterise, rtl),
        *(verify, litmus, state, tables, stages),
    ):
        module.register(app)
    try:
        app()
    except EmuError as problem:
        error(str(problem))
        sys.exit(FAILED if isinstance(problem, RunError) else BAD_INPUT)
