"""`emu figure`: published figures, reproduced."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from emu.cli import FAILED
from emu.cli.options import EngineOption, OptionError, read_engine, say_compiling
from emu.cli.output import print_json, print_table, print_text
from emu.engines import Engine
from emu.errors import EmuError, listed
from emu.figures.compiled import compile_engine
from emu.figures.each import each
from emu.figures.model import Figure, Point
from emu.figures.registry import FIGURES, reproduce
from emu.picture import check_picture_file, write_whole


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("figure")(figure)


def figure(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="See --list.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw it: .png, .svg or .pdf; with --all, a folder."),
    ] = None,
    csv_file: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Write its lines as CSV.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print its points and lines as JSON.")
    ] = False,
    list_all: Annotated[bool, typer.Option("--list", help="List the figures.")] = False,
    all_figures: Annotated[
        bool,
        typer.Option("--all", help="Every figure; with --out, picture, CSV and JSON of each."),
    ] = False,
    engine: EngineOption = "auto",
) -> None:
    """Reproduce a published figure from the emulator, the expected value beside the measured.

    Exits with 1 if a point is off by more than its tolerance.

    Examples:

      emu figure request-rate --out rate.png

      emu figure --all --out build/figures
    """
    chosen = read_engine(engine)
    if list_all + all_figures + (name is not None) != 1:
        raise OptionError(f"expected a figure, --list or --all; figures: {listed(FIGURES)}")
    if list_all:
        for known in FIGURES:
            print_text(known)
    elif name is not None:
        _one(name, chosen, out, csv_file, as_json)
    elif csv_file is not None or as_json:
        raise OptionError("--csv and --json are of one figure; expected --all with --out FOLDER")
    else:
        _all(chosen, out)


def as_document(figure: Figure) -> dict[str, Any]:
    """A figure as scripts read it."""
    return {
        "figure": figure.name,
        "engine": figure.engine,
        "engine_prevented": figure.prevented,
        "points": [
            {
                "name": point.name,
                "unit": point.unit,
                "expected": point.expected,
                "measured": point.measured,
                "tolerance": point.tolerance,
                "ok": point.ok,
                "source": point.source,
            }
            for point in figure.points
        ],
        "series": [
            {"name": series.name, "x": list(series.x), "y": list(series.y)}
            for series in figure.series
        ],
    }


def as_csv(figure: Figure) -> str:
    """The lines of a figure, a row for each of their points."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(("series", figure.x_label, figure.y_label))
    for series in figure.series:
        rows.writerows((series.name, x, y) for x, y in zip(series.x, series.y, strict=True))
    return text.getvalue()


def _one(name: str, engine: Engine, out: Path | None, csv_file: Path | None, as_json: bool) -> None:
    if out is not None:
        check_picture_file(out)  # before the figure takes its time
    made = reproduce(name, engine, say_compiling)
    if out is not None:
        _draw(made, out)
    if csv_file is not None:
        write_whole(csv_file, as_csv(made).encode())
    if as_json:
        print_json(as_document(made))
    else:
        _print(made)
        for file in (file for file in (out, csv_file) if file is not None):
            print_text(f"written: {file}")
    if not all(point.ok for point in made.points):
        raise typer.Exit(FAILED)


def _all(engine: Engine, folder: Path | None) -> None:
    if folder is not None:
        _make_folder(folder)
    if engine != "reference":
        compile_engine(say_compiling)  # else each of the processes would
    off = []
    for made in each(partial(_made, engine=engine, folder=folder), list(FIGURES)):
        off += [f"{made.name}: {point.name}" for point in made.points if not point.ok]
        _print(made)
        print_text()
    if folder is not None:
        print_text(f"written: {len(FIGURES)} figures in {folder}")
    if off:
        print_text(f"off: {'; '.join(off)}")
        raise typer.Exit(FAILED)


def _made(name: str, engine: Engine, folder: Path | None) -> Figure:
    made = reproduce(name, engine)
    if folder is not None:
        _write(made, folder)
    return made


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EmuError(f"{folder}: cannot be made a folder: {error.strerror}") from error


def _write(made: Figure, folder: Path) -> None:
    import json

    document = json.dumps(as_document(made), indent=2, ensure_ascii=False)
    _draw(made, folder / f"{made.name}.png")
    write_whole(folder / f"{made.name}.csv", as_csv(made).encode())
    write_whole(folder / f"{made.name}.json", f"{document}\n".encode())


def _draw(made: Figure, file: Path) -> None:
    from emu.plot_figure import plot_figure  # matplotlib is slow to import

    plot_figure(made, file)


def _print(made: Figure) -> None:
    print_table(
        ("point", "source", "expected", "measured", "tolerance", "unit", ""),
        list(_rows(made.points)),
        title=f"{made.name}: {made.title}",
        left=2,
        strong_rows=[index for index, point in enumerate(made.points) if not point.ok],
    )
    held = sum(point.ok for point in made.points)
    print_text(f"{held} of {len(made.points)} points hold")
    print_text(f"engine: {made.engine}" + (f": {made.prevented}" if made.prevented else ""))


def _rows(points: tuple[Point, ...]) -> Iterator[tuple[str, ...]]:
    for point in points:
        numbers = (point.expected, point.measured, point.tolerance)
        yield (
            point.name,
            point.source,
            *(f"{number:.6g}" for number in numbers),
            point.unit,
            "ok" if point.ok else "off",
        )
