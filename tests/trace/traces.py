"""Traces to draw: runs of the kernel over small tables, some with requests held behind others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from hypothesis import strategies as st

from emu.actor import Actor, Port
from emu.parts import ORDERING, SERVICE
from emu.request import Request
from emu.table.schema import Table
from emu.trace.events import Event, Held, Kind, Left, Submitted, Touched
from emu.trace.exporter import Exporter
from emu.trace.exporters import Outputs
from emu.trace.filter import Filter
from emu.trace.header import Header, StageLine, header_of
from tests.build import READ, WRITE, Post, clocked, delay, run, station, table

#: How long a request is served once it is its turn.
TURN_PS = 5_000


class Turns(Actor):
    """Serves one request after another; who comes too early is held behind the one before it."""

    def __init__(self, parameters: Any) -> None:
        super().__init__(parameters)
        self._waiting: list[Request] = []

    def arrive(self, request: Request, port: Port) -> None:
        """It is its turn now, or it waits for the last who came."""
        if self._waiting:
            port.hold(request, self._waiting[-1])
        self._waiting.append(request)
        if len(self._waiting) == 1:
            self._start(request, port)

    def _start(self, request: Request, port: Port) -> None:
        port.accept(request)
        port.call_at(port.now_ps + TURN_PS, partial(self._go, request, port.now_ps, port))

    def _go(self, request: Request, turn_ps: int, port: Port) -> None:
        waited_ps = turn_ps - request.arrived_ps
        held = ((ORDERING, waited_ps),) if waited_ps else ()
        port.emit(request, (*held, (SERVICE, TURN_PS)))
        self._waiting.remove(request)
        if self._waiting:
            self._start(self._waiting[0], port)


def path() -> Table:
    """A clocked stage with little room, one of turns, a wire, and the far memory."""
    stages = [
        clocked("controller", 3, 2, depth=2, queue=1, at="initiator"),
        delay("turns", "0 ns", at="initiator"),
        delay("wire_out", "40 ns", at="initiator"),
        {**station("memory", "30 ns", interval="4 ns", at="target"), "stage": "memory"},
        delay("wire_back", "40 ns", at="target"),
    ]
    return table(stages, behaviour={"turns": Turns})


@dataclass(frozen=True)
class Trace:
    """A header and the events that follow it."""

    header: Header
    events: list[Event]

    def stays(self) -> list[tuple[int, str, int, int, dict[str, int]]]:
        """Request, stage, arrival, leaving and parts of each stay that has an end."""
        arrived: dict[int, int] = {}
        stays = []
        for event in self.events:
            if event.kind is Kind.ARRIVED:
                arrived[event.request] = event.time_ps
            if isinstance(event, Left):
                start_ps = arrived.pop(event.request)
                stays.append(
                    (event.request, event.stage, start_ps, event.time_ps, dict(event.parts))
                )
        return stays

    def times_ps(self, kind: Kind) -> list[tuple[int, int]]:
        """Request and time of each event of a kind, in order."""
        return sorted((e.request, e.time_ps) for e in self.events if e.kind is kind)


def trace(load: Iterable[Post], source: Table | None = None) -> Trace:
    """What a listener hears of these requests."""
    source = source or path()
    made = run(source, load)
    return Trace(header_of(source, 7, {"kind": "test"}), made.events)


def burst(requests: int, apart_ps: int = 0) -> Trace:
    """Requests of two initiators, in turn."""
    return trace(
        Post(number * apart_ps, (READ, WRITE)[number % 3 == 2], 64, number * 64, number % 2)
        for number in range(requests)
    )


_STAGES = (StageLine("a", "wire", "initiator", ""), StageLine("b", "memory", "target", ""))
PAIR = Header("1.2", "pair", "Two <stages> & more", "ab" * 32, 3, {"kind": "x"}, (), _STAGES)


def by_hand() -> Trace:
    """Request 0 is in the way of request 1, which reads a value; request 2 is dropped."""
    parts = (("service", 10_000),)
    held = (("service", 5_000), ("alignment", 2_500), ("ordering", 10_000))
    return Trace(
        PAIR,
        [
            Submitted(0, Kind.SUBMITTED, 0, "", 0, "write", 64),
            Event(0, Kind.ARRIVED, 0, "a"),
            Event(0, Kind.ACCEPTED, 0, "a"),
            Submitted(2_000, Kind.SUBMITTED, 1, "", 4, "read", 8, 256, 0, "SO", "ROI", True),
            Event(2_000, Kind.ARRIVED, 1, "b", 4),
            Held(2_500, Kind.HELD, 1, "b", 4, 0),
            Submitted(5_000, Kind.SUBMITTED, 2, "", operation="<b>odd</b>"),
            Event(5_000, Kind.DROPPED, 2, ""),
            Event(10_000, Kind.EMITTED, 0, "a"),
            Left(10_000, Kind.LEFT, 0, "a", parts=parts),
            Event(10_000, Kind.COMPLETED, 0, ""),
            Event(14_500, Kind.ACCEPTED, 1, "b", 4),
            Touched(16_000, Kind.SAMPLED, 1, "b", 4, 256, 2**63 + 1),
            Event(19_500, Kind.EMITTED, 1, "b", 4),
            Left(19_500, Kind.LEFT, 1, "b", 4, held),
            Event(19_500, Kind.COMPLETED, 1, "", 4),
            Event(20_000, Kind.CONSUMED, 1, "", 4),
        ],
    )


def export(made: Trace, exporter: Exporter, end_ps: int = 0) -> None:
    """The whole trace into a file."""
    for event in made.events:
        exporter.tell(event)
    exporter.close(end_ps)


def cut(made: Trace, wanted: Filter, exporter: Exporter) -> None:
    """What passes the filter into a file."""
    outputs = Outputs(wanted, [exporter])
    for event in made.events:
        outputs.tell(event)
    outputs.close()


loads = st.lists(
    st.builds(
        Post,
        at_ps=st.one_of(
            st.just(0), st.integers(0, 3).map(lambda n: n * 1000), st.integers(0, 200_000)
        ),
        operation=st.sampled_from([READ, WRITE]),
        address=st.integers(0, 2**40),
        initiator=st.integers(0, 2),
    ),
    min_size=1,
    max_size=12,
).map(lambda posts: sorted(posts, key=lambda post: post.at_ps))
