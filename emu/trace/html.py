"""A page for the browser: the swimlanes of a trace in one file, which needs nothing else."""

from __future__ import annotations

import html
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from emu.picture import write_whole
from emu.plot import ink_on, words
from emu.trace.events import Event, Kind
from emu.trace.header import Header, StageLine
from emu.trace.jsonl import dumped
from emu.trace.stays import UNKNOWN, Stay
from emu.trace.swimlanes import Lane, Swimlanes, colours, legend, stages_of
from emu.trace.whole_file import check_folder

#: More make a page that no browser is quick with.
MOST_REQUESTS = 5_000


def open_html(path: Path, header: Header) -> Page:
    """A page of at most `MOST_REQUESTS` requests; `LimitError` for one more, and then no page."""
    return Page(path, header)


def too_many(path: Path) -> str:
    """What is said of more requests than a page shows."""
    return (
        f"{path}: a page shows at most {MOST_REQUESTS} requests, and this trace has more; "
        "expected fewer, chosen by --request, --initiator or --from and --to, or a .pftrace "
        "file, which has no limit"
    )


class Page:
    """Collects the trace, and writes the page when it is complete."""

    def __init__(self, path: Path, header: Header) -> None:
        check_folder(path)
        self._path = path
        self._header = header
        self._swimlanes = Swimlanes(MOST_REQUESTS, too_many(path))

    def tell(self, event: Event) -> None:
        """One more event; not earlier than the one before."""
        self._swimlanes.tell(event)

    def close(self, end_ps: int = 0) -> None:
        """Writes the page."""
        self._swimlanes.finish(end_ps)
        content = _content(self._header, self._swimlanes)
        # The data must not end the element that it stands in.
        data = dumped(content).replace("<", "\\u003c")
        page = files("emu.trace").joinpath("page.html").read_text(encoding="utf-8")
        title = html.escape(f"{self._header.title or self._header.table}: trace")
        page = page.replace("{{title}}", title, 1).replace("{{trace}}", data, 1)
        write_whole(self._path, page.encode())


def _content(header: Header, swimlanes: Swimlanes) -> dict[str, Any]:
    lanes = swimlanes.lanes
    stages = stages_of(header, lanes)
    requests = _Requests(stages)
    return {
        "title": header.title or header.table,
        "about": {
            "table": header.table,
            "seed": str(header.seed),
            "digest": header.digest,
            "version": header.version,
            "workload": _said(header.workload),
            "run": _said(header.run),
            "filters": _said([one.as_json() for one in header.filters]),
        },
        "from": max(header.from_ps, min((lane.from_ps for lane in lanes), default=0)),
        "to": max([swimlanes.end_ps, *(lane.to_ps for lane in lanes)]),
        "stages": _stages(stages),
        "legend": legend(stages, lanes),
        "requests": requests.of(lanes),
        "names": list(requests.names),
    }


def _said(value: dict[str, Any] | list[dict[str, Any]]) -> str:
    """As text; empty where nothing is."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False) if value else ""


def _stages(stages: list[StageLine]) -> list[dict[str, str]]:
    colour_of = colours(stages)
    return [
        {
            "name": stage.name,
            "words": words(stage.name),
            "kind": stage.kind,
            "at": stage.at,
            "colour": colour_of[stage.name],
            "ink": ink_on(colour_of[stage.name]),
        }
        for stage in stages
    ]


class _Requests:
    """Lanes as the page reads them; names stand in a list of their own, and are told by place."""

    def __init__(self, stages: list[StageLine]) -> None:
        self.names: dict[str, int] = {}
        self._stages = {stage.name: place for place, stage in enumerate(stages)}

    def of(self, lanes: list[Lane]) -> list[dict[str, Any]]:
        """A lane after another."""
        return [self._lane(lane) for lane in lanes]

    def _lane(self, lane: Lane) -> dict[str, Any]:
        found: dict[str, Any] = {
            "n": lane.request,
            "initiator": lane.initiator,
            "what": lane.what(),
            "from": lane.from_ps,
            "to": lane.to_ps,
            "stays": [self._stay(stay) for stay in lane.stays],
        }
        if lane.submitted is not None:
            found["address"] = hex(lane.submitted.address)
            found["destination"] = lane.submitted.destination
        if lane.outside_ps > 0:
            found["outside"] = lane.outside_ps
        if lane.end is not None:
            found[lane.end.kind.value] = lane.end.time_ps
            if lane.end.stage:
                found["by"] = words(lane.end.stage)
        if lane.consumed_ps != UNKNOWN:
            found[Kind.CONSUMED.value] = lane.consumed_ps
        return found

    def _stay(self, stay: Stay) -> dict[str, Any]:
        found: dict[str, Any] = {
            "s": self._stages[stay.stage],
            "from": stay.arrived_ps,
            "to": stay.left_ps,
            # Each piece begins where the one before it ends.
            "pieces": [
                [piece.end_ps, self._name(piece.waits_for), *([piece.behind] * (piece.behind >= 0))]
                for piece in stay.pieces()
                if piece.start_ps < piece.end_ps
            ],
            "parts": [[self._name(part), time_ps] for part, time_ps in stay.parts],
        }
        if stay.touched:
            # As text, since a script's numbers end at 53 bits.
            found["touched"] = [
                [event.time_ps, event.kind.value, hex(event.address), str(event.value)]
                for event in stay.touched
            ]
        if not stay.has_left:
            found["open"] = True
        return found

    def _name(self, name: str) -> int:
        return self.names.setdefault(name, len(self.names))
