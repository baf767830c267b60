"""A litmus test as it is run: what the file says, resolved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TypeGuard

from emu.litmus.schema import (
    ALL,
    Consume,
    Instruction,
    LitmusSpec,
    Local,
    Marks,
    Mode,
    Poll,
    Post,
)
from emu.path import build
from emu.request import WRITES
from emu.table import load
from emu.table.catalog import find
from emu.table.schema import Table

#: Each location has a page of its own: no cache line and no boundary is shared.
LOCATION_BYTES = 4096
#: Tables that are kept loaded: loading takes longer than many schedules.
KEPT_TABLES = 512

#: What is observed to its value; `None` for what never came to its end.
Outcome = Mapping[str, int | None]


@dataclass(frozen=True)
class Program:
    """What a thread runs in one mode."""

    thread: str
    node: int
    initiator: int
    instructions: tuple[Instruction, ...]


@dataclass(frozen=True)
class LitmusTest:
    """A test that holds together; `programs` are those of its threads, with all instructions."""

    file: Path
    spec: LitmusSpec
    programs: tuple[Program, ...]

    def programs_in(self, mode: str) -> tuple[Program, ...]:
        """The programs as they are in one mode."""
        return self._by_mode[mode]

    @cached_property
    def _by_mode(self) -> dict[str, tuple[Program, ...]]:
        return {
            mode: tuple(
                replace(
                    one,
                    instructions=tuple(
                        step for step in one.instructions if step.only is None or mode in step.only
                    ),
                )
                for one in self.programs
            )
            for mode in self.spec.modes
        }

    def marks(self, mode: str, label: str) -> Marks:
        """The marks of a label in a mode: its own, and where it has none those of all."""
        marks = self._marks.get((mode, label))
        if marks is None:
            spec = self.spec.modes[mode]
            said = {}
            for one in (spec.marks.get(ALL, Marks()), spec.marks.get(label, Marks())):
                said.update(one.model_dump(exclude_unset=True))
            marks = self._marks[mode, label] = Marks(**said)
        return marks

    @cached_property
    def _marks(self) -> dict[tuple[str, str], Marks]:
        return {}

    def posts(self, step: Instruction, program: Program) -> TypeGuard[Post | Poll]:
        """Whether an instruction posts requests; a poll does so away from its own node."""
        if isinstance(step, Poll):
            place = self.spec.locations.get(step.poll)
            return place is not None and place.node != program.node
        return isinstance(step, Post)

    def unkept_marks(self, mode: str) -> dict[str, tuple[str, ...]]:
        """Table, as the mode names it, to the labels whose marks no stage of it knows of."""
        labels = tuple(
            step.label
            for program in self.programs_in(mode)
            for step in program.instructions
            if self.posts(step, program) and self.marks(mode, step.label).is_any
        )
        spec = self.spec.modes[mode]
        return {
            name: labels
            for index, name in enumerate(spec.tables)
            if labels and not build(self.table(spec, index, spec.lowest)).keeps_marks
        }

    def table(self, mode: Mode, index: int, overrides: tuple[str, ...] = ()) -> Table:
        """A table of a mode, with what the mode sets and then `overrides` put over it."""
        file = _found(mode.tables[index], self.file.parent)
        return loaded(str(file), (*mode.set, *overrides))

    @cached_property
    def found(self) -> tuple[str, ...]:
        """The labels of all that finds a value, in the order in which they stand in the file."""
        return tuple(
            dict.fromkeys(
                step.label
                for program in self.programs
                for step in program.instructions
                if isinstance(step, (Post, Poll, Local, Consume))
                and step.label is not None
                and not (isinstance(step, Post) and step.operation in WRITES)
            )
        )

    @cached_property
    def observed(self) -> tuple[str, ...]:
        """What an outcome consists of: all that the outcomes name."""
        alternatives = (one for outcome in self.spec.outcomes.values() for one in outcome)
        return tuple(dict.fromkeys(key for one in alternatives for key in one))

    @cached_property
    def buffers(self) -> tuple[str, ...]:
        """The locations that some thread consumes."""
        return tuple(
            dict.fromkeys(
                step.consume
                for program in self.programs
                for step in program.instructions
                if isinstance(step, Consume)
            )
        )

    def named(self, outcome: Outcome) -> str | None:
        """The name of an outcome; `None` for one that the test does not name."""
        left_over = None
        for name, alternatives in self.spec.outcomes.items():
            if not alternatives:
                left_over = name
            for conditions in alternatives:
                if all(outcome[key] in values for key, values in conditions.items()):
                    return name
        return left_over


@lru_cache(KEPT_TABLES)
def loaded(file: str, overrides: tuple[str, ...]) -> Table:
    """A table, loaded once a process."""
    return load(Path(file), overrides=overrides)


@lru_cache(KEPT_TABLES)
def _found(name: str, directory: Path) -> Path:
    return find(name, directory)
