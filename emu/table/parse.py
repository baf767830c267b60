"""A merged document becomes a head and stage entries; what is wrong is noted, the rest goes on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from emu.errors import did_you_mean, listed
from emu.stage import Stage, StageError, registry
from emu.table.errors import Location, Problem, problem
from emu.table.extends import CHANGES, Document, entry_name
from emu.table.keys import check_interface, own_keys, timing_keys
from emu.table.nodes import Node, describe
from emu.table.resources import read_resources
from emu.table.schema import StageTiming, TableHead
from emu.table.shape import EXAMPLES, Shape
from emu.table.translate import dotted, real_path, unknown_key
from emu.table.validate import validated

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
    resources, all_read = read_resources(root, problems)
    rest = root.with_keys({}, ("path", "resources", *unknown))
    head, broken = validated(TableHead, rest, "", problems)
    if not all_read:
        broken |= {"resources"}
    return head.model_copy(update={"resources": resources}), broken


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
    own = own_keys(stage) if stage is not None else ()
    shared = timing_keys(stage)
    if stage is not None:
        problems += _unknown_keys(draft, [*shared, *own])
    timing_node = node.with_keys({}, [key for key in node.mapping if key not in shared])
    timing, broken = validated(StageTiming, timing_node, draft.where, problems)
    if stage is None:
        return replace(draft, timing=timing, broken=broken)
    own_node = node.with_keys({}, [key for key in node.mapping if key not in own])
    parameters, _ = validated(stage.Parameters, own_node, draft.where, problems)
    return replace(draft, stage=stage, timing=timing, parameters=parameters, broken=broken)


def _unknown_keys(draft: Draft, known: Sequence[str]) -> Iterator[Problem]:
    for key, node in draft.node.mapping.items():
        if key in known:
            continue
        if key in timing_keys():
            what = f"'{key}' is given, but this stage keeps its own time"
            expected = "expected only its own parameters"
            yield problem(node.key_at, draft.where, what, expected)
        else:
            yield unknown_key(node, key, known, draft.where)


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
        stage = known[node.value]
        check_interface(node.value, stage)
    except StageError as error:
        expected = "expected a stage that works; 'emu stages' lists them"
        problems.append(problem(node.at, draft.where, str(error), expected))
        return None
    return stage
