from fractions import Fraction
from typing import Any

import pytest

from emu.fast.stops import stops_of, why_not
from emu.path import Path
from emu.plan import Plan
from emu.table import load
from emu.table.schema import Table
from tests.build import READ, StageDict, clocked, delay, station, table

SOURCE = {"text": "a test", "kind": "assumed"}
TAG = {"kind": "pool", "capacity": 1, "source": SOURCE}
LINK = {"kind": "link", "bandwidth": "50 GB/s", "source": SOURCE}


def plan(source: Table, size_bytes: int = 64) -> Plan:
    return Path(source).plan(READ, size_bytes)


def reason(path: list[StageDict], **head: Any) -> str | None:
    return why_not(plan(table(path, **head)))


def test_plain_delays_and_stations_of_all_limits_are_a_line() -> None:
    limited = clocked("b", 9, queue=2, depth=1, channel="registered", refill="next_edge")
    assert reason([delay("a", "1 ns"), limited, station("c", "0 ns", queue=1, depth=3)]) is None
    assert reason([delay("a", "1 ns")]) is None


@pytest.mark.parametrize(
    ("stage", "expected"),
    (
        (
            station("x", "1 ns", uses=[{"resource": "tag", "until": "x"}]),
            "stage x takes from tag",
        ),
        (station("x", "1 ns", uses=[{"resource": "link"}]), "stage x uses the link link"),
        (station("x", "1 ns", batch=2), "stage x accepts several requests together"),
        (
            station("x", "1 ns", queue=1, overflow="drop"),
            "stage x does not hold what its queue has no room for",
        ),
        (delay("x", "0 ns"), "requests take no time"),
        (delay("x", "2000 s"), "stage x takes longer than 1125.899906842624 s"),
        (station("x", "1 ns", queue=1 << 25), "stage x has more than 16777216 places"),
    ),
)
def test_what_is_no_line_says_why(stage: StageDict, expected: str) -> None:
    used = {use["resource"] for use in stage.get("uses", [])}
    resources = {name: spec for name, spec in (("tag", TAG), ("link", LINK)) if name in used}
    assert reason([stage], resources=resources) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    (
        ("context_onchip", "stage context_initiator decides as it goes"),
        ("ub_ordered", "stage scheduler keeps requests by its own rules"),
    ),
)
def test_stages_that_decide_are_no_line(name: str, expected: str) -> None:
    assert why_not(plan(load(name))) == expected


@pytest.mark.parametrize(
    ("clock", "period"),
    (
        ({"frequency": "2000 GHz"}, "1/2"),
        ({"period": "3.1234567891 ns"}, "31234567891/10000000"),
        ({"frequency": "0.0000001 Hz"}, "10000000000000000000"),
    ),
)
def test_a_clock_whose_edges_need_too_many_bits_is_no_line(clock: Any, period: str) -> None:
    expected = None
    if not 1 <= Fraction(period) <= 2**50:
        expected = f"clock nic has a period of {period} ps"
    assert reason([clocked("x", 1)], clocks={"nic": clock}) == expected


def test_a_stop_has_the_delays_before_it() -> None:
    path = [
        *(delay("a", "1 ns"), delay("b", "2 ns"), clocked("c", 9, interval=6)),
        *(station("d", "4 ns", interval="3 ns"), delay("e", "5 ns")),
    ]
    stops, behind_ps = stops_of(plan(table(path, clocks={"nic": "322 MHz"})))
    assert stops["hop"].tolist() == [2, 3]
    assert stops["ahead_ps"].tolist() == [3000, 0]
    assert stops["apart"].tolist() == [1, 0]
    assert behind_ps == 5000
    # 9 cycles are 27950 50/161 ps, and 6 are 18633 87/161.
    names = ("latency_ps", "latency_rest", "busy_ps", "busy_rest")
    assert [int(stops[name][0]) for name in names] == [27_950, 50, 18_633, 87]
