"""A merged document becomes a head and stage entries; what is wrong is noted, the rest goes on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import pydantic

from emu.errors import did_you_mean, listed
from emu.stage import Stage, StageError, registry
from emu.table.errors import Location, Problem, problem
from emu.table.extends import CHANGES, Document, entry_name
from emu.table.nodes import Node, describe
from emu.table.schema import StageTiming, TableHead
from emu.table.shape import EXAMPLES, Shape
from emu.table.translate import dotted, real_path, translate, unknown_key

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
_NAMED = ("clocks", "messages", "resources")
_PATH = f"expected for example '{EXAMPLES['path']}'"


@dataclass(frozen=True)
class Draft:
    """A stage entry as far as it could be read: `None`, and the keys in `broken`, could not."""

    index: int
    node: Node
    name: str | None = None
    stage: type[Stage] | None = None
    timing: StageTiming | None = None
    parameters: Any = None
    broken: frozenset[str] = frozenset()

    @property
    def where(self) -> str:
        """The entry as errors name it: `path[3] wire_out`."""
        return f"path[{self.index}] {self.name}" if self.name else f"path[{self.index}]"

    def at(self, *path: str | int) -> Location:
        """The place of a value in the entry; of the entry, if the value is not written there."""
        return real_path(path, self.node)[1].at


@dataclass
class Parsed:
    """A document taken apart; the sections in `broken` could not be read."""

    document: Document
    head: TableHead
    broken: frozenset[str]
    drafts: list[Draft]
    problems: list[Problem] = field(default_factory=list)

    @property
    def root(self) -> Node:
        """The merged tree."""
        return self.document.root


def own_parameters(stage: type[Stage]) -> tuple[str, ...]:
    """The keys of a stage's own parameters."""
    return tuple(one.name for one in fields(stage.Parameters))


def timing_keys() -> tuple[str, ...]:
    """The keys that every stage entry may have."""
    return tuple(StageTiming.model_fields)


def parse(document: Document) -> Parsed:
    """Validates the head and each stage entry by itself."""
    problems = list(_empty_values(document))
    head, broken = _head(document.root, problems)
    drafts = _drafts(document.root, problems)
    return Parsed(document, head, broken, drafts, problems)


def _empty_values(document: Document) -> Iterator[Problem]:
    told = {one.location for one in document.problems}
    for path, node in document.root.walk():
        if node.value is None and node.at not in told:
            expected = "expected a value, or the key left out"
            yield problem(node.at, _where(document.root, path), "there is no value", expected)


def _where(root: Node, path: Sequence[str | int]) -> str:
    """A path for people, its stage by name as in `path[3] wire_out.latency`."""
    entry = real_path(path[:2], root)[1] if path[0] == "path" and len(path) > 2 else None
    name = entry_name(entry) if entry is not None else None
    return dotted(f"{dotted('', path[:2])} {name}", path[2:]) if name else dotted("", path)


def _head(root: Node, problems: list[Problem]) -> tuple[TableHead, frozenset[str]]:
    """The head of a table, whatever can be read of it, and the sections that cannot."""
    known = [*Shape.of(TableHead).keys, "path", "extends", *CHANGES]
    unknown = [key for key in root.mapping if key not in known]
    problems += [unknown_key(root.mapping[key], key, known, "table") for key in unknown]
    return _validated(TableHead, root.with_keys({}, ("path", *unknown)), "", problems)


def _drafts(root: Node, problems: list[Problem]) -> list[Draft]:
    path = root.get("path")
    if path is None:
        problems.append(problem(root.at, "table", "'path' is missing", _PATH))
        return []
    if not isinstance(path.value, list) or not path.value:
        empty = path.value == []
        what = "the path is empty" if empty else f"{describe(path.value)} is no list of stages"
        if path.value is not None:
            problems.append(problem(path.at, "path", what, _PATH))
        return []
    return [_draft(index, node, problems) for index, node in enumerate(path.value)]


def _draft(index: int, node: Node, problems: list[Problem]) -> Draft:
    if not isinstance(node.value, dict):
        if node.value is not None:  # else told as an empty value
            what = f"{describe(node.value)} is no stage entry"
            problems.append(problem(node.at, f"path[{index}]", what, _PATH))
        return Draft(index, node)
    draft = Draft(index, node, entry_name(node))
    stage = _stage(draft, problems)
    own = own_parameters(stage) if stage is not None else ()
    known = [*timing_keys(), *own]
    if stage is not None:
        problems += [
            unknown_key(value, key, known, draft.where)
            for key, value in node.mapping.items()
            if key not in known
        ]
    timing_node = node.with_keys({}, [key for key in node.mapping if key not in timing_keys()])
    timing, broken = _validated(StageTiming, timing_node, draft.where, problems)
    if stage is None:
        return replace(draft, timing=timing, broken=broken)
    own_node = node.with_keys({}, [key for key in node.mapping if key not in own])
    parameters, _ = _validated(stage.Parameters, own_node, draft.where, problems)
    return replace(draft, stage=stage, timing=timing, parameters=parameters, broken=broken)


def _stage(draft: Draft, problems: list[Problem]) -> type[Stage] | None:
    """The stage's class; `None`, with the problem noted, where there is none."""
    node = draft.node.get("stage")
    if node is None or not isinstance(node.value, str):
        return None  # StageTiming says so
    known = registry()
    if node.value not in known:
        problems.append(
            problem(
                node.at,
                draft.where,
                f"unknown stage '{node.value}'",
                f"expected one of {listed(known)}",
                did_you_mean(node.value, known),
            )
        )
        return None
    try:
        return known[node.value]
    except StageError as error:
        expected = "expected a stage that works; 'emu stages' lists them"
        problems.append(problem(node.at, draft.where, str(error), expected))
        return None


def _validated(
    kind: Any, node: Node, where: str, problems: list[Problem]
) -> tuple[Any, frozenset[str]]:
    """The value of a mapping without what is broken in it, and the keys that are broken.

    `None` where nothing is left.
    """
    plain = node.plain()
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
