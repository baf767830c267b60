"""YAML as a tree of plain values that know their place, read by strict rules.

PyYAML's own constructor keeps the last of two equal keys and reads `010` as 8, `no` as False and
`12:30:45` as 45045. So only its nodes are used, and the values are made here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from emu.table.errors import Location, Problem, TableError, problem

Scalar = str | int | bool | None

#: Aliases can make a small file huge, and deep: far above any table, far below a full memory.
MAX_VALUES = 100_000
MAX_DEPTH = 50

_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
_SURROGATE = re.compile("[\ud800-\udfff]")
_TOO_LONG = re.compile(r"\s*[+-]?[\d.]{31,}")
_WORDS: dict[str, Scalar] = {"true": True, "false": False, "null": None, "~": None, "": None}


@dataclass(frozen=True)
class Node:
    """A value and its place; `key_at` is the place of its key, where it has one."""

    value: Scalar | list[Node] | dict[str, Node]
    at: Location
    key_at: Location

    @property
    def mapping(self) -> dict[str, Node]:
        """Its keys and values; empty if it is no mapping."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def items(self) -> list[Node]:
        """Its items; empty if it is no list."""
        return self.value if isinstance(self.value, list) else []

    def get(self, key: str) -> Node | None:
        """The value of a key, if it is a mapping that has it."""
        return self.mapping.get(key)

    def section(self, key: str) -> dict[str, Node]:
        """The keys and values of the mapping under a key; empty if there is none."""
        node = self.get(key)
        return {} if node is None else node.mapping

    def child(self, step: str | int) -> Node | None:
        """The value of a key, or the item at an index, if it is there."""
        if isinstance(step, int):
            return self.items[step] if 0 <= step < len(self.items) else None
        return self.get(step)

    def plain(self) -> Any:
        """The value without its places."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        if isinstance(self.value, list):
            return [node.plain() for node in self.value]
        return self.value

    def with_keys(self, changes: dict[str, Node], without: Iterable[str] = ()) -> Node:
        """The same mapping with some keys set and others gone."""
        kept = {key: node for key, node in self.mapping.items() if key not in set(without)}
        return replace(self, value={**kept, **changes})

    def walk(
        self, path: tuple[str | int, ...] = ()
    ) -> Iterator[tuple[tuple[str | int, ...], Node]]:
        """Itself and all below it, each with its path."""
        yield path, self
        if isinstance(self.value, dict):
            for key, node in self.value.items():
                yield from node.walk((*path, key))
        elif isinstance(self.value, list):
            for index, node in enumerate(self.value):
                yield from node.walk((*path, index))


def scalar(text: str, plain: bool) -> Scalar:
    """The value of a YAML scalar; what is quoted, or is no integer and no word, is text."""
    if not plain:
        return text
    if text in _WORDS:
        return _WORDS[text]
    return int(text) if _INTEGER.fullmatch(text) else text


def describe(value: Any) -> str:
    """A value as errors name it."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    return f"'{value}'" if isinstance(value, str) else str(value)


def read_file(
    path: Path, shown: str, expected: str = "expected a timing table in YAML"
) -> tuple[Node, list[Problem]]:
    """The mapping in a file, and what is wrong with its keys and values.

    `TableError` where no mapping can be read at all. `shown` is the path as errors print it.
    """
    whole = Location(shown)
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise TableError([problem(whole, "", "there is no such file", expected)]) from None
    except IsADirectoryError:
        raise TableError([problem(whole, "", "this is a directory", expected)]) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise TableError([problem(whole, "", f"cannot be read: {reason}", expected)]) from None
    try:
        text = raw.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8")
        at = _place(shown, before, len(before))
        what = f"byte 0x{raw[error.start]:02x} is not UTF-8"
        raise TableError([problem(at, "YAML", what, "expected a file in UTF-8")]) from None
    node, problems = _read_text(text, shown)
    if node is None:
        at = Location(shown, 1, 1)
        raise TableError([problem(at, "YAML", "the file is empty", expected)])
    if not isinstance(node.value, dict):
        what = f"the file holds {describe(node.value)}"
        raise TableError(
            [
                *problems,
                problem(node.at, "YAML", what, "expected a mapping of keys to values"),
            ]
        )
    return node, list(problems)


# A table is loaded again for each set of values that are put over it. Nodes are never changed.
@lru_cache(maxsize=64)
def _read_text(text: str, shown: str) -> tuple[Node | None, tuple[Problem, ...]]:
    reader = _Reader(shown, None)
    return reader.read(text), tuple(reader.problems)


def read_value(text: str, at: Location) -> tuple[Node, list[Problem]]:
    """One YAML value that a command line gives; all its places are `at`."""
    reader = _Reader(at.file, at)
    return reader.read(text) or Node(None, at, at), reader.problems


def read_line(text: str, at: Location) -> tuple[Node, list[Problem]]:
    """One line of a file, a value by itself, which begins at `at`; JSON is YAML too."""
    reader = _Reader(at.file, None)
    return reader.read("\n" * (at.line - 1) + text) or Node(None, at, at), reader.problems


def _place(file: str, text: str, index: int) -> Location:
    before = text[:index]
    return Location(file, before.count("\n") + 1, index - before.rfind("\n"))


class _Loader(yaml.SafeLoader):
    """PyYAML's loader, which notes tags: its nodes don't say which of them were written."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.tags: list[yaml.TagToken] = []

    def get_token(self) -> Any:
        """The next token."""
        token = super().get_token()  # type: ignore[no-untyped-call]  # PyYAML's stubs
        if isinstance(token, yaml.TagToken):
            self.tags.append(token)
        return token


class _Reader:
    """Turns one YAML document into nodes, and collects what is wrong with it."""

    def __init__(self, file: str, fixed: Location | None) -> None:
        self.problems: list[Problem] = []
        self._file = file
        self._fixed = fixed
        self._done: dict[int, tuple[Node, int, int]] = {}
        self._open: set[int] = set()

    def read(self, text: str) -> Node | None:
        """The document's root, or `None` if there is none; `TableError` if YAML is broken."""
        try:
            loader = _Loader(text)
            documents: list[yaml.Node] = []
            while loader.check_node():
                node = loader.get_node()
                assert node is not None  # check_node said so
                documents.append(node)
        except yaml.MarkedYAMLError as error:
            raise TableError([self._broken(error)]) from None
        except yaml.reader.ReaderError as error:
            at = self._fixed or _place(self._file, text, error.position)
            what = f"character {text[error.position]!a} is not allowed in YAML"
            raise TableError([problem(at, "YAML", what, "expected printable text")]) from None
        except RecursionError:
            raise TableError([self._too_deep(Location(self._file, 1, 1))]) from None
        except (ValueError, OverflowError):
            # PyYAML does not check the number in an escape.
            at = self._at(loader.get_mark())
            what = "an escape stands for no character"
            raise TableError([problem(at, "YAML", what, "expected valid YAML")]) from None
        for token in loader.tags:
            self._tag(token)
        if not documents:
            return None
        for extra in documents[1:]:
            self._add(extra.start_mark, "a second document starts here", "expected one document")
        return self._node(documents[0])[0]

    def _at(self, mark: Any) -> Location:
        return self._fixed or Location(self._file, mark.line + 1, mark.column + 1)

    def _add(self, mark: Any, what: str, expected: str) -> None:
        self.problems.append(problem(self._at(mark), "YAML", what, expected))

    def _tag(self, token: Any) -> None:
        handle, suffix = token.value
        self._add(
            token.start_mark,
            f"the tag '{handle or ''}{suffix}' is not allowed",
            "expected a plain value",
        )

    def _too_deep(self, at: Location) -> Problem:
        what = f"values are nested more than {MAX_DEPTH} deep"
        return problem(self._fixed or at, "YAML", what, "expected a timing table")

    def _broken(self, error: yaml.MarkedYAMLError) -> Problem:
        mark = error.problem_mark or error.context_mark
        at = self._at(mark) if mark else Location(self._file, 1, 1)
        if error.problem and "'\\t'" in error.problem:
            what = "a tab stands where YAML allows only spaces"
            return problem(at, "YAML", what, "expected spaces")
        what = error.problem or "this is not YAML"
        if error.context and "duplicate anchor" in error.context:
            first = self._at(error.context_mark)
            return problem(
                at, "YAML", f"this anchor is set twice, first at {first}", "expected once"
            )
        if error.context:
            what = f"{error.context}: {what}"
        if error.context_mark and error.context_mark is not mark:
            what = f"{what} (it began at {self._at(error.context_mark)})"
        return problem(at, "YAML", what, "expected valid YAML")

    def _node(self, node: yaml.Node) -> tuple[Node, int, int]:
        """The value of a YAML node, with how many values it holds and how deep they nest."""
        known = self._done.get(id(node))
        if known is not None:
            return known
        at = self._at(node.start_mark)
        if id(node) in self._open:
            self._add(node.start_mark, "an anchor contains itself", "expected a value that ends")
            return Node(None, at, at), 1, 1
        if len(self._open) >= MAX_DEPTH:
            raise TableError([self._too_deep(at)])
        self._open.add(id(node))
        made = self._make(node, at)
        self._open.remove(id(node))
        if made[1] > MAX_VALUES:
            what = f"aliases make this more than {MAX_VALUES} values"
            raise TableError([problem(at, "YAML", what, "expected a timing table")])
        if made[2] > MAX_DEPTH:
            raise TableError([self._too_deep(at)])
        self._done[id(node)] = made
        return made

    def _make(self, node: yaml.Node, at: Location) -> tuple[Node, int, int]:
        if isinstance(node, yaml.ScalarNode):
            if _TOO_LONG.match(node.value):
                self._add(node.start_mark, "the number is too long", "expected at most 30 digits")
                return Node(None, at, at), 1, 1
            if not node.value.isascii() and _SURROGATE.search(node.value):
                what = "half a character is no text: the escape is one of a pair"
                self._add(node.start_mark, what, "expected the character itself")
            return Node(scalar(node.value, node.style is None), at, at), 1, 1
        if isinstance(node, yaml.SequenceNode):
            parts = [self._node(item) for item in node.value]
            value: list[Node] | dict[str, Node] = [part[0] for part in parts]
        else:
            assert isinstance(node, yaml.MappingNode)
            parts = []
            value = {}
            for key_node, value_node in node.value:
                key = self._key(key_node, value)
                part = self._node(value_node)
                if key is not None:
                    value[key] = replace(part[0], key_at=self._at(key_node.start_mark))
                    parts.append(part)
        values = 1 + sum(part[1] for part in parts)
        depth = 1 + max((part[2] for part in parts), default=0)
        return Node(value, at, at), values, depth

    def _key(self, node: yaml.Node, before: dict[str, Node]) -> str | None:
        """The text of a key, or `None` where it is refused."""
        if not isinstance(node, yaml.ScalarNode):
            what = "a list" if isinstance(node, yaml.SequenceNode) else "a mapping"
            self._add(node.start_mark, f"{what} is used as a key", "expected a word as the key")
            return None
        if node.value == "<<" and node.style is None:
            self._add(
                node.start_mark,
                "the merge key '<<' is not allowed",
                "expected 'extends:' for a whole table, or an alias for a whole value",
            )
            return None
        key = scalar(node.value, node.style is None)
        if not isinstance(key, str):
            self._add(
                node.start_mark, f"the key {describe(key)} is no text", "expected a word as the key"
            )
            return None
        if key in before:
            first = before[key].key_at
            self._add(
                node.start_mark,
                f"the key '{key}' is given twice, first at {first}",
                "expected it once",
            )
            return None
        return key
