"""The `resources` of a table, each read as its `kind` says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from emu.errors import did_you_mean, listed
from emu.table.errors import Problem, problem
from emu.table.fields import NameField
from emu.table.nodes import Node, describe
from emu.table.schema import RESOURCES, Resource, Strict
from emu.table.translate import dotted
from emu.table.validate import validated

_KINDS = f"expected {listed(RESOURCES)}"


class _Named(Strict):
    resources: dict[NameField, Any]


def read_resources(root: Node, problems: list[Problem]) -> tuple[dict[str, Resource], bool]:
    """The resources without problems, and whether these are all."""
    node = root.get("resources")
    if node is None:
        return {}, True
    before = len(problems)
    validated(_Named, Node({"resources": node}, root.at, root.at), "", problems)
    resources: dict[str, Resource] = {}
    for name, one in node.mapping.items():
        resource = _resource(one, dotted("resources", [name]), problems)
        if resource is not None:
            resources[name] = resource
    return resources, len(problems) == before


def kind_of(root: Node, name: str) -> str | None:
    """The kind of a resource, as far as the table says one that is known."""
    node = root.section("resources").get(name)
    kind = node.get("kind") if node is not None else None
    known = kind is not None and isinstance(kind.value, str) and kind.value in RESOURCES
    return str(kind.value) if kind is not None and known else None


def _resource(node: Node, where: str, problems: list[Problem]) -> Resource | None:
    if not isinstance(node.value, dict):
        if node.value is not None:  # else told as an empty value
            what = f"{describe(node.value)} does not fit"
            expected = "expected a mapping, as in '{kind: pool, capacity: 64}'"
            problems.append(problem(node.at, where, what, expected))
        return None
    kind = node.get("kind")
    if kind is None:
        problems.append(problem(node.at, where, "'kind' is missing", _KINDS))
        return None
    if not isinstance(kind.value, str) or kind.value not in RESOURCES:
        _wrong_kind(node, kind, where, problems)
        return None
    resource, broken = validated(RESOURCES[kind.value], node, where, problems)
    made: Resource | None = None if broken else resource
    return made


def _wrong_kind(node: Node, kind: Node, where: str, problems: list[Problem]) -> None:
    """Notes an unknown kind, and values that are wrong if the near word was meant."""
    if kind.value is None:
        return  # told as an empty value
    hint = did_you_mean(kind.value, RESOURCES) if isinstance(kind.value, str) else ""
    what = f"{describe(kind.value)} is not known here"
    problems.append(problem(kind.at, f"{where}.kind", what, _KINDS, hint))
    meant = next((word for word in RESOURCES if f"'{word}'" in hint), None)
    if meant is not None:
        named = node.with_keys({"kind": replace(kind, value=meant)})
        found: list[Problem] = []
        validated(RESOURCES[meant], named, where, found)
        # Whether its keys are right can't be told by a guess.
        problems += [one for one in found if one.where != where]
