"""`emu plot`: a sweep as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from emu.cli.output import print_text


def register(app: typer.Typer) -> None:
    """Adds the command to the `emu` command line."""
    app.command("plot")(plot)


def plot(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE.csv", help="What emu sweep wrote.", show_default=False),
    ],
    x: Annotated[
        str | None,
        typer.Option(
            metavar="AXIS",
            help="What goes to the right; without it, the first axis that has numbers.",
            show_default=False,
        ),
    ] = None,
    y: Annotated[
        str | None,
        typer.Option(
            metavar="RESULT",
            help="What goes up: rate, mean, p50, p99, p999 or max; without it, rate and mean.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The picture: .png, .svg or .pdf; without it, beside the file, as .png.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Draw what was swept: rate and latency against one axis, a line for each of the other values.

    An axis whose values are multiples of one another is drawn on a logarithmic scale.

    Examples:

      emu plot rate.csv

      emu plot rate.csv --x outstanding --y p99 --out p99.svg
    """
    from emu.plot_sweep import plot_sweep  # matplotlib is slow to import

    picture = out or file.with_suffix(".png")
    plot_sweep(file, x, y, picture)
    print_text(f"picture: {picture}")
