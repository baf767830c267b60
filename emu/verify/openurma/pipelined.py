"""Rows of a simulator that serves one request at a time: their rates, to be beaten."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from emu.path import build
from emu.run import ClosedLoop
from emu.table import load
from emu.table.catalog import shown
from emu.time import PS_PER_S
from emu.verify.check import Check, Verification
from emu.verify.openurma.addresses import Draws, read_addresses
from emu.verify.openurma.parameters import overrides
from emu.verify.openurma.results import Row, read_results
from emu.verify.openurma.workloads import accesses

SOURCE = "OpenURMA two-node simulator (arXiv 2605.28717), oprate_Mops: one request at a time"


def verify_pipelined(file: Path, addresses: Path, outstanding: int) -> Verification:
    """Beats the rate of each row that keeps so many requests open.

    `CsvError` with all that is wrong with a file.
    """
    draws = read_addresses(addresses, str(shown(addresses)))
    rows = read_results(file, str(shown(file)))
    checks = _checks([row for row in rows if row.open_requests == outstanding], draws)
    return Verification(f"{file.stem}, {outstanding} outstanding", tuple(checks))


def _checks(rows: list[Row], draws: Draws) -> Iterator[Check]:
    for row in rows:
        if row.rate_millions is None:
            continue
        loop = ClosedLoop(
            build(load(row.table, overrides=overrides(row))),
            accesses(row, draws),
            outstanding=row.open_requests,
        )
        loop.run()
        # From the first post on, so that the start counts as well.
        got = Fraction(loop.latency.count * PS_PER_S, loop.last_completion_ps) / 10**6
        yield Check(
            name=f"{row.name}, {row.open_requests} outstanding",
            source=SOURCE,
            expected=row.rate_millions,
            got=got,
            tolerance=Fraction(0),
            unit="M/s",
            is_beaten=True,
        )
