"""What a litmus test's parts have to do with each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

from emu.errors import did_you_mean, listed
from emu.litmus.model import LitmusTest, Program
from emu.litmus.schema import (
    ALL,
    OTHERWISE,
    RESERVED,
    REUSED,
    SIZE_BYTES,
    Consume,
    Instruction,
    Local,
    Mode,
    Post,
    Wait,
)
from emu.path import build
from emu.request import Operation
from emu.table.errors import Location, Problem, TableError, problem
from emu.table.nodes import Node
from emu.table.translate import dotted

Step = tuple[str | int, ...]


def check(test: LitmusTest, root: Node) -> Iterator[Problem]:
    """All problems of a test whose parts are each as they should be."""
    yield from _Check(test, root).all()


class _Check:
    """One test, and the tree of its file."""

    def __init__(self, test: LitmusTest, root: Node) -> None:
        self._test = test
        self._spec = test.spec
        self._root = root

    def all(self) -> Iterator[Problem]:
        """In the order of the file, as far as that goes."""
        yield from self._names()
        yield from self._programs()
        yield from self._outcomes()
        for name, mode in self._spec.modes.items():
            yield from self._labels(name)
            yield from self._verdicts(name, mode)
            yield from self._tables(name, mode)

    # -- programs ---------------------------------------------------------------------------

    def _names(self) -> Iterator[Problem]:
        initiators: dict[int, str] = {}
        for name, thread in self._spec.threads.items():
            first = initiators.setdefault(thread.initiator, name)
            if first != name:
                path = ("threads", name, "initiator")
                what = f"thread {first} is initiator {thread.initiator} already"
                yield self._problem(path, what, "expected one of its own for each thread")
        for name in self._spec.locations:
            if name in RESERVED or name in self._test.found:
                what = f"'{name}' stands for something else too"
                expected = f"expected a name that labels nothing, and none of {listed(RESERVED)}"
                yield self._problem(("locations", name), what, expected, at_key=True)

    def _programs(self) -> Iterator[Problem]:
        for thread, path, step in self._steps():
            for mode in step.only or ():
                yield from self._known((*path, "only"), "mode", mode, self._spec.modes)
            for key in ("at", "poll", "consume", "flush"):
                place = getattr(step, key, None)
                if place is not None:
                    yield from self._known((*path, key), "location", place, self._spec.locations)
            yield from self._own_node(thread, path, step)

    def _own_node(self, thread: Program, path: Step, step: Instruction) -> Iterator[Problem]:
        if isinstance(step, Local):
            key, name = "at", step.at
        elif isinstance(step, Consume):
            key, name = "consume", step.consume
        else:
            return
        place = self._spec.locations.get(name)
        if place is not None and place.node != thread.node:
            what = f"'{name}' is at node {place.node}, and the thread runs on {thread.node}"
            yield self._problem((*path, key), what, "expected a location of the thread's own node")

    def _labels(self, mode: str) -> Iterator[Problem]:
        """Labels as they are in one mode; what is wrong in all of them is told once."""
        taken: set[str] = set()
        posted: dict[str, str] = {}
        for thread, path, step in self._steps():
            if step.only is not None and mode not in step.only:
                continue
            label = getattr(step, "label", None)
            if label is not None:
                if label in taken or label in RESERVED:
                    what = f"the label '{label}' is taken"
                    yield self._problem((*path, "as"), what, "expected one of its own")
                taken.add(label)
            if self._test.posts(step, thread):
                posted[step.label] = thread.thread
            elif isinstance(step, Wait):
                own = [one for one, owner in posted.items() if owner == thread.thread]
                yield from self._known((*path, "wait"), "label", step.wait, [*own, ALL])
        for label in self._spec.modes[mode].marks:
            path = ("modes", mode, "marks", label)
            yield from self._known(path, "label", label, [*posted, ALL], at_key=True)

    # -- outcomes ---------------------------------------------------------------------------

    def _outcomes(self) -> Iterator[Problem]:
        known = (*self._test.found, *self._spec.locations, REUSED)
        described: list[tuple[str, Step, Mapping[str, tuple[int | None, ...]]]] = []
        left_over: str | None = None
        for name, alternatives in self._spec.outcomes.items():
            path: Step = ("outcomes", name)
            if not alternatives:
                if left_over is not None:
                    what = f"'{left_over}' is for what is left over already"
                    yield self._problem(path, what, f"expected one outcome '{OTHERWISE}'")
                left_over = left_over or name
            is_list = bool(self._at_node(path).items)
            for index, conditions in enumerate(alternatives):
                place: Step = (*path, index) if is_list else path
                for key in conditions:
                    what = "label or location"
                    yield from self._known((*place, key), what, key, known, at_key=True)
                if conditions.keys() <= {*known}:
                    described.append((name, place, conditions))
        for (one, _, first), (other, place, second) in combinations(described, 2):
            shared = [key for key in first if key in second]
            if one != other and not any(set(first[key]).isdisjoint(second[key]) for key in shared):
                what = f"a run can have this outcome and '{one}' at once"
                expected = "expected outcomes of which no two can be had at once"
                yield self._problem(place, what, expected)

    def _verdicts(self, name: str, mode: Mode) -> Iterator[Problem]:
        where: dict[str, str] = {}
        lists: dict[str, Iterable[str]] = {
            "allowed": mode.allowed,
            "forbidden": mode.forbidden,
            "not_here": mode.not_here,
        }
        for key, outcomes in lists.items():
            for index, outcome in enumerate(outcomes):
                at_key = key == "not_here"
                path: Step = ("modes", name, key, outcome if at_key else index)
                known = self._spec.outcomes
                yield from self._known(path, "outcome", outcome, known, at_key=at_key)
                if outcome in where:
                    what = f"'{outcome}' is in '{where[outcome]}' already"
                    yield self._problem(path, what, "expected each outcome once", at_key=at_key)
                where[outcome] = key
        missing = [outcome for outcome in self._spec.outcomes if outcome not in where]
        if missing:
            what = f"it does not say what becomes of {listed(missing)}"
            expected = f"expected each outcome under one of {listed(lists)}"
            yield self._problem(("modes", name), what, expected, at_key=True)

    # -- tables -----------------------------------------------------------------------------

    def _tables(self, name: str, mode: Mode) -> Iterator[Problem]:
        lowest = mode.lowest
        said: dict[str, Step] = {f"--set {text}": ("set", i) for i, text in enumerate(mode.set)}
        said |= {
            f"--set {text}": ("vary", key) for text, key in zip(lowest, mode.vary, strict=True)
        }
        for index, table_name in enumerate(mode.tables):
            path = ("modes", name, "tables", index)
            try:
                table = self._test.table(mode, index, lowest)
            except TableError as error:
                for one in error.problems:
                    # What this file has put over the table, or the table's name, is wrong here.
                    step = said.get(one.file)
                    here: Step = path if step is None else ("modes", name, *step)
                    yield one if one.line else self._problem(here, one.what, one.expected)
                continue
            emulated = build(table)
            for thread in self._test.programs_in(name):
                posted = self._posted(thread)
                for operation, size_bytes in posted.items():
                    if operation not in table.operations:
                        what = f"{table_name} has no {operation}"
                        expected = f"expected a table with {' and '.join(posted)}"
                    elif not emulated.touches_memory(operation, size_bytes):
                        what = f"no stage of {table_name} lets a {operation} touch memory"
                        expected = "expected a table with a stage such as memory on its way"
                    else:
                        continue
                    what += f", and thread {thread.thread} posts one"
                    yield self._problem(path, what, expected)

    def _posted(self, thread: Program) -> dict[Operation, int]:
        """The operations that a thread posts, each with the bytes of the first."""
        posted: dict[Operation, int] = {}
        for step in thread.instructions:
            if self._test.posts(step, thread):
                size_bytes = step.bytes if isinstance(step, Post) else SIZE_BYTES
                posted.setdefault(step.operation, size_bytes)
        return posted

    # -- help -------------------------------------------------------------------------------

    def _steps(self) -> Iterator[tuple[Program, Step, Instruction]]:
        for program in self._test.programs:
            for index, step in enumerate(program.instructions):
                yield program, ("threads", program.thread, "program", index), step

    def _known(
        self, path: Step, what: str, word: str, known: Iterable[str], *, at_key: bool = False
    ) -> Iterator[Problem]:
        words = list(known)
        if word not in words:
            hint = did_you_mean(word, words)
            said = f"there is no {what} '{word}'"
            yield self._problem(path, said, f"expected {listed(words)}", hint, at_key=at_key)

    def _problem(
        self, path: Step, what: str, expected: str, hint: str = "", *, at_key: bool = False
    ) -> Problem:
        return problem(self._at(path, at_key=at_key), dotted("test", path), what, expected, hint)

    def _at(self, path: Step, *, at_key: bool = False) -> Location:
        node = self._at_node(path)
        return node.key_at if at_key else node.at

    def _at_node(self, path: Step) -> Node:
        node = self._root
        for step in path:
            node = node.child(step) or node
        return node
