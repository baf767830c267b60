"""`extends:`: a table as its difference from another, resolved before anything is validated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from emu.errors import did_you_mean, listed
from emu.table.catalog import find, is_file
from emu.table.errors import Location, Problem, TableError, problem
from emu.table.nodes import Node, describe, read_file
from emu.table.translate import dotted, unknown_key

#: Sections that are merged key by key; the derived table's key wins.
MERGED = ("clocks", "messages", "resources", "defaults")
#: Sections that are taken over whole, unless the derived table has its own.
INHERITED = ("description", "source", "other_operations", "resolution")
#: What a table may say only together with `extends`.
CHANGES = ("drop", "replace", "insert")


@dataclass(frozen=True)
class Document:
    """A table as one tree, all that it extends included; values keep the file they came from."""

    root: Node
    file: str
    bases: frozenset[str] = frozenset()
    problems: list[Problem] = field(default_factory=list)

    def inherited(self, at: Location) -> bool:
        """Whether something at this place came from a table that this one extends."""
        return at.file in self.bases


def entry_name(entry: Node) -> str | None:
    """The name of a raw stage entry: its `name`, else its `stage`."""
    for key in ("name", "stage"):
        node = entry.get(key)
        if node is not None and isinstance(node.value, str):
            return node.value
    return None


def read_document(path: Path, chain: tuple[Path, ...] = ()) -> Document:
    """The table in a file, with what it extends merged in; `chain` are the files that led here.

    `TableError` where a file cannot be read as a mapping, or extends itself.
    """
    root, problems = read_file(path, str(path))
    extends = root.get("extends")
    if extends is None:
        problems += [
            problem(
                root.mapping[key].key_at,
                "table",
                f"'{key}' changes another table's path, but no table is extended",
                "expected 'extends: NAME' beside it, or a 'path'",
            )
            for key in CHANGES
            if key in root.mapping
        ]
        return Document(root.with_keys({}, CHANGES), str(path), frozenset(), problems)
    if not isinstance(extends.value, str) or not extends.value:
        what = f"{describe(extends.value)} is no table"
        expected = "expected a shipped table's name or a file, as in 'extends: pcie_nic'"
        raise TableError([*problems, problem(extends.at, "extends", what, expected)])
    try:
        base = _base(extends.value, extends.at, path, chain)
    except TableError as error:
        raise TableError([*problems, *error.problems]) from None
    merger = _Merger(root, base.root)
    return Document(
        merger.merged(),
        str(path),
        base.bases | {base.file},
        [*base.problems, *problems, *merger.problems],
    )


def _base(name: str, at: Location, path: Path, chain: tuple[Path, ...]) -> Document:
    base = find(name, path.parent, at, "extends")
    if not is_file(base):
        what = f"there is no file '{base}'"
        expected = "expected a shipped table's name, or a file seen from this one's directory"
        raise TableError([problem(at, "extends", what, expected)])
    chain = (*chain, path)
    for index, earlier in enumerate(chain):
        if earlier.resolve() == base.resolve():
            circle = " extends ".join(str(one) for one in (*chain[index:], base))
            expected = "expected a table that does not come back to this one"
            raise TableError(
                [problem(at, "extends", f"the tables go in a circle: {circle}", expected)]
            )
    return read_document(base, chain)


class _Merger:
    """One derived table on its base."""

    def __init__(self, derived: Node, base: Node) -> None:
        self.problems: list[Problem] = []
        self._derived = derived
        self._base = base
        path = base.get("path")
        self._path = path
        self._stages: list[tuple[str | None, Node]] = [
            (entry_name(entry), entry) for entry in (path.items if path is not None else [])
        ]
        self._dropped: set[str] = set()

    def merged(self) -> Node:
        """The derived table as if it had been written in full."""
        base, derived = self._base, self._derived
        taken = {key: base.mapping[key] for key in INHERITED if key in base.mapping}
        kept = derived.with_keys({}, ("extends", "path", *CHANGES)).mapping
        merged = {**taken, **kept}
        for key in MERGED:
            if key in base.mapping:
                merged[key] = self._section(base.mapping[key], derived.get(key))
        if "path" in derived.mapping:
            self._add(
                derived.mapping["path"].key_at,
                "table",
                "'path' and 'extends' are both given",
                "expected a path of its own, or 'drop', 'replace' and 'insert'",
            )
        self._replace()
        self._drop()
        self._insert()
        if self._path is not None:
            merged["path"] = (
                replace(self._path, value=[entry for _, entry in self._stages])
                if isinstance(self._path.value, list)
                else self._path
            )
        return replace(derived, value=merged)

    def _add(self, at: Location, where: str, what: str, expected: str, hint: str = "") -> None:
        self.problems.append(problem(at, where, what, expected, hint))

    def _section(self, base: Node, derived: Node | None) -> Node:
        if derived is None:
            return base
        if not isinstance(derived.value, dict) or not isinstance(base.value, dict):
            return derived
        return derived.with_keys({**base.value, **derived.value})

    def _known(self, name: Node, said: str, where: str) -> int | None:
        """The place in the path of the stage that is named; a problem if there is none."""
        names = [known for known, _ in self._stages if known is not None]
        if said in names:
            return [known for known, _ in self._stages].index(said)
        at = name.at
        if said in self._dropped:
            self._add(at, where, f"stage '{said}' is dropped", f"expected one of {listed(names)}")
        else:
            what = f"the extended table has no stage '{said}'"
            self._add(
                at, where, what, f"expected one of {listed(names)}", did_you_mean(said, names)
            )
        return None

    def _list(self, key: str) -> Iterator[tuple[int, Node]]:
        node = self._derived.get(key)
        if node is None:
            return
        if isinstance(node.value, list):
            yield from enumerate(node.value)
        else:
            self._add(
                node.at,
                key,
                f"{describe(node.value)} is no list",
                f"expected for example {_EXAMPLES[key]}",
            )

    def _drop(self) -> None:
        replaced = self._derived.mapping.get("replace")
        for index, node in self._list("drop"):
            where = dotted("drop", [index])
            if not isinstance(node.value, str):
                self._add(
                    node.at, where, f"{describe(node.value)} is no name", "expected a stage's name"
                )
            elif replaced is not None and node.value in replaced.mapping:
                self._add(
                    node.at,
                    where,
                    f"stage '{node.value}' is dropped here and replaced at "
                    f"{replaced.mapping[node.value].key_at}",
                    "expected one of the two",
                )
            elif (place := self._known(node, node.value, where)) is not None:
                self._dropped.add(node.value)
                del self._stages[place]

    def _replace(self) -> None:
        node = self._derived.get("replace")
        if node is None:
            return
        if not isinstance(node.value, dict):
            what = f"{describe(node.value)} is no mapping"
            self._add(node.at, "replace", what, f"expected for example {_EXAMPLES['replace']}")
            return
        for name, entry in node.value.items():
            where = dotted("replace", [name])
            place = self._known(replace(entry, at=entry.key_at), name, where)
            if place is None:
                continue
            if not isinstance(entry.value, dict):
                what = f"{describe(entry.value)} is no stage entry"
                self._add(entry.at, where, what, f"expected for example {_EXAMPLES['replace']}")
                continue
            own = entry.get("name")
            if own is not None and own.value != name:
                what = f"the stage would be renamed to {describe(own.value)}"
                self._add(own.at, f"{where}.name", what, f"expected '{name}', or no name")
            named = Node(name, entry.key_at, entry.key_at)
            self._stages[place] = (name, entry.with_keys({"name": named}))

    def _insert(self) -> None:
        for index, node in self._list("insert"):
            where = dotted("insert", [index])
            if not isinstance(node.value, dict):
                what = f"{describe(node.value)} is no mapping"
                self._add(node.at, where, what, f"expected for example {_EXAMPLES['insert']}")
                continue
            self._insert_one(node, where)

    def _insert_one(self, node: Node, where: str) -> None:
        known = ("before", "after", "stages")
        for key, value in node.mapping.items():
            if key not in known:
                self.problems.append(unknown_key(value, key, known, where))
        sides = [side for side in ("before", "after") if side in node.mapping]
        stages = node.get("stages")
        if len(sides) != 1:
            what = (
                "'before' and 'after' are both given" if sides else "'before' or 'after' is missing"
            )
            self._add(node.at, where, what, f"expected one of the two, as in {_EXAMPLES['insert']}")
        if stages is None or not isinstance(stages.value, list) or not stages.value:
            what = "'stages' is missing" if stages is None else "'stages' holds no list of stages"
            self._add(
                stages.at if stages else node.at,
                where,
                what,
                f"expected for example {_EXAMPLES['insert']}",
            )
            return
        if len(sides) != 1:
            return
        anchor = node.mapping[sides[0]]
        if not isinstance(anchor.value, str):
            what = f"{describe(anchor.value)} is no name"
            self._add(anchor.at, f"{where}.{sides[0]}", what, "expected a stage's name")
            return
        place = self._known(anchor, anchor.value, f"{where}.{sides[0]}")
        if place is not None:
            place += sides[0] == "after"
            self._stages[place:place] = [(entry_name(entry), entry) for entry in stages.value]


_EXAMPLES = {
    "drop": "'drop: [doorbell]'",
    "replace": "'replace: {wire: {stage: wire, latency: 80 ns, source: …}}'",
    "insert": "'insert: [{after: wire, stages: [{stage: memory, latency: 30 ns, source: …}]}]'",
}
