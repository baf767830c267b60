"""Reads what `--workload` names: a YAML mapping, inline or in a file, or a file to replay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pydantic

from emu.errors import did_you_mean, listed
from emu.table.catalog import SUFFIXES, is_file, shown
from emu.table.errors import Location, Problem, TableError, problem
from emu.table.nodes import Node, describe, read_file, read_value
from emu.table.shape import Shape
from emu.table.translate import dotted, translate
from emu.workload.replay import SUFFIXES as REPLAY_SUFFIXES
from emu.workload.schema import WORKLOADS, ReplaySpec, Spec

_EXPECTED = (
    "expected a mapping, as in '{kind: open, rate: 10 M/s}', or a .yaml, .csv or .jsonl file"
)


def read_workload(text: str) -> tuple[Spec, dict[str, Any]]:
    """The workload that a text describes or names, and the mapping that says so.

    `TableError` with all that is wrong. The file of a replay is taken from the directory of the
    YAML file that names it.
    """
    if text.endswith(REPLAY_SUFFIXES):
        said = {"kind": "replay", "file": text}
        return ReplaySpec(**said), said
    if text.endswith(SUFFIXES):
        path = Path(text)
        if not is_file(path):
            at = Location(str(shown(path)))
            raise TableError([problem(at, "", "there is no such file", _EXPECTED)])
        spec, said = _validated(*read_file(path, str(shown(path))))
        if isinstance(spec, ReplaySpec):
            spec = spec.model_copy(update={"file": str(path.parent / spec.file)})
        return spec, said
    return _validated(*read_value(text, Location(f"--workload {text}")))


def _validated(node: Node, problems: list[Problem]) -> tuple[Spec, dict[str, Any]]:
    model = _model(node)
    problems = [*problems, *_empty_values(node)]
    try:
        spec = model(**node.plain())
    except pydantic.ValidationError as error:
        raise TableError(
            [*problems, *translate(error, node, Shape.of(model), "workload")]
        ) from None
    if problems:
        raise TableError(problems)
    return spec, node.plain()


def _model(node: Node) -> type[Spec]:
    if not isinstance(node.value, dict):
        what = f"{describe(node.value)} is no workload"
        raise TableError([problem(node.at, "", what, _EXPECTED)])
    kind = node.get("kind")
    if kind is None:
        expected = f"expected 'kind: ' and one of {listed(WORKLOADS)}"
        raise TableError([problem(node.at, "workload", "'kind' is missing", expected)])
    if not isinstance(kind.value, str) or kind.value not in WORKLOADS:
        what = f"{describe(kind.value)} is no kind of workload"
        hint = did_you_mean(str(kind.value), WORKLOADS)
        expected = f"expected {listed(WORKLOADS)}"
        raise TableError([problem(kind.at, "workload.kind", what, expected, hint)])
    model: type[Spec] = WORKLOADS[kind.value]
    return model


def _empty_values(node: Node) -> list[Problem]:
    expected = "expected a value, or the key left out"
    return [
        problem(one.at, dotted("workload", path), "there is no value", expected)
        for path, one in node.walk()
        if one.value is None
    ]
