"""Pydantic's errors in this project's words, each at the place that caused it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pydantic

from emu.errors import did_you_mean, listed
from emu.table.errors import Problem, problem
from emu.table.nodes import Node, describe
from emu.table.parameters import format_bound
from emu.table.shape import Shape

#: What options of commands call something that files call otherwise.
_AS_OPTIONS = {"op": "operation", "size": "bytes"}


def dotted(prefix: str, path: Sequence[str | int]) -> str:
    """A path for people: `clocks.nic`, `path[3] wire.uses[0].until`; `table` for the whole."""
    text = prefix
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text or "table"


def unknown_key(key_node: Node, key: str, known: Sequence[str], where: str) -> Problem:
    """The problem of a key that is not known where it stands."""
    meant = _AS_OPTIONS.get(key, key)
    return problem(
        key_node.key_at,
        where,
        f"unknown key '{key}'",
        f"expected one of {listed(known)}",
        did_you_mean(meant if meant in known else key, known),
    )


def translate(
    error: pydantic.ValidationError, node: Node, shape: Shape, prefix: str
) -> Iterator[Problem]:
    """The problems behind a validation error of `node`; `prefix` is where it stands."""
    for detail in error.errors(include_url=False):
        missing = detail["type"] in _MISSING
        # An empty value is told once, for all kinds of values alike, by who reads the table.
        if missing or real_path(detail["loc"], node)[1].value is not None:
            yield _one(detail, node, shape, prefix)


def real_path(location: Sequence[str | int], node: Node) -> tuple[list[str | int], Node]:
    """The part of pydantic's location that stands in the file, and what stands there.

    The rest names validators and members of unions, which nobody wrote.
    """
    path: list[str | int] = []
    for step in location:
        child = node.child(step)
        if child is not None:
            path.append(step)
            node = child
    return path, node


def _one(detail: Any, root: Node, shape: Shape, prefix: str) -> Problem:
    kind: str = detail["type"]
    location: tuple[str | int, ...] = detail["loc"]
    if kind in _MISSING:
        path, node = real_path(location[:-1], root)
        key = str(location[-1])
        if isinstance(node.value, list):  # of a tuple
            said = f"a list of {len(node.value)} does not fit"
            return problem(node.at, dotted(prefix, path), said, shape.at(path).expected)
        expected = shape.at([*path, key]).expected
        return problem(node.at, dotted(prefix, path), f"'{key}' is missing", expected)
    path, node = real_path(location, root)
    if kind in ("extra_forbidden", "unexpected_keyword_argument"):
        return unknown_key(node, str(path[-1]), shape.at(path[:-1]).keys, dotted(prefix, path[:-1]))
    here = shape.at(path)
    where = dotted(prefix, path)
    if kind == "value_error":
        said = str(detail["ctx"]["error"])
        if isinstance(node.value, (list, dict)):
            said = said.replace(repr(node.plain()), describe(node.value))
        what, _, expected = said.partition("; ")
        at = node.key_at if location[-1:] == ("[key]",) else node.at
        return problem(at, where, what, expected or here.expected)
    if location[-1:] == ("[key]",):
        return problem(
            node.key_at,
            where,
            f"the name '{path[-1]}' is not allowed",
            "expected a word of letters, digits and _",
        )
    what, expected, hint = _said(kind, detail.get("ctx", {}), node, here)
    return problem(node.at, where, what, expected, hint)


def _said(kind: str, context: Any, node: Node, here: Shape) -> tuple[str, str, str]:
    """What is wrong, what was expected, and the near word, for one kind of pydantic error."""
    value = describe(node.value)
    if kind in ("literal_error", "enum"):
        hint = did_you_mean(node.value, here.words) if isinstance(node.value, str) else ""
        return f"{value} is not known here", here.expected, hint
    if kind in _BOUNDS:
        words, key = _BOUNDS[kind]
        bound = format_bound(here.limit(key, context[key]), here.alternatives)
        return f"{value} is out of bounds", f"expected {words} {bound}", ""
    if kind == "string_pattern_mismatch":
        return f"{value} is not allowed", "expected a word of letters, digits and _", ""
    if kind in ("string_too_short", "too_short"):
        return "is empty", here.expected, ""
    return f"{value} does not fit", here.expected, ""


_MISSING = ("missing", "missing_argument")
#: Pydantic's names of broken bounds: our words, and the key under which the bound is told.
_BOUNDS = {
    "greater_than_equal": ("at least", "ge"),
    "greater_than": ("more than", "gt"),
    "less_than_equal": ("at most", "le"),
    "less_than": ("less than", "lt"),
    "multiple_of": ("a multiple of", "multiple_of"),
    "too_long": ("a length of at most", "max_length"),
    "string_too_long": ("a length of at most", "max_length"),
}
