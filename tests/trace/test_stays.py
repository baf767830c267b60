"""Stays: what a request did at a stage and what it waited for, as far as its events tell."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given

from emu.parts import BACKPRESSURE
from emu.trace.events import Event, Held, Kind, Left
from emu.trace.stays import UNKNOWN, Stay
from emu.trace.swimlanes import Swimlanes
from tests.build import Post
from tests.trace.traces import loads, trace

Told = list[tuple[int, int, str]]


def stay(
    parts: dict[str, int],
    *held: tuple[int, int],
    accepted: int = UNKNOWN,
    emitted: int = UNKNOWN,
    left: int = 100,
) -> Stay:
    """A stay from 0 on; `held` are times, and behind whom."""
    made = Stay(0, 0, "a", 0, accepted, emitted, left, True, tuple(parts.items()))
    made.held = [Held(time_ps, Kind.HELD, 0, "a", behind=behind) for time_ps, behind in held]
    return made


CASES: dict[str, tuple[Stay, Told]] = {
    "served at once": (stay({"service": 100}, accepted=0), [(0, 100, "service")]),
    "waits, is served, waits to leave": (
        stay(
            {"service": 60, "interval": 10, "alignment": 20, BACKPRESSURE: 10},
            accepted=30,
            emitted=90,
        ),
        [(0, 30, "interval + alignment"), (30, 90, "service"), (90, 100, BACKPRESSURE)],
    ),
    "held until it is accepted": (
        stay({"service": 50, "ordering": 50}, (0, 7), accepted=50),
        [(0, 50, "behind request 7"), (50, 100, "service")],
    ),
    "held, and then waits for its turn": (
        stay({"service": 50, "ordering": 20, "arbitration": 30}, (10, 7), accepted=50),
        [
            (0, 10, "arbitration"),
            (10, 30, "behind request 7"),
            (30, 50, "arbitration"),
            (50, 100, "service"),
        ],
    ),
    "held behind one after the other": (
        stay({"service": 20, "ordering": 80}, (0, 1), (30, 2), (60, 3), accepted=80),
        [
            (0, 30, "behind request 1"),
            (30, 60, "behind request 2"),
            (60, 80, "behind request 3"),
            (80, 100, "service"),
        ],
    ),
    "held while it is served": (
        stay({"service": 60, "ordering": 40}, (20, 1), accepted=0),
        [(0, 20, "service"), (20, 60, "behind request 1"), (60, 100, "service")],
    ),
    "held when it is finished": (
        stay({"service": 40, "ordering": 60}, (40, 1), accepted=0, emitted=40),
        [(0, 40, "service"), (40, 100, "behind request 1")],
    ),
    "the stage tells no acceptance": (
        stay({"service": 70, "arbitration": 30}),
        [(0, 30, "arbitration"), (30, 100, "service")],
    ),
    "nor behind whom it was held": (
        stay({"service": 70, "ordering": 20, "alignment": 10}),
        [(0, 30, "ordering + alignment"), (30, 100, "service")],
    ),
    "nor acceptance, but behind whom": (
        stay({"service": 50, "ordering": 20, "alignment": 30}, (10, 4)),
        [
            (0, 10, "alignment"),
            (10, 30, "behind request 4"),
            (30, 50, "alignment"),
            (50, 100, "service"),
        ],
    ),
    "held by a stage that charges nothing to it": (
        stay({"service": 100}, (20, 4), accepted=0),
        [(0, 20, "service"), (20, 20, "behind request 4"), (20, 100, "service")],
    ),
    "time in which nothing is done": (stay({}, left=0), []),
}


@pytest.mark.parametrize("case", tuple(CASES))
def test_pieces(case: str) -> None:
    made, expected = CASES[case]
    assert [(one.start_ps, one.end_ps, one.name) for one in made.pieces()] == expected


@given(loads)
def test_pieces_fill_a_stay_and_their_sums_are_its_parts(load: list[Post]) -> None:
    swimlanes = Swimlanes(len(load), "")
    made = trace(load)
    for event in made.events:
        swimlanes.tell(event)
    swimlanes.finish()
    assert [lane.request for lane in swimlanes.lanes] == list(range(len(load)))
    stays = [stay for lane in swimlanes.lanes for stay in lane.stays]
    told = [(s.request, s.stage, s.arrived_ps, s.left_ps, dict(s.parts)) for s in stays]
    assert sorted(told, key=str) == sorted(made.stays(), key=str)
    for lane in swimlanes.lanes:
        assert lane.end is not None
        assert (lane.from_ps, lane.to_ps) == (load[lane.request].at_ps, lane.end.time_ps)
    for one in stays:
        parts = dict(one.parts)
        edges = [one.arrived_ps, *(piece.end_ps for piece in one.pieces())]
        assert edges[-1] == one.left_ps
        assert [piece.start_ps for piece in one.pieces()] == edges[:-1]
        assert all(a <= b for a, b in pairwise(edges))
        lengths: dict[str, int] = {}
        for piece in one.pieces():
            what = piece.waits_for or "service"
            lengths[what] = lengths.get(what, 0) + piece.end_ps - piece.start_ps
        # A part of its own is as long as the piece; what waits outside is in no piece.
        expected_ps = parts.get(BACKPRESSURE, 0) - one.outside_ps
        assert lengths.get(BACKPRESSURE, 0) == expected_ps
        assert lengths.get("ordering", 0) == parts.get("ordering", 0)
        assert lengths.get("service", 0) == parts.get("service", 0)


def test_a_stay_that_began_before_the_trace() -> None:
    swimlanes = Swimlanes(2, "")
    swimlanes.tell(Event(50, Kind.ACCEPTED, 0, "a"))
    swimlanes.tell(Left(80, Kind.LEFT, 0, "a", parts=(("service", 30), ("alignment", 40))))
    swimlanes.tell(Event(85, Kind.EMITTED, 1, "a"))
    swimlanes.tell(Event(90, Kind.COMPLETED, 0, ""))
    swimlanes.finish()
    told, cut = (lane.stays[0] for lane in swimlanes.lanes)
    assert (told.arrived_ps, told.left_ps) == (10, 80)
    # Of one whose end is not in the trace either, only what is known is drawn.
    assert (cut.arrived_ps, cut.left_ps, cut.has_left) == (85, 90, False)
    assert [(one.name, one.start_ps, one.end_ps) for one in cut.pieces()] == [
        (BACKPRESSURE, 85, 90)
    ]
