"""Edge run: a path with one clock, and what comes from outside on its edges."""

from __future__ import annotations

from functools import partial
from typing import Protocol, cast

from emu.actor import Port
from emu.path import build
from emu.request import Request
from emu.table.schema import Table
from emu.trace.events import Event, Kind
from emu.workload import Access


class Answered(Protocol):
    """A stage that can be told of answers from outside of the path."""

    def answered(self, initiator: int, port: Port) -> None:
        """An answer for the initiator has come."""


class EdgeRun:
    """Requests and answers at edges of the clock, and on which edge what left which stage.

    Requests are numbered in the order in which they are posted here, and so are those of one edge.
    """

    def __init__(self, table: Table) -> None:
        self.requests: list[Request] = []
        self._path = build(table)
        (self._clock,) = self._path.clocks
        self._left: dict[str, list[tuple[int, int]]] = {e.name: [] for e in table.entries}
        self._kernel = self._path.kernel(_ignore, drop=_ignore, listener=self._hear)

    def post(self, edge: int, access: Access) -> Request:
        """A request comes to the first stage."""
        request = Request(
            len(self.requests),
            access.operation,
            access.size_bytes,
            access.address,
            self._clock.edge(edge),
            self._path.plan(access.operation, access.size_bytes, access.address),
            *access[3:],
        )
        self.requests.append(request)
        self._kernel.submit(request)
        return request

    def answer(self, edge: int, stage: str, initiator: int) -> None:
        """An answer for an initiator reaches a stage; `PathError` if there is no such actor."""
        station = self._path.actor(stage)
        actor = cast(Answered, station.actor)
        action = partial(actor.answered, initiator, station.port)
        self._kernel.call_at(station, self._clock.edge(edge), action)

    def run(self) -> dict[str, list[tuple[int, int]]]:
        """To the end, whoever is left: by stage, the edge on which each left, and its number."""
        self._kernel.run()
        return self._left

    def _hear(self, event: Event) -> None:
        if event.kind is Kind.LEFT:
            # Each stage of such a path lets go on edges alone.
            edge = self._clock.edge_at_or_after(event.time_ps)
            self._left[event.stage].append((edge, event.request))


def _ignore(request: Request) -> None:
    """What became of it has been heard."""
