"""Runs a sweep: points to the workers, rows to the journal, and at the end the file."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from emu.engines import Engine
from emu.run import stopped_by_interrupt
from emu.sweep.check import check
from emu.sweep.errors import SweepError, writing
from emu.sweep.journal import Journal
from emu.sweep.lock import locked
from emu.sweep.plan import Common, Sweep, parameters
from emu.sweep.pool import process_pool
from emu.sweep.record import Record
from emu.sweep.todo import Todo
from emu.sweep.worker import Finished, compile_for, header, run_batch

#: A task ends after this time and gives back what it has not begun.
TASK_S = 0.5
#: How often it looks whether Ctrl-C has come.
LOOK_S = 0.1
#: Tasks for each worker, so that none waits for its next one.
TASKS_AHEAD = 2


@dataclass(frozen=True, slots=True)
class Outcome:
    """How many rows the file has, and how many were there before.

    `prevented` says what kept the fast engine from rows for which it was wanted, and from how many
    of those that this run added.
    """

    rows: int
    found: int
    prevented: Mapping[str, int] = field(default_factory=dict)


def sweep(
    points: Sweep,
    out: Path,
    *,
    executor: Executor | None = None,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    engine: Engine = "reference",
    compiling: Callable[[], None] | None = None,
) -> Outcome:
    """Runs all points and writes `out` as CSV, a row a point, in their order.

    A sweep that was stopped, killed even, goes on where it was: its rows are in `OUT.part` until
    all are there. `OUT.sweep.json` says what was swept; `SweepError` where that is something else.
    Without an executor, processes: as many as there are cores, or `workers`. With one, `workers` is
    how many it has. `progress` is told how many rows of how many are done.

    The rows are the same on every `engine`. `compiling` is called before a first run of the fast
    one, for which processes are not started until it is compiled.
    """
    if not out.parent.is_dir():
        raise SweepError(f"{out}: there is no folder '{out.parent}'; expected one that exists")
    if workers is not None and workers < 1:
        raise SweepError(f"{workers} workers; expected 1 or more")
    common = check(points)
    record = Record(out, parameters(points, common))
    with locked(out):
        part = out.with_name(f"{out.name}.part")
        if record.is_complete(part, len(points)):
            return Outcome(len(points), len(points))
        with Journal(part, len(points)) as journal:
            run = _Run(points, common, engine, journal, progress or _silent)
            found = journal.done
            if found < len(points):
                if executor is None:
                    # Else all of them would, or wait for the first.
                    compile_for(common, engine, points.kinds(), compiling)
                run.all_points(executor, workers or os.cpu_count() or 1)
            journal.write_ordered(header(common), out)
        with writing(part):
            part.unlink()
    return Outcome(len(points), found, dict(sorted(run.prevented.items())))


def _silent(done: int, total: int) -> None:
    """Tells nobody."""


class _Run:
    """One run over the points that are not in the journal yet."""

    def __init__(
        self,
        points: Sweep,
        common: Common,
        engine: Engine,
        journal: Journal,
        progress: Callable[[int, int], None],
    ) -> None:
        self._points = points
        self._common = common
        self._engine = engine
        self._journal = journal
        self._progress = progress
        self._todo = Todo(journal.__contains__, len(points), len(points) - journal.done)
        self._running: dict[Future[Finished], range] = {}
        self.prevented: Counter[str] = Counter()

    def all_points(self, executor: Executor | None, workers: int) -> None:
        """Runs them; `SweepError` for a point that fails, once the rows at hand are written."""
        self._progress(self._journal.done, len(self._points))
        workers = min(workers, self._todo.left)
        interrupted = threading.Event()
        with (
            # An exception in the middle of `wait` would leave locks of futures taken for ever.
            stopped_by_interrupt(interrupted.set),
            process_pool(workers) if executor is None else nullcontext(executor) as pool,
        ):
            try:
                while self._submitted(pool, workers):
                    finished, _ = wait(self._running, LOOK_S, return_when=FIRST_COMPLETED)
                    if interrupted.is_set():
                        raise KeyboardInterrupt
                    if finished:
                        self._take(finished)
            finally:
                for future in self._running:
                    future.cancel()

    def _submitted(self, pool: Executor, workers: int) -> bool:
        """Keeps the workers busy; false when nothing is left to wait for."""
        while len(self._running) < workers * TASKS_AHEAD and self._todo.left:
            # Ever smaller tasks, so that all workers end together.
            span = self._todo.take(self._todo.left // (2 * workers * TASKS_AHEAD))
            points = [self._points.point(index) for index in span]
            task = pool.submit(run_batch, self._common, self._engine, points, TASK_S)
            self._running[task] = span
        return bool(self._running)

    def _take(self, finished: set[Future[Finished]]) -> None:
        failures: list[tuple[int, str]] = []
        lost: list[range] = []
        for future in finished:
            span = self._running.pop(future)
            try:
                result = future.result()
            except BrokenProcessPool:
                lost.append(span)
                continue
            except Exception as error:
                text = f"{type(error).__name__} at {self._ends(span)}: {error}"
                failures.append((span.start, text))
                continue
            self._journal.add(span.start, result.rows)
            self.prevented += result.prevented
            rest = span[len(result.rows) :]
            if result.failure is not None:
                failures.append((rest.start, result.failure))
            elif rest:
                self._todo.give_back(rest)
        self._progress(self._journal.done, len(self._points))
        if failures:
            raise SweepError(min(failures)[1])
        if lost:
            # It is not known which of its tasks ended a worker, and the others end with it.
            under_way = sorted((*lost, *self._running.values()), key=lambda span: span.start)
            raise SweepError(
                "a worker was ended from outside, perhaps for want of memory; under way were "
                + "; ".join(map(self._ends, under_way))
            )

    def _ends(self, span: range) -> str:
        ends = dict.fromkeys((span[0], span[-1]))
        named = (f"'{self._common.described(self._points.point(index))}'" for index in ends)
        return " to ".join(named)
