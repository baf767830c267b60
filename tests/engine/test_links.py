"""Links that stages share: who carries when, to the picosecond. A byte takes a nanosecond."""

from __future__ import annotations

from typing import Any

import pytest

from emu.path import Path
from emu.request import Request
from emu.run import ClosedLoop
from emu.table import TableError
from emu.waits import DeadlockError
from emu.workload import Access
from tests.build import READ, WRITE, Post, clocked, delay, posts, run, station, table
from tests.engine.resources import link, pcie, pool, use, user


def test_stages_share_a_link_in_turns() -> None:
    path = [
        user("a", "0 ns", use("bus"), when=["read"]),
        user("b", "0 ns", use("bus"), when=["write"]),
    ]
    load = [*posts(0, 0, 0), *posts(0, 0, 0, operation=WRITE)]
    made = run(table(path, resources={"bus": link()}), load)
    assert made.completions_ps() == [64_000, 192_000, 320_000, 128_000, 256_000, 384_000]
    assert made.parts(5) == {"serialisation": 64_000, "resource:bus": 320_000}


def test_who_comes_while_another_is_carried_is_next() -> None:
    path = [
        user("a", "0 ns", use("bus"), when=["read"]),
        user("b", "0 ns", use("bus"), when=["write"]),
    ]
    load = [*posts(0, 0, 0), Post(1, WRITE)]
    made = run(table(path, resources={"bus": link()}), load)
    assert made.completions_ps() == [64_000, 192_000, 256_000, 128_000]


def test_one_stage_on_a_link_is_first_come_first_served() -> None:
    path = [user("a", "5 ns", use("bus"))]
    load = [Post(0, size_bytes=100), Post(0, WRITE, 10), Post(3, size_bytes=1)]
    made = run(table(path, resources={"bus": link()}), load)
    assert made.completions_ps() == [105_000, 115_000, 116_000]
    assert made.parts(2) == {"service": 5000, "serialisation": 1000, "resource:bus": 109_997}


def test_two_links_do_not_wait_for_each_other() -> None:
    path = [
        user("a", "0 ns", use("out"), when=["read"]),
        user("b", "0 ns", use("back"), when=["write"]),
    ]
    made = run(table(path, resources={"out": link(), "back": link()}), [Post(0), Post(0, WRITE)])
    assert made.completions_ps() == [64_000, 64_000]


def test_each_packet_of_a_link_has_a_header() -> None:
    path = [user("a", "0 ns", use("bus"))]
    resources = {"bus": link(mtu="100 B", header="7 B")}
    load = [Post(0, size_bytes=100), Post(10**6, size_bytes=101), Post(2 * 10**6, size_bytes=0)]
    made = run(table(path, resources=resources), load)
    taken_ps = [request.latency_ps for request in made.requests]
    assert taken_ps == [107_000, 115_000, 7000]


@pytest.mark.parametrize(("size", "late_ps"), ((40, 0), (64, 0), (100, 36_000)))
def test_what_cut_through_covers_adds_nothing_and_still_occupies(size: int, late_ps: int) -> None:
    path = [user("a", "5 ns", use("bus"), cut_through="64 B")]
    made = run(table(path, resources={"bus": link()}), posts(0, 0, size_bytes=size))
    assert made.completions_ps() == [late_ps + 5000, size * 1000 + late_ps + 5000]


def test_a_link_never_carries_more_than_its_bandwidth() -> None:
    # 3 GB/s: 10 B in 3333.3 ps, which is 3333 of latency and 3334 in which it is busy.
    path = [user("a", "0 ns", use("bus"))]
    source = table(path, resources={"bus": link(bandwidth="3 GB/s")})
    made = run(source, posts(0, 0, 0, size_bytes=10))
    assert made.completions_ps() == [3333, 6667, 10_001]


def test_bytes_of_its_own_in_place_of_the_payload() -> None:
    path = [user("a", "0 ns", use("bus", bytes="8 B"))]
    made = run(table(path, resources={"bus": link()}), posts(0, 0, size_bytes=4096))
    assert made.completions_ps() == [8000, 16_000]


def test_interval_binds_acceptance_and_not_the_link() -> None:
    path = [user("a", "0 ns", use("bus"), interval="100 ns")]
    made = run(table(path, resources={"bus": link()}), posts(0, 0))
    assert made.completions_ps() == [64_000, 164_000]
    assert made.parts(1) == {"serialisation": 64_000, "interval": 100_000}


def test_a_place_inside_is_held_until_the_data_is_there() -> None:
    path = [user("a", "10 ns", use("bus"), depth=2)]
    made = run(table(path, resources={"bus": link()}), posts(0, 0, 0))
    # The third is accepted when the first has left, and the second is on the link until 128 ns.
    assert made.completions_ps() == [74_000, 138_000, 202_000]
    assert made.parts(2) == {
        "service": 10_000,
        "serialisation": 64_000,
        "resource:a.depth": 74_000,
        "resource:bus": 54_000,
    }


def test_backpressure_keeps_the_place_of_a_stage_with_a_link() -> None:
    path = [
        user("a", "0 ns", use("bus", bytes="1 B"), depth=1),
        station("slow", "100 ns", depth=1, queue=1),
    ]
    made = run(table(path, resources={"bus": link()}), posts(0, 0, 0, 0))
    assert made.completions_ps() == [101_000, 201_000, 301_000, 401_000]
    assert made.parts_at(3, "a") == {
        "serialisation": 1000,
        "backpressure": 99_000,
        "resource:a.depth": 101_000,
    }
    assert not made.held()


def test_a_clocked_stage_sends_after_its_latency() -> None:
    path = [clocked("a", 3, 1, uses=[use("bus")])]
    made = run(table(path, resources={"bus": link()}), posts(0, 500))
    assert made.completions_ps() == [67_000, 131_000]
    assert made.parts(1) == {
        "service": 3000,
        "serialisation": 64_000,
        "interval": 500,
        "resource:bus": 63_000,
    }


def test_a_freed_place_of_a_clocked_stage_with_a_link_is_taken_at_once() -> None:
    path = [clocked("a", 1, depth=1, uses=[use("bus", bytes="0 B")])]
    made = run(table(path, resources={"bus": link()}), posts(0, 0, 0))
    assert made.completions_ps() == [1000, 2000, 3000]


def test_a_place_that_is_free_with_the_data_has_no_edge_to_wait_for() -> None:
    path = [clocked("a", 1, depth=1, refill="next_edge", uses=[use("bus")])]
    with pytest.raises(TableError, match="'next_edge' is of no use"):
        table(path, resources={"bus": link()})


@pytest.mark.parametrize("kind", ("plain", "clocked", "read"))
def test_a_request_that_cannot_go_on_holds_up_no_other_stage(kind: str) -> None:
    far = use("bus", as_="write", to="device") if kind == "read" else use("bus")
    first = {
        "plain": user("a", "0 ns", far, when=["read"]),
        "clocked": clocked("a", 0, 0, uses=[far], when=["read"]),
        "read": user("a", "0 ns", use("bus", as_="read", to="device"), when=["read"]),
    }[kind]
    path = [
        first,
        station("slow", "1 us", depth=1, queue=1, when=["read"]),
        user("c", "0 ns", far, when=["write"]),
    ]
    bus = pcie(header="0 B") if kind == "read" else link()
    # The third read is off the link at 192 ns, and finds no place in front of `slow`.
    made = run(table(path, resources={"bus": bus}), [*posts(0, 0, 0), Post(400_000, WRITE)])
    assert made.completions_ps() == [1_064_000, 2_064_000, 3_064_000, 464_000]


def test_a_link_that_is_passed_twice_makes_no_circle_of_waits() -> None:
    path = [
        clocked("a", 0, 0, uses=[use("bus")]),
        clocked("b", 10, 1, depth=1, queue=1, uses=[use("bus")]),
    ]
    # Request 2 is off the link and finds no place in front of `b`, which is full until request 0
    # has passed the link once more.
    made = run(table(path, resources={"bus": link()}), posts(0, 0, 0, 0))
    assert [request.sequence for request in made.completed] == [0, 1, 2, 3]


def test_who_is_off_a_link_and_waits_is_told() -> None:
    path = [clocked("a", 0, 0, uses=[use("bus")]), user("b", "0 ns", use("tag"), queue=1)]
    way = Path(table(path, resources={"bus": link(), "tag": pool(1)}))
    loop = ClosedLoop(way, [Access(READ, 64, 0)] * 2, 2)
    # Somebody else has the tag, and never gives it back.
    tag = next(one for one in loop.kernel.pools if one.name == "tag")
    tag.take(Request(99, READ, 64, 0, 0, way.plan(READ, 64)), 0)
    with pytest.raises(DeadlockError) as error:
        loop.run()
    assert str(error.value).splitlines() == [
        "nothing moves any more at 128 ns, with 2 requests inside:",
        "  request 0 (read) in front of b waits for tag, held by 99",
        "  request 1 (read) at a waits for a place in the channel of b, full of 0",
    ]


def arbitrated(first: dict[str, Any], second: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {**first, "when": ["read"]},
        {**second, "when": ["write"]},
        station("merge", "10 ns", queue=1, depth=1, arbitration=["b", "a"]),
    ]


@pytest.mark.parametrize("kind", ("delay", "station", "link"))
def test_arbitration_knows_stages_of_every_kind(kind: str) -> None:
    a, b = {
        "delay": [delay(name, "64 ns") for name in "ab"],
        "station": [station(name, "64 ns") for name in "ab"],
        "link": [user(name, "0 ns", use(f"to_{name}")) for name in "ab"],
    }[kind]
    resources = {"to_a": link(), "to_b": link()} if kind == "link" else {}
    path = arbitrated(a, b)
    made = run(table(path, resources=resources), [Post(0), Post(0, WRITE)])
    assert made.completions_ps() == [84_000, 74_000]


def test_the_same_link_twice_on_one_way() -> None:
    path = [user("a", "1 ns", use("bus")), user("b", "2 ns", use("bus"))]
    made = run(table(path, resources={"bus": link()}), posts(0, 0))
    # 0 by a until 64, 1 by a until 128, 0 by b until 192, 1 by b until 256.
    assert made.completions_ps() == [194_000, 258_000]
    assert made.parts_at(0, "b") == {
        "service": 2000,
        "serialisation": 64_000,
        "resource:bus": 63_000,
    }
