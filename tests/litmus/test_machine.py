"""Programs on a path of three delays: each instruction does what it says, when it says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from emu.litmus.listing import Line, Trace, trace
from emu.waits import DeadlockError
from tests.litmus.files import Program, document, made

#: Whatever comes out.
ANY = {"any": "otherwise"}


def ran(directory: Path, programs: dict[str, Program], outcomes: Any = ANY, **how: Any) -> Trace:
    """The first schedule of a test in its only mode."""
    return trace(made(directory, document(programs, outcomes, **how)), "only_mode", 1, 0)


def said(found: Trace) -> list[tuple[int, str, str]]:
    return [(line.time_ps, line.who, line.what) for line in found.lines]


def test_posts_go_out_at_once_and_waits_end_a_picosecond_after_the_answer(tmp_path: Path) -> None:
    program = [
        {"post": "write", "at": "x", "value": 7, "as": "w"},
        {"post": "read", "at": "y", "as": "r"},
        {"wait": "all"},
        {"post": "read", "at": "x", "as": "again"},
        {"wait": "again"},
        {"compute": "50 ns"},
        {"post": "fetch_and_add", "at": "x", "value": 3, "as": "add"},
    ]
    found = ran(tmp_path, {"a": program}, {"all": {"r": 0, "again": 7, "add": 7, "x": 10}})
    assert found.lines == [
        Line(0, "a.w", "", "posts write of x"),
        Line(0, "a.r", "", "posts read of y"),
        Line(100_000, "a.w", "memory", "makes visible x = 7"),
        Line(100_000, "a.r", "memory", "finds y = 0"),
        Line(230_000, "a.w", "", "completed"),
        Line(230_000, "a.r", "", "completed"),
        Line(230_001, "a.again", "", "posts read of x"),
        Line(330_001, "a.again", "memory", "finds x = 7"),
        Line(460_001, "a.again", "", "completed"),
        Line(510_002, "a.add", "", "posts fetch_and_add of x"),
        Line(610_002, "a.add", "memory", "finds x = 7"),
        Line(610_002, "a.add", "memory", "makes visible x = 10"),
        Line(740_002, "a.add", "", "completed"),
    ]
    assert dict(found.outcome) == {"r": 0, "again": 7, "add": 7, "x": 10}


def test_a_wait_is_for_its_label_alone(tmp_path: Path) -> None:
    program = [
        {"post": "write", "at": "x", "value": 1, "as": "first"},
        {"compute": "100 ns"},
        {"post": "write", "at": "x", "value": 2, "as": "second"},
        {"wait": "first"},
        {"post": "write", "at": "x", "value": 3, "as": "third"},
    ]
    posted = [one for one in said(ran(tmp_path, {"a": program})) if "posts" in one[2]]
    assert [time_ps for time_ps, _, _ in posted] == [0, 100_000, 230_001]


def test_a_local_read_sees_what_was_visible_before_its_picosecond(tmp_path: Path) -> None:
    writer = [{"post": "write", "at": "x", "value": 1, "as": "w"}]
    reader = [
        {"compute": "100 ns"},
        {"local": "read", "at": "x", "as": "before"},
        {"compute": "1 ps"},
        {"local": "read", "at": "x", "as": "after"},
    ]
    found = ran(tmp_path, {"a": writer, "b": reader}, {"one": {"before": 0, "after": 1}})
    assert dict(found.outcome) == {"before": 0, "after": 1}


def test_what_a_thread_writes_at_home_is_there_at_once(tmp_path: Path) -> None:
    reader = [{"post": "read", "at": "x", "as": "seen"}]
    writer = [{"compute": "100 ns"}, {"local": "write", "at": "x", "value": 5}]
    # It is written between two instants, before the one in which the read is there.
    found = ran(tmp_path, {"a": reader, "b": writer}, {"new": {"seen": 5}})
    assert dict(found.outcome) == {"seen": 5}


def test_a_poll_at_home_looks_until_it_sees(tmp_path: Path) -> None:
    writer = [{"post": "write", "at": "x", "value": 1, "as": "w"}]
    poll = {"poll": "x", "until": 1, "every": "30 ns", "as": "seen"}
    found = ran(tmp_path, {"a": writer, "b": [poll]}, {"seen": {"seen": 1}})
    # At 90 ns it was not there, and each value is told once.
    assert [one for one in said(found) if one[1] == "b"] == [
        (0, "b", "seen = 0"),
        (120_000, "b", "seen = 1"),
    ]


def test_a_poll_far_away_asks_again_after_each_answer(tmp_path: Path) -> None:
    owner = [{"compute": "400 ns"}, {"local": "write", "at": "x", "value": 1}]
    poll = {"poll": "x", "until": 1, "every": "10 ns", "as": "seen"}
    found = ran(tmp_path, {"a": [poll, {"compute": "0 ns"}], "b": owner}, {"seen": {"seen": 1}})
    posted = [time_ps for time_ps, _, what in said(found) if what == "posts read of x"]
    # Each round takes 230 ns, a picosecond, and 10 ns; the third finds it at 580 ns.
    assert posted == [0, 240_001, 480_002]


@pytest.mark.parametrize("node", (0, 1))
def test_a_thread_that_polls_in_vain_ends(tmp_path: Path, node: int) -> None:
    poll = {"poll": "x", "until": 9, "every": "10 ns", "tries": 3, "as": "seen"}
    program = [poll, {"post": "read", "at": "x", "as": "after"}]
    outcome = {"gave_up": {"seen": 0, "after": "none"}}
    found = ran(tmp_path, {"a": program}, outcome, locations={"x": node})
    assert dict(found.outcome) == {"seen": 0, "after": None}
    assert len([one for one in said(found) if "posts" in one[2]]) == (3 if node else 0)


def buffer(tmp_path: Path, again_ps: int) -> Trace:
    """A send that is visible at 100 ns and consumed until 600 ns, and another into its buffer."""
    sender = [
        {"post": "send", "at": "x", "value": 1, "as": "first"},
        {"compute": f"{again_ps - 100_000} ps"},
        {"post": "send", "at": "x", "value": 2, "as": "second"},
    ]
    receiver = [{"compute": "200 ns"}, {"consume": "x", "for": "400 ns", "as": "content"}]
    outcomes = {"one": {"content": 1, "reused": 0}, "rest": "otherwise"}
    return ran(tmp_path, {"a": sender, "b": receiver}, outcomes)


def test_a_buffer_may_be_written_again_when_it_is_consumed(tmp_path: Path) -> None:
    found = buffer(tmp_path, 600_000)
    assert dict(found.outcome) == {"content": 1, "reused": 0}
    assert found.reuses == []
    assert (600_000, "a.first", "consumed") in said(found)
    assert (600_000, "b", "has consumed x") in said(found)


def test_a_buffer_that_is_written_a_picosecond_before_is_reported(tmp_path: Path) -> None:
    found = buffer(tmp_path, 599_999)
    assert dict(found.outcome) == {"content": 2, "reused": 1}
    assert found.reuses == [
        (
            "buffer at node 1, address 0x0 written again by request 1 at 599.999 ns, before what "
            "request 0 brought was consumed (visible at 100 ns, consumed until 600 ns)"
        )
    ]


def test_marks_are_those_of_the_label_over_those_of_all(tmp_path: Path) -> None:
    program = [
        {"post": "write", "at": "x", "value": 1, "as": "one"},
        {"post": "write", "at": "x", "value": 2, "as": "two"},
    ]
    mode = {
        "title": "marks",
        "tables": ["./delays.yaml"],
        "marks": {"all": {"order": "RO", "service": "ROT"}, "two": {"order": "SO", "fence": True}},
        "allowed": ["any"],
    }
    found = ran(tmp_path, {"a": program}, modes={"only_mode": mode})
    assert [what for _, _, what in said(found)][:2] == [
        "posts write of x (RO ROT)",
        "posts write of x (SO ROT fence)",
    ]


def test_an_instruction_may_be_of_some_modes_only(tmp_path: Path) -> None:
    program = [
        {"post": "write", "at": "x", "value": 1, "as": "w", "only": ["first"]},
        {"post": "write", "at": "x", "value": 2, "as": "w", "only": ["second"]},
    ]
    mode = {"title": "a mode", "tables": ["./delays.yaml"], "allowed": ["one", "two"]}
    outcomes = {"one": {"x": 1}, "two": {"x": 2}}
    modes = {"first": mode, "second": mode}
    test = made(tmp_path, document({"a": program}, outcomes, modes=modes))
    assert [dict(trace(test, name, 1, 0).outcome) for name in modes] == [{"x": 1}, {"x": 2}]


def test_locations_begin_with_their_values_in_every_schedule(tmp_path: Path) -> None:
    program = [{"post": "fetch_and_add", "at": "x", "value": 1, "as": "found"}]
    said_so = document({"a": program}, {"one": {"found": 40, "x": 41}})
    said_so["locations"] = {"x": {"node": 1, "value": 40}}
    test = made(tmp_path, said_so)
    # The sixteenth of its path.
    assert dict(trace(test, "only_mode", 1, 15).outcome) == {"found": 40, "x": 41}


def test_a_lost_request_counts_as_answered_and_finds_nothing(tmp_path: Path) -> None:
    program = [
        {"post": "read", "at": "x", "as": "one"},
        {"post": "read", "at": "x", "as": "two"},
        {"post": "read", "at": "x", "as": "three"},
        {"wait": "all"},
        {"post": "read", "at": "x", "as": "last"},
    ]
    sets = ["there.interval=10 ns", "there.queue=1", "there.depth=1", "there.overflow=drop"]
    mode = {"title": "m", "tables": ["./delays.yaml"], "set": sets, "allowed": ["any"]}
    outcomes = {"any": "otherwise", "named": {"one": 1, "two": 1, "three": 1, "last": 1}}
    mode["forbidden"] = ["named"]
    found = ran(tmp_path, {"a": program}, outcomes, modes={"only_mode": mode})
    assert dict(found.outcome) == {"one": 0, "two": 0, "three": None, "last": 0}
    assert [who for _, who, what in said(found) if what == "dropped"] == ["a.three"]


def test_a_request_that_is_never_answered_is_an_error(tmp_path: Path) -> None:
    program = [
        {"post": "write", "at": "x", "value": 1, "as": "one"},
        {"post": "write", "at": "x", "value": 1, "as": "two"},
    ]
    mode = {
        "title": "answers come from outside",
        "tables": ["./unanswered.yaml"],
        "marks": {"all": {"order": "SO", "service": "ROI"}},
        "allowed": ["any"],
    }
    with pytest.raises(DeadlockError, match=r"request 1 .* waits for request 0"):
        ran(tmp_path, {"a": program}, modes={"only_mode": mode})


def test_times_are_drawn_from_what_the_file_says(tmp_path: Path) -> None:
    program = [
        {"post": "read", "at": "x", "as": "one"},
        {"post": "read", "at": "x", "as": "two"},
    ]
    said_so = document({"a": program}, ANY, start="3 ps", gap="2 ps")
    test = made(tmp_path, said_so)
    starts, gaps = set(), set()
    for number in range(60):
        posted = [
            time_ps
            for time_ps, _, what in said(trace(test, "only_mode", 1, number))
            if "posts" in what
        ]
        starts.add(posted[0])
        gaps.add(posted[1] - posted[0])
    assert (starts, gaps) == ({0, 1, 2, 3}, {0, 1, 2})
