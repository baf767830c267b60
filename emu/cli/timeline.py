"""The first requests of a trace, for a terminal: a line for each stay at a stage."""

from __future__ import annotations

from emu.cli.options import nanoseconds
from emu.cli.output import print_table, print_text
from emu.parts import ORDERING, SERVICE
from emu.trace.events import Event, Held, Submitted
from emu.trace.stays import UNKNOWN, Stay, Stays

#: How many requests are shown.
SHOWN = 8


class FirstRequests:
    """Exporter that keeps the first requests it is told of, and prints them."""

    def __init__(self) -> None:
        self._lines: dict[int, list[list[str]]] = {}
        self._submitted_ps: dict[int, int] = {}
        self._titles: dict[int, str] = {}
        self._stays = Stays(self)

    def tell(self, event: Event) -> None:
        """One more event; what is beyond the first requests is left out."""
        if event.request not in self._lines:
            if len(self._lines) == SHOWN:
                return
            self._lines[event.request] = []
            self._titles[event.request] = str(event.request)
        self._stays.tell(event)

    def close(self, end_ps: int = 0) -> None:
        """There are no more events, up to the end."""
        self._stays.finish(end_ps)

    def show(self, table: str, requests: int) -> None:
        """Prints them; `requests` says of how many they are the first."""
        if not self._lines:
            return
        rows: list[list[str]] = []
        for request, lines in self._lines.items():
            for index, line in enumerate(lines):
                rows.append(["" if index else self._titles[request], *line])
        print_table(
            ["request", "stage", "besides service", "arrived", "accepted", "emitted", "left"],
            rows,
            title=f"{table}: when each request was where (ns)",
            left=3,
        )
        if requests > len(self._lines):
            print_text(
                f"these are the first {len(self._lines)} of {requests} requests; --request A..B "
                "shows others, --out FILE writes all"
            )

    # -- what stays tell --------------------------------------------------------------------

    def submitted(self, event: Submitted) -> None:
        """A request has come into the path."""
        what = (
            f"{event.request}: {event.operation} {event.size_bytes} B, initiator {event.initiator}"
        )
        self._titles[event.request] = " ".join([what, *event.marks])
        self._submitted_ps[event.request] = event.time_ps

    def arrived(self, stay: Stay) -> None:
        """A stay begins; its line is written when it is over."""

    def held(self, event: Held, blocking: Stay | None) -> None:
        """A request waits behind another, which its stay says too."""

    def left(self, stay: Stay, *, goes_on: bool) -> None:
        """A stay is over."""
        left_ps = stay.left_ps if stay.has_left else UNKNOWN
        times_ps = (stay.arrived_ps, stay.accepted_ps, stay.emitted_ps, left_ps)
        cells = ["" if time_ps == UNKNOWN else nanoseconds(time_ps) for time_ps in times_ps]
        self._lines[stay.request].append([stay.stage, _besides(stay), *cells])
        for event in stay.touched:
            what = f"{event.kind.value} {event.value} at {event.address:#x}"
            self._add(event, what)

    def ended(self, event: Event) -> None:
        """A request is complete or was dropped, or what it brought was consumed."""
        since_ps = self._submitted_ps.get(event.request)
        said = [f"by {event.stage}"] if event.stage else []
        if since_ps is not None:
            said.append(f"{nanoseconds(event.time_ps - since_ps)} in all")
        cells = [event.kind.value, ", ".join(said), nanoseconds(event.time_ps)]
        self._lines[event.request].append(cells)

    def _add(self, event: Event, what: str) -> None:
        self._lines[event.request].append(["", what, nanoseconds(event.time_ps)])


def _besides(stay: Stay) -> str:
    """The parts of a stay besides service, and behind whom it waited."""
    parts = [f"{part} {nanoseconds(ps)}" for part, ps in stay.parts if ps and part != SERVICE]
    behind = dict.fromkeys(held.behind for held in stay.held)
    if behind:
        names = ", ".join(map(str, behind))
        if not any(part.startswith(ORDERING) for part in parts):
            parts.append("held")
        parts = [f"{p} behind {names}" if p.startswith((ORDERING, "held")) else p for p in parts]
    return ", ".join(parts)
