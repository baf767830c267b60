"""Runs: requests brought into a path, and what came out."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING

from emu.compiling import compile_before
from emu.driver import Driver
from emu.engines import Engine, FaultError, Started, TooFarError, start
from emu.errors import EmuError
from emu.report import Report
from emu.request import Operation, Request
from emu.trace.events import Listener
from emu.utilisation import used
from emu.workload import Access, Closed, stepping
from emu.workload.build import Described, closed_loop

if TYPE_CHECKING:
    from emu.path import Path

__all__ = ["Access", "ClosedLoop", "run_closed_loop", "run_on", "run_workload", "stepping"]


class ClosedLoop(Driver):
    """Keeps `outstanding` requests open: each completion posts the next access."""

    def __init__(
        self,
        path: Path,
        accesses: Iterable[Access],
        outstanding: int,
        *,
        start_ps: int = 0,
        on_complete: Callable[[Request], None] | None = None,
    ) -> None:
        workload = Closed([iter(accesses)], outstanding, start_ps)
        super().__init__(path, workload, on_complete=on_complete)


def run_closed_loop(
    path: Path,
    operation: Operation,
    size_bytes: int,
    requests: int,
    outstanding: int,
    *,
    engine: Engine = "reference",
) -> Report:
    """Runs equal requests through a fresh path; Ctrl-C gives the report of what was delivered.

    `EngineError` if the engine that is asked for can't run this.
    """
    given = {"requests": requests, "outstanding": outstanding, "size_bytes": size_bytes}
    for name, least in (("requests", 1), ("outstanding", 1), ("size_bytes", 0)):
        if not isinstance(given[name], int) or given[name] < least:
            raise EmuError(f"{name} is {given[name]!r}; expected a whole number, {least} or more")
    if not isinstance(operation, Operation):
        raise EmuError(f"operation is {operation!r}; expected one of emu.Operation, as in READ")
    return run_on(engine, path, closed_loop((operation, size_bytes), outstanding, requests))


def run_workload(
    path: Path,
    described: Described,
    *,
    until_ps: int | None = None,
    listener: Listener | None = None,
) -> Report:
    """Runs a workload through a fresh path, to its end or up to and including `until_ps`.

    Ctrl-C gives the report of what was delivered.
    """
    driver = Driver(path, described.workload, requests=described.requests, listener=listener)
    started = Started(driver, partial(driver.run, until_ps), driver.stop, "reference")
    return _reported(path, described, started, until_ps)


def run_on(
    engine: Engine,
    path: Path,
    described: Described,
    *,
    until_ps: int | None = None,
    compiling: Callable[[], None] | None = None,
) -> Report:
    """The same on the engine that is asked for; `EngineError` if it can't run this.

    `compiling` is called before a first run, which compiles; Ctrl-C then ends it.
    """
    started = start(
        path, described.workload, engine=engine, requests=described.requests, until_ps=until_ps
    )
    if not started.is_compiled:
        compile_before(engine, path, described, compiling)
    try:
        return _reported(path, described, started, until_ps)
    except FaultError as fault:
        if described.again is None or (engine == "fast" and isinstance(fault, TooFarError)):
            raise
        # The reference engine fails the same way, and says why; or it takes what comes later.
        fresh = type(path)(path.table, path.seed)
        again = replace(described, workload=described.again())
        report = run_workload(fresh, again, until_ps=until_ps)
        return replace(report, prevented=str(fault).partition(";")[0])


def _reported(path: Path, described: Described, started: Started, until_ps: int | None) -> Report:
    interrupted = False

    def stop() -> None:
        nonlocal interrupted
        interrupted = True
        started.stop()

    started_s = time.perf_counter()
    with stopped_by_interrupt(stop):
        started.go()
    wall_s = time.perf_counter() - started_s
    run = started.run
    in_flight_at = run.in_flight_at
    end_ps = run.now_ps if in_flight_at else run.changed_ps
    stages = run.ledger.by_stage()
    return Report(
        table=path.table.name,
        workload=described.said,
        seed=path.seed,
        kind=described.kind,
        requests=described.requests,
        engine=started.engine,
        prevented=started.prevented,
        latency=run.latency,
        posted=run.posted,
        dropped_at=run.dropped,
        in_flight_at=in_flight_at,
        first_post_ps=run.first_post_ps,
        first_completion_ps=run.first_completion_ps,
        rounds=run.rounds,
        last_completion_ps=run.last_completion_ps,
        inside_ps=run.inside_ps,
        end_ps=end_ps,
        stages=stages,
        parts=run.ledger.parts(),
        used=used(path, described.kind, run.latency.count, run.first_post_ps, end_ps),
        derived_ps=None if described.kind is None else path.derived_ps(*described.kind),
        wall_s=wall_s,
        until_ps=until_ps,
        interrupted=interrupted,
        unkept_marks=0 if path.keeps_marks else run.marked,
    )


@contextmanager
def stopped_by_interrupt(stop: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C calls `stop`, which is to end what goes on when that leaves it whole.

    A handler that is the caller's own is called as well. A second one kills.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may handle signals; there it is the caller's to decide
        return
    before = signal.getsignal(signal.SIGINT)

    def interrupted(signum: int, frame: FrameType | None) -> None:
        stop()
        signal.signal(signal.SIGINT, before)
        if callable(before) and before is not signal.default_int_handler:
            before(signum, frame)

    signal.signal(signal.SIGINT, interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
