"""Depth, refill, interval, beats, links and the order inside a stage, to the cycle."""

from typing import Any

import pytest

from emu.trace.events import Kind
from tests.build import READ, WRITE, Post, clocked, delay, posts, run, station, table


def accepted_cycles(requests: int, **timing: Any) -> list[int]:
    """The cycles at which a clocked stage accepts requests that are all there at time 0."""
    made = run(table([clocked("x", **timing)]), posts(*[0] * requests))
    cycles = [divmod(at_ps, 1000) for at_ps in made.accepted_ps("x")]
    assert all(rest == 0 for _, rest in cycles)
    return [cycle for cycle, _ in cycles]


@pytest.mark.parametrize(
    ("latency", "interval", "depth", "refill", "expected"),
    (
        # A pipeline of nine stages needs nine places for one request a cycle.
        (9, 1, 9, "at_once", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
        (9, 1, 10, "at_once", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
        (9, 1, 8, "at_once", [0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12]),
        (9, 1, 1, "at_once", [0, 9, 18, 27]),
        (9, 1, 10, "next_edge", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
        (9, 1, 9, "next_edge", [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12]),
        (9, 1, 1, "next_edge", [0, 10, 20, 30]),
        # A ready that comes from a register: one request every two cycles, or with two places one.
        (1, 1, 1, "at_once", [0, 1, 2, 3]),
        (1, 1, 1, "next_edge", [0, 2, 4, 6]),
        (1, 1, 2, "next_edge", [0, 1, 2, 3]),
        (0, 1, 1, "at_once", [0, 1, 2, 3]),
        (0, 1, 1, "next_edge", [0, 1, 2, 3]),
        # The slower of interval and places decides.
        (9, 6, 2, "at_once", [0, 6, 12, 18]),
        (9, 4, 2, "at_once", [0, 4, 9, 13, 18, 22]),
        (9, 6, "unlimited", "at_once", [0, 6, 12, 18]),
        (3, 0, "unlimited", "at_once", [0, 0, 0, 0]),
        (3, 0, 2, "at_once", [0, 0, 3, 3, 6, 6]),
        (3, 0, 2, "next_edge", [0, 0, 4, 4, 8, 8]),
    ),
)
def test_when_a_stage_accepts(
    latency: int, interval: int, depth: object, refill: str, expected: list[int]
) -> None:
    places = {"depth": depth} if depth == "unlimited" else {"depth": depth, "refill": refill}
    assert accepted_cycles(len(expected), latency=latency, interval=interval, **places) == expected


def test_waits_for_a_place_and_for_the_interval_are_told_apart() -> None:
    made = run(table([clocked("x", 9, 4, depth=2)]), posts(0, 0, 0))
    assert made.parts(1) == {"service": 9000, "interval": 4000}
    assert made.parts(2) == {"service": 9000, "arbitration": 4000, "resource:x.depth": 5000}


def test_a_place_counts_as_taken_until_the_edge_at_which_it_can_be_refilled() -> None:
    made = run(table([clocked("x", 3, depth=1, refill="next_edge")]), posts(0, 500, 3400, 10_000))
    assert made.accepted_ps("x") == [0, 4000, 8000, 12_000]
    assert made.parts(1) == {"service": 3000, "resource:x.depth": 3500}
    assert made.parts(3) == {"service": 3000, "resource:x.depth": 2000}


def test_a_refilled_place_is_no_more_waited_for() -> None:
    # Two places: free from 6 and 7 ns on. The third request takes the one, and the fourth, which
    # comes at 7.5 ns, could take the other at once but for the edge.
    path = [clocked("x", 5, depth=2, refill="next_edge"), delay("z", "1 ns")]
    made = run(table(path), posts(0, 0, 0, 7500))
    assert made.accepted_ps("x") == [0, 1000, 6000, 8000]
    assert made.parts_at(3, "x") == {"service": 5000, "alignment": 500}


def test_a_place_freed_between_edges_is_taken_at_the_next() -> None:
    # `slow` accepts at any time, so `x` is left between edges.
    path = [clocked("x", 1, depth=1), station("slow", "1.5 ns", depth=1, queue=1)]
    made = run(table(path), posts(0, 0, 0, 0, 0))
    rows = [
        # stage, accepted, left
        ("x", [0, 1000, 2000, 3000, 4000], [1000, 2000, 3000, 4000, 5500]),
        ("slow", [1000, 2500, 4000, 5500, 7000], [2500, 4000, 5500, 7000, 8500]),
    ]
    for stage, accepted_ps, left_ps in rows:
        assert (made.accepted_ps(stage), made.left_ps(stage)) == (accepted_ps, left_ps), stage
    assert made.parts_at(4, "x") == {
        "service": 1000,
        "resource:x.depth": 4000,
        "backpressure": 500,
    }


def test_an_interval_between_edges_ends_at_the_next() -> None:
    made = run(table([station("x", "1 ns", interval="1.5 ns"), clocked("y", 1)]), posts(0, 0, 0))
    assert made.accepted_ps("x") == [0, 1500, 3000]
    assert made.accepted_ps("y") == [1000, 3000, 4000]
    assert made.parts_at(2, "x") == {"service": 1000, "arbitration": 1500, "interval": 1500}
    assert made.parts_at(1, "y") == {"service": 1000, "alignment": 500}


def test_an_interval_by_operation_is_that_of_the_request_before() -> None:
    path = [clocked("x", 1, {"read": "2 cycles", "write": "5 cycles"})]
    made = run(table(path), [Post(0, READ), Post(0, WRITE), Post(0, READ), Post(0, READ)])
    assert made.accepted_ps("x") == [0, 2000, 7000, 9000]


def test_an_interval_runs_through_idle_time() -> None:
    assert run(table([clocked("x", 1, 5)]), posts(0, 4500, 20_300)).accepted_ps("x") == [
        0,
        5000,
        21_000,
    ]


def test_a_beat_adds_to_latency_and_interval() -> None:
    path = [clocked("x", 9, 6, beat={"bytes": "32 B", "cost": "2 cycles"})]
    sizes = (0, 1, 32, 33, 64, 65, 32)
    made = run(table(path), [Post(0, WRITE, size) for size in sizes])
    # Beats after the first: 0, 0, 0, 1, 1, 2.
    assert made.accepted_ps("x") == [0, 6000, 12_000, 18_000, 26_000, 34_000, 44_000]
    assert made.left_ps("x") == [9000, 15_000, 21_000, 29_000, 37_000, 47_000, 53_000]
    assert made.parts(5) == {
        "service": 9000,
        "beats": 4000,
        "arbitration": 26_000,
        "interval": 8000,
    }


def test_a_beat_without_a_clock_costs_time() -> None:
    path = [station("x", "9 ns", interval="1 ns", beat={"bytes": "32 B", "cost": "700 ps"})]
    made = run(table(path), [Post(0, WRITE, 96), Post(0, WRITE, 96)])
    assert made.accepted_ps("x") == [0, 2400]
    assert made.completions_ps() == [10_400, 12_800]


def link(**timing: Any) -> Any:
    return station("x", "10 ns", bandwidth="10 GB/s", **timing)


@pytest.mark.parametrize(
    ("timing", "size", "serialisation_ps", "busy_ps"),
    (
        # 100 ps a byte.
        ({}, 64, 6400, 6400),
        ({}, 0, 0, 0),
        ({"cut_through": "64 B"}, 64, 0, 6400),
        ({"cut_through": "64 B"}, 65, 100, 6500),
        ({"cut_through": "64 B"}, 5, 0, 500),
        ({"interval": "7 ns"}, 64, 6400, 7000),
        ({"interval": "6.3 ns"}, 64, 6400, 6400),
        # Packets of 50 bytes: one for nothing, two for 64, and 10 bytes more for each.
        ({"header": "10 B"}, 64, 7400, 7400),
        ({"header": "10 B", "mtu": "50 B"}, 64, 8400, 8400),
        ({"header": "10 B", "mtu": "50 B"}, 50, 6000, 6000),
        ({"header": "10 B", "mtu": "50 B"}, 0, 1000, 1000),
        ({"header": "10 B", "mtu": "50 B", "cut_through": "64 B"}, 64, 2000, 8400),
        # The next can start once a beat and the wire are done with this one.
        ({"beat": {"bytes": "32 B", "cost": "9 ns"}}, 64, 6400, 9000),
    ),
)
def test_a_link_is_busy_for_all_its_bytes(
    timing: dict[str, Any], size: int, serialisation_ps: int, busy_ps: int
) -> None:
    made = run(table([link(**timing)]), [Post(0, WRITE, size), Post(0, WRITE, size)])
    assert made.accepted_ps("x") == [0, busy_ps]
    assert made.parts(0).get("serialisation", 0) == serialisation_ps
    beats_ps = made.parts(0).get("beats", 0)
    assert made.completions_ps()[0] == 10_000 + serialisation_ps + beats_ps


def test_a_link_never_carries_more_than_its_bandwidth() -> None:
    # A byte takes 142.86 ps: the latency is cut, and the time on the link rounded up.
    path = [station("x", "1 ns", bandwidth="7 GB/s")]
    made = run(table(path), [Post(0, WRITE, 1), Post(0, WRITE, 1), Post(0, WRITE, 7)])
    assert made.accepted_ps("x") == [0, 143, 286]
    assert made.completions_ps() == [1142, 1285, 2286]


def test_bytes_are_those_of_the_message_that_travels() -> None:
    # A read's request is 64 bytes whatever it reads; its response, behind the memory, the payload.
    path = [
        {**link(), "name": "out"},
        delay("mem", "30 ns", stage="memory"),
        {**link(), "name": "back"},
    ]
    made = run(table(path), [Post(0, READ, 200), Post(100_000, WRITE, 200)])
    assert made.parts_at(0, "out") == {"service": 10_000, "serialisation": 6400}
    assert made.parts_at(0, "back") == {"service": 10_000, "serialisation": 20_000}
    assert made.parts_at(1, "out") == {"service": 10_000, "serialisation": 20_000}
    assert made.parts_at(1, "back") == {"service": 10_000, "serialisation": 800}


@pytest.mark.parametrize(
    ("rounding", "finishes_ps", "rounding_ps"),
    (("down", 13_000, -400), ("up", 14_000, 600), ("nearest", 13_000, -400)),
)
def test_a_resolution_rounds_a_stage_once(
    rounding: str, finishes_ps: int, rounding_ps: int
) -> None:
    # 5.9 ns, a beat of 1.1 ns and 6.4 ns on the link: 13.4 ns.
    path = [station("x", "5.9 ns", bandwidth="10 GB/s", beat={"bytes": "32 B", "cost": "1.1 ns"})]
    made = run(table(path, resolution={"step": "1 ns", "round": rounding}), [Post(0, WRITE, 64)])
    assert made.completions_ps() == [finishes_ps]
    assert made.parts(0) == {
        "service": 5900,
        "beats": 1100,
        "serialisation": 6400,
        "rounding": rounding_ps,
    }
    assert made.path.derived_ps(WRITE, 64) == finishes_ps


def test_a_resolution_rounds_each_stage_for_itself_and_not_the_interval() -> None:
    clocks = {"nic": {"period": "3.106 ns", "aligned": False}}
    path = [clocked("x", 1), clocked("y", 1), delay("z", "500 ps")]
    made = run(
        table(path, clocks=clocks, resolution={"step": "1 ns", "round": "nearest"}), posts(0, 0)
    )
    assert made.accepted_ps("x") == [0, 3106]
    assert made.completions_ps() == [7000, 10_106]
    assert made.parts(0) == {"service": 6712, "rounding": 288}


# -- order inside a stage ---------------------------------------------------------------------

FAST_AND_SLOW = {"read": "2 cycles", "write": "10 cycles"}


def test_a_fast_one_behind_a_slow_one_waits_for_it() -> None:
    path = [clocked("x", FAST_AND_SLOW, depth=4), delay("z", "1 ns")]
    made = run(table(path), [Post(0, WRITE), Post(0, READ), Post(0, READ)])
    assert made.accepted_ps("x") == [0, 1000, 2000]
    assert made.times_ps(Kind.EMITTED, "x") == [10_000, 3000, 4000]
    assert made.left_ps("x") == [10_000, 10_000, 10_000]
    assert made.parts_at(1, "x") == {"service": 2000, "interval": 1000, "backpressure": 7000}
    assert made.completions_ps() == [11_000, 11_000, 11_000]


def test_it_keeps_its_place_while_it_waits() -> None:
    path = [clocked("x", FAST_AND_SLOW, depth=2)]
    made = run(table(path), [Post(0, WRITE), Post(0, READ), Post(0, READ)])
    assert made.accepted_ps("x") == [0, 1000, 10_000]


def test_a_plain_delay_keeps_no_order() -> None:
    path = [delay("x", {"read": "2 ns", "write": "10 ns"}), delay("z", "1 ns")]
    made = run(table(path), [Post(0, WRITE), Post(0, READ), Post(1000, READ)])
    assert made.left_ps("x") == [10_000, 2000, 3000]
    assert [request.sequence for request in made.completed] == [1, 2, 0]
    assert made.parts(1) == {"service": 3000}


@pytest.mark.parametrize("listen", (True, False))
def test_a_slow_one_may_hold_up_thousands(listen: bool) -> None:
    path = [station("x", {"read": "1 ns", "write": "1 us"}), delay("z", "1 ns")]
    made = run(table(path), [Post(0, WRITE), *posts(*[0] * 3000)], listen=listen)
    assert made.completions_ps() == [1_001_000] * 3001
