"""How commands print: rich tables on a terminal, plain text in a pipe, JSON for scripts."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

#: Wide enough that a pipe never sees a wrapped or cut cell.
PIPE_WIDTH = 10_000


def console() -> Console:
    """The console on standard output; without colour or wrapping where that is a pipe."""
    if sys.stdout.isatty():
        return Console(highlight=False)
    return Console(highlight=False, color_system=None, width=PIPE_WIDTH)


def error(message: str) -> None:
    """A message for standard error, printed as it is."""
    print(message, file=sys.stderr)


def print_text(text: str = "", style: str = "") -> None:
    """One line of prose; markup characters in it are printed as they are."""
    console().print(Text(text, style=style), soft_wrap=True)


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    title: str = "",
    left: int = 1,
    strong_rows: Sequence[int] = (),
) -> None:
    """A table: the first `left` columns left-aligned, the rest right-aligned as numbers are."""
    out = console()
    if title:
        print_text(title, "bold")
    table = Table(
        box=SIMPLE_HEAD if out.is_terminal else None,
        pad_edge=False,
        padding=(0, 2, 0, 0),
    )
    for index, column in enumerate(columns):
        justify: Any = "left" if index < left else "right"
        table.add_column(Text(column), justify=justify, no_wrap=not out.is_terminal)
    for index, row in enumerate(rows):
        style = "bold" if index in strong_rows else ""
        table.add_row(*(Text(cell, style=style) for cell in row))
    out.print(table)


def print_json(value: Any) -> None:
    """One JSON document on standard output."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


def several(count: int, what: str) -> str:
    """How many of something: `1 request`, `2 requests`."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
