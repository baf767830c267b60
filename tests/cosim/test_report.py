"""Reports: what people read, and what programs do."""

from __future__ import annotations

import json
from dataclasses import replace

from emu.cosim.report import (
    Difference,
    Explanation,
    PortEvent,
    Result,
    StageVisit,
    result_from_json,
)

EQUAL = Result(
    seed=3,
    mode="exact",
    offer="always",
    ready="pauses(30)",
    cycles=512,
    matched={"in": 40, "out": 39},
    left_over=1,
)
DIFFERENT = replace(
    EQUAL,
    left_over=0,
    difference=Difference(
        kind="event",
        cycle=41,
        time_ps=127_346,
        port="out",
        signals=["m_tvalid", "m_tready"],
        what="handshake 7 carries other values",
        dut=PortEvent(7, 41, {"id": 8, "flag": 1}),
        emulator=PortEvent(7, 41, {"id": 7, "flag": 1}),
        last_of_dut={"in": [PortEvent(9, 40, {"id": 9})], "out": []},
        last_of_emulator={"in": [PortEvent(9, 39, {"id": 9})], "out": []},
        explanation=Explanation(
            7, "x accepted it in this cycle", [StageVisit("x", 41, 41, 45, -1, {"service": "4"})]
        ),
        dut_ports=["'in' is offered nothing; ready is 1"],
        emulator_waits=["nothing moves"],
    ),
    files=["a.vcd"],
)


def test_an_equal_run_is_one_line() -> None:
    assert list(EQUAL.lines()) == [
        (
            "seed 3: equal in 512 cycles (exact; offered always, ready pauses(30)); agreed: 40 at "
            "'in', 39 at 'out'; left over: 1"
        )
    ]
    assert EQUAL.is_equal


def test_a_run_that_ctrl_c_ended_says_how_far_it_came() -> None:
    (line,) = replace(EQUAL, interrupted=True).lines()
    assert line.startswith("seed 3: interrupted, and equal up to there, in 512 cycles (exact; ")


def test_a_difference_shows_both_sides_field_by_field() -> None:
    assert list(DIFFERENT.lines()) == [
        (
            "seed 3: DIFFERENT in 512 cycles (exact; offered always, ready pauses(30)); agreed: "
            "40 at 'in', 39 at 'out'"
        ),
        "  cycle 41, 127.346 ns, port 'out' (m_tvalid, m_tready): handshake 7 carries other values",
        "",
        "           DUT  emulator",
        "    cycle   41        41",
        "    id       8         7  <",
        "    flag     1         1",
        "",
        "    last at 'in' that agree",
        "      9 at cycle 40: id=9 (emulator: cycle 39)",
        "",
        "    none at 'out' agree",
        "",
        "    the emulator on item 7: x accepted it in this cycle",
        "      x: arrived 41, accepted 41, finished 45 (service 4)",
        "",
        "    DUT",
        "      'in' is offered nothing; ready is 1",
        "",
        "    emulator",
        "      nothing moves",
        "  written: a.vcd",
    ]


def test_one_side_without_an_event_is_a_dash() -> None:
    assert DIFFERENT.difference is not None
    alone = replace(DIFFERENT.difference, dut=None)
    assert list(alone.lines())[2:6] == [
        "         DUT  emulator",
        "  cycle    -        41  <",
        "  id       -         7  <",
        "  flag     -         1  <",
    ]


def test_a_result_comes_back_from_json() -> None:
    for result in (EQUAL, DIFFERENT):
        said = json.loads(json.dumps(result.as_json()))
        assert said["equal"] is result.is_equal
        assert result_from_json(said) == result
