"""Recomputes the rows of a results file by running the emulator as each row says."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from emu.path import build
from emu.run import ClosedLoop
from emu.table import load
from emu.table.catalog import shipped_directory, shown
from emu.table.schema import Table
from emu.verify.check import Check, NotComparable, Verification
from emu.verify.openurma.addresses import Draws, read_addresses
from emu.verify.openurma.parameters import overrides
from emu.verify.openurma.results import Row, read_results
from emu.verify.openurma.workloads import accesses, why_unknown

TOLERANCE_PS = 500
SOURCE = "OpenURMA two-node simulator (arXiv 2605.28717), mean_ns"
ONE_AT_A_TIME = (
    "more than one request open (conc): that simulator serves one request at a time, so its rate "
    "never rises; a pipelined path must beat it"
)


def shipped_addresses() -> Path:
    """The draws of the simulator's own workloads, which have fixed seeds."""
    return shipped_directory() / "published" / "openurma" / "twonode_addresses.csv"


def verify_openurma_rows(file: Path, addresses: Path | None = None) -> Verification:
    """Recomputes `mean_ns` of every row that keeps one request open, to within 0.5 ns.

    `addresses` says what random workloads drew; without it, the draws that the project ships.
    `CsvError` with all that is wrong with a file.
    """
    addresses = addresses or shipped_addresses()
    rows = read_results(file, str(shown(file)))
    draws = read_addresses(addresses, str(shown(addresses)))
    tables: dict[tuple[str, ...], Table] = {}
    checks = []
    not_comparable = []
    for row in rows:
        reason = _why_not_comparable(row, draws)
        if reason is not None:
            not_comparable.append(NotComparable(row.name, SOURCE, reason))
            continue
        key = (row.table, *overrides(row))
        table = tables.get(key)
        if table is None:
            table = tables[key] = load(row.table, overrides=overrides(row))
        got_ps = _mean_ps(table, row, draws)
        checks.append(Check(row.name, SOURCE, row.mean_ps, got_ps, Fraction(TOLERANCE_PS)))
    return Verification(file.name, tuple(checks), tuple(not_comparable), is_rows=True)


def _why_not_comparable(row: Row, draws: Draws) -> str | None:
    if row.open_requests > 1:
        return ONE_AT_A_TIME
    if row.unmodelled:
        return f"not modelled: column {', '.join(row.unmodelled)}"
    return why_unknown(row, draws)


def _mean_ps(table: Table, row: Row, draws: Draws) -> Fraction:
    """One request at a time through a fresh path, which keeps its state through the row."""
    loop = ClosedLoop(build(table), accesses(row, draws), outstanding=1)
    loop.run()
    return Fraction(loop.latency.sum, loop.latency.count)
