"""Scenarios of OpenURMA's sender: every stage and cycle, and what a broken file is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.errors import EmuError
from emu.table import load
from emu.verify.openurma.cycles import (
    Compared,
    Difference,
    cycles_verification,
    departures,
    verify_openurma_cycles,
)
from emu.verify.openurma.rows import shipped_addresses
from emu.verify.openurma.scenarios import Scenario
from tests.verify.sender_oracle import DEPTH, QUEUES, Event, Sender

FILE = shipped_addresses().parent / "ub_tx_cycle_scenarios.jsonl"
TABLE = load("openurma_tx")
STAGES = [entry.name for entry in TABLE.entries]


def scenarios() -> list[dict[str, Any]]:
    return [json.loads(line) for line in FILE.read_text().splitlines()]


def written(directory: Path, *made: dict[str, Any]) -> Path:
    file = directory / "mine.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in made))
    return file


# -- what is shipped ----------------------------------------------------------------------------


def test_every_cycle_of_every_shipped_scenario_matches() -> None:
    compared = verify_openurma_cycles(FILE)
    assert len(compared) == 82
    assert [one for one in compared if one.difference is not None] == []
    # A departure from each of ten stages, of all that were not held for ever.
    expected = [
        sum(map(len, one["expect"].values())) + len(one["wire_first_flit"]) for one in scenarios()
    ]
    assert [one.departures for one in compared] == expected
    assert [one.matched for one in compared] == expected
    assert sum(expected) == 8962


def test_as_a_check_a_scenario_counts_its_departures() -> None:
    found = cycles_verification(FILE)
    assert found.title == FILE.name
    assert len(found.checks) == 82
    assert found.failures == ()
    assert found.checks[0].name == "line 1: single_request_posted_at_48"
    assert found.checks[0].expected == 10
    assert found.checks[0].unit == "departures"


def test_the_second_program_of_the_rules_gives_them_too() -> None:
    for one in scenarios():
        assert Sender(one["events"]).run() == (one["expect"], one["wire_first_flit"])


# -- what does not match ------------------------------------------------------------------------


def test_a_changed_cycle_fails_and_is_named(tmp_path: Path) -> None:
    good, changed, *_ = scenarios()
    changed["expect"]["tpc_tx"][0][0] += 1
    changed["expect"]["nth_b"][0][0] += 1
    compared = verify_openurma_cycles(written(tmp_path, good, changed))
    assert compared == [
        Compared("single_request_posted_at_48", 1, 10, 10, None),
        Compared(
            "single_request_posted_at_49", 2, 10, 8, Difference("tpc_tx", 1, (60, 1), (59, 1))
        ),
    ]


@pytest.mark.parametrize(
    ("change", "difference"),
    (
        (lambda s: s["expect"]["jsched"].pop(), Difference("jsched", 1, None, (56, 1))),
        (
            lambda s: s["expect"]["jsched"].append([57, 1]),
            Difference("jsched", 2, (57, 1), None),
        ),
        (lambda s: s["expect"].pop("cwnd"), Difference("cwnd", 1, None, (60, 1))),
        (
            lambda s: s["wire_first_flit"].__setitem__(0, 68),
            Difference("ethenc", 1, (68,), (67,)),
        ),
        (
            lambda s: s["expect"]["doorbell"][0].__setitem__(1, 2),
            Difference("doorbell", 1, (49, 2), (49, 1)),
        ),
    ),
)
def test_what_is_missing_or_too_much_fails(
    tmp_path: Path, change: Any, difference: Difference
) -> None:
    scenario = scenarios()[0]
    change(scenario)
    (one,) = verify_openurma_cycles(written(tmp_path, scenario))
    assert one.difference == difference
    assert one.matched == one.departures - 1


def test_another_table_gives_other_cycles() -> None:
    scenario = Scenario.model_validate(scenarios()[0])
    slower = load("openurma_tx", overrides=["ethenc.latency=3 cycles"])
    assert departures(scenario, slower)["ethenc"] == [(68,)]


# -- broken files -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "errors"),
    (
        (
            '"ROL"',
            '"RLO"',
            [
                (
                    "1:96: events[0].service: 'RLO' is not known here; expected ROI, ROT, ROL or "
                    "UNO; did you mean 'ROT'?"
                )
            ],
        ),
        (
            '"kind": "request"',
            '"kind": "reqest"',
            [
                (
                    "1:52: events[0]: the kind 'reqest' is not known; expected request, "
                    "fence_release or order_release; did you mean 'request'?"
                )
            ],
        ),
        (
            '"kind": "request", ',
            "",
            [
                (
                    "1:52: events[0]: 'kind' is missing; expected request, fence_release or "
                    "order_release"
                )
            ],
        ),
        (
            '"cycle": 48',
            '"cycle": -1',
            ["1:81: events[0].cycle: -1 is out of bounds; expected at least 0"],
        ),
        (
            '"cycle": 48',
            '"cycle": null',
            ["1:81: events[0].cycle: is null; expected a whole number"],
        ),
        (
            '"cycle": 48',
            '"cycle": 48, "cycle": 48',
            ["1:85: YAML: the key 'cycle' is given twice, first at {file}:1:72; expected it once"],
        ),
        (
            '"initiator": 7, "flits": 2',
            '"flits": 3',
            [
                "1:52: events[0]: 'initiator' is missing; expected a whole number",
                "1:167: events[0].flits: 3 is out of bounds; expected at most 2",
            ],
        ),
        (
            '"jsched"',
            '"jshed"',
            [
                (
                    "1:222: expect: unknown key 'jshed'; expected one of doorbell, jsched, "
                    "ord_ini, btah_b, tpc_tx, cwnd, retrans, rtph_b or nth_b; did you mean "
                    "'jsched'?"
                )
            ],
        ),
        *(
            (
                "[49, 1]",
                new,
                [
                    (
                        f"1:212: expect.doorbell[0]: {told} does not fit; expected a cycle and the "
                        "id of a request, as in [49, 1]"
                    )
                ],
            )
            for new, told in (("[49]", "a list"), ("[49, 1, 1]", "a list"), ("49", "49"))
        ),
        (
            '"name"',
            '"nmae"',
            [
                "1:1: 'name' is missing; expected for example 'name: pcie_nic'",
                (
                    "1:2: unknown key 'nmae'; expected one of name, events, expect or "
                    "wire_first_flit; did you mean 'name'?"
                ),
            ],
        ),
        (
            '"id": 1, ',
            '"id": , ',
            ["1:155: this is no JSON: Expecting value; expected a scenario as an object"],
        ),
    ),
)
def test_a_broken_line_is_told_with_its_place(
    tmp_path: Path, old: str, new: str, errors: list[str]
) -> None:
    line = FILE.read_text().splitlines()[0]
    assert old in line
    file = tmp_path / "broken.jsonl"
    file.write_text(line.replace(old, new, 1))
    with pytest.raises(EmuError) as caught:
        verify_openurma_cycles(file)
    assert str(caught.value).splitlines() == [
        f"{file}:{error.replace('{file}', str(file))}" for error in errors
    ]


def test_all_lines_that_are_broken_are_told(tmp_path: Path) -> None:
    lines = FILE.read_text().splitlines()[:4]
    lines[1] = lines[1].replace('"ROL"', '"RLO"')
    lines[3] = lines[3].replace('"NO"', '"ON"')
    file = tmp_path / "broken.jsonl"
    file.write_text("\n\n".join(lines))
    with pytest.raises(EmuError) as caught:
        verify_openurma_cycles(file)
    places = [text.partition(": ")[0] for text in str(caught.value).splitlines()]
    assert places == [f"{file}:3:96", f"{file}:7:112"]


@pytest.mark.parametrize(
    ("content", "error"),
    (
        (b"", ":1:1: the file is empty; expected scenarios, an object a line"),
        (b"\n \n", ":1:1: the file is empty; expected scenarios, an object a line"),
        (b"\n[1]\n", ":2:1: this is no object; expected a scenario as an object"),
        (b"[" * 10**5, ":1:1: this is too large; expected a scenario as an object"),
        (b"\xff", ": this is not UTF-8; expected scenarios, an object a line"),
        (None, ": cannot be read: No such file or directory; expected scenarios, an object a line"),
    ),
)
def test_a_file_that_holds_none_is_told(tmp_path: Path, content: bytes | None, error: str) -> None:
    file = tmp_path / "broken.jsonl"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(EmuError) as caught:
        verify_openurma_cycles(file)
    assert str(caught.value) == f"{file}{error}"


@pytest.mark.parametrize(
    ("events", "error"),
    (
        ([], "1:1: no request is posted; expected at least one"),
        (scenarios()[0]["events"] * 2, "1:1: request 1 is posted twice; expected each once"),
    ),
)
def test_events_that_make_no_scenario_are_told(
    tmp_path: Path, events: list[Event], error: str
) -> None:
    file = written(tmp_path, {**scenarios()[0], "events": events})
    with pytest.raises(EmuError, match=error):
        verify_openurma_cycles(file)


# -- any scenario -------------------------------------------------------------------------------


def request(number: int, cycle: int, initiator: int, **more: Any) -> Event:
    plain = {"service": "ROI", "order": "NO", "fence": False, "op": "write", "flits": 2}
    return {
        "kind": "request",
        "cycle": cycle,
        "id": number,
        "initiator": initiator,
        **plain,
        **more,
    }


def check(events: list[Event]) -> Sender:
    """Runs the events by the table and by the second program, and compares."""
    sender = Sender(events)
    expect, wire = sender.run()
    scenario = Scenario(name="any", events=events, expect={}, wire_first_flit=[])
    got = departures(scenario, TABLE)
    for stage, left in expect.items():
        assert got[stage] == [tuple(one) for one in left], stage
    if not sender.is_mixed:
        assert got["ethenc"] == [(cycle,) for cycle in wire]
    return sender


MARKS = st.fixed_dictionaries(
    {
        "service": st.sampled_from(("ROI", "ROI", "ROT", "ROL", "UNO")),
        "order": st.sampled_from(("NO", "RO", "SO", "SO")),
        "fence": st.booleans(),
        "op": st.sampled_from(("read", "write")),
        "flits": st.sampled_from((1, 2)),
    }
)
#: Few initiators, of which some share a queue; many posts of one cycle, and pauses.
STEPS = st.lists(
    st.tuples(
        st.sampled_from((0, 0, 0, 1, 1, 2, 5, 20)),
        st.sampled_from((0, 1, 16, 17, 5)),
        st.one_of(MARKS, st.sampled_from(("fence_release", "order_release"))),
    ),
    min_size=1,
    max_size=60,
)


@given(STEPS)
def test_any_scenario_is_as_the_rules_say(steps: list[tuple[int, int, Any]]) -> None:
    events: list[Event] = []
    cycle = 1
    for number, (gap, initiator, what) in enumerate(steps):
        cycle += gap
        if isinstance(what, str):
            events.append({"kind": what, "cycle": cycle, "initiator": initiator})
        else:
            events.append(request(number, cycle, initiator, **what))
    if any(event["kind"] == "request" for event in events):
        check(events)


@pytest.mark.parametrize("flits", (1, 2))
@pytest.mark.parametrize("initiators", (1, 2))
def test_a_queue_that_is_full_drops_what_comes(flits: int, initiators: int) -> None:
    # They share a queue, which a scan empties far more slowly than it fills.
    events = [
        request(number, 1 + number // 3, QUEUES * (number % initiators), flits=flits)
        for number in range(80)
    ]
    sender = check(events)
    assert sender.dropped
    assert len(sender.expect["doorbell"]) == 80
    assert len(sender.expect["jsched"]) == 80 - len(sender.dropped)


@pytest.mark.parametrize("more", (0, 1))
def test_a_queue_holds_so_many_flits(more: int) -> None:
    # A fence that is never lifted stands first, and all others behind it.
    events = [
        request(0, 1, 0, op="read", flits=1),
        *(request(1 + n, 40 + n, 0, fence=True, flits=1) for n in range(DEPTH + more)),
    ]
    assert len(check(events).dropped) == more
