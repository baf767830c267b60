"""Loads a timing table: file, `extends:`, overrides, schema, cross checks, in that order."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from emu.table.catalog import find
from emu.table.checks import check
from emu.table.entries import build_entry
from emu.table.errors import TableError
from emu.table.extends import read_document
from emu.table.head_checks import good_clocks
from emu.table.nodes import Node
from emu.table.overrides import override
from emu.table.parse import parse
from emu.table.schema import Table


def load(name_or_file: str | Path, *, overrides: Sequence[str] = ()) -> Table:
    """The timing table of that name or file, with `NAME.PARAMETER=VALUE` texts put over it.

    `load("pcie_nic", overrides=["wire_out.latency=75 ns"])`. A text with a slash, or one that ends
    in `.yaml` or `.yml`, is a file; any other is the name of a shipped table. `TableError` with all
    that is wrong, each error with its place.
    """
    path = name_or_file if isinstance(name_or_file, Path) else find(name_or_file, Path())
    document = read_document(path)
    problems = list(document.problems)
    document = override(document, overrides, problems)
    parsed = parse(document)
    problems += parsed.problems
    problems += check(parsed, path)
    if problems:
        raise TableError(problems)
    clocks = good_clocks(parsed)
    head = parsed.head
    return Table(
        head=head,
        clocks=clocks,
        entries=tuple(build_entry(draft, head.defaults, clocks) for draft in parsed.drafts),
        digest=_digest(document.root),
        file=document.file,
    )


def _digest(root: Node) -> str:
    canonical = json.dumps(root.plain(), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(canonical.encode()).hexdigest()
