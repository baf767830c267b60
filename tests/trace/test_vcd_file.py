"""VCD: read back by pywellen, and compared with what the events imply, worked out another way."""

import re
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

import pywellen  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from emu.trace.events import Event, Held, Kind, Left
from emu.trace.exporters import Outputs
from emu.trace.filter import Filter
from emu.trace.header import Header
from emu.trace.vcd_file import VARIABLES, open_vcd
from tests.build import clocked, posts, station, table
from tests.trace.made import HEADER, Kept, cut_traces, export, traced, whole_traces

#: Stage to variable to value at a time.
Values = dict[str, dict[str, int | str]]


class Waves:
    """A dump as pywellen reads it."""

    def __init__(self, header: Header, events: Iterable[Event], end_ps: int = 0) -> None:
        with TemporaryDirectory() as folder:
            file = Path(folder) / "t.vcd"
            self.text = export(open_vcd, file, header, events, end_ps=end_ps)
            # All is read at once: the file is gone after this.
            self._waves = pywellen.Waveform(str(file))
            self._signals = {
                stage.name: {
                    name: self._waves[f"{header.table}.{stage.name}.{name}"].signal
                    for name in VARIABLES
                }
                for stage in header.stages
            }
        self.timescale = (self._waves.timescale.factor, str(self._waves.timescale.unit))

    def at(self, time_ps: int) -> Values:
        return {
            stage: {name: _short(signal.value_at(time_ps)) for name, signal in signals.items()}
            for stage, signals in self._signals.items()
        }


def _short(value: int | str) -> int | str:
    """A number, or one letter where no bit of it has another value."""
    if isinstance(value, int):
        return value
    assert len(set(value)) == 1
    return value[0]


def implied(header: Header, events: list[Event], time_ps: int) -> Values:
    """What each stage's variables are just after `time_ps`, from all the events until then."""
    until = [event for event in events if event.time_ps <= time_ps]
    where: dict[int, Event] = {}
    waits_since: dict[int, int] = {}
    accepted: dict[str, int] = {}
    shaken: set[str] = set()
    for index, event in enumerate(until):
        if event.kind in (Kind.SUBMITTED, Kind.CONSUMED, Kind.HELD, Kind.SAMPLED, Kind.VISIBLE):
            continue
        before = where.get(event.request)
        is_inside = before is not None and before.kind in (Kind.ACCEPTED, Kind.EMITTED)
        takes = event.kind is Kind.ACCEPTED or (event.kind is Kind.EMITTED and not is_inside)
        where[event.request] = event
        if event.kind is Kind.ARRIVED:
            waits_since[event.request] = index
        if takes:
            accepted[event.stage] = event.request
            if event.time_ps == time_ps:
                shaken.add(event.stage)
    values: Values = {}
    for stage in (line.name for line in header.stages):
        here = {request: event.kind for request, event in where.items() if event.stage == stage}
        waiting = [request for request, kind in here.items() if kind is Kind.ARRIVED]
        finished = [request for request, kind in here.items() if kind is Kind.EMITTED]
        inside = [request for request, kind in here.items() if kind is Kind.ACCEPTED]
        values[stage] = {
            "inside": len(inside) + len(finished),
            "finished": len(finished),
            "waiting": len(waiting),
            "valid": int(bool(waiting) or stage in shaken),
            "ready": int(not waiting or stage in shaken),
            "accepted": accepted.get(stage, "x"),
            "first": min(waiting, key=waits_since.__getitem__, default="z"),
        }
    return values


def check(header: Header, events: list[Event]) -> None:
    waves = Waves(header, events)
    assert waves.timescale == (1, "ps")
    for time_ps in dict.fromkeys(event.time_ps for event in events):
        for at_ps in (time_ps, time_ps + 1):
            assert waves.at(at_ps) == implied(header, events, at_ps), at_ps


@given(whole_traces())
def test_values_are_those_that_the_events_imply(trace: tuple[Header, list[Event]]) -> None:
    check(*trace)


@given(cut_traces())
def test_what_is_cut_is_legal(trace: tuple[Header, list[Event]]) -> None:
    header, events = trace
    waves = Waves(header, events)
    for event in events:
        for values in waves.at(event.time_ps).values():
            assert 0 <= int(values["finished"]) <= int(values["inside"])
            assert (values["first"] == "z") == (values["waiting"] == 0)
            assert values["valid"] or not values["waiting"]


@given(whole_traces(), st.integers(0, 300_000))
def test_a_window_starts_with_the_values_of_that_moment(
    trace: tuple[Header, list[Event]], from_ps: int
) -> None:
    header, events = trace
    wanted = Filter(from_ps)
    kept = Kept()
    outputs = Outputs(wanted, [kept])
    for event in events:
        outputs.tell(event)
    outputs.close()
    waves = Waves(header.filtered(wanted), kept.told, kept.end_ps)
    times_ps = [event.time_ps for event in events if event.time_ps >= from_ps]
    accepted: set[str] = set()
    for at_ps in dict.fromkeys([*([from_ps] if times_ps else []), *times_ps]):
        expected, found = implied(header, events, at_ps), waves.at(at_ps)
        accepted |= {
            event.stage
            for event in events
            if from_ps <= event.time_ps <= at_ps and event.kind is Kind.ACCEPTED
        }
        for stage in expected.keys() - accepted:
            # Who was accepted before the window may be gone, and is not told of.
            assert found[stage]["accepted"] == "x"
            expected[stage]["accepted"] = "x"
        assert found == expected, at_ps


def test_a_window_in_which_nothing_happens() -> None:
    events = [Event(3, Kind.ARRIVED, 4, "order"), Event(3, Kind.ACCEPTED, 4, "order")]
    waves = Waves(HEADER.filtered(Filter(from_ps=50)), events, 90)
    assert waves.text.partition("$enddefinitions $end\n")[2].startswith("#50\n$dumpvars\n")
    assert waves.text.endswith("$end\n#90\n")
    found = waves.at(50)["order"]
    assert (found["inside"], found["waiting"], found["valid"], found["ready"]) == (1, 0, 0, 1)
    assert (found["accepted"], found["first"]) == ("x", "z")


def test_it_ends_where_the_trace_does() -> None:
    events = [Event(3, Kind.ARRIVED, 4, "order"), Event(5, Kind.ACCEPTED, 4, "order")]
    for end_ps, last_ps in ((0, 6), (5, 6), (6, 6), (7, 7), (900, 900)):
        lines = Waves(HEADER, events, end_ps).text.splitlines()
        # The handshake at 5 ps takes until 6.
        times_ps = [int(line[1:]) for line in lines if re.fullmatch(r"#\d+", line)]
        assert times_ps == sorted({0, 3, 5, 6, last_ps})


def test_a_stage_with_little_room() -> None:
    path = [
        station("x", "5 ns", depth=1, queue=1),
        clocked("y", 4, depth=1, queue=1, refill="at_once"),
    ]
    header, events = traced(table(path), posts(0, 0, 2000))
    waves = Waves(header, events)
    x, y = waves.at(0)["x"], waves.at(0)["y"]
    assert x == {
        "inside": 1,
        "finished": 0,
        "waiting": 1,
        "valid": 1,
        "ready": 1,
        "accepted": 0,
        "first": 1,
    }
    assert y == {
        "inside": 0,
        "finished": 0,
        "waiting": 0,
        "valid": 0,
        "ready": 1,
        "accepted": "x",
        "first": "z",
    }
    assert (waves.at(1)["x"]["valid"], waves.at(1)["x"]["ready"]) == (1, 0)
    assert (waves.at(4999)["x"]["accepted"], waves.at(5000)["x"]["accepted"]) == (0, 1)
    assert [waves.at(ps)["y"]["valid"] for ps in (4999, 5000, 5001)] == [0, 1, 0]
    assert [waves.at(ps)["y"]["inside"] for ps in (4999, 5000, 8999, 9000)] == [0, 1, 1, 0]


def test_a_handshake_in_each_picosecond_is_one_long_one() -> None:
    events = [
        event
        for time_ps in (3, 4, 6)
        for event in (
            Event(time_ps, Kind.ARRIVED, time_ps, "issue"),
            Event(time_ps, Kind.ACCEPTED, time_ps, "issue"),
        )
    ]
    waves = Waves(HEADER, events)
    assert [waves.at(ps)["issue"]["valid"] for ps in range(2, 9)] == [0, 1, 1, 0, 1, 0, 0]
    assert waves.text.count("\n#") == len(["#0", "#3", "#4", "#5", "#6", "#7"])
    check(HEADER, events)


def test_a_handshake_is_over_when_something_else_happens() -> None:
    events = [
        Event(3, Kind.ARRIVED, 0, "issue"),
        Event(3, Kind.ACCEPTED, 0, "issue"),
        Event(4, Kind.ARRIVED, 1, "memory"),
    ]
    waves = Waves(HEADER, events)
    assert [waves.at(ps)["issue"]["valid"] for ps in (2, 3, 4)] == [0, 1, 0]
    assert [waves.at(ps)["memory"]["valid"] for ps in (3, 4, 5)] == [0, 1, 1]
    check(HEADER, events)


def test_a_stage_that_tells_no_acceptance_has_it_waiting_until_it_is_emitted() -> None:
    events: list[Event] = [
        Event(10, Kind.ARRIVED, 5, "order"),
        Held(10, Kind.HELD, 5, "order", 0, 4),
        Event(20, Kind.EMITTED, 5, "order"),
        Left(30, Kind.LEFT, 5, "order", 0, (("ordering", 10), ("backpressure", 10))),
    ]
    waves = Waves(HEADER, events)
    found = [waves.at(ps)["order"] for ps in (10, 20, 30)]
    assert [one["waiting"] for one in found] == [1, 0, 0]
    assert [one["finished"] for one in found] == [0, 1, 0]
    assert [one["inside"] for one in found] == [0, 1, 0]


def test_what_is_dropped_is_nowhere() -> None:
    path = [station("x", "5 ns", depth=1, queue=1, overflow="drop")]
    header, events = traced(table(path), posts(0, 0, 0, 1000))
    assert [event.request for event in events if event.kind is Kind.DROPPED] == [2, 3]
    check(header, events)


def test_what_a_stage_gives_up_is_nowhere_too() -> None:
    events = [
        Event(3, Kind.ARRIVED, 0, "order"),
        Event(4, Kind.ARRIVED, 1, "order"),
        Event(5, Kind.ACCEPTED, 1, "order"),
        Event(7, Kind.DROPPED, 0, ""),
        Event(9, Kind.DROPPED, 1, ""),
    ]
    waves = Waves(HEADER, events)
    found = [waves.at(ps)["order"] for ps in (5, 7, 9)]
    assert [(one["waiting"], one["inside"]) for one in found] == [(1, 1), (0, 1), (0, 0)]
    check(HEADER, events)


def test_what_the_file_says_of_the_run() -> None:
    waves = Waves(HEADER, [])
    assert f"$comment table made, digest {'0' * 64}, seed 7 $end" in waves.text
    assert "$version rdma-path-emu 0.1.0 $end" in waves.text
    assert "$date" not in waves.text
    assert waves.at(0)["order"]["first"] == "z"
