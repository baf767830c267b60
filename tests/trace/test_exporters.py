"""Exporters by suffix, the clock that they count, and several at once."""

from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.errors import EmuError
from emu.time import Clock
from emu.trace.events import Event, Held, Kind, Left, Submitted
from emu.trace.exporter import LimitError
from emu.trace.exporters import (
    PICTURES,
    TRACES,
    Outputs,
    check_files,
    check_limits,
    choose_clock,
    open_exporter,
)
from emu.trace.filter import Filter
from emu.trace.header import Header
from tests.trace.made import HEADER, NIC, Kept, many, whole_traces

PCIE = Clock("pcie", Fraction(4000))


@pytest.mark.parametrize("suffix", (*TRACES, *PICTURES, ".CSV"))
def test_each_format_can_be_opened_and_closed(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"t{suffix}"
    exporter = open_exporter(file, HEADER, None)
    for event in many(200):
        exporter.tell(event)
    assert not file.exists()
    exporter.close()
    assert list(tmp_path.iterdir()) == [file]
    assert file.stat().st_size > 0


def test_files_that_can_be_no_traces(tmp_path: Path) -> None:
    check_files([tmp_path / "t.vcd", tmp_path / "t.CSV"], TRACES)
    for files, message in (
        (["t.jsnl"], "t.jsnl: nothing is known of this format; expected a name that ends in .jso"),
        (["t.jsnl"], "; did you mean '.json"),
        (["t.png"], "t.png: a picture is drawn by another option; expected --plot "),
        (["t"], "t: nothing is known of this format; expected a name that ends in .jsonl, .vcd,"),
        (["none/t.csv"], "t.csv: there is no folder '"),
        (["t.csv", "t.vcd", "t.csv"], "t.csv: given twice; expected each file once"),
    ):
        with pytest.raises(EmuError) as error:
            check_files([tmp_path / file for file in files], TRACES)
        assert message in str(error.value)


def test_which_clock_is_counted() -> None:
    assert choose_clock(HEADER, None) is NIC
    assert choose_clock(HEADER, "nic") is NIC
    both = replace(HEADER, clocks=(NIC, PCIE))
    assert choose_clock(both, "pcie") is PCIE
    for header, name, message in (
        (
            both,
            None,
            "made has 2 clocks, and this counts the cycles of one; expected --clock with ",
        ),
        (both, None, "expected --clock with nic or pcie"),
        (
            both,
            "pice",
            "--clock pice: made has no such clock; expected nic or pcie; did you mean '",
        ),
        (replace(HEADER, clocks=()), None, "made has no clock; expected one, whose cycles can be"),
        (
            replace(HEADER, clocks=()),
            "nic",
            "--clock nic: made has no such clock; expected nothing",
        ),
    ):
        with pytest.raises(EmuError) as error:
            choose_clock(header, name)
        assert message in str(error.value)


def test_all_are_told_what_passes() -> None:
    first, second = Kept(), Kept()
    outputs = Outputs(Filter(stages=("memory",)), [first, second])
    events = list(many(1000))
    for event in events:
        outputs.tell(event)
    outputs.close()
    expected = [event for event in events if event.stage in ("", "memory")]
    assert first.told == second.told == expected
    assert (first.closed, second.closed) == (1, 1)
    assert (outputs.events, outputs.requests) == (
        len(expected),
        len({event.request for event in expected}),
    )


def test_requests_are_counted_once() -> None:
    outputs = Outputs(Filter(), [])
    for kind in (Kind.SUBMITTED, Kind.ARRIVED, Kind.COMPLETED, Kind.CONSUMED):
        outputs.tell(Event(0, kind, 0, ""))
    outputs.tell(Event(0, Kind.DROPPED, 1, ""))
    outputs.tell(Event(0, Kind.LEFT, 2, ""))
    assert (outputs.events, outputs.requests) == (6, 3)


def test_one_that_fails_is_told_no_more_and_the_others_complete() -> None:
    first, second, third = Kept(), Kept(fails_at=3), Kept()
    outputs = Outputs(Filter(), [first, second, third])
    events = many(100)
    with pytest.raises(EmuError, match="no room for this"):
        deque(map(outputs.tell, events), maxlen=0)
    outputs.close()
    assert (len(first.told), len(second.told), len(third.told)) == (4, 3, 3)
    assert (first.closed, second.closed, third.closed) == (1, 0, 1)
    assert outputs.completed == [first, third]


def test_one_that_cannot_show_so_much_stops_no_other() -> None:
    error = LimitError("this is too much")
    first, second, third = Kept(), Kept(3, error), Kept()
    outputs = Outputs(Filter(), [first, second, third])
    events = list(many(100))
    for event in events:
        outputs.tell(event)
    outputs.close()
    assert first.told == third.told == events
    assert (len(second.told), second.closed) == (3, 0)
    assert outputs.too_much == [error]
    assert outputs.completed == [first, third]


def test_the_last_one_that_cannot_show_so_much_ends_the_run() -> None:
    outputs = Outputs(Filter(), [Kept(5, LimitError("five")), Kept(3, LimitError("three"))])
    with pytest.raises(LimitError, match="five"):
        deque(map(outputs.tell, many(100)), maxlen=0)
    outputs.close()
    assert [str(one) for one in outputs.too_much] == ["three"]
    assert outputs.completed == []


def test_limits_that_are_known_before() -> None:
    files = [Path("a.pftrace"), Path("b.html"), Path("c.SVG")]
    check_limits(files[:2], 5000)
    check_limits(files[:1], 10**9)
    with pytest.raises(LimitError, match=r"^b.html: a page shows at most 5000 requests, and"):
        check_limits(files, 5001)
    check_limits(files[2:], 500)
    with pytest.raises(LimitError, match=r"^c.SVG: a picture shows at most 500 requests, and"):
        check_limits(files[2:], 501)


# -- windows and ends -----------------------------------------------------------------------


def told(wanted: Filter, events: Iterable[Event], end_ps: int = 0) -> tuple[list[Event], int]:
    """What an exporter is told of these events, and when the trace ends."""
    kept = Kept()
    outputs = Outputs(wanted, [kept])
    for event in events:
        outputs.tell(event)
    outputs.close(end_ps)
    assert outputs.events == len(kept.told)
    return kept.told, kept.end_ps


#: Request 0 is at `issue` from 10 to 30, held twice, then at `memory` to its end at 50; 1 is lost.
STORY: list[Event] = [
    Submitted(5, Kind.SUBMITTED, 0, "", 3),
    Submitted(8, Kind.SUBMITTED, 1, ""),
    Event(10, Kind.ARRIVED, 0, "issue", 3),
    Event(10, Kind.ARRIVED, 1, "issue"),
    Held(12, Kind.HELD, 0, "issue", 3, 1),
    Event(14, Kind.DROPPED, 1, "issue"),
    Event(20, Kind.ACCEPTED, 0, "issue", 3),
    Left(30, Kind.LEFT, 0, "issue", 3, (("service", 20),)),
    Event(30, Kind.ARRIVED, 0, "memory", 3),
    Event(50, Kind.COMPLETED, 0, "", 3),
    Event(60, Kind.CONSUMED, 0, "", 3),
]


def test_who_is_there_when_the_window_begins_is_told_first() -> None:
    of_0 = [event for event in STORY if event.request == 0]
    assert told(Filter(from_ps=20), STORY)[0] == of_0
    assert told(Filter(from_ps=14), STORY)[0] == STORY
    # Where it was before is over.
    assert told(Filter(from_ps=31), STORY)[0] == [STORY[0], *STORY[8:]]
    assert told(Filter(from_ps=30), STORY)[0] == of_0
    # Nobody is left.
    assert told(Filter(from_ps=51), STORY)[0] == STORY[-1:]
    assert told(Filter(from_ps=61), STORY) == ([], 0)


def test_who_stands_there_all_the_time_is_told() -> None:
    assert told(Filter(from_ps=21, to_ps=29), STORY) == (
        [STORY[0], STORY[2], STORY[4], STORY[6]],
        29,
    )
    # Also where nothing comes after it.
    assert told(Filter(from_ps=21, to_ps=29), STORY[:7], 29) == (
        [STORY[0], STORY[2], STORY[4], STORY[6]],
        29,
    )
    # A run that ends before the window has nobody in it.
    assert told(Filter(from_ps=21), STORY[:7], 20) == ([], 0)


def test_other_filters_hold_for_what_is_told_first() -> None:
    assert told(Filter(from_ps=11, to_ps=13, initiators=(0,)), STORY)[0] == [STORY[1], STORY[3]]
    assert told(Filter(from_ps=11, to_ps=13, requests=((0, 0),)), STORY)[0] == [
        *(STORY[0], STORY[2], STORY[4])
    ]
    assert told(Filter(from_ps=11, to_ps=13, stages=("memory",)), STORY)[0] == STORY[:2]


def test_when_a_trace_ends() -> None:
    assert told(Filter(), STORY)[1] == 60
    assert told(Filter(), STORY, 99)[1] == 60  # nobody is left
    assert told(Filter(), STORY[:8])[1] == 30
    assert told(Filter(), STORY[:8], 99)[1] == 99
    assert told(Filter(to_ps=40), STORY)[1] == 40
    assert told(Filter(to_ps=40), STORY[:9], 35)[1] == 35
    assert told(Filter(requests=((1, 1),)), STORY[:8], 99)[1] == 14
    assert told(Filter(stages=("memory",), to_ps=25), STORY)[1] == 25


@given(whole_traces(), st.integers(0, 200_000), st.integers(0, 100_000))
def test_a_window_of_a_part_is_that_of_the_whole(
    trace: tuple[Header, list[Event]], from_ps: int, more_ps: int
) -> None:
    _, events = trace
    wanted = Filter(from_ps, from_ps + more_ps)
    # A run that is stopped at the end of the window has told no more than this.
    part = [event for event in events if event.time_ps <= from_ps + more_ps]
    over = len(part) == len(events)
    assert told(wanted, part, 0 if over else from_ps + more_ps) == told(wanted, events)
    known = told(wanted, events)[0]
    assert [(e.time_ps, e.request) for e in known] == sorted((e.time_ps, e.request) for e in known)
    inside = [event for event in events if from_ps <= event.time_ps <= from_ps + more_ps]
    assert [event for event in known if event.time_ps >= from_ps] == inside


def test_one_that_cannot_be_completed_stops_no_other() -> None:
    kept = [Kept(), Kept(fails_at=-2), Kept()]
    outputs = Outputs(Filter(), kept)
    with pytest.raises(EmuError, match="no room"):
        outputs.close()
    assert [one.closed for one in kept] == [1, 1, 1]
    assert outputs.completed == [kept[0], kept[2]]
