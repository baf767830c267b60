"""What a build was made from, without a compiler."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from emu.cosim.made_from import (
    ICARUS_LIST,
    VERILATOR_LIST,
    files_read,
    forget,
    is_as_it_was,
    note,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a build."""
    folder = tmp_path / "build"
    folder.mkdir()
    return folder


def test_the_lists_of_the_compilers(folder: Path, tmp_path: Path) -> None:
    source, header = tmp_path / "a b.sv", tmp_path / "sub" / "c.svh"
    assert files_read("icarus", folder, [source]) is None
    assert files_read("verilator", folder, [source]) is None
    assert files_read("ghdl", folder, [source]) == [source]
    names = f"{source}\n{header}\n{source}\n{folder / 'dump.v'}\n"
    (folder / ICARUS_LIST).write_text(names, encoding="utf-8")
    assert files_read("icarus", folder, [source]) == [source, header]
    (folder / VERILATOR_LIST).write_text(
        "# DESCRIPTION: Verilator output\n"
        'C "-cc a.sv"\n'
        f'S      7542  2515424  1795966989           0 "czBlEFk" "{source}"\n'
        f'S      7542  2515424  1795966989           0 "{header}"\n'
        f'T      7542  2515424  1795966989           0 "unhashed" "{folder}/Vtop.cpp"\n',
        encoding="utf-8",
    )
    assert files_read("verilator", folder, [source]) == [source, header]


def test_a_build_is_as_it_was_until_a_file_changes(folder: Path, tmp_path: Path) -> None:
    source = tmp_path / "a.sv"
    source.write_text("one", encoding="utf-8")
    assert not is_as_it_was(folder)
    note(folder, [source], [tmp_path], time.time_ns())
    assert is_as_it_was(folder)
    source.write_text("two", encoding="utf-8")
    assert not is_as_it_was(folder)
    source.write_text("one", encoding="utf-8")
    assert is_as_it_was(folder)
    source.unlink()
    assert not is_as_it_was(folder)
    source.write_text("one", encoding="utf-8")
    forget(folder)
    assert not is_as_it_was(folder)


def test_a_file_that_comes_to_stand_in_front_of_another_counts(
    folder: Path, tmp_path: Path
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for one in (first / "sub", second / "sub"):
        one.mkdir(parents=True)
    header = second / "sub" / "a.svh"
    header.write_text("one", encoding="utf-8")
    note(folder, [header], [first, second], time.time_ns())
    (first / "a.svh").write_text("of another name", encoding="utf-8")
    assert is_as_it_was(folder)
    (first / "sub" / "a.svh").write_text("one", encoding="utf-8")
    assert not is_as_it_was(folder)


def test_what_may_have_changed_during_the_build_is_not_trusted(
    folder: Path, tmp_path: Path
) -> None:
    source = tmp_path / "a.sv"
    source.write_text("one", encoding="utf-8")
    note(folder, [source], [tmp_path], source.stat().st_mtime_ns)
    assert not is_as_it_was(folder)
    note(folder, None, [tmp_path], time.time_ns())
    assert not is_as_it_was(folder)
