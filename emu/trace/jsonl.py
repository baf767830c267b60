"""JSON lines, the format of record: the header, then an event a line, then the end."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emu.trace.events import Event, Held, Kind, Left, Submitted, Touched
from emu.trace.header import Header
from emu.trace.whole_file import WholeFile

FORMAT = "rdma-path-emu trace"
SCHEMA = 2
#: The only key of the last line.
END = "end_ps"


@dataclass(frozen=True, slots=True)
class Shape:
    """How events of a kind are written: key to attribute and type, in the order of a line."""

    event: type[Event]
    keys: dict[str, tuple[str, type]]


_COMMON: dict[str, tuple[str, type]] = {
    "t_ps": ("time_ps", int),
    "kind": ("kind", str),
    "req": ("request", int),
    "stage": ("stage", str),
    "init": ("initiator", int),
}
_PLAIN = Shape(Event, _COMMON)
_SUBMITTED = Shape(
    Submitted,
    {
        **_COMMON,
        "op": ("operation", str),
        "bytes": ("size_bytes", int),
        "addr": ("address", int),
        "dest": ("destination", int),
        "order": ("order", str),
        "service": ("service", str),
        "fence": ("fence", bool),
    },
)
_HELD = Shape(Held, {**_COMMON, "behind": ("behind", int)})
_TOUCHED = Shape(Touched, {**_COMMON, "addr": ("address", int), "value": ("value", int)})
LEFT = Shape(Left, {**_COMMON, "parts_ps": ("parts", dict)})
SHAPES: dict[str, Shape] = {
    **dict.fromkeys(Kind, _PLAIN),
    Kind.SUBMITTED: _SUBMITTED,
    Kind.HELD: _HELD,
    Kind.SAMPLED: _TOUCHED,
    Kind.VISIBLE: _TOUCHED,
    Kind.LEFT: LEFT,
}


def open_jsonl(path: Path, header: Header) -> JsonlWriter:
    """A writer of the format of record."""
    return JsonlWriter(path, header)


class JsonlWriter:
    """Writes each event as it comes; keeps no more than when the last one was."""

    def __init__(self, path: Path, header: Header) -> None:
        self._file = WholeFile(path)
        self._file.write(f"{dumped(header_as_json(header))}\n")
        self._now_ps = 0

    def tell(self, event: Event) -> None:
        """One more line."""
        values = {key: getattr(event, name) for key, (name, _) in SHAPES[event.kind].keys.items()}
        if isinstance(event, Left):
            values["parts_ps"] = dict(event.parts)
        self._file.write(f"{dumped(values)}\n")
        self._now_ps = event.time_ps

    def close(self, end_ps: int = 0) -> None:
        """Writes the end; the file is complete."""
        self._file.write(f"{dumped({END: max(self._now_ps, end_ps)})}\n")
        self._file.close()


def header_as_json(header: Header) -> dict[str, Any]:
    """The first line: a clock's period is an exact fraction of picoseconds."""
    return {
        "format": FORMAT,
        "schema": SCHEMA,
        "version": header.version,
        "table": header.table,
        "title": header.title,
        "digest": header.digest,
        "seed": header.seed,
        "workload": header.workload,
        "run": header.run,
        "filters": [one.as_json() for one in header.filters],
        "clocks": [
            {
                "name": clock.name,
                "period_ps": f"{clock.period_ps.numerator}/{clock.period_ps.denominator}",
                "phase_ps": clock.phase_ps,
                "aligned": clock.aligned,
            }
            for clock in header.clocks
        ],
        "stages": [
            {"name": stage.name, "kind": stage.kind, "at": stage.at, "clock": stage.clock}
            for stage in header.stages
        ],
    }


#: JSON on one line, without blanks.
dumped: Callable[[Any], str] = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
