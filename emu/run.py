"""Runs: requests brought into a path, and what came out."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from emu.driver import Driver
from emu.errors import EmuError
from emu.report import Report
from emu.request import Operation, Request
from emu.trace.events import Listener
from emu.utilisation import utilisation
from emu.where import still_inside
from emu.workload import Access, Closed, stepping
from emu.workload.build import Described, closed_loop

if TYPE_CHECKING:
    from emu.path import Path

__all__ = ["Access", "ClosedLoop", "run_closed_loop", "run_workload", "stepping"]


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
    path: Path, operation: Operation, size_bytes: int, requests: int, outstanding: int
) -> Report:
    """Runs equal requests through a fresh path; Ctrl-C gives the report of what was delivered."""
    if requests < 1 or outstanding < 1:
        raise EmuError(
            f"{requests} requests with {outstanding} outstanding; expected 1 or more of each"
        )
    return run_workload(path, closed_loop((operation, size_bytes), outstanding, requests))


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
    started_s = time.perf_counter()
    with stopped_by_interrupt(driver.stop):
        driver.run(until_ps)
    wall_s = time.perf_counter() - started_s
    kernel = driver.kernel
    end_ps = kernel.now_ps if kernel.inside else driver.changed_ps
    stages = driver.ledger.by_stage()
    return Report(
        table=path.table.name,
        workload=described.said,
        seed=path.seed,
        kind=described.kind,
        requests=described.requests,
        engine="reference",
        latency=driver.latency,
        posted=driver.posted,
        dropped_at=driver.dropped,
        in_flight_at=still_inside(kernel, is_traced=listener is not None),
        first_post_ps=driver.first_post_ps,
        first_completion_ps=driver.first_completion_ps,
        last_completion_ps=driver.last_completion_ps,
        inside_ps=driver.inside_ps,
        end_ps=end_ps,
        stages=stages,
        parts=driver.ledger.parts(),
        utilisation=utilisation(path.stations, path.pools, stages, driver.first_post_ps, end_ps),
        derived_ps=None if described.kind is None else path.derived_ps(*described.kind),
        wall_s=wall_s,
        until_ps=until_ps,
        interrupted=driver.is_stopping,
        unkept_marks=0 if path.keeps_marks else driver.marked,
    )


@contextmanager
def stopped_by_interrupt(stop: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C calls `stop`, which is to end what goes on when that leaves it whole.

    A second one kills.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may handle signals; there it is the caller's to decide
        return
    before = signal.getsignal(signal.SIGINT)

    def interrupted(signum: int, frame: FrameType | None) -> None:
        stop()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
