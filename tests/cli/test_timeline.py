"""The table of the first requests: what a stay's line says."""

import pytest

from emu.cli.timeline import SHOWN, FirstRequests
from emu.trace.events import Event, Held, Kind, Left, Submitted, Touched

EVENTS: list[Event] = [
    Submitted(0, Kind.SUBMITTED, 1, "", 2, "write", 64, 128, 1, "SO", "ROL", True),
    Event(0, Kind.ARRIVED, 1, "order", 2),
    Held(0, Kind.HELD, 1, "order", 2, 0),
    Held(4000, Kind.HELD, 1, "order", 2, 7),
    Event(5000, Kind.ACCEPTED, 1, "order", 2),
    Event(6000, Kind.EMITTED, 1, "order", 2),
    Left(
        6500,
        Kind.LEFT,
        1,
        "order",
        2,
        (("service", 1000), ("ordering", 5000), ("backpressure", 500)),
    ),
    Event(6500, Kind.ARRIVED, 1, "memory", 2),
    Event(6500, Kind.ACCEPTED, 1, "memory", 2),
    Touched(8001, Kind.VISIBLE, 1, "memory", 2, 128, 5),
    Event(8001, Kind.EMITTED, 1, "memory", 2),
    Left(8001, Kind.LEFT, 1, "memory", 2, (("service", 1501),)),
    Event(8001, Kind.COMPLETED, 1, "", 2),
    Event(9000, Kind.CONSUMED, 1, "", 2),
]
SAID = """\
made: when each request was where (ns)
request                                      stage      besides service                                  arrived  accepted  emitted   left
1: write 64 B, initiator 2 SO ROL fence      order      ordering 5.000 behind 0, 7, backpressure 0.500     0.000     5.000    6.000  6.500
                                             memory                                                        6.500     6.500    8.001  8.001
                                                        visible 5 at 0x80                                  8.001
                                             completed  8.001 in all                                       8.001
                                             consumed   9.000 in all                                       9.000
"""  # noqa: E501


def shown(events: list[Event], requests: int, capsys: pytest.CaptureFixture[str]) -> str:
    first = FirstRequests()
    for event in events:
        first.tell(event)
    first.close()
    first.show("made", requests)
    return capsys.readouterr().out


def test_what_a_line_says(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(EVENTS, 1, capsys).splitlines()
    assert [line.split() for line in lines] == [line.split() for line in SAID.splitlines()]


def test_a_drop_says_where(capsys: pytest.CaptureFixture[str]) -> None:
    lost = Event(5000, Kind.DROPPED, 1, "order", 2)
    lines = shown([*EVENTS[:4], lost], 1, capsys).splitlines()
    assert lines[-1].split() == ["dropped", "by", "order,", "5.000", "in", "all", "5.000"]


def test_one_that_is_still_held(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(EVENTS[:4], 1, capsys).splitlines()
    assert lines[2].split()[-7:] == ["fence", "order", "held", "behind", "0,", "7", "0.000"]


def test_no_more_than_the_first(capsys: pytest.CaptureFixture[str]) -> None:
    events = [Event(0, Kind.COMPLETED, request, "") for request in range(20)]
    lines = shown(events, 20, capsys).splitlines()
    assert [line.split()[0] for line in lines[2:-1]] == [str(one) for one in range(SHOWN)]
    assert lines[-1].startswith("these are the first 8 of 20 requests; --request A..B shows")
