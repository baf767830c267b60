"""Where litmus tests are: the shipped ones by name, all others by file."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from emu.errors import did_you_mean, listed
from emu.table.catalog import is_file_name, shown
from emu.table.errors import Location, TableError, problem


def shipped_directory() -> Path:
    """The directory of the tests that come with the project."""
    return Path(str(files("testbenches.litmus")))


def litmus_names() -> list[str]:
    """The names of the shipped tests, sorted."""
    return sorted(path.stem for path in shipped_directory().glob("*.yaml"))


def find(name: str) -> Path:
    """The file of a test; `TableError` if no shipped test has that name."""
    if is_file_name(name):
        return Path(name)
    names = litmus_names()
    if name not in names:
        expected = f"expected one of {listed(names)}, or a file such as ./{name or 'test'}.yaml"
        hint = did_you_mean(name, names)
        what = "there is no such litmus test"
        raise TableError([problem(Location(name), "", what, expected, hint)])
    return shown(shipped_directory() / f"{name}.yaml")
