"""What figures measure with: tables run under a load on the engine that is asked for, and rates."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence

from emu.driver import Driver
from emu.edge_run import EdgeRun
from emu.engines import Ended, Run, start
from emu.figures.compiled import compile_engine
from emu.figures.engine import EDGES, SINGLE_PARTS, needs_reference, now_measuring
from emu.path import build
from emu.request import Operation, Request
from emu.table import load
from emu.table.schema import Table
from emu.time import PS_PER_S
from emu.workload import Access, Closed, Workload, stepping

CHAPTER = "interconnect chapter"
OPENURMA = "OpenURMA (arXiv 2605.28717)"
KV_DIRECT = "KV-Direct (SOSP'17)"

MILLION = 10**6
NS, US, MS = 10**3, 10**6, 10**9


def run(
    table: str,
    workload: Workload,
    *,
    overrides: Sequence[str] = (),
    requests: int | None = None,
    until_ps: int | None = None,
    on_complete: Callable[[Ended], None] | None = None,
) -> Run:
    """A workload over a fresh path of a shipped table, at its end or at `until_ps`."""
    return run_table(
        load(table, overrides=overrides),
        workload,
        requests=requests,
        until_ps=until_ps,
        on_complete=on_complete,
    )


def run_table(
    table: Table,
    workload: Workload,
    *,
    requests: int | None = None,
    until_ps: int | None = None,
    on_complete: Callable[[Ended], None] | None = None,
) -> Run:
    """The same over a table that is loaded."""
    now = now_measuring()
    started = start(
        build(table),
        workload,
        engine=now.engine,
        requests=requests,
        until_ps=until_ps,
        on_complete=on_complete,
    )
    now.prevented = now.prevented or started.prevented
    if not started.is_compiled:
        compile_engine(now.compiling)
    started.go()
    return started.run


def run_watched(
    table: str,
    workload: Workload,
    watch: Callable[[Request], None],
    *,
    overrides: Sequence[str] = (),
    until_ps: int | None = None,
) -> Driver:
    """The same, on the reference engine; `watch` is shown each request as it is complete."""
    needs_reference(SINGLE_PARTS)
    driver = Driver(build(load(table, overrides=overrides)), workload, on_complete=watch)
    driver.run(until_ps)
    return driver


def on_edges(table: str, *, overrides: Sequence[str] = ()) -> EdgeRun:
    """A fresh run of a shipped table with one clock, for requests and answers on its edges."""
    needs_reference(EDGES)
    return EdgeRun(load(table, overrides=overrides))


def closed(
    table: str,
    operation: Operation,
    size_bytes: int,
    *,
    outstanding: int,
    requests: int,
    overrides: Sequence[str] = (),
) -> Run:
    """So many equal requests, of which so many are kept open."""
    workload = Closed([stepping(operation, size_bytes, requests)], outstanding)
    return run(table, workload, overrides=overrides)


def one_after_another(table: str, accesses: Iterable[Access]) -> Run:
    """Each access is posted when the one before is complete."""
    return run(table, Closed([iter(accesses)], outstanding=1))


def completions_ps(
    table: str, workload: Workload, until_ps: int, overrides: Sequence[str] = ()
) -> dict[Operation, list[int]]:
    """When operations were complete up to a time, in order, by what they are."""
    times_ps: dict[Operation, list[int]] = {operation: [] for operation in Operation}

    def note(ended: Ended) -> None:
        times_ps[ended.operation].append(ended.completed_ps)

    run(table, workload, overrides=overrides, until_ps=until_ps, on_complete=note)
    return times_ps


def count_between(times_ps: Sequence[int], from_ps: int, to_ps: int) -> int:
    """How many of the times, which are in order, lie after the one and up to the other."""
    return bisect_right(times_ps, to_ps) - bisect_right(times_ps, from_ps)


def window_ps(run: Run) -> int:
    """From the first completion to the last."""
    return run.last_completion_ps - run.first_completion_ps


def millions_per_s(run: Run) -> float:
    """The rate between the first completion and the last."""
    return (run.latency.count - 1) * PS_PER_S / window_ps(run) / MILLION


def least(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The least number for which something holds, which must hold from there up to `high`."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low
