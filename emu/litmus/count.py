"""Counts the outcomes of many schedules, in one process or several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from shlex import quote

from emu.errors import EmuError, RunError
from emu.litmus.draw import GROUP, draw, draw_group
from emu.litmus.machine import Machine
from emu.litmus.model import LitmusTest
from emu.sweep.pool import process_pool

#: Schedules of a task: whole groups, since those of a group run on one path.
TASK = 10 * GROUP

#: What was observed, in the order of `LitmusTest.observed`.
Values = tuple[int | None, ...]


class LitmusError(RunError):
    """A schedule that did not come to its end."""


@dataclass(slots=True)
class Seen:
    """How often an outcome was seen, and the first schedule that had it."""

    count: int
    first: int


@dataclass
class Counted:
    """The outcomes of one mode of a test, over the schedules that have been run."""

    test: LitmusTest
    mode: str
    seed: int
    asked: int
    schedules: int = 0
    seen: dict[Values, Seen] = field(default_factory=dict)

    def add(self, task: Task) -> None:
        """Counts what a task has found."""
        self.schedules += task.schedules
        for values, found in task.seen.items():
            before = self.seen.setdefault(values, Seen(0, found.first))
            before.count += found.count
            before.first = min(before.first, found.first)


@dataclass
class Task:
    """What came of some schedules in a row; `failure` where one of them did not end."""

    schedules: int = 0
    seen: dict[Values, Seen] = field(default_factory=dict)
    failure: str = ""


class Count:
    """Counts modes of tests, each over so many schedules; `stop` ends it between two tasks.

    What is counted does not depend on how many processes do it.
    """

    def __init__(self, modes: Sequence[tuple[LitmusTest, str]], seed: int, schedules: int | None):
        self.is_stopping = False
        self._counts = [
            Counted(test, mode, seed, schedules or test.spec.schedules) for test, mode in modes
        ]

    def stop(self) -> None:
        """Ends the count with what has been counted by then."""
        self.is_stopping = True

    def run(self, workers: int) -> Iterator[Counted]:
        """Each mode when it is counted; `LitmusError` where a schedule does not end."""
        if workers == 1:
            for one in self._counts:
                for numbers in _tasks(one):
                    if self.is_stopping:
                        break
                    self._take(one, run_task(one.test, one.mode, one.seed, numbers))
                yield one
        else:
            with process_pool(workers) as pool:
                yield from self._run_in(pool)

    def _run_in(self, pool: Executor) -> Iterator[Counted]:
        running: list[tuple[Counted, list[Future[Task]]]] = [
            (one, [pool.submit(run_task, one.test, one.mode, one.seed, ns) for ns in _tasks(one)])
            for one in self._counts
        ]
        every = [future for _, futures in running for future in futures]
        for one, futures in running:
            for future in futures:
                if self.is_stopping:
                    # All at once: those that wait would come up faster than they are cancelled.
                    while every:
                        every.pop().cancel()
                if not future.cancelled():
                    self._take(one, future.result())
            yield one

    def _take(self, counted: Counted, task: Task) -> None:
        if task.failure:
            raise LitmusError(task.failure)
        counted.add(task)


def command(test: LitmusTest, mode: str, seed: int, number: int) -> str:
    """The command that runs one schedule again and prints its trace."""
    return f"emu litmus {quote(str(test.file))} --mode {mode} --seed {seed} --trace {number}"


def run_task(test: LitmusTest, mode: str, seed: int, numbers: range) -> Task:
    """Runs the schedules of these numbers."""
    task = Task()
    for number in numbers:
        # Errors become text here: not every exception survives its way between processes.
        try:
            if number % GROUP == 0:
                machine = Machine(test, mode, draw_group(test, mode, seed, number))
            outcome = machine.run(draw(test, mode, seed, number))
        except EmuError as error:
            task.failure = f"{command(test, mode, seed, number)}: {error}"
            break
        task.schedules += 1
        task.seen.setdefault(tuple(outcome.values()), Seen(0, number)).count += 1
    return task


def _tasks(counted: Counted) -> Iterator[range]:
    for first in range(0, counted.asked, TASK):
        yield range(first, min(first + TASK, counted.asked))
