"""Batches: accepted together, served as one, and let go together."""

from __future__ import annotations

import pytest

from emu.path import Path
from emu.request import Request
from emu.run import ClosedLoop
from emu.stage import Served, Stage
from emu.trace.events import Kind
from emu.waits import DeadlockError
from emu.workload import Access
from tests.build import READ, WRITE, Post, clocked, delay, posts, run, station, table
from tests.engine.resources import channels, link, pcie, pool, use, user


def test_those_that_wait_are_accepted_together_and_leave_together() -> None:
    path = [station("x", "10 ns", batch=3, interval="50 ns")]
    made = run(table(path), posts(0, 1, 2, 3, 4, 5))
    assert made.accepted_ps("x") == [0, 50_000, 50_000, 50_000, 100_000, 100_000]
    assert made.left_ps("x") == [10_000, 60_000, 60_000, 60_000, 110_000, 110_000]
    assert made.parts(3) == {"service": 10_000, "interval": 49_997}
    assert made.parts(5) == {"service": 10_000, "arbitration": 49_995, "interval": 50_000}


def test_an_unlimited_batch_takes_all_that_wait() -> None:
    path = [clocked("x", 2, 100, batch="unlimited")]
    made = run(table(path), posts(0, *range(1, 40)))
    assert made.completions_ps() == [2000, *[102_000] * 39]
    assert made.order(Kind.COMPLETED) == list(range(40))


def test_a_batch_is_of_one_kind() -> None:
    path = [station("x", "10 ns", batch=4, interval="50 ns")]
    load = [Post(0), Post(1), Post(2), Post(3, WRITE), Post(4, WRITE), Post(5)]
    made = run(table(path), load)
    assert made.accepted_ps("x") == [0, 50_000, 50_000, 100_000, 100_000, 150_000]


class Knows(Stage):
    """Knows odd addresses."""

    looks_up = True

    def serve(self, request: Request, now_ps: int) -> Served | None:
        """At once."""
        return Served(skips=True) if request.address % 2 else None


def test_what_was_found_and_what_was_not_go_in_one_batch_later() -> None:
    path = [delay("look", "5 ns"), station("x", "10 ns", batch="unlimited", interval="50 ns")]
    load = [Post(0, address=1), *(Post(10_000, address=n) for n in range(4))]
    made = run(table(path, behaviour={"look": Knows}), load)
    assert made.accepted_ps("x") == [0, 50_000, 50_000, 50_000, 50_000]


# -- links ----------------------------------------------------------------------------------------


def test_a_batch_writes_once_over_pcie() -> None:
    path = [user("bell", "10 ns", use("pcie", as_="write", to="device", bytes="8 B"), batch=4)]
    made = run(table(path, resources={"pcie": pcie()}), posts(0, 0, 0))
    assert made.completions_ps() == [38_000] * 3
    assert made.parts(2) == {"service": 10_000, "serialisation": 28_000}


def test_a_batch_is_carried_once_by_a_link() -> None:
    path = [user("x", "10 ns", use("bus"), batch=4)]
    made = run(table(path, resources={"bus": link()}), posts(0, 0, 0))
    assert made.completions_ps() == [74_000] * 3


def test_a_batch_reads_the_bytes_of_each() -> None:
    path = [user("fetch", "100 ns", use("pcie", as_="read", to="device"), batch=4)]
    made = run(table(path, resources={"pcie": pcie(tags=1)}), [*posts(0, 0, 0), Post(1)])
    # For each of them 20 B of asking and 84 B of data.
    first_ps = 100_000 + 3 * (20_000 + 84_000)
    assert made.completions_ps() == [first_ps] * 3 + [first_ps + 204_000]
    assert made.parts(3) == {
        "service": 100_000,
        "serialisation": 104_000,
        "resource:pcie.tags": first_ps - 1,
    }
    assert not made.held()


def test_what_a_batch_waits_for_a_link_is_charged_to_each() -> None:
    path = [
        user("other", "0 ns", use("bus", bytes="500 B"), when=["write"]),
        user("x", "10 ns", use("bus"), batch=2, when=["read"]),
    ]
    made = run(table(path, resources={"bus": link()}), [Post(0, WRITE), *posts(1000, 1000)])
    assert made.completions_ps() == [500_000, 574_000, 574_000]
    for number in (1, 2):
        assert made.parts(number) == {
            "service": 10_000,
            "serialisation": 64_000,
            "resource:bus": 499_000,
        }


@pytest.mark.parametrize("direction", ("asked", "answered"))
def test_what_a_batch_waits_for_either_direction_is_charged_to_each(direction: str) -> None:
    to = "host" if direction == "asked" else "device"
    path = [
        user("other", "0 ns", use("pcie", as_="write", to=to, bytes="480 B"), when=["write"]),
        user("fetch", "100 ns", use("pcie", as_="read", to="device"), batch=2, when=["read"]),
    ]
    # 480 B are 520 ns in two packets.
    made = run(table(path, resources={"pcie": pcie()}), [Post(0, WRITE), *posts(1000, 1000)])
    # The answer comes 40 ns of asking and 100 ns later.
    waits_ps = 519_000 if direction == "asked" else 519_000 - 140_000
    name = f"resource:pcie.to_{to}"
    for number in (1, 2):
        request = made.requests[number]
        assert made.parts(number)[name] == waits_ps
        assert sum(made.parts(number).values()) == request.latency_ps == 308_000 + waits_ps


# -- what a batch holds ---------------------------------------------------------------------------


def test_a_batch_holds_one_unit_and_a_rider_has_none_to_give_back() -> None:
    path = [user("x", "10 ns", use("tag", until="far"), batch=2), delay("far", "90 ns")]
    made = run(table(path, resources={"tag": pool(1)}), posts(0, 0, 0, 0))
    assert made.completions_ps() == [100_000, 100_000, 200_000, 200_000]
    assert not made.held()


@pytest.mark.parametrize("until", ("x", "far"))
def test_riders_give_back_what_they_hold_from_before(until: str) -> None:
    path = [
        user("slots", "0 ns", use("slot", until=until)),
        station("x", "10 ns", batch=4),
        delay("far", "90 ns"),
    ]
    made = run(table(path, resources={"slot": pool(2)}), posts(0, 0, 0, 0))
    second_ps = 110_000 if until == "x" else 200_000
    assert made.completions_ps() == [100_000, 100_000, second_ps, second_ps]
    assert not made.held()


def test_nobody_rides_past_a_full_window() -> None:
    path = [user("x", "10 ns", use("w", until="far"), batch=2), delay("far", "90 ns")]
    load = [Post(0, initiator=1), Post(5000), Post(5000, initiator=1)]
    made = run(table(path, resources={"w": channels("private", 1)}), load)
    assert made.completions_ps() == [100_000, 105_000, 200_000]


def test_a_place_is_free_when_all_of_a_batch_have_left() -> None:
    path = [
        station("x", "1 ns", batch=2, depth=1),
        station("slow", "100 ns", depth=1, queue=1),
    ]
    made = run(table(path), posts(0, 0, 2000, 2000, 4000, 4000))
    # 0 is in `slow`, 1 in its queue until 101 ns, when 2 comes in. 3 leaves `x` at 201 ns.
    assert made.left_ps("x") == [1000, 1000, 101_000, 201_000, 301_000, 401_000]
    assert made.accepted_ps("x") == [0, 0, 2000, 2000, 201_000, 201_000]


def test_riders_keep_their_order() -> None:
    path = [station("x", "1 ns", batch=3), station("slow", "10 ns", depth=1, queue=1)]
    made = run(table(path), posts(*[0] * 7))
    assert [request.sequence for request in made.completed] == list(range(7))
    assert made.completions_ps() == [1000 + 10_000 * n for n in range(1, 8)]
    for request in made.requests:
        assert sum(made.parts(request.sequence).values()) == request.latency_ps


# -- ends, drops, waits ---------------------------------------------------------------------------


class Ends(Stage):
    """Ends every request."""

    def serve(self, request: Request, now_ps: int) -> Served | None:
        """At once."""
        return Served(ends=True)


@pytest.mark.parametrize("uses", ([], [use("bus")]))
def test_a_batch_that_ends_early_ends_for_all(uses: list[dict[str, str]]) -> None:
    path = [user("x", "10 ns", *uses, batch=4), delay("far", "1 us")]
    resources = {"bus": link()} if uses else {}
    made = run(table(path, resources=resources, behaviour={"x": Ends}), posts(0, 0, 0))
    assert len(set(made.completions_ps())) == 1
    assert len(made.completed) == 3
    assert not made.kernel.inside


def test_riders_that_find_no_place_are_dropped() -> None:
    path = [
        user("slots", "0 ns", use("slot", until="small")),
        station("x", "1 ns", batch=4),
        station("small", "10 ns", depth=1, queue=1, overflow="drop"),
    ]
    made = run(table(path, resources={"slot": pool(9)}), posts(0, 0, 0, 0))
    # One is inside, one in the queue.
    assert made.completions_ps() == [11_000, 21_000, -1, -1]
    assert [request.sequence for request in made.dropped] == [2, 3]
    assert not made.held()
    assert not made.kernel.inside


def test_riders_in_a_circle_of_waits_are_told() -> None:
    path = [
        station("x", "1 ns", batch=4),
        user("y", "1 ns", use("tag"), queue=1),
    ]
    way = Path(table(path, resources={"tag": pool(1)}))
    loop = ClosedLoop(way, [Access(READ, 64, 0)] * 4, 4)
    # Somebody else has the tag, and never gives it back.
    tag = next(pool for pool in loop.kernel.pools)
    tag.take(Request(99, READ, 64, 0, 0, way.plan(READ, 64)), 0)
    with pytest.raises(DeadlockError) as error:
        loop.run()
    lines = str(error.value).splitlines()
    assert lines[0] == "nothing moves any more at 1 ns, with 4 requests inside:"
    assert len(lines) == 5
    assert lines[2:] == [
        "  request 1 (read) at x waits for a place in the channel of y, full of 0",
        "  request 2 (read) at x waits for request 1, ahead of it there",
        "  request 3 (read) at x waits for request 1, ahead of it there",
    ]
