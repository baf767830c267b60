"""Filters: what each keeps, and texts that name nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.trace.events import Event, Kind
from emu.trace.filter import Filter, FilterError, read_requests
from emu.trace.header import Header
from tests.trace.made import HEADER, whole_traces

EVENTS = [
    Event(0, Kind.SUBMITTED, 0, "", 1),
    Event(5, Kind.ARRIVED, 0, "issue", 1),
    Event(5, Kind.SUBMITTED, 1, "", 2),
    Event(9, Kind.ACCEPTED, 0, "order", 1),
    Event(10, Kind.DROPPED, 0, "order", 1),
    Event(11, Kind.COMPLETED, 1, "", 2),
]


def kept(wanted: Filter) -> list[int]:
    return [index for index, event in enumerate(EVENTS) if wanted.passes(event)]


def test_what_each_keeps() -> None:
    assert kept(Filter()) == [0, 1, 2, 3, 4, 5]
    assert kept(Filter(from_ps=5)) == [1, 2, 3, 4, 5]
    assert kept(Filter(to_ps=9)) == [0, 1, 2, 3]
    assert kept(Filter(from_ps=5, to_ps=5)) == [1, 2]
    assert kept(Filter(requests=((1, 1),))) == [2, 5]
    assert kept(Filter(requests=((7, 9), (0, 0)))) == [0, 1, 3, 4]
    assert kept(Filter(initiators=(2,))) == [2, 5]
    assert kept(Filter(stages=("order",))) == [0, 2, 3, 4, 5]
    # The end of a request is told wherever it is.
    assert kept(Filter(stages=("memory",))) == [0, 2, 4, 5]
    assert kept(Filter(stages=("order", "issue"), to_ps=9, initiators=(1,))) == [0, 1, 3]


@given(whole_traces(), st.integers(0, 20), st.integers(0, 20))
def test_all_of_a_request_is_kept(trace: tuple[Header, list[Event]], first: int, more: int) -> None:
    _, events = trace
    wanted = Filter(requests=((first, first + more),))
    kept = [event for event in events if wanted.passes(event)]
    assert kept == [event for event in events if first <= event.request <= first + more]


def test_how_many_will_pass() -> None:
    assert Filter().count(20) == 20
    assert Filter(stages=("order",)).count(20) == 20
    assert Filter(requests=((3, 3), (5, 9), (8, 12), (19, 40))).count(20) == 1 + 8 + 1
    assert Filter(requests=((30, 40),)).count(20) == 0
    for unknown in (Filter(from_ps=1), Filter(to_ps=1), Filter(initiators=(0,))):
        assert unknown.count(20) is None


def test_what_is_said_of_a_filter() -> None:
    assert Filter().as_json() == {}
    assert Filter(5, 9, ((7, 7), (1, 3)), (2,), ("order",)).as_json() == {
        "from_ps": 5,
        "to_ps": 9,
        "request": ["7", "1..3"],
        "initiator": [2],
        "stage": ["order"],
    }


def test_ranges_of_requests() -> None:
    assert read_requests(["7", "100..199", " 3..3 "]) == ((7, 7), (100, 199), (3, 3))


@pytest.mark.parametrize(
    ("text", "message"),
    (
        ("x", "--request x: this names no requests; expected a number or a range, as in '7' or"),
        ("-1", "--request -1: this names no requests; expected a number or a range"),
        ("3..", "--request 3..: this names no requests; expected a number or a range"),
        ("9..3", "--request 9..3: the range is empty; expected its smaller end first"),
    ),
)
def test_ranges_that_are_none(text: str, message: str) -> None:
    with pytest.raises(FilterError) as error:
        read_requests([text])
    assert str(error.value).startswith(message)


def test_a_stage_that_is_not_there() -> None:
    Filter(stages=("issue",)).check_stages(HEADER)
    with pytest.raises(FilterError) as error:
        Filter(stages=("issue", "memroy")).check_stages(HEADER)
    assert str(error.value) == (
        "--stage memroy: made has no such stage; expected issue, order or memory; did you mean "
        "'memory'?"
    )
