"""Where tables are: the shipped ones by name, all others by file."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from emu.errors import did_you_mean, listed
from emu.table.errors import Location, TableError, problem

SUFFIXES = (".yaml", ".yml")


def shipped_directory() -> Path:
    """The directory of the tables that come with the project."""
    return Path(str(files("timing_tables")))


def table_names() -> list[str]:
    """The names of the shipped tables, sorted."""
    return sorted(path.stem for path in shipped_directory().glob("*.yaml"))


def is_file_name(name: str) -> bool:
    """Whether a table is meant by its file, and not by the name of a shipped one."""
    return "/" in name or name.endswith(SUFFIXES)


def find(name: str, relative_to: Path, said_at: Location | None = None, where: str = "") -> Path:
    """The file of a table; `TableError` at `said_at` if no shipped table has that name.

    A file's name is taken from the directory `relative_to`, and need not exist.
    """
    if is_file_name(name):
        return relative_to / name
    names = table_names()
    if name not in names:
        at = said_at or Location(name)
        expected = f"expected one of {listed(names)}, or a file such as ./{name or 'table'}.yaml"
        hint = did_you_mean(name, names)
        what = f"there is no table '{name}'" if said_at else "there is no such table"
        raise TableError([problem(at, where, what, expected, hint)])
    return shown(shipped_directory() / f"{name}.yaml")


def shown(path: Path) -> Path:
    """A path as errors print it: from the current directory on, where it lies below."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def is_file(path: Path) -> bool:
    """Whether there is such a file; also no where the name is an impossible one."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_shipped(path: Path) -> bool:
    """Whether a file is one of the shipped tables."""
    return path.resolve().parent == shipped_directory().resolve()
