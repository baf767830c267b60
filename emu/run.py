"""Runs: requests brought into a path, and what came out."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING

from emu.breakdown import Ledger
from emu.errors import EmuError
from emu.histogram import Histogram
from emu.kernel import Kernel
from emu.report import Report
from emu.request import Operation, Request
from emu.waits import DeadlockError, who_waits_for_whom

if TYPE_CHECKING:
    from emu.path import Path


@dataclass(frozen=True, slots=True)
class Access:
    """One operation to be posted: what, how many bytes, where."""

    operation: Operation
    size_bytes: int
    address: int
    initiator: int = 0
    destination: int = 0


def stepping(operation: Operation, size_bytes: int, requests: int) -> Iterable[Access]:
    """So many equal accesses whose addresses step through memory by their size, from 0."""
    return (Access(operation, size_bytes, n * size_bytes) for n in range(requests))


class ClosedLoop:
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
        self.posted = 0
        self.latency = Histogram()
        self.ledger = Ledger()
        self.first_completion_ps = self.last_completion_ps = 0
        self.kernel: Kernel = path.kernel(self._completed)
        self._path = path
        self._accesses = iter(accesses)
        self._on_complete = on_complete
        for _ in range(outstanding):
            self._post(start_ps)

    def run(self) -> None:
        """Runs to the end; `DeadlockError` if requests are left that nothing will ever move."""
        self.kernel.run()
        if self.kernel.inside and not self.kernel.stopped:
            raise DeadlockError(who_waits_for_whom(self.kernel))

    def _post(self, now_ps: int) -> None:
        access = next(self._accesses, None)
        if access is None:
            return
        plan = self._path.plan(access.operation, access.size_bytes, access.address)
        self.kernel.submit(
            Request(
                self.posted,
                access.operation,
                access.size_bytes,
                access.address,
                now_ps,
                plan,
                access.initiator,
                access.destination,
            )
        )
        self.posted += 1

    def _completed(self, request: Request) -> None:
        now_ps = request.completed_ps
        if not self.latency.count:
            self.first_completion_ps = now_ps
        self.last_completion_ps = now_ps
        self.latency.add(now_ps - request.submitted_ps)
        self.ledger.close(request)
        if self._on_complete is not None:
            self._on_complete(request)
        self._post(now_ps)


def run_closed_loop(
    path: Path, operation: Operation, size_bytes: int, requests: int, outstanding: int
) -> Report:
    """Runs equal requests through a fresh path; Ctrl-C gives the report of what was delivered."""
    if requests < 1 or outstanding < 1:
        raise EmuError(
            f"{requests} requests with {outstanding} outstanding; expected 1 or more of each"
        )
    loop = ClosedLoop(path, stepping(operation, size_bytes, requests), outstanding)
    started_s = time.perf_counter()
    with _stopped_by_interrupt(loop.kernel):
        loop.run()
    wall_s = time.perf_counter() - started_s
    return Report(
        table=path.table.name,
        operation=operation,
        size_bytes=size_bytes,
        requests=requests,
        outstanding=outstanding,
        engine="reference",
        latency=loop.latency,
        posted=loop.posted,
        dropped=0,
        in_flight=len(loop.kernel.inside),
        first_completion_ps=loop.first_completion_ps,
        last_completion_ps=loop.last_completion_ps,
        stages=loop.ledger.by_stage(),
        parts=loop.ledger.parts(),
        derived_ps=path.derived_ps(operation, size_bytes),
        wall_s=wall_s,
        interrupted=loop.kernel.stopped,
    )


@contextmanager
def _stopped_by_interrupt(kernel: Kernel) -> Iterator[None]:
    """Ctrl-C ends the run between two instants, so that its report is whole; a second one kills."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may handle signals; there it is the caller's to decide
        return
    before = signal.getsignal(signal.SIGINT)

    def stop(signum: int, frame: FrameType | None) -> None:
        kernel.stopped = True
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
