"""The JSON that Chrome's viewer of traces and Perfetto read: an event a line, written as they come.

Its times are microseconds, and readers keep no more than nanoseconds; so that none is rounded, each
picosecond is written as a whole microsecond.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from emu.time import Clock
from emu.trace.header import Header
from emu.trace.jsonl import dumped
from emu.trace.timeline import Args, Scale, Timeline, about
from emu.trace.whole_file import WholeFile

#: Arrows are matched by name, category and number.
ARROW = "arrow"
#: So many bits of a track's order tell its place in the row.
ROW_BITS = 16


def open_json(path: Path, header: Header, clock: Clock | None = None) -> Timeline:
    """A `.json` file, in which each picosecond, or each cycle of `clock`, is a microsecond."""
    scale = Scale("1 µs", clock)
    return Timeline(_Lines(path, about(header, scale)), header, scale)


class _Lines:
    """A canvas; its tracks are threads. Rows are only in their names, and in their order."""

    def __init__(self, path: Path, attributes: dict[str, str | int]) -> None:
        self._file = WholeFile(path)
        #: Row to its process and its place among all rows.
        self._rows: dict[int, tuple[int, int]] = {}
        self._process_of: dict[int, int] = {}
        self._before = ""
        head = {"displayTimeUnit": "ns", "otherData": attributes}
        self._file.write(f'{dumped(head)[:-1]},"traceEvents":[\n')

    def process(self, number: int, name: str) -> None:
        """A process."""
        self._name("process_name", {"name": name}, pid=number)
        self._name("process_sort_index", {"sort_index": number}, pid=number)

    def row(self, number: int, name: str, process: int) -> None:
        """The next row of a process."""
        self._rows[number] = process, len(self._rows)

    def track(self, number: int, name: str, row: int, place: int) -> None:
        """A track of a row."""
        process, rank = self._rows[row]
        self._process_of[number] = process
        self._name("thread_name", {"name": name}, pid=process, tid=number)
        # Tracks come as they are needed; those of a row stand together.
        order = (rank << ROW_BITS) + place
        self._name("thread_sort_index", {"sort_index": order}, pid=process, tid=number)

    def begin(self, track: int, time: int, name: str, args: Args, *, arrow: int = 0) -> None:
        """A slice begins."""
        self._happen("B", track, time, name=name, args=args)
        if arrow:
            self._happen("f", track, time, name=ARROW, cat=ARROW, id=arrow, bp="e")

    def end(self, track: int, time: int, args: Args, *, arrow: int = 0) -> None:
        """The slice that began last ends."""
        if arrow:
            self._happen("s", track, time, name=ARROW, cat=ARROW, id=arrow)
        self._happen("E", track, time, args=args)

    def instant(self, track: int, time: int, name: str, args: Args, *, arrow: int = 0) -> None:
        """Something without a duration."""
        self._happen("i", track, time, name=name, s="t", args=args)
        if arrow:
            self._happen("s", track, time, name=ARROW, cat=ARROW, id=arrow)

    def close(self) -> None:
        """The file is complete."""
        self._file.write("\n]}\n")
        self._file.close()

    def _name(self, what: str, args: Args, **where: int) -> None:
        self._write({"ph": "M", "name": what, **where, "args": args})

    def _happen(self, phase: str, track: int, time: int, **more: Any) -> None:
        where = {"pid": self._process_of[track], "tid": track}
        self._write({"ph": phase, "ts": time, **where, **more})

    def _write(self, values: dict[str, Any]) -> None:
        self._file.write(self._before + dumped(values))
        self._before = ",\n"
