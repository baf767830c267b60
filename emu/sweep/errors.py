"""What can go wrong with a sweep, each text complete as it stands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from emu.errors import EmuError


class SweepError(EmuError):
    """A sweep that cannot start, or cannot go on."""


@contextmanager
def writing(file: Path) -> Iterator[None]:
    """Says of which file an error of the operating system is."""
    try:
        yield
    except OSError as error:
        raise SweepError(f"{file}: cannot be written: {error.strerror or error}") from error
