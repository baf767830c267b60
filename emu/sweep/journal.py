"""Journal: rows as they are finished, in any order, safe against a kill at any moment."""

from __future__ import annotations

import os
import time
import zlib
from array import array
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

from emu.sweep.errors import writing

#: The least time between two writes that wait for the disk.
SYNC_S = 2.0


class Journal:
    """`CHECKSUM INDEX ROW`, a line each; a line that is torn or damaged counts as not there.

    In memory it keeps only where each row stands in the file.
    """

    def __init__(self, file: Path, rows: int) -> None:
        self.file = file
        self.done = 0
        self._places = array("q", [-1]) * rows
        self._synced_s = time.monotonic()
        with writing(file):
            self._stream = file.open("a+b")
            self._end = self._read()
            # What a kill tore off must not run into the next line.
            self._stream.truncate(self._end)

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with writing(self.file):
            self._stream.close()

    def __contains__(self, index: int) -> bool:
        return self._places[index] >= 0

    def add(self, first: int, rows: list[str]) -> None:
        """Writes the rows of points one after the other, from `first` on."""
        lines = []
        for index, row in enumerate(rows, first):
            body = f"{index} {row}".encode()
            lines.append(b"%08x %b\n" % (zlib.crc32(body), body))
            self._note(index, self._end)
            self._end += len(lines[-1])
        with writing(self.file):
            self._stream.write(b"".join(lines))
            self._stream.flush()
            if time.monotonic() - self._synced_s >= SYNC_S:
                os.fsync(self._stream.fileno())
                self._synced_s = time.monotonic()

    def write_ordered(self, header: str, file: Path) -> None:
        """Writes all rows in the order of their points: the whole file at once, or nothing."""
        part = file.with_name(f"{file.name}.new")
        with writing(file):
            with part.open("wb") as stream:
                stream.write(f"{header}\n".encode())
                stream.writelines(self._rows())
                stream.flush()
                os.fsync(stream.fileno())
            part.replace(file)

    def _rows(self) -> Iterable[bytes]:
        for place in self._places:
            self._stream.seek(place)
            yield self._stream.readline().split(b" ", 2)[2]

    def _note(self, index: int, place: int) -> None:
        self.done += self._places[index] < 0
        self._places[index] = place

    def _read(self) -> int:
        """Finds the rows that are there; returns where the last whole line ends."""
        place = 0
        self._stream.seek(0)
        for line in self._stream:
            if not line.endswith(b"\n"):
                break
            index = _index_of(line)
            if index is not None and index < len(self._places):
                self._note(index, place)
            place += len(line)
        return place


def _index_of(line: bytes) -> int | None:
    """The point of a line, if the line is what was once written."""
    checksum, _, body = line[:-1].partition(b" ")
    if checksum != b"%08x" % zlib.crc32(body):
        return None
    return int(body.partition(b" ")[0])
