"""Threads: programs as they run, one instruction at a time, between instants of the engine."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING

from emu.litmus.model import Program
from emu.litmus.schema import (
    ALL,
    Compute,
    Consume,
    Flush,
    Instruction,
    Local,
    Poll,
    Post,
    Wait,
)
from emu.request import WRITES, Operation, Request

if TYPE_CHECKING:
    from emu.litmus.machine import Machine

#: How long a thread waits before it goes on: picoseconds, or `None` until it gets an answer.
Pause = int | None


class Thread:
    """One program under way; `pauses` runs it from one pause to the next."""

    def __init__(self, program: Program, machine: Machine) -> None:
        self.name = program.thread
        self.program = program
        self.pauses = self._run()
        #: Whether it waits for an answer.
        self.is_waiting = False
        self._machine = machine
        #: Label to how many of its requests are on their way; only those that were posted.
        self._open: dict[str, int] = {}

    def answered(self, label: str, request: Request) -> None:
        """A request of this thread is complete, or was lost."""
        self._open[label] -= 1
        if request.operation not in WRITES:
            self._machine.found[label] = request.value

    def _run(self) -> Iterator[Pause]:
        machine = self._machine
        yield machine.drawn_start()
        for step in self.program.instructions:
            if isinstance(step, Poll):
                seen = yield from self._poll(step)
                if not seen:
                    return
            else:
                yield from self._do(step)
            yield machine.drawn_gap()

    def _do(self, step: Instruction) -> Iterator[Pause]:
        machine = self._machine
        if isinstance(step, Post):
            self._post(step.label, step.operation, step.at, step)
        elif isinstance(step, Wait):
            while self._is_open(step.wait):
                yield None
        elif isinstance(step, Compute):
            yield step.compute
        elif isinstance(step, Local):
            if step.value is not None:
                machine.write(self, step.at, step.value)
            if step.label is not None:
                machine.find(self, step.label, step.at)
        elif isinstance(step, Consume):
            since_ps = machine.now_ps
            yield step.time
            machine.find(self, step.label, step.consume)
            machine.consumed(self, step.consume, since_ps)
        elif isinstance(step, Flush):
            machine.flush(self, step.flush)

    def _post(self, label: str, operation: Operation, place: str, step: Post | None = None) -> None:
        self._open[label] = self._open.get(label, 0) + 1
        self._machine.post(self, label, operation, place, step)

    def _is_open(self, label: str) -> bool:
        return any(self._open.values()) if label == ALL else self._open[label] > 0

    def _poll(self, step: Poll) -> Generator[Pause, None, bool]:
        """Whether the value was seen in time."""
        machine = self._machine
        is_local = machine.is_local(self, step.poll)
        for _ in range(step.tries):
            if is_local:
                machine.find(self, step.label, step.poll)
            else:
                self._post(step.label, step.operation, step.poll)
                while self._is_open(step.label):
                    yield None
            if machine.found[step.label] == step.until:
                return True
            yield step.every
        return False
