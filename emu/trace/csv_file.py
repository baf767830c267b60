"""CSV: one line an event under a heading, for spreadsheets and data frames.

A cell is empty where its column says nothing of such an event. Comment lines would stop readers
that do not expect them, so what the run was stands in the column `run`, in the first event's line.
"""

from __future__ import annotations

import csv
from pathlib import Path

from emu.trace.events import Event, Held, Left, Submitted, Touched
from emu.trace.header import Header
from emu.trace.jsonl import dumped, header_as_json
from emu.trace.whole_file import WholeFile

#: Column to what it holds.
COLUMNS = {
    "time_ps": "when it happened, in whole picoseconds",
    "event": "what happened",
    "request": "to which request, in the order in which they were posted, from 0 on",
    "initiator": "who posted it",
    "stage": "at which stage; empty at none; dropped: by which one",
    "operation": "submitted: what the request does",
    "bytes": "submitted: how many it moves",
    "address": "submitted, sampled, visible: where in memory",
    "destination": "submitted: to whom",
    "order": "submitted: NO, RO or SO, if it is marked",
    "service": "submitted: ROI, ROT, ROL or UNO, if it is marked",
    "fence": "submitted: 1 with a fence, else 0",
    "behind": "held: the request that it waits for",
    "value": "sampled, visible: what was read, or is there from now on",
    "parts_ps": "left: part=picoseconds of the stay, with semicolons between",
    "run": "first line: the header of the trace, as JSON; empty in all others",
}


def open_csv(path: Path, header: Header) -> CsvWriter:
    """A writer of comma-separated values."""
    return CsvWriter(path, header)


class CsvWriter:
    """Writes each event as it comes; keeps nothing."""

    def __init__(self, path: Path, header: Header) -> None:
        self._file = WholeFile(path)
        self._writer = csv.DictWriter(self._file, list(COLUMNS), lineterminator="\n")
        self._writer.writeheader()
        self._run = dumped(header_as_json(header))

    def tell(self, event: Event) -> None:
        """One more line."""
        row: dict[str, object] = {
            "time_ps": event.time_ps,
            "event": event.kind.value,
            "request": event.request,
            "initiator": event.initiator,
            "stage": event.stage,
            "run": self._run,
        }
        self._run = ""
        if isinstance(event, Submitted):
            row["operation"] = event.operation
            row["bytes"] = event.size_bytes
            row["address"] = event.address
            row["destination"] = event.destination
            row["order"] = event.order
            row["service"] = event.service
            row["fence"] = int(event.fence)
        elif isinstance(event, Held):
            row["behind"] = event.behind
        elif isinstance(event, Touched):
            row["address"] = event.address
            row["value"] = event.value
        elif isinstance(event, Left):
            row["parts_ps"] = ";".join(f"{part}={time_ps}" for part, time_ps in event.parts)
        self._writer.writerow(row)

    def close(self, end_ps: int = 0) -> None:
        """The file is complete; a table of events does not say when the trace ends."""
        self._file.close()
