"""What workers do: points become rows of text."""

from __future__ import annotations

import csv
import io
import json
import time
import traceback
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from emu.errors import EmuError
from emu.path import Path as TablePath
from emu.report import PERCENTILES_PER_MILLE, Report
from emu.sweep.errors import SweepError
from emu.sweep.plan import Common, Origin, Point, issued
from emu.table import load
from emu.table.schema import Table

LATENCIES = ("mean", *PERCENTILES_PER_MILLE, "max")
#: What is told of each point. `parts_ps` is JSON, because which parts there are only a run shows:
#: picoseconds by part, summed over the delivered requests.
RESULTS = (
    "rate_per_s",
    *(f"{name}_ps" for name in LATENCIES),
    "posted",
    "delivered",
    "dropped",
    "in_flight",
    "parts_ps",
)

#: Tables that a worker keeps loaded: loading takes longer than a small point.
KEPT_TABLES = 256


@dataclass(frozen=True, slots=True)
class Finished:
    """The rows of the first points of a batch, and what is wrong with the point after them."""

    rows: list[str]
    failure: str | None = None


def run_batch(common: Common, points: list[Point], seconds: float) -> Finished:
    """Runs points in turn, as many as fit in the time but at least one."""
    until = time.monotonic() + seconds
    rows: list[str] = []
    for point in points:
        # Errors become text here: not every exception survives its way between processes.
        try:
            rows.append(_row(common, point))
        except EmuError as error:
            return Finished(rows, f"{common.described(point)}: {error}")
        except Exception:
            return Finished(rows, f"{common.described(point)}: {traceback.format_exc()}")
        if time.monotonic() >= until:
            break
    return Finished(rows)


def header(common: Common) -> str:
    """The first line of the file."""
    return as_line(("table", *common.axes, *RESULTS))


def as_line(cells: tuple[object, ...]) -> str:
    """Cells as CSV, without the end of the line."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(cells)
    return text.getvalue()


def _row(common: Common, point: Point) -> str:
    index, values = point
    origin = common.origins[index]
    _check_unchanged(origin)
    table = _table(origin.place, common.overrides(values))
    named: dict[str, Any] = dict(zip(common.axes, values, strict=True))
    report = TablePath(table, named.get("seed", 1)).run(
        operation=issued(table, named.get("op")),
        size_bytes=named.get("size", 64),
        requests=named.get("requests", common.requests),
        outstanding=named.get("outstanding", 1),
    )
    if report.interrupted:
        raise KeyboardInterrupt  # half a run is no row
    return as_line((origin.name, *values, *_results(report)))


def _results(report: Report) -> tuple[object, ...]:
    latencies = report.latencies_ps()
    return (
        report.rate_per_s,
        *(latencies[name] for name in LATENCIES),
        report.posted,
        report.delivered,
        report.dropped,
        report.in_flight,
        json.dumps(report.parts, separators=(",", ":"), ensure_ascii=False),
    )


@lru_cache(KEPT_TABLES)
def _table(place: str | Path, overrides: tuple[str, ...]) -> Table:
    return load(place, overrides=overrides)


@lru_cache(KEPT_TABLES)
def _check_unchanged(origin: Origin) -> None:
    """`SweepError` where a worker's table is not the one that the sweep began with."""
    if _table(origin.place, origin.overrides).digest != origin.digest:
        raise SweepError(
            f"the table at {origin.place} is not the one that the sweep began with; expected the "
            "same on every worker until the end"
        )
