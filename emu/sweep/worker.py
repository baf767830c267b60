"""What workers do: points become rows of text."""

from __future__ import annotations

import csv
import io
import json
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from emu.compiling import compile_before
from emu.engines import Engine
from emu.errors import EmuError
from emu.path import Path as TablePath
from emu.report import PERCENTILES_PER_MILLE, Report
from emu.run import run_on
from emu.sweep.errors import SweepError
from emu.sweep.plan import Common, Origin, Point, issued
from emu.table import load
from emu.table.schema import Table
from emu.workload.build import Described, closed_loop

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
    """The rows of the first points of a batch, and what is wrong with the point after them.

    `prevented` says what kept the fast engine from rows for which it was wanted, and from how many.
    """

    rows: list[str]
    failure: str | None = None
    prevented: Counter[str] = field(default_factory=Counter)


def run_batch(common: Common, engine: Engine, points: list[Point], seconds: float) -> Finished:
    """Runs points in turn, as many as fit in the time but at least one."""
    until = time.monotonic() + seconds
    rows: list[str] = []
    prevented: Counter[str] = Counter()
    for point in points:
        # Errors become text here: not every exception survives its way between processes.
        try:
            report = _run(common, engine, point)
        except EmuError as error:
            return Finished(rows, f"{common.described(point)}: {error}", prevented)
        except Exception:
            failure = f"{common.described(point)}: {traceback.format_exc()}"
            return Finished(rows, failure, prevented)
        name, values = common.origins[point[0]].name, point[1]
        rows.append(as_line((name, *values, *_results(report))))
        if report.prevented is not None:
            prevented[f"{name}: {report.prevented}"] += 1
        if time.monotonic() >= until:
            break
    return Finished(rows, prevented=prevented)


def header(common: Common) -> str:
    """The first line of the file."""
    return as_line(("table", *common.axes, *RESULTS))


def as_line(cells: tuple[object, ...]) -> str:
    """Cells as CSV, without the end of the line."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(cells)
    return text.getvalue()


def compile_for(
    common: Common, engine: Engine, points: Iterable[Point], say: Callable[[], None] | None
) -> None:
    """Compiles what points need and is not there yet; `say` is called before."""
    for point in points:
        # Whatever is wrong is told with the row, by whoever runs it.
        with suppress(EmuError):
            compile_before(engine, *_made(common, point), say)


def _run(common: Common, engine: Engine, point: Point) -> Report:
    _check_unchanged(common.origins[point[0]])
    report = run_on(engine, *_made(common, point))
    if report.interrupted:
        raise KeyboardInterrupt  # half a run is no row
    return report


def _made(common: Common, point: Point) -> tuple[TablePath, Described]:
    """A point as a fresh path, and what is posted."""
    index, values = point
    table = _table(common.origins[index].place, common.overrides(values))
    named: dict[str, Any] = dict(zip(common.axes, values, strict=True))
    kind = issued(table, named.get("op")), named.get("size", 64)
    requests = named.get("requests", common.requests)
    described = closed_loop(kind, named.get("outstanding", 1), requests)
    return TablePath(table, named.get("seed", 1)), described


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
