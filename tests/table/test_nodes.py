"""Scalars by strict rules, places of keys and values, and files that cannot be read."""

from pathlib import Path

import pytest

from emu.table.errors import Location, TableError
from emu.table.nodes import MAX_DEPTH, read_file, read_value, scalar
from tests.table.broken import write


@pytest.mark.parametrize(
    ("text", "value"),
    (
        ("8", 8),
        ("-3", -3),
        ("0", 0),
        ("010", "010"),
        ("1_000", "1_000"),
        ("0x10", "0x10"),
        ("1e-9", "1e-9"),
        ("1.5", "1.5"),
        ("12:30:45", "12:30:45"),
        ("true", True),
        ("True", "True"),
        ("no", "no"),
        ("null", None),
        ("~", None),
        ("", None),
        ("9 cycles", "9 cycles"),
    ),
)
def test_a_plain_scalar_is_what_it_looks_like(text: str, value: object) -> None:
    assert scalar(text, plain=True) == value
    assert type(scalar(text, plain=True)) is type(value)


@pytest.mark.parametrize("text", ("8", "true", "null", ""))
def test_a_quoted_scalar_is_text(text: str) -> None:
    assert scalar(text, plain=False) == text


def test_every_key_and_value_knows_its_place(tmp_path: Path) -> None:
    path = write(tmp_path, "t.yaml", "a: 1\nb:\n  - {c: 'x'}\n  - &y [2]\n  - *y\n")
    root, problems = read_file(path, "t.yaml")
    assert not problems
    assert root.plain() == {"a": 1, "b": [{"c": "x"}, [2], [2]]}
    places = {path: (node.key_at, node.at) for path, node in root.walk()}
    assert places["a",] == (Location("t.yaml", 1, 1), Location("t.yaml", 1, 4))
    assert places["b", 0, "c"] == (Location("t.yaml", 3, 6), Location("t.yaml", 3, 9))
    assert places["b", 2, 0][1] == Location("t.yaml", 4, 9)


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    path = write(tmp_path, "t.yaml", "\ufeffa: 1\n")
    assert read_file(path, "t.yaml")[0].plain() == {"a": 1}


def test_a_file_is_read_as_it_is_now_and_each_reader_has_its_own_problems(tmp_path: Path) -> None:
    path = tmp_path / "t.yaml"
    path.write_text("a: 1\na: 2\n")
    root, problems = read_file(path, "t.yaml")
    assert root.plain() == {"a": 1}
    assert len(problems) == 1
    problems.clear()
    assert read_file(path, "t.yaml")[1][0].what == "the key 'a' is given twice, first at t.yaml:1:1"
    assert read_file(path, "u.yaml")[1][0].file == "u.yaml"
    path.write_text("a: 2\n")
    assert read_file(path, "t.yaml")[0].plain() == {"a": 2}


def test_a_value_of_a_command_line_has_one_place() -> None:
    node, problems = read_value("{read: 1 ns, other: [2]}", Location("--set x"))
    assert not problems
    assert {str(one.at) for _, one in node.walk()} == {"--set x"}


def said(path: Path) -> str:
    with pytest.raises(TableError) as caught:
        read_file(path, "t.yaml")
    return str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    expected = "t.yaml: there is no such file; expected a timing table in YAML"
    assert said(tmp_path / "nothing.yaml") == expected


def test_a_directory(tmp_path: Path) -> None:
    assert said(tmp_path) == "t.yaml: this is a directory; expected a timing table in YAML"


def test_a_name_that_no_file_can_have(tmp_path: Path) -> None:
    expected = "t.yaml: cannot be read: File name too long; expected a timing table in YAML"
    assert said(tmp_path / ("x" * 1000)) == expected


def test_bytes_that_are_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "t.yaml"
    path.write_bytes(b"a: 1\nb: \xff\n")
    assert said(path) == "t.yaml:2:4: YAML: byte 0xff is not UTF-8; expected a file in UTF-8"


def test_aliases_that_multiply(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30)]
    path = write(tmp_path, "t.yaml", "\n".join(lines))
    assert said(path) == (
        "t.yaml:5:5: YAML: aliases make this more than 100000 values; expected a timing table"
    )


def test_aliases_that_nest(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x]", *(f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 3000))]
    path = write(tmp_path, "t.yaml", "\n".join(lines))
    assert said(path).endswith(f"nested more than {MAX_DEPTH} deep; expected a timing table")


@pytest.mark.parametrize("depth", (MAX_DEPTH + 1, 100_000))
def test_brackets_that_nest(tmp_path: Path, depth: int) -> None:
    path = write(tmp_path, "t.yaml", "a: " + "[" * depth + "]" * depth)
    assert said(path).endswith(f"nested more than {MAX_DEPTH} deep; expected a timing table")
