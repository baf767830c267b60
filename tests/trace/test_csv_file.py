"""CSV: read back by Python's own reader, which expects no comments."""

import csv
import io
import json
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given

from emu.trace.csv_file import COLUMNS, open_csv
from emu.trace.events import Event, Held, Left, Submitted, Touched
from emu.trace.header import Header
from emu.trace.jsonl import header_as_json
from tests.trace.made import HEADER, export, whole_traces
from tests.trace.test_jsonl import EVENTS

LINES = """\
time_ps,event,request,initiator,stage,operation,bytes,address,destination,order,service,fence,\
behind,value,parts_ps,run
0,submitted,3,2,,write,64,128,1,SO,ROL,1,,,,RUN
0,arrived,3,2,order,,,,,,,,,,,
0,held,3,2,order,,,,,,,,1,,,
7,accepted,3,2,order,,,,,,,,,,,
9,emitted,3,2,order,,,,,,,,,,,
9,left,3,2,order,,,,,,,,,,service=2;ordering=7,
9,visible,3,2,memory,,,128,,,,,,18446744073709551615,,
12,completed,3,2,,,,,,,,,,,,
"""


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_what_lines_look_like(tmp_path: Path) -> None:
    text = export(open_csv, tmp_path / "t.csv", HEADER, EVENTS)
    run = rows(text)[0]["run"]
    assert json.loads(run) == header_as_json(HEADER)
    quoted = '"' + run.replace('"', '""') + '"'
    assert text == LINES.replace("RUN", quoted)


def test_no_event_is_a_heading(tmp_path: Path) -> None:
    assert export(open_csv, tmp_path / "t.csv", HEADER, []) == ",".join(COLUMNS) + "\n"


def cells(event: Event) -> dict[str, str]:
    """The cells that say something of an event, by what the columns are said to hold."""
    found: dict[str, object] = {
        "time_ps": event.time_ps,
        "event": event.kind,
        "request": event.request,
        "initiator": event.initiator,
        "stage": event.stage,
    }
    match event:
        case Submitted():
            found |= {"operation": event.operation, "bytes": event.size_bytes}
            found |= {"address": event.address, "destination": event.destination}
            found |= {"order": event.order, "service": event.service, "fence": int(event.fence)}
        case Held():
            found["behind"] = event.behind
        case Touched():
            found |= {"address": event.address, "value": event.value}
        case Left():
            found["parts_ps"] = ";".join(f"{part}={time_ps}" for part, time_ps in event.parts)
    return {column: str(value) for column, value in found.items() if value != ""}


@given(whole_traces())
def test_each_event_is_a_line(trace: tuple[Header, list[Event]]) -> None:
    header, events = trace
    with TemporaryDirectory() as folder:
        found = rows(export(open_csv, Path(folder) / "t.csv", header, events))
    assert [row.pop("run") != "" for row in found] == [True] + [False] * (len(events) - 1)
    said = [{column: cell for column, cell in row.items() if cell} for row in found]
    assert said == [cells(event) for event in events]
