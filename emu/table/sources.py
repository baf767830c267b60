"""Checks sources that are given one for each parameter: none missing, none for nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from emu.errors import did_you_mean, listed
from emu.table.errors import Problem, problem
from emu.table.nodes import Node

#: Keys of a stage entry that say what it is and how it is joined, without a number to account for.
_NO_NUMBERS = ("stage", "name", "at", "when", "clock", "arbitration", "source")
_NUMBER = re.compile(r"\s*[+-]?\d")


def check_sources(node: Node, where: str) -> Iterator[Problem]:
    """The problems of `node`'s `source`, where it names parameters instead of the whole."""
    source = node.get("source")
    if source is None or not source.mapping or source.mapping.keys() & {"text", "kind"}:
        return
    given = [key for key in node.mapping if key not in _NO_NUMBERS]
    for key, value in source.mapping.items():
        if key not in given:
            yield problem(
                value.key_at,
                f"{where}.source",
                f"'{key}' has a source but is not given",
                f"expected one of {listed(given)}",
                did_you_mean(key, given),
            )
    bare = [key for key in given if key not in source.mapping and _has_number(node.mapping[key])]
    if bare:
        names = listed(f"'{key}'" for key in bare)
        yield problem(
            source.at,
            f"{where}.source",
            f"{names} has no source",
            "expected one for each number, or one for the whole entry",
        )


def _has_number(node: Node) -> bool:
    return any(
        (isinstance(leaf.value, int) and not isinstance(leaf.value, bool))
        or (isinstance(leaf.value, str) and _NUMBER.match(leaf.value) is not None)
        for _, leaf in node.walk()
    )
