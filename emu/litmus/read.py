"""Reads a litmus test: strict, every error at its place, all of a file at once."""

from __future__ import annotations

from pathlib import Path

import pydantic

from emu.errors import did_you_mean, listed
from emu.litmus.check import check
from emu.litmus.model import LitmusTest, Program
from emu.litmus.schema import INSTRUCTIONS, Instruction, LitmusSpec
from emu.table.catalog import shown
from emu.table.errors import Problem, TableError, problem
from emu.table.nodes import Node, describe, read_file
from emu.table.shape import Shape
from emu.table.translate import dotted, translate

EXAMPLE = "{post: read, at: flag, as: seen}"
#: What errors call the whole file.
WHOLE = "test"


def read_test(path: Path) -> LitmusTest:
    """The test in a file; `TableError` with all that is wrong with it."""
    root, problems = read_file(path, str(shown(path)), "expected a litmus test in YAML")
    problems += _empty_values(root)
    steps = _instructions(root, problems)
    try:
        spec = LitmusSpec(**root.plain())
    except pydantic.ValidationError as error:
        raise TableError(
            [*problems, *translate(error, root, Shape.of(LitmusSpec), WHOLE)]
        ) from None
    if problems:
        raise TableError(problems)
    programs = tuple(
        Program(name, thread.node, thread.initiator, tuple(steps[name]))
        for name, thread in spec.threads.items()
    )
    test = LitmusTest(path, spec, programs)
    problems = list(check(test, root))
    if problems:
        raise TableError(problems)
    return test


def _instructions(root: Node, problems: list[Problem]) -> dict[str, list[Instruction]]:
    """The instructions of each thread, by its name; what is wrong with them is noted."""
    programs: dict[str, list[Instruction]] = {}
    for name, thread in root.section("threads").items():
        program = thread.get("program")
        programs[name] = steps = []
        for index, node in enumerate(program.items if program is not None else []):
            where = dotted(WHOLE, ("threads", name, "program", index))
            step = _instruction(node, where, problems)
            if step is not None:
                steps.append(step)
    return programs


def _instruction(node: Node, where: str, problems: list[Problem]) -> Instruction | None:
    words = [word for word in INSTRUCTIONS if word in node.mapping]
    if not words:
        said = next(iter(node.mapping), None)
        what = f"{describe(node.value) if said is None else said} is no instruction"
        expected = f"expected one of {listed(INSTRUCTIONS)}, as in '{EXAMPLE}'"
        hint = did_you_mean(said or "", INSTRUCTIONS)
        problems.append(problem(node.at, where, what, expected, hint))
        return None
    if len(words) > 1:
        what = f"{' and '.join(words)} are both here"
        problems.append(problem(node.at, where, what, "expected an instruction for each"))
        return None
    model = INSTRUCTIONS[words[0]]
    try:
        return model(**node.plain())
    except pydantic.ValidationError as error:
        problems += translate(error, node, Shape.of(model), where)
        return None


def _empty_values(node: Node) -> list[Problem]:
    expected = "expected a value, or the key left out"
    return [
        problem(one.at, dotted(WHOLE, path), "there is no value", expected)
        for path, one in node.walk()
        if one.value is None
    ]
