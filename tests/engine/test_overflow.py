"""Queues that overflow: what is lost, what it gives back, and what is counted."""

from __future__ import annotations

import pytest

from emu.contest import QueueOverflowError
from emu.driver import Driver
from emu.path import Path
from emu.trace.events import Kind
from emu.workload import Access, Closed, Timed
from tests.build import READ, WRITE, Post, Run, clocked, delay, posts, run, station, table
from tests.engine.resources import link, pcie, pool, use, user


def test_what_does_not_fit_is_dropped() -> None:
    path = [station("x", "10 ns", depth=1, queue=2, overflow="drop")]
    made = run(table(path), posts(0, 1, 2, 3, 4, 10_000, 10_001))
    assert made.completions_ps() == [10_000, 20_000, 30_000, -1, -1, 40_000, -1]
    assert [request.sequence for request in made.dropped] == [3, 4, 6]
    assert made.times_ps(Kind.DROPPED, "x") == [3, 4, 10_001]
    assert not made.kernel.inside


@pytest.mark.parametrize("overflow", ("hold", "drop", "error"))
def test_a_place_that_becomes_free_in_an_instant_is_taken_in_it(overflow: str) -> None:
    # The first is accepted in the instant in which it comes, and leaves its place to the second.
    path = [station("x", "10 ns", depth=1, queue=1, overflow=overflow)]
    made = run(table(path), posts(0, 0))
    assert made.completions_ps() == [10_000, 20_000]


@pytest.mark.parametrize("overflow", ("hold", "drop", "error"))
def test_a_place_that_becomes_free_further_on_in_an_instant_is_taken_in_it(overflow: str) -> None:
    path = [
        station("x", "10 ns", depth=1, queue=1, overflow=overflow),
        station("y", "10 ns", depth=1, queue=1),
    ]
    # At 20 ns request 0 leaves `y`, 1 goes there, 2 into `x`, and 3 takes the place of 2.
    made = run(table(path), posts(0, 5000, 15_000, 20_000))
    assert made.completions_ps() == [20_000, 30_000, 40_000, 50_000]


def test_of_several_the_last_in_the_order_of_arbitration_are_dropped() -> None:
    path = [
        delay("a", "5 ns", when=["read"]),
        delay("b", "5 ns", when=["write"]),
        station("x", "10 ns", depth=1, queue=1, overflow="drop", arbitration=["b", "a"]),
    ]
    load = [Post(0), Post(1), Post(0, WRITE), Post(1, WRITE)]
    made = run(table(path), load)
    # At 5 ns the write is first, and the read takes the place that it leaves.
    assert made.completions_ps() == [25_000, -1, 15_000, -1]


def test_a_registered_queue_drops_until_its_place_is_free() -> None:
    path = [clocked("x", 1, 1, queue=1, channel="registered", overflow="drop")]
    made = run(table(path), posts(0, 999, 1000, 1999, 2000))
    # The place of 0 is taken at 1 ns, and can be filled from 2 ns on.
    assert made.completions_ps() == [2000, -1, -1, -1, 4000]


def test_an_error_names_queue_time_and_request() -> None:
    path = [station("x", "10 ns", depth=1, queue=2, overflow="error")]
    made = Run(table(path), posts(0, 1, 2, 3))
    with pytest.raises(QueueOverflowError) as error:
        made.finish()
    assert str(error.value) == (
        "the queue of x overflows at 3 ps: all 2 places are taken, and request 3 comes"
    )


def test_what_is_dropped_gives_back_all_but_what_comes_back_by_itself() -> None:
    path = [
        user("first", "10 ns", use("slot", until="end"), use("credit", for_="1 us")),
        user("link", "0 ns", use("bus")),
        station("small", "1 us", depth=1, queue=1, overflow="drop"),
        delay("end", "10 ns"),
    ]
    resources = {"slot": pool(3), "credit": pool(4), "bus": link()}
    made = Run(table(path, resources=resources), posts(0, 0, 0))
    made.kernel.run(until_ps=201_999)
    assert made.held() == {"slot": [0, 1, 2], "credit": [0, 1, 2]}
    made.kernel.run(until_ps=202_000)
    # 10 ns and three times 64: the third finds one inside and one in the queue.
    assert [request.sequence for request in made.dropped] == [2]
    assert made.held() == {"slot": [0, 1], "credit": [0, 1, 2]}
    made.finish()
    assert made.completions_ps() == [1_084_000, 2_084_000, -1]
    assert not made.held()


def test_what_a_dropped_request_gives_back_can_be_taken_in_that_instant() -> None:
    path = [
        user("first", "10 ns", use("slot", until="small")),
        station("small", "1 us", depth=1, queue=1, overflow="drop"),
    ]
    made = run(table(path, resources={"slot": pool(3)}), posts(0, 0, 0, 0))
    assert [request.sequence for request in made.dropped] == [2, 3]
    assert made.times_ps(Kind.DROPPED, "small") == [10_000, 20_000]
    assert not made.held()


def test_a_read_that_is_dropped_behind_pcie_gives_back_its_tag() -> None:
    path = [
        user("fetch", "100 ns", use("pcie", as_="read", to="device")),
        station("small", "1 us", depth=1, queue=1, overflow="drop"),
    ]
    made = run(table(path, resources={"pcie": pcie(tags=1)}), posts(0, 0, 0, 0))
    assert [request.sequence for request in made.dropped] == [2, 3]
    assert made.times_ps(Kind.DROPPED, "small") == [3 * 204_000, 4 * 204_000]
    assert not made.held()


def test_a_dropped_request_keeps_the_place_of_nobody() -> None:
    path = [
        station("x", "10 ns", depth=1),
        station("small", "1 us", depth=1, queue=1, overflow="drop"),
    ]
    made = run(table(path), posts(*[0] * 5))
    assert made.times_ps(Kind.DROPPED, "small") == [30_000, 40_000, 50_000]
    assert made.completions_ps() == [1_010_000, 2_010_000, -1, -1, -1]


def counts(driver: Driver) -> tuple[int, int, dict[str, int], int]:
    return driver.posted, driver.latency.count, driver.dropped, len(driver.kernel.inside)


def test_posted_is_delivered_and_dropped_and_inside() -> None:
    path = [delay("far", "1 ns"), station("x", "10 ns", depth=1, queue=2, overflow="drop")]
    accesses = [(1000 * n, Access(READ, 64, 0)) for n in range(100)]
    driver = Driver(Path(table(path)), Timed(accesses))
    driver.run(until_ps=50_000)
    # Delivered at 11, 21, 31 and 41 ns; one is on the way, two wait, and one is served.
    assert counts(driver) == (51, 4, {"x": 43}, 4)
    driver.run()
    posted, delivered, dropped, inside = counts(driver)
    assert (posted, inside) == (100, 0)
    assert (delivered, dropped) == (12, {"x": 88})


def test_a_drop_posts_the_next_of_a_closed_loop() -> None:
    path = [delay("far", "1 ns"), station("x", "10 ns", depth=1, queue=1, overflow="drop")]
    stream = iter([Access(READ, 64, 0)] * 40)
    driver = Driver(Path(table(path)), Closed([stream], 3))
    driver.run()
    # One is served, one waits, and what comes besides is dropped: `x` is never idle.
    posted, delivered, dropped, inside = counts(driver)
    assert (posted, inside) == (40, 0)
    assert delivered + dropped["x"] == 40
    assert driver.last_completion_ps == 1000 + 10_000 * delivered
