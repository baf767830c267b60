"""Traces for tests: of random runs, with what only some stages tell put in, and endless ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import count, islice
from pathlib import Path

from hypothesis import strategies as st

from emu.errors import EmuError
from emu.table.schema import Table
from emu.time import Clock
from emu.trace.events import Event, Held, Kind, Left, Submitted, Touched
from emu.trace.exporter import Exporter
from emu.trace.header import Header, StageLine, header_of
from tests.build import Post, run
from tests.properties.random_paths import loads, tables

NIC = Clock("nic", Fraction(500_000, 161))
HEADER = Header(
    version="0.1.0",
    table="made",
    title="A path that is not there",
    digest="0" * 64,
    seed=7,
    workload={"kind": "burst"},
    clocks=(NIC,),
    stages=(
        StageLine("issue", "nic_pipeline", "initiator", "nic"),
        StageLine("order", "ordering_engine", "initiator", ""),
        StageLine("memory", "memory", "target", ""),
    ),
)


class Kept:
    """Exporter that keeps what it is told, and fails at a given event."""

    def __init__(self, fails_at: int = -1, error: EmuError | None = None) -> None:
        self.told: list[Event] = []
        self.closed = 0
        self.end_ps = -1
        self._fails_at = fails_at
        self._error = error or EmuError("no room for this")

    def tell(self, event: Event) -> None:
        if len(self.told) == self._fails_at:
            raise self._error
        self.told.append(event)

    def close(self, end_ps: int = 0) -> None:
        self.closed += 1
        self.end_ps = end_ps
        if self._fails_at == -2:
            raise EmuError("no room")


def export(
    opener: Callable[..., Exporter],
    file: Path,
    header: Header,
    events: Iterable[Event],
    *how: object,
    end_ps: int = 0,
) -> str:
    """What the exporter writes of these events."""
    exporter = opener(file, header, *how)
    for event in events:
        exporter.tell(event)
    exporter.close(end_ps)
    return file.read_text("utf-8")


def traced(source: Table, load: Iterable[Post]) -> tuple[Header, list[Event]]:
    """The header and the events of a run."""
    return header_of(source, 1, {"kind": "replay"}), run(source, load).events


@st.composite
def whole_traces(draw: st.DrawFn) -> tuple[Header, list[Event]]:
    """The trace of a random run; some requests are held behind others, and touch memory."""
    header, events = traced(draw(tables()), draw(loads()))
    told: list[Event] = []
    for event in events:
        told.append(event)
        if event.kind is Kind.ARRIVED and draw(st.integers(0, 9)) == 0:
            behind = draw(st.integers(0, 20))
            told.append(
                Held(event.time_ps, Kind.HELD, event.request, event.stage, event.initiator, behind)
            )
        if event.kind is Kind.ACCEPTED and draw(st.integers(0, 9)) == 0:
            told.append(
                Touched(
                    event.time_ps,
                    draw(st.sampled_from((Kind.SAMPLED, Kind.VISIBLE))),
                    event.request,
                    event.stage,
                    event.initiator,
                    64,
                    draw(st.integers(0, 2**64 - 1)),
                )
            )
    return header, told


@st.composite
def cut_traces(draw: st.DrawFn) -> tuple[Header, list[Event]]:
    """The same with a beginning and an end that are missing, and one kind of event that is."""
    header, events = draw(whole_traces())
    first = draw(st.integers(0, len(events)))
    last = draw(st.integers(first, len(events)))
    missing = draw(st.sampled_from([None, *Kind]))
    return header, [event for event in events[first:last] if event.kind is not missing]


def many(events: int) -> Iterator[Event]:
    """So many events of ever new requests; one a nanosecond, each of them inside for 60 ns."""
    return islice(_endless(), events)


def _endless() -> Iterator[Event]:
    for last in count():
        for request, events_of in (
            (last - 60, _in_memory),
            (last - 40, _ordered),
            (last - 20, _issued),
            (last, _submitted),
        ):
            if request >= 0:
                yield from events_of(request, 1000 * last)


def _submitted(request: int, now_ps: int) -> Iterator[Event]:
    yield Submitted(now_ps, Kind.SUBMITTED, request, "", 0, "read", 64, 64 * request)
    yield Event(now_ps, Kind.ARRIVED, request, "issue")


def _issued(request: int, now_ps: int) -> Iterator[Event]:
    yield Event(now_ps, Kind.ACCEPTED, request, "issue")
    yield Event(now_ps, Kind.EMITTED, request, "issue")
    yield Left(now_ps, Kind.LEFT, request, "issue", 0, (("alignment", 20_000),))
    yield Event(now_ps, Kind.ARRIVED, request, "order")
    if request:
        yield Held(now_ps, Kind.HELD, request, "order", 0, request - 1)


def _ordered(request: int, now_ps: int) -> Iterator[Event]:
    yield Event(now_ps, Kind.EMITTED, request, "order")
    yield Left(now_ps, Kind.LEFT, request, "order", 0, (("ordering", 20_000),))
    yield Event(now_ps, Kind.ARRIVED, request, "memory")
    yield Event(now_ps, Kind.ACCEPTED, request, "memory")
    yield Touched(now_ps, Kind.SAMPLED, request, "memory", 0, 64 * request, request)


def _in_memory(request: int, now_ps: int) -> Iterator[Event]:
    yield Event(now_ps, Kind.EMITTED, request, "memory")
    yield Left(now_ps, Kind.LEFT, request, "memory", 0, (("service", 20_000),))
    yield Event(now_ps, Kind.COMPLETED, request, "")
    yield Event(now_ps, Kind.CONSUMED, request, "")
