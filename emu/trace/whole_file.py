"""A file that grows as events come, and has its name only once it is complete."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from emu.errors import EmuError


def check_folder(file: Path) -> None:
    """`EmuError` where no such file can be written."""
    if not file.parent.is_dir():
        raise EmuError(f"{file}: there is no folder '{file.parent}'; expected one that exists")
    if file.is_dir():
        raise EmuError(f"{file}: this is a folder; expected the name of a file")
    if not os.access(file.parent, os.W_OK):
        raise EmuError(
            f"{file}: nothing can be written in '{file.parent}'; expected a folder of your own"
        )


class WholeFile:
    """Written beside its place under a hidden name, and renamed by `close`.

    `EmuError` where that fails; nothing is left behind then.
    """

    def __init__(self, file: Path) -> None:
        check_folder(file)
        self._file = file
        self._part = file.with_name(f".{file.name}.{os.getpid()}.part")
        try:
            self._stream = self._part.open("wb")
        except OSError as error:
            raise _failed(file, error) from error

    def write(self, text: str) -> None:
        """More text, as UTF-8."""
        self.write_bytes(text.encode())

    def write_bytes(self, content: bytes) -> None:
        """More bytes."""
        try:
            self._stream.write(content)
        except OSError as error:
            self.discard()
            raise _failed(self._file, error) from error

    def flush(self) -> None:
        """Nothing to do: only `close` makes what was written count. Some writers ask for it."""

    def close(self) -> None:
        """All is written: the file takes its place."""
        try:
            self._stream.close()
            self._part.replace(self._file)
        except OSError as error:
            self.discard()
            raise _failed(self._file, error) from error

    def discard(self) -> None:
        """Nothing will come of it; what is at its place stays."""
        with suppress(OSError):  # what could not be written before cannot be now
            self._stream.close()
        self._part.unlink(missing_ok=True)


def _failed(file: Path, error: OSError) -> EmuError:
    return EmuError(f"{file}: cannot be written: {error.strerror}")
