"""Timelines for Perfetto, in both formats: read back, and compared with the events."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings

from emu.time import Clock
from emu.trace.events import Event, Held, Kind, Left, Submitted, Touched
from emu.trace.exporter import Exporter
from emu.trace.header import Header, StageLine
from emu.trace.perfetto import open_pftrace
from emu.trace.perfetto_json import open_json
from tests.build import Post, clocked, delay, table
from tests.trace.timelines import Read, Slice, read_chrome_json, read_pftrace
from tests.trace.traces import Trace, burst, export, loads, trace


class Format(NamedTuple):
    name: str
    open: Callable[..., Exporter]
    read: Callable[[Path], Read]
    unit: str


PFTRACE = Format("a.pftrace", open_pftrace, read_pftrace, "1 ns")
JSON = Format("a.json", open_json, read_chrome_json, "1 µs")
both = pytest.mark.parametrize("form", (PFTRACE, JSON), ids=("pftrace", "json"))


def drawn(form: Format, made: Trace, folder: Path, **how: Any) -> Read:
    file = folder / form.name
    export(made, form.open(file, made.header, **how))
    assert list(folder.iterdir()) == [file]
    return form.read(file)


def stays(read: Read) -> list[Slice]:
    """The slices of requests at stages."""
    return [one for one in read.slices if one.parent is None and "stage" in one.args]


@both
@settings(max_examples=settings().max_examples // 4)
@given(loads)
def test_times_read_back_equal_those_of_the_events(
    form: Format, tmp_path_factory: pytest.TempPathFactory, load: list[Post]
) -> None:
    made = trace(load)
    read = drawn(form, made, tmp_path_factory.mktemp("trace"))
    found = [
        (one.args["request"], one.args["stage"], one.start, one.end, one.args.get("parts_ps", {}))
        for one in stays(read)
    ]
    assert sorted(found, key=str) == sorted(made.stays(), key=str)
    for kind in (Kind.SUBMITTED, Kind.COMPLETED, Kind.CONSUMED):
        instants = [(one.args["request"], one.start) for one in read.named(kind)]
        assert sorted(instants) == made.times_ps(kind)
    # From stage to stage, in the order of the path, and once for each wait behind another.
    onward = [(a, b) for a, b in read.arrows if not b.name.startswith("behind")]
    assert len(onward) == len(stays(read)) - len(load)
    assert all(a.args["request"] == b.args["request"] and a.end == b.start for a, b in onward)


@both
@settings(max_examples=settings().max_examples // 4)
@given(loads)
def test_waits_and_work_fill_each_stay(
    form: Format, tmp_path_factory: pytest.TempPathFactory, load: list[Post]
) -> None:
    made = trace(load)
    read = drawn(form, made, tmp_path_factory.mktemp("trace"))
    for stay in stays(read):
        pieces = [one for one in read.inside(stay) if not one.is_instant]
        edges = [(one.start, one.end) for one in pieces]
        if edges:
            assert (edges[0][0], edges[-1][1]) == (stay.start, stay.end)
        assert all(a[1] == b[0] for a, b in pairwise(edges))
        parts = stay.args.get("parts_ps", {})
        served = sum(one.end - one.start for one in pieces if one.name == "service")
        assert served == parts.get("service", 0)
        behind = [one for one in pieces if one.name.startswith("behind")]
        assert sum(one.end - one.start for one in behind) == parts.get("ordering", 0)


@both
@settings(max_examples=settings().max_examples // 4)
@given(loads)
def test_a_track_is_a_place_and_the_lowest_free_is_taken(
    form: Format, tmp_path_factory: pytest.TempPathFactory, load: list[Post]
) -> None:
    read = drawn(form, trace(load), tmp_path_factory.mktemp("trace"))
    for stay in stays(read):
        stage, place = stay.track.removesuffix("]").split(" [")
        assert stage == stay.args["stage"]
        beside = [one for one in stays(read) if one.args["stage"] == stage]
        taken = {one.track for one in beside if one.start < stay.start < one.end or one is stay} | {
            one.track for one in beside if one.start == stay.start
        }
        assert {f"{stage} [{lower}]" for lower in range(int(place))} <= taken


@both
def test_a_request_waits_behind_another_one(form: Format, tmp_path: Path) -> None:
    read = drawn(form, burst(3), tmp_path)
    held = read.named("behind request")
    # The first is served from 3 to 8 ns, the next from there to 13, the third to 18; they come
    # 2 ns after each other.
    assert [(one.name, one.start, one.end) for one in held] == [
        ("behind request 0", 5_000, 8_000),
        ("behind request 1", 7_000, 13_000),
    ]
    assert [one.args["behind"] for one in held] == [0, 1]
    assert all(one.args["waits_for"] == "ordering" for one in held)
    arrows = [(a, b) for a, b in read.arrows if b in held]
    assert [(a.whole.name, a.whole.args["stage"]) for a, _ in arrows] == [
        ("request 0", "turns"),
        ("request 1", "turns"),
    ]
    holds = read.named("holds request")
    assert [(one.name, one.start, one.whole) for one in holds] == [
        ("holds request 1", 5_000, arrows[0][0].whole),
        ("holds request 2", 7_000, arrows[1][0].whole),
    ]


@both
def test_waits_are_named_by_what_they_are_for(form: Format, tmp_path: Path) -> None:
    source = table(
        [clocked("first", 4, 3, queue=1, depth=2), delay("then", "7 ns")], clocks={"nic": "1 GHz"}
    )
    read = drawn(form, trace([Post(500), Post(500), Post(500)], source), tmp_path)
    first = [one for one in stays(read) if one.args["stage"] == "first"]
    pieces = [[(p.name, p.start, p.end) for p in read.inside(one)] for one in first]
    assert pieces == [
        [("alignment", 500, 1_000), ("service", 1_000, 5_000)],
        [("interval", 1_000, 4_000), ("service", 4_000, 8_000)],
        [("interval + resource:first.depth", 4_000, 7_000), ("service", 7_000, 11_000)],
    ]
    # The queue has one place: the others could not even enter.
    outside = read.named("outside first")
    assert [(one.start, one.end) for one in outside] == [(500, 1_000), (500, 4_000)]
    assert [one.whole.name for one in outside] == ["request 1: read", "request 2: read"]


STAGES = (StageLine("a", "wire", "initiator", ""), StageLine("b", "memory", "target", ""))
SLOW = Clock("slow", Fraction(2_500), phase_ps=500)
HEADER = Header("1.2", "pair", "Two stages", "ab" * 32, 3, {"kind": "none"}, (SLOW,), STAGES)


def by_hand(*events: Event) -> Trace:
    return Trace(HEADER, list(events))


@both
def test_the_file_says_of_what_run_it_is_and_how_times_are_scaled(
    form: Format, tmp_path: Path
) -> None:
    read = drawn(
        form, by_hand(Event(0, Kind.ARRIVED, 0, "a"), Left(5, Kind.LEFT, 0, "a")), tmp_path
    )
    assert read.about == {
        "scale": f"{form.unit} is 1 ps",
        "table": "pair",
        "title": "Two stages",
        "digest": "ab" * 32,
        "seed": 3,
        "workload": '{"kind": "none"}',
        "run": "{}",
        "filters": "[]",
        "version": "1.2",
    }
    assert {one.process for one in read.slices} == {f"initiator ({form.unit} is 1 ps)"}


@both
def test_cycles_of_a_clock_are_counted_and_the_exact_time_is_kept(
    form: Format, tmp_path: Path
) -> None:
    made = by_hand(
        Event(0, Kind.ARRIVED, 0, "a"),
        Event(3_000, Kind.ACCEPTED, 0, "a"),
        Event(8_000, Kind.EMITTED, 0, "a"),
        Left(9_999, Kind.LEFT, 0, "a", parts=(("service", 5_000), ("alignment", 3_000))),
    )
    read = drawn(form, made, tmp_path, clock=SLOW)
    # Edges are at 500, 3000, 5500, 8000 and 10500 ps.
    (stay,) = stays(read)
    assert (stay.start, stay.end) == (0, 3)
    assert (stay.args["from_ps"], stay.args["to_ps"]) == (0, 9_999)
    assert [(p.name, p.start, p.end) for p in read.inside(stay)] == [
        ("alignment", 0, 1),
        ("service", 1, 3),
        ("backpressure", 3, 3),
    ]
    assert read.about["scale"] == f"{form.unit} is 1 cycle of slow"
    assert stay.process == f"initiator ({form.unit} is 1 cycle of slow)"


@both
def test_values_and_submissions_are_instants(form: Format, tmp_path: Path) -> None:
    most = 2**64 - 1
    made = by_hand(
        Submitted(0, Kind.SUBMITTED, 4, "", 2, "write", 8, most, 3, "SO", "ROI", True),
        Event(0, Kind.ARRIVED, 4, "b", 2),
        Event(1, Kind.ACCEPTED, 4, "b", 2),
        Touched(3, Kind.SAMPLED, 4, "b", 2, 64, -5),
        Touched(5, Kind.VISIBLE, 4, "b", 2, 64, most),
        Event(7, Kind.EMITTED, 4, "b", 2),
        Left(7, Kind.LEFT, 4, "b", 2, (("service", 6), ("alignment", 1))),
        Event(7, Kind.COMPLETED, 4, "", 2),
        Event(9, Kind.CONSUMED, 4, "", 2),
    )
    read = drawn(form, made, tmp_path)
    instants = [(one.name, one.start, one.track, one.args) for one in read.slices if one.is_instant]
    told = {"request": 4, "address": 64}
    assert sorted(instants, key=lambda one: one[1]) == [
        (
            "submitted",
            0,
            "initiator 2 [0]",
            {
                "request": 4,
                "operation": "write",
                "size_bytes": 8,
                "address": most,
                "initiator": 2,
                "destination": 3,
                "order": "SO",
                "service": "ROI",
                "fence": True,
            },
        ),
        ("sampled -5", 3, "b [0]", {**told, "value": -5}),
        (f"visible {most}", 5, "b [0]", {**told, "value": most}),
        ("completed", 7, "initiator 2 [0]", {"request": 4}),
        ("consumed", 9, "initiator 2 [0]", {"request": 4}),
    ]
    assert {one.whole.name for one in read.named("sampled")} == {"request 4"}
    (life,) = read.named("request 4: write")
    assert (life.start, life.end) == (0, 7)


@both
def test_what_has_no_end_ends_with_the_trace(form: Format, tmp_path: Path) -> None:
    made = by_hand(
        Submitted(0, Kind.SUBMITTED, 0, "", operation="read"),
        Event(2, Kind.ARRIVED, 0, "a"),
        Event(4, Kind.ACCEPTED, 0, "a"),
        Submitted(9, Kind.SUBMITTED, 1, "", operation="read"),
    )
    read = drawn(form, made, tmp_path)
    ends = {one.name: (one.start, one.end, one.args.get("unfinished")) for one in read.slices}
    cut = "the trace ends here"
    assert ends == {
        "request 0: read": (0, 9, cut),
        "request 1: read": (9, 9, cut),
        "submitted": (9, 9, None),
        "request 0": (2, 9, cut),
        "wait": (2, 4, None),
        "service": (4, 9, None),
    }


@both
def test_what_has_no_end_stays_to_the_end_of_the_trace(form: Format, tmp_path: Path) -> None:
    made = by_hand(
        Submitted(0, Kind.SUBMITTED, 0, "", operation="read"), Event(2, Kind.ARRIVED, 0, "a")
    )
    export(made, form.open(tmp_path / form.name, made.header), 700)
    read = form.read(tmp_path / form.name)
    ends = {one.name: (one.start, one.end) for one in read.slices if not one.is_instant}
    assert ends == {"request 0: read": (0, 700), "request 0": (2, 700), "wait": (2, 700)}


@both
def test_a_drop_says_where(form: Format, tmp_path: Path) -> None:
    made = by_hand(
        Submitted(0, Kind.SUBMITTED, 0, "", operation="read"), Event(2, Kind.DROPPED, 0, "b")
    )
    (drop,) = drawn(form, made, tmp_path).named("dropped")
    assert (drop.start, drop.args) == (2, {"request": 0, "stage": "b"})


@both
def test_what_began_before_the_trace_is_known_by_its_parts(form: Format, tmp_path: Path) -> None:
    made = by_hand(
        Event(100, Kind.ARRIVED, 2, "a"),
        Left(110, Kind.LEFT, 1, "a", parts=(("service", 60),)),
        Event(110, Kind.ARRIVED, 1, "b"),
        Event(120, Kind.EMITTED, 2, "a"),
        Left(120, Kind.LEFT, 2, "a", parts=(("service", 20),)),
        Event(130, Kind.COMPLETED, 1, ""),
    )
    read = drawn(form, made, tmp_path)
    found = {(one.name, one.track): (one.start, one.end) for one in stays(read)}
    assert found == {
        ("request 2", "a [0]"): (100, 120),
        ("request 1", "a [1]"): (50, 110),
        ("request 1", "b [0]"): (110, 130),
    }
    assert [(one.start, one.track) for one in read.named("completed")] == [(130, "initiator 0 [0]")]


@both
def test_a_wait_whose_blocker_is_nowhere_has_no_arrow(form: Format, tmp_path: Path) -> None:
    made = by_hand(
        Event(0, Kind.ARRIVED, 5, "a"),
        Held(0, Kind.HELD, 5, "a", behind=1),
        Event(8, Kind.ACCEPTED, 5, "a"),
        Event(9, Kind.EMITTED, 5, "a"),
        Left(9, Kind.LEFT, 5, "a", parts=(("service", 1), ("ordering", 8))),
    )
    read = drawn(form, made, tmp_path)
    assert [(one.name, one.start, one.end) for one in read.named("behind")] == [
        ("behind request 1", 0, 8)
    ]
    assert not read.arrows


@both
def test_a_wait_that_takes_no_time_leaves_no_arrow_behind(form: Format, tmp_path: Path) -> None:
    made = by_hand(
        Event(0, Kind.ARRIVED, 0, "b"),
        Event(5, Kind.ARRIVED, 1, "a"),
        Held(5, Kind.HELD, 1, "a", behind=0),
        Event(5, Kind.EMITTED, 1, "a"),
        Left(5, Kind.LEFT, 1, "a"),
        Event(5, Kind.ARRIVED, 1, "b"),
        Held(5, Kind.HELD, 1, "b", behind=0),
        Held(5, Kind.HELD, 1, "b", behind=2),
        Held(5, Kind.HELD, 1, "b", behind=0),
        Event(9, Kind.ACCEPTED, 1, "b"),
        Left(9, Kind.LEFT, 1, "b", parts=(("ordering", 4),)),
    )
    read = drawn(form, made, tmp_path)
    assert [(b.name, b.start) for _, b in read.arrows] == [
        ("request 1", 5),
        ("behind request 0", 5),
    ]
    lengths = [(one.name, one.end - one.start, one.whole.track) for one in read.named("behind")]
    assert lengths == [
        ("behind request 0", 0, "a [0]"),
        ("behind request 0", 0, "b [1]"),
        ("behind request 2", 0, "b [1]"),
        ("behind request 0", 4, "b [1]"),
    ]


@both
def test_another_may_take_the_place_of_the_one_that_is_waited_for(
    form: Format, tmp_path: Path
) -> None:
    made = by_hand(
        Event(0, Kind.ARRIVED, 0, "b"),
        Event(0, Kind.ARRIVED, 1, "b"),
        Event(0, Kind.ARRIVED, 2, "a"),
        Held(1, Kind.HELD, 2, "a", behind=0),
        Held(4, Kind.HELD, 2, "a", behind=1),
        Event(9, Kind.EMITTED, 2, "a"),
        # Held for 7 of its 9 ps: the first and the last it was served.
        Left(9, Kind.LEFT, 2, "a", parts=(("service", 2), ("ordering", 7))),
    )
    read = drawn(form, made, tmp_path)
    (stay,) = (one for one in stays(read) if one.args["stage"] == "a")
    assert [(one.name, one.start, one.end) for one in read.inside(stay)] == [
        ("service", 0, 1),
        ("behind request 0", 1, 4),
        ("behind request 1", 4, 8),
        ("service", 8, 9),
    ]
    assert [(a.whole.args["request"], b.args["behind"]) for a, b in read.arrows] == [(0, 0), (1, 1)]


@both
def test_an_interrupted_export_leaves_what_was_there(form: Format, tmp_path: Path) -> None:
    file = tmp_path / form.name
    file.write_text("old")
    exporter = form.open(file, HEADER)
    exporter.tell(Event(0, Kind.ARRIVED, 0, "a"))
    assert file.read_text() == "old"
    exporter.close()
    assert [one.name for one in form.read(file).slices] == ["request 0"]
    assert list(tmp_path.iterdir()) == [file]


@both
def test_same_input_same_bytes(form: Format, tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from tests.trace.traces import burst, export; "
        f"from {form.open.__module__} import {form.open.__name__} as o; "
        "made = burst(9); export(made, o(Path(sys.argv[1]), made.header))"
    )
    contents = []
    for seed in ("1", "2"):
        file = tmp_path / f"{seed}-{form.name}"
        environment = os.environ | {"PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", script, str(file)], check=True, env=environment)
        contents.append(file.read_bytes())
    assert contents[0] == contents[1]
    assert len(contents[0]) > 5_000
