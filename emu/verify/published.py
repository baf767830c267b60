"""The figures that the project ships, in `timing_tables/published`."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Literal

import pydantic
from pydantic import Field

from emu.path import build
from emu.request import OPERATION_GROUPS, Operation
from emu.run import Access, ClosedLoop
from emu.table import load
from emu.table.catalog import shipped_directory, shown
from emu.table.errors import TableError
from emu.table.fields import BytesField, NameField, OperationField, TextField, TimeField
from emu.table.nodes import read_file
from emu.table.schema import Source, Strict
from emu.table.shape import Shape
from emu.table.translate import translate
from emu.verify.check import Check, Verification
from emu.verify.openurma.cycles import cycles_verification
from emu.verify.openurma.pipelined import verify_pipelined
from emu.verify.openurma.rows import verify_openurma_rows


class Figure(Strict):
    """One published latency of one request alone."""

    table: NameField
    operation: OperationField
    expected: TimeField


class RowFile(Strict):
    """A results file of OpenURMA's two-node simulator; files as seen from the directory."""

    file: TextField
    addresses: TextField
    beaten_at: Annotated[int, Field(ge=2, strict=True)] | None = Field(
        None, description="rows that keep so many requests open, whose rate must be beaten"
    )


class PublishedFile(Strict):
    """One file of figures that have a source, a size and a tolerance in common."""

    schema_: Annotated[Literal[1], Field(alias="schema")]
    source: Source
    bytes: BytesField
    result: Literal["derived", "emulated"] = Field(
        description="which of the two results of a table the figures are compared with"
    )
    tolerance: TimeField
    figures: list[Figure]
    rows: list[RowFile] = Field(default_factory=list)
    cycles: list[TextField] = Field(
        default_factory=list, description="scenarios of OpenURMA's sender, as seen from here"
    )


def published_directory() -> Path:
    """The directory of the published figures that come with the project."""
    return shipped_directory() / "published"


def verify_published(directory: Path | None = None) -> list[Verification]:
    """Recomputes every figure of every file there, in the order of the files' names.

    `TableError` where a file cannot be read, `EmuError` where a figure's table is not known or has
    no such operation.
    """
    directory = directory or published_directory()
    found: list[Verification] = []
    for path in sorted(directory.glob("*.yaml")):
        published = read_published(path)
        found.append(Verification(path.stem, tuple(_checks(published))))
        for rows in published.rows:
            file, addresses = directory / rows.file, directory / rows.addresses
            found.append(verify_openurma_rows(file, addresses))
            if rows.beaten_at is not None:
                found.append(verify_pipelined(file, addresses, rows.beaten_at))
        found += [cycles_verification(directory / scenarios) for scenarios in published.cycles]
    return found


def read_published(path: Path) -> PublishedFile:
    """A file of figures; `TableError` with all that is wrong with it."""
    node, problems = read_file(path, str(shown(path)))
    try:
        published = PublishedFile.model_validate(node.plain())
    except pydantic.ValidationError as error:
        raise TableError(
            [*problems, *translate(error, node, Shape.of(PublishedFile), "")]
        ) from None
    if problems:
        raise TableError(problems)
    return published


def _checks(published: PublishedFile) -> Iterator[Check]:
    for figure in published.figures:
        for operation in OPERATION_GROUPS[figure.operation]:
            yield Check(
                name=f"{figure.table} {operation} {published.bytes} B, {published.result}",
                source=f"{published.source.text} ({published.source.kind})",
                expected=Fraction(figure.expected),
                got=Fraction(_alone_ps(figure.table, operation, published)),
                tolerance=Fraction(published.tolerance),
            )


def _alone_ps(table: str, operation: Operation, published: PublishedFile) -> int:
    path = build(load(table))
    if published.result == "derived":
        return path.derived_ps(operation, published.bytes)
    loop = ClosedLoop(path, [Access(operation, published.bytes, address=0)], outstanding=1)
    loop.run()
    return loop.latency.sum
