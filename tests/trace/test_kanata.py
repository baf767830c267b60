"""Kanata: legal by the format's description, and its cycles are those of the events."""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.time import Clock
from emu.trace.events import Event, Held, Kind, Left, Submitted
from emu.trace.header import Header
from emu.trace.kanata import open_kanata
from tests.build import GHZ, Post, clocked, delay, posts, station, table
from tests.trace.kanata_checker import Instruction, KanataError, Log, Span, read_kanata
from tests.trace.made import HEADER, cut_traces, export, traced, whole_traces

CLOCKS = st.builds(
    Clock,
    st.just("any"),
    st.sampled_from([Fraction(500_000, 161), Fraction(1000), Fraction(1), Fraction(10**12, 7)]),
    st.sampled_from((0, 1, 700)),
)
GIGAHERTZ = Clock("nic", Fraction(1000))


def log_of(header: Header, events: Iterable[Event], clock: Clock) -> Log:
    with TemporaryDirectory() as folder:
        return read_kanata(export(open_kanata, Path(folder) / "t.kanata", header, events, clock))


def cycle_of(clock: Clock, time_ps: int) -> int:
    """The cycle in which a time is: that of the last edge that is not after it, or 0."""
    n = 0
    step = 1 << 70
    while step:
        edge_ps = clock.phase_ps + (n + step) * clock.period_ps // 1
        if edge_ps <= time_ps:
            n += step
        step >>= 1
    return n


# -- what a file looks like -----------------------------------------------------------------


def test_a_whole_file(tmp_path: Path) -> None:
    events: list[Event] = [
        Submitted(7000, Kind.SUBMITTED, 4, "", 2, "write", 64, 128, 1, "SO", "ROL", True),
        Event(7000, Kind.ARRIVED, 4, "order", 2),
        Submitted(7000, Kind.SUBMITTED, 5, "", 2, "read", 8),
        Event(8000, Kind.ARRIVED, 5, "order", 2),
        Held(8000, Kind.HELD, 5, "order", 2, 4),
        Event(8500, Kind.ACCEPTED, 4, "order", 2),
        Event(9000, Kind.EMITTED, 4, "order", 2),
        Left(9000, Kind.LEFT, 4, "order", 2, (("service", 500), ("ordering", 1500))),
        Event(9000, Kind.COMPLETED, 4, "", 2),
        Left(12_000, Kind.LEFT, 5, "order", 2, (("ordering", 4000),)),
        Event(12_000, Kind.DROPPED, 5, "", 2),
    ]
    text = export(open_kanata, tmp_path / "t.kanata", HEADER, events, GIGAHERTZ)
    assert text.replace("\t", " ").splitlines() == [
        "Kanata 0004",
        "C= 7",
        "I 0 4 2",
        "L 0 0 4: write 64 B, initiator 2",
        r"L 0 1 address 0x80, to 1, SO, ROL, fence\n",
        "I 1 5 2",
        "L 1 0 5: read 8 B, initiator 2",
        r"L 1 1 address 0x0, to 0\n",
        "S 0 1 order",
        "S 1 1 outside",
        "C 1",
        "E 1 1 outside",
        "W 1 0 0",
        r"L 1 1 order: waits behind request 4\n",
        "E 0 1 order",
        "S 0 0 order",
        "S 1 1 order",
        "C 1",
        "E 0 0 order",
        r"L 0 1 order: service 500 ps, ordering 1.5 ns\n",
        "S 0 0 completed",
        "C 1",
        "E 0 0 completed",
        "R 0 0 0",
        "C 2",
        "E 1 1 order",
        r"L 1 1 order: ordering 4 ns\n",
        "R 1 1 1",
    ]


def test_no_event_is_a_header(tmp_path: Path) -> None:
    text = export(open_kanata, tmp_path / "t.kanata", HEADER, [], GIGAHERTZ)
    assert text == "Kanata\t0004\n"


# -- the cycles of runs ---------------------------------------------------------------------


def spans(instruction: Instruction) -> dict[int, list[tuple[str, int, int]]]:
    found: dict[int, list[tuple[str, int, int]]] = {0: [], 1: []}
    for span in instruction.spans:
        found[span.lane].append((span.stage, span.start, span.end))
    return found


def test_waits_are_on_lane_1() -> None:
    path = [
        delay("post", "2500 ps"),
        clocked("x", 3, interval=2, depth=1, queue=1, refill="at_once"),
        station("y", "6 ns", depth=1, queue=1),
    ]
    header, events = traced(table(path, clocks={"nic": GHZ}), posts(0, 0))
    first, second = log_of(header, events, header.clocks[0]).instructions
    assert spans(first) == {
        0: [("post", 0, 2), ("x", 3, 6), ("y", 6, 12), ("completed", 12, 13)],
        1: [("x", 2, 3)],
    }
    assert spans(second) == {
        0: [("post", 0, 3), ("x", 6, 9), ("y", 12, 18), ("completed", 18, 19)],
        1: [("backpressure", 2, 3), ("x", 3, 6), ("y", 9, 12)],
    }


def test_a_wait_to_get_out() -> None:
    path = [station("x", "1 ns"), station("y", "6 ns", depth=1, queue=1)]
    header, events = traced(table(path), posts(0, 0, 0))
    third = log_of(header, events, GIGAHERTZ).instructions[2]
    assert spans(third) == {
        0: [("x", 0, 7), ("y", 13, 19), ("completed", 19, 20)],
        1: [("backpressure", 1, 7), ("y", 7, 13)],
    }


def test_a_wait_to_get_in() -> None:
    path = [station("x", "5 ns", depth=1, queue=1)]
    header, events = traced(table(path), posts(0, 0, 0))
    third = log_of(header, events, GIGAHERTZ).instructions[2]
    assert spans(third)[1] == [("outside", 0, 5), ("x", 5, 10)]


def test_a_dropped_request_is_flushed() -> None:
    path = [delay("d", "1 ns"), station("x", "5 ns", depth=1, queue=1, overflow="drop")]
    header, events = traced(table(path), posts(0, 0, 0, 3000))
    log = log_of(header, events, GIGAHERTZ)
    ends = [(one.over, one.is_flushed, one.retire_id) for one in log.instructions]
    assert ends == [(7, False, 0), (12, False, 1), (1, True, 0), (4, True, 0)]


def test_a_drop_says_where() -> None:
    events = [Event(3000, Kind.ARRIVED, 0, "order"), Event(7000, Kind.DROPPED, 0, "order")]
    (one,) = log_of(HEADER, events, GIGAHERTZ).instructions
    assert one.is_flushed
    assert one.details == r"order: dropped\n"


def test_who_is_there_at_the_end_stays_until_then(tmp_path: Path) -> None:
    events = [
        Event(3000, Kind.ARRIVED, 0, "order"),
        Event(5000, Kind.ARRIVED, 1, "memory"),
        Event(6000, Kind.ACCEPTED, 1, "memory"),
    ]
    for end_ps, last in ((0, 7), (6999, 7), (7000, 7), (12_345, 12)):
        file = tmp_path / "t.kanata"
        text = export(open_kanata, file, HEADER, events, GIGAHERTZ, end_ps=end_ps)
        first, second = read_kanata(text).instructions
        assert spans(first) == {0: [], 1: [("order", 3, last)]}
        assert spans(second) == {0: [("memory", 6, last)], 1: [("memory", 5, 6)]}


def test_what_a_stage_gives_up_is_flushed_from_there() -> None:
    events = [
        Event(3000, Kind.ARRIVED, 0, "order"),
        Event(5000, Kind.ACCEPTED, 0, "order"),
        Event(7000, Kind.DROPPED, 0, ""),
    ]
    (only,) = log_of(HEADER, events, GIGAHERTZ).instructions
    assert only.spans == [Span(1, "order", 3, 5), Span(0, "order", 5, 7)]
    assert (only.over, only.is_flushed) == (7, True)


def test_who_is_behind_whom() -> None:
    events: list[Event] = [
        Event(0, Kind.ARRIVED, 8, "order"),
        Event(0, Kind.ARRIVED, 9, "order"),
        Held(0, Kind.HELD, 9, "order", 0, 8),
        Held(4000, Kind.HELD, 9, "order", 0, 77),
        Event(5000, Kind.ACCEPTED, 9, "order"),
        Held(5000, Kind.HELD, 9, "order", 0, 8),
        Event(7000, Kind.EMITTED, 9, "order"),
    ]
    second = log_of(HEADER, events, GIGAHERTZ).instructions[1]
    assert second.behind == [(0, 0), (0, 5)]
    assert r"order: waits behind request 77\n" in second.details
    assert second.spans == [
        Span(1, "order", 0, 5),
        Span(1, "ordering", 5, 7),
        Span(1, "backpressure", 7, 8),
        Span(0, "order", 5, 8),
    ]


def test_what_retired_is_told_no_more() -> None:
    events = [
        Event(0, Kind.COMPLETED, 8, ""),
        Event(0, Kind.CONSUMED, 8, ""),
        Event(9000, Kind.CONSUMED, 8, ""),
        Event(9000, Kind.CONSUMED, 3, ""),
    ]
    (only,) = log_of(HEADER, events, GIGAHERTZ).instructions
    assert (only.over, only.spans) == (1, [Span(0, "completed", 0, 1)])


def expected(events: list[Event], clock: Clock) -> dict[int, Counter[tuple[int, str, int, int]]]:
    """Request to its spans, from its events alone."""
    found: dict[int, Counter[tuple[int, str, int, int]]] = {}
    for request in dict.fromkeys(event.request for event in events):
        spans: Counter[tuple[int, str, int, int]] = Counter()
        own = [event for event in events if event.request == request]
        times = [cycle_of(clock, event.time_ps) for event in own]
        for index, (event, cycle) in enumerate(zip(own, times, strict=True)):
            rest = list(zip(own[index + 1 :], times[index + 1 :], strict=True))

            def until(kind: Kind, rest: list[tuple[Event, int]] = rest) -> int:
                return next(then for later, then in rest if later.kind is kind)

            if event.kind is Kind.ACCEPTED:
                spans[0, event.stage, cycle, until(Kind.LEFT)] += 1
            elif event.kind is Kind.COMPLETED:
                spans[0, "completed", cycle, cycle + 1] += 1
            waits = {
                Kind.SUBMITTED: ("outside", Kind.ARRIVED),
                Kind.ARRIVED: (event.stage, Kind.ACCEPTED),
                Kind.EMITTED: ("backpressure", Kind.LEFT),
            }
            if event.kind in waits:
                name, end = waits[event.kind]
                if until(end) > cycle:
                    spans[1, name, cycle, until(end)] += 1
        found[request] = spans
    return found


@given(whole_traces(), CLOCKS)
def test_times_are_the_cycles_of_the_events(
    trace: tuple[Header, list[Event]], clock: Clock
) -> None:
    header, events = trace
    log = log_of(header, events, clock)
    found = {
        one.sim_id: Counter((span.lane, span.stage, span.start, span.end) for span in one.spans)
        for one in log.instructions
    }
    assert found == expected(events, clock)
    completed = [event.request for event in events if event.kind is Kind.COMPLETED]
    retired = [one for one in log.instructions if one.over is not None]
    assert [one.sim_id for one in sorted(retired, key=lambda one: one.retire_id or 0)] == completed


@given(cut_traces(), CLOCKS)
def test_what_is_cut_is_legal(trace: tuple[Header, list[Event]], clock: Clock) -> None:
    header, events = trace
    log = log_of(header, events, clock)
    over = sum(one.over is not None for one in log.instructions)
    ends = [event for event in events if event.kind in (Kind.COMPLETED, Kind.DROPPED)]
    assert over == len(ends)


def test_an_initiator_is_a_thread() -> None:
    load = [Post(0, initiator=3), Post(0, initiator=1)]
    header, events = traced(table([delay("d", "1 ns")]), load)
    log = log_of(header, events, GIGAHERTZ)
    assert [(one.sim_id, one.thread) for one in log.instructions] == [(0, 3), (1, 1)]
    assert log.instructions[0].label == "0: read 64 B, initiator 3"


# -- the checker itself ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    (
        "C 0",
        "C -1",
        "C= 4",
        "I 1 0 0",
        "I 0 0",
        "S 0 0 x",
        "I 0 0 0\nS 0 0 x",
        "I 0 0 0\nS 0 0 x\nS 0 0 y\nE 0 0 y",
        "I 0 0 0\nS 0 0 x\nE 0 1 x",
        "I 0 0 0\nS 0 0 x\nE 0 0 y",
        "I 0 0 0\nS 0 0 x\nR 0 0 0",
        "I 0 0 0\nR 0 0 0\nR 0 1 0",
        "I 0 0 0\nR 0 1 0",
        "I 0 0 0\nR 0 0 2",
        "I 0 0 0\nR 0 0 0\nL 0 0 x",
        "I 0 0 0\nL 0 2 x",
        "I 0 0 0\nW 0 1 0",
        "I 0 0 0\nQ 0",
    ),
)
def test_the_checker_refuses(body: str) -> None:
    read_kanata("Kanata\t0004\nC=\t3\nI\t0\t0\t0\nS\t0\t0\tx\nC\t2\nE\t0\t0\tx\nR\t0\t0\t0\n")
    with pytest.raises(KanataError):
        read_kanata(f"Kanata 0004\nC= 3\n{body}\n".replace(" ", "\t"))
