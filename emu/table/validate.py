"""A mapping of a table becomes a value of its type; what is wrong is noted, the rest is kept."""

from __future__ import annotations

from typing import Any

import pydantic

from emu.table.errors import Problem
from emu.table.nodes import Node
from emu.table.plain_types import as_typed
from emu.table.shape import Shape
from emu.table.translate import translate

#: Stand in for broken keys that must be there, so that all else can still be checked.
_STAND_INS: dict[str, Any] = {
    "schema": 1,
    "name": "broken",
    "title": "broken",
    "messages": {},
    "stage": "broken",
    "source": {"text": "broken", "kind": "assumed"},
}
#: Sections of named things: one of them can be broken and the others not.
_NAMED = ("clocks", "messages")


def validated(
    kind: Any, node: Node, where: str, problems: list[Problem]
) -> tuple[Any, frozenset[str]]:
    """The value of a mapping without what is broken in it, and the keys that are broken.

    `None` where nothing is left.
    """
    plain = as_typed(kind, node.plain())
    try:
        return kind(**plain), frozenset()
    except pydantic.ValidationError as error:
        problems += translate(error, node, Shape.of(kind), where)
        locations = [detail["loc"] for detail in error.errors()]
    if () in locations:  # the whole is wrong, and no part of it
        return None, frozenset()
    for section, *below in locations:
        if section in _NAMED and below and isinstance(plain.get(section), dict):
            plain[section].pop(below[0], None)
        else:
            plain.pop(section, None)
    broken = frozenset(str(location[0]) for location in locations)
    stand_ins = {key: value for key, value in _STAND_INS.items() if key in broken}
    try:
        return kind(**{**stand_ins, **plain}), broken
    except pydantic.ValidationError:
        return None, broken
