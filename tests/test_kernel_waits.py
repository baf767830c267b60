"""Runs that cannot finish: a circle of waits, and an instant that never settles."""

from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any

import pytest

from emu.path import Path
from emu.request import Request
from emu.run import Access, ClosedLoop
from emu.table.schema import Table
from emu.unsettled import UnsettledError
from emu.waits import DeadlockError
from tests.build import READ, WRITE, Post, StageDict, clocked, delay, posts, run, station, table

SOURCE = {"text": "a test", "kind": "assumed"}


def loop(source: Table, accesses: Iterable[Access], outstanding: int) -> ClosedLoop:
    return ClosedLoop(Path(source), accesses, outstanding)


def message_of(error: type[Exception], closed_loop: ClosedLoop) -> list[str]:
    with pytest.raises(error) as caught:
        closed_loop.run()
    return str(caught.value).splitlines()


def opposite_order(**timing: Any) -> list[StageDict]:
    """Reads take `a` and then `b`, writes `b` and then `a`; both hold the first until the end."""
    legs = (("read", "a", "b"), ("write", "b", "a"))
    return [
        *(
            station(
                f"{word}_{first}",
                "10 ns",
                when=[word],
                uses=[{"resource": first, "until": "end"}],
                **timing,
            )
            for word, first, _ in legs
        ),
        *(
            station(
                f"{word}_{second}",
                "10 ns",
                when=[word],
                uses=[{"resource": second, "until": "end"}],
                **timing,
            )
            for word, _, second in legs
        ),
        delay("end", "1 ns"),
    ]


RESOURCES = {name: {"kind": "pool", "capacity": 1, "source": SOURCE} for name in ("a", "b")}


def test_two_pools_in_opposite_order_end_with_who_waits_for_whom() -> None:
    accesses = [Access(READ, 64, 0), Access(WRITE, 64, 0)]
    source = table(opposite_order(), resources=RESOURCES)
    assert message_of(DeadlockError, loop(source, accesses, 2)) == [
        "nothing moves any more at 10 ns, with 2 requests inside:",
        "  request 0 (read) in front of read_b waits for b, held by 1",
        "  request 1 (write) in front of write_a waits for a, held by 0",
        "  in a circle: 0 -> 1 -> 0",
    ]


def test_those_behind_are_named_but_not_in_the_circle() -> None:
    accesses = [Access(op, 64, 0) for op in (READ, WRITE, READ, READ)]
    source = table(opposite_order(), resources=RESOURCES)
    assert message_of(DeadlockError, loop(source, accesses, 4)) == [
        "nothing moves any more at 10 ns, with 4 requests inside:",
        "  request 0 (read) in front of read_b waits for b, held by 1",
        "  request 1 (write) in front of write_a waits for a, held by 0",
        "  request 2 (read) in front of read_a waits for a, held by 0",
        "  request 3 (read) in front of read_a waits for request 2, ahead of it there",
        "  in a circle: 0 -> 1 -> 0",
    ]


def test_one_after_the_other_there_is_no_circle() -> None:
    accesses = [Access(READ, 64, 0), Access(WRITE, 64, 0)]
    closed_loop = loop(table(opposite_order(), resources=RESOURCES), accesses, 1)
    closed_loop.run()
    assert (closed_loop.latency.count, closed_loop.last_completion_ps) == (2, 42_000)


def test_a_circle_through_full_places() -> None:
    # A read holds the tag and needs the place in `x` that a write has, which waits for the tag.
    path = [
        station("first", "1 ns", when=["read"], uses=[{"resource": "tag", "until": "x"}]),
        delay("later", "1 ns", when=["write"]),
        station("x", "1 ns", depth=1, queue=1),
        station("last", "1 ns", queue=1, when=["write"], uses=[{"resource": "tag"}]),
    ]
    tag = {"tag": {"kind": "pool", "capacity": 1, "source": SOURCE}}
    accesses = [Access(op, 64, 0) for op in (WRITE, WRITE, WRITE, READ)]
    lines = message_of(DeadlockError, loop(table(path, resources=tag), accesses, 4))
    assert lines == [
        "nothing moves any more at 3 ns, with 4 requests inside:",
        "  request 0 (write) in front of last waits for tag, held by 3",
        "  request 1 (write) at x waits for a place in the channel of last, full of 0",
        "  request 2 (write) in front of x waits for a place inside, taken by 1",
        "  request 3 (read) at first waits for a place in the channel of x, full of 2",
        "  in a circle: 0 -> 3 -> 2 -> 1 -> 0",
    ]


def test_everybody_on_the_way_is_told_for_what_he_waits() -> None:
    path = [
        station("x", "1 ns", depth=2, queue=1),
        station("y", "1 ns", queue=1, uses=[{"resource": "tag"}]),
    ]
    tag = {"tag": {"kind": "pool", "capacity": 1, "source": SOURCE}}
    way = Path(table(path, resources=tag))
    closed_loop = ClosedLoop(way, [Access(READ, 64, 0)] * 5, 5)
    # Somebody else has the tag, and never gives it back.
    pool = next(pool for one in closed_loop.kernel.stations for pool in one.pools)
    pool.take(Request(99, READ, 64, 0, 0, way.plan(READ, 64)), 0)
    assert message_of(DeadlockError, closed_loop) == [
        "nothing moves any more at 2 ns, with 5 requests inside:",
        "  request 0 (read) in front of y waits for tag, held by 99",
        "  request 1 (read) at x waits for a place in the channel of y, full of 0",
        "  request 2 (read) at x waits for request 1, ahead of it there",
        "  request 3 (read) in front of x waits for a place inside, taken by 1, 2",
        "  request 4 (read) outside waits for a place in the channel of x, full of 3",
    ]


def endless() -> Iterator[Access]:
    return (Access(READ, 64, 0) for _ in count())


@pytest.mark.parametrize("outstanding", (1, 3))
@pytest.mark.parametrize(
    "path",
    (
        [delay("stuck", "0 ns")],
        [station("stuck", "0 ns")],
        [clocked("stuck", 0, 0)],
        [delay("first", "0 ns"), station("stuck", "0 ns", depth=1, queue=1)],
    ),
)
def test_an_instant_that_never_settles_names_its_stages(
    path: list[StageDict], outstanding: int
) -> None:
    lines = message_of(UnsettledError, loop(table(path), endless(), outstanding))
    assert len(lines) == 1
    assert lines[0].startswith("at 0 ps nothing settles after 100000 steps; still active: ")
    assert "stuck" in lines[0]


def test_a_long_instant_that_settles_is_no_error() -> None:
    accesses = [Access(READ, 64, 0) for _ in range(20_000)]
    closed_loop = loop(table([station("x", "0 ns", depth=1, queue=1)]), accesses, 1)
    closed_loop.run()
    assert (closed_loop.latency.count, closed_loop.latency.largest) == (20_000, 0)


def test_a_crowd_that_leaves_in_one_instant_is_no_error() -> None:
    # One slow write holds up so many reads that there are more steps than an instant may take.
    path = [station("x", {"read": "1 ns", "write": "1 us"}), station("z", "1 ns")]
    crowd = 60_000
    made = run(table(path), [Post(0, WRITE), *posts(*[0] * crowd)], listen=False)
    assert made.completions_ps() == [1_001_000] * (crowd + 1)
