"""Options that several commands share, and how their texts are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from emu.cli.output import error
from emu.compare import operation_on, same_names
from emu.engines import ENGINES, Engine
from emu.errors import EmuError, did_you_mean, listed
from emu.request import OPERATION_GROUPS, Operation
from emu.table import load
from emu.table.overrides import is_for, parts_of
from emu.table.schema import Table
from emu.units import parse_size


class OptionError(EmuError):
    """An option whose value cannot be read."""


OpOption = Annotated[
    str | None,
    typer.Option(
        "--op",
        metavar="OPERATION",
        help="read, write, send, atomic (or fetch_and_add, compare_and_swap), load or store.",
    ),
]
SizeOption = Annotated[
    str,
    typer.Option(
        "--size", metavar="BYTES", help="Bytes moved: `64`, `'64 B'` or `4K`, which is 4KiB."
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME.PARAMETER=VALUE",
        help="Change a parameter of a stage or resource, as in `--set wire.latency='75 ns'`; "
        "may be given several times.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, times in whole picoseconds.")]
EngineOption = Annotated[
    str,
    typer.Option(
        "--engine",
        metavar="ENGINE",
        help="fast is compiled, and reference runs whatever there is, with the same result; auto "
        "takes fast where it can.",
    ),
]


def read_engine(word: str) -> Engine:
    """The engine that `--engine` names."""
    for engine in ENGINES:
        if word == engine:
            return engine
    near = did_you_mean(word, ENGINES)
    raise OptionError(
        f"--engine {word}: '{word}' is no engine; expected {listed(ENGINES)}"
        + (f"; {near}" if near else "")
    )


def say_compiling() -> None:
    """Says why a first run takes a while before it begins; others are not kept waiting."""
    error("compiling the fast engine for such runs, once; the next one starts at once")


def read_operation(word: str) -> Operation:
    """The operation that `--op` names; `atomic` stands for fetch_and_add."""
    if word not in OPERATION_GROUPS:
        near = did_you_mean(word, OPERATION_GROUPS)
        raise OptionError(
            f"--op {word}: '{word}' is no operation; expected {listed(OPERATION_GROUPS)}"
            + (f"; {near}" if near else "")
        )
    return OPERATION_GROUPS[word][0]


def read_size(text: str, given: str | None = None) -> int:
    """Bytes from `64`, `64 B`, `4KiB` or `4K`; `given` is how it was, unless by `--size`."""
    try:
        return parse_size(text)
    except EmuError as error:
        raise OptionError(f"{given or f'--size {text}'}: {error}") from error


def default_operation(table: Table) -> str:
    """`read`; a load where the processor issues loads; else the first that the table has."""
    operation = operation_on(table, Operation.READ)
    return (operation if operation in table.operations else table.operations[0]).value


def load_together(
    names: Sequence[str], settings: Sequence[str] = ()
) -> list[tuple[Table, list[str]]]:
    """The named tables, each with those of the settings that are for something that it has.

    `OptionError` where two tables have one name, or where none has what a setting names.
    """
    plain = [load(name) for name in names]
    problems = same_names(zip(names, (table.name for table in plain), strict=True))
    for text in settings:
        if not any(is_for(table, text) for table in plain):
            parts = list(dict.fromkeys(part for table in plain for part in parts_of(table)))
            part = text.partition("=")[0].strip()
            near = did_you_mean(part.partition(".")[0], parts)
            problems.append(
                f"--set {text}: no table here has '{part}'; expected one of {listed(parts)}"
                + (f"; {near}" if near else "")
            )
    if problems:
        raise OptionError("\n".join(problems))
    found = []
    for name, table in zip(names, plain, strict=True):
        own = [text for text in settings if is_for(table, text)]
        found.append((load(name, overrides=own) if own else table, own))
    return found


def nanoseconds(time_ps: int) -> str:
    """Exact nanoseconds, to the picosecond."""
    sign = "-" if time_ps < 0 else ""
    whole, rest = divmod(abs(time_ps), 1000)
    return f"{sign}{whole}.{rest:03d}"


def rate(rate_per_s: float | None) -> str:
    """A rate for people."""
    if rate_per_s is None:
        return "not defined for one instant"
    return f"{rate_per_s / 1e6:.4g} M/s" if rate_per_s >= 1e5 else f"{rate_per_s:.4g} /s"
