"""`--set NAME.PARAMETER=VALUE`: values put over a table before it is validated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from emu.errors import did_you_mean, listed
from emu.stage import StageError, registry
from emu.table.errors import Location, Problem, TableError, problem
from emu.table.extends import Document, entry_name
from emu.table.fields import OTHER
from emu.table.keys import own_keys, timing_keys
from emu.table.nodes import Node, describe, read_value
from emu.table.resources import kind_of
from emu.table.schema import RESOURCES, Table
from emu.table.shape import Shape

EXAMPLE = "expected NAME.PARAMETER=VALUE, as in 'wire_out.latency=75 ns'"
SECTIONS = ("clocks", "messages", "resolution", "defaults", "resources")
#: What makes an entry the entry that it is; a value cannot be put over it.
REFUSED = ("source", "stage", "name", "when")
#: Where a lone value is short for a mapping: the key that it then stands under.
SHORT_FOR = {"latency": OTHER, "interval": OTHER, "clocks": "frequency"}


def override(document: Document, texts: Sequence[str], problems: list[Problem]) -> Document:
    """The document with all texts applied in order; what is wrong with them is noted."""
    for text in texts:
        try:
            document = _Override(document, text, problems).applied()
        except TableError as error:
            problems += error.problems
    return document


def parts_of(table: Table) -> list[str]:
    """What a text can name in a table: stages by name and kind, resources, sections."""
    names = [entry.name for entry in table.entries]
    kinds = [entry.timing.stage for entry in table.entries]
    return list(dict.fromkeys([*names, *kinds, *table.head.resources, *SECTIONS]))


def is_for(table: Table, text: str) -> bool:
    """Whether a table has what a text names; also where that is no name of a parameter at all.

    In a section whose keys are names, such as `clocks`, it is that name which must be there.
    """
    name, *parameter = [part.strip() for part in text.partition("=")[0].split(".")]
    named = getattr(table.head, name) if name in SECTIONS else None
    if isinstance(named, dict) and parameter:
        return parameter[0] in named
    return name in parts_of(table) or not parameter


class _Override:
    """One text on its way into a document."""

    def __init__(self, document: Document, text: str, problems: list[Problem]) -> None:
        self._document = document
        self._problems = problems
        self._text = text
        self._at = Location(f"--set {text}")

    def applied(self) -> Document:
        """The document with the value in its place; `TableError` if it has none."""
        target, equals, value_text = self._text.partition("=")
        name, *parameter = [part.strip() for part in target.split(".")]
        if not equals or not name or not parameter or not all(parameter):
            raise self._refusal("this names no parameter and value", EXAMPLE)
        value, problems = read_value(value_text, self._at)
        self._problems += problems
        root = self._document.root
        path = root.get("path")
        entries = path.items if path is not None else []
        by_name = [index for index, entry in enumerate(entries) if entry_name(entry) == name]
        by_stage = [index for index, entry in enumerate(entries) if _kind(entry) == name]
        if path is not None and (by_name or by_stage):
            changed = list(path.items)
            for index in by_name or by_stage:
                changed[index] = self._in_entry(changed[index], parameter, value)
            return self._with(root.with_keys({"path": replace(path, value=changed)}))
        if name in root.section("resources"):
            kind = kind_of(root, name)
            if kind is not None:  # else its own error says so
                shape = Shape.of(RESOURCES[kind])
                keys = [key for key in shape.keys if key not in ("kind", "source")]
                self._known(parameter[0], keys, f"resource '{name}'")
            changed_one = self._in(root.section("resources")[name], parameter, value, name)
            return self._with(self._put(root, ["resources", name], changed_one))
        if name in SECTIONS:
            return self._with(self._put(root, [name, *parameter], value))
        names = [known for entry in entries if (known := entry_name(entry)) is not None]
        kinds = [kind for entry in entries if (kind := _kind(entry))]
        near = list(dict.fromkeys([*names, *kinds, *root.section("resources"), *SECTIONS]))
        what = f"there is no stage, resource or section '{name}'"
        raise self._refusal(what, f"expected one of {listed(near)}", did_you_mean(name, near))

    def _with(self, root: Node) -> Document:
        return replace(self._document, root=root)

    def _refusal(self, what: str, expected: str, hint: str = "") -> TableError:
        return TableError([problem(self._at, "", what, expected, hint)])

    def _known(self, key: str, known: Sequence[str], whose: str) -> None:
        if key not in known:
            what = f"{whose} has no parameter '{key}'"
            raise self._refusal(what, f"expected one of {listed(known)}", did_you_mean(key, known))

    def _in_entry(self, entry: Node, parameter: list[str], value: Node) -> Node:
        key = parameter[0]
        name = entry_name(entry)
        if key in REFUSED:
            raise self._refusal(
                f"'{key}' cannot be set", "expected a parameter; change the table's file"
            )
        kind = _kind(entry)
        try:
            stage = registry().get(kind)
        except StageError:
            return entry  # told when the entry itself is read
        known = [one for one in timing_keys(stage) if one not in REFUSED]
        known += own_keys(stage) if stage is not None else ()
        self._known(key, known, f"stage '{name}'")
        return self._in(entry, parameter, value, str(name))

    def _in(self, node: Node, parameter: list[str], value: Node, name: str) -> Node:
        """A stage entry or a resource with the value, and where that comes from."""
        node = self._put(node, parameter, value, name)
        source = node.get("source")
        if source is not None and source.mapping and not source.mapping.keys() & {"text", "kind"}:
            text = Node(self._at.file, self._at, self._at)
            assumed = Node("assumed", self._at, self._at)
            origin = Node({"text": text, "kind": assumed}, self._at, self._at)
            node = node.with_keys({"source": source.with_keys({parameter[0]: origin})})
        return node

    def _put(self, node: Node, path: list[str], value: Node, above: str = "") -> Node:
        """`node` with the value at a path, mappings made where there are none."""
        if not path:
            return value
        key, *rest = path
        if not isinstance(node.value, dict):
            short = SHORT_FOR.get(above)
            if short is None or isinstance(node.value, list):
                what = f"'{above}' is {describe(node.value)}"
                raise self._refusal(what, "expected a mapping there, to set a part of it")
            node = Node({short: node}, node.at, node.key_at)
        child = node.get(key) or Node({}, self._at, self._at)
        # What a clock is called says nothing about its shape; that it stands in `clocks` does.
        inside = above if above == "clocks" else key
        return node.with_keys({key: self._put(child, rest, value, inside)})


def _kind(entry: Node) -> str:
    stage = entry.get("stage")
    return stage.value if stage is not None and isinstance(stage.value, str) else ""
