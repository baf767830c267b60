"""Who comes first when several want the same: arbitration, waiting time, number."""

import random
from typing import Any

import pytest

from emu.request import Request
from emu.stage import Served, Stage
from emu.time import Picoseconds
from emu.trace.events import Kind
from tests.build import READ, WRITE, Post, StageDict, clocked, delay, posts, run, station, table


def merge(**timing: Any) -> list[StageDict]:
    """Reads by `left` and writes by `right`, each 1 ns long, both into `x`, which takes 10 ns."""
    return [
        station("left", "1 ns", when=["read"]),
        station("right", "1 ns", when=["write"]),
        station("x", "10 ns", interval="10 ns", **{"queue": 1, **timing}),
    ]


R, W = READ, WRITE


@pytest.mark.parametrize(
    ("arbitration", "expected"),
    (
        # All are there at 1 ns, and a place in the channel comes every 10 ns.
        (None, [0, 1, 2, 3]),
        (["left", "right"], [1, 3, 0, 2]),
        (["right", "left"], [0, 2, 1, 3]),
        # Who is named comes before who is not.
        (["left"], [1, 3, 0, 2]),
        (["right"], [0, 2, 1, 3]),
    ),
)
@pytest.mark.parametrize("seed", (None, 1, 2, 3))
def test_the_tables_arbitration_decides_and_then_the_number(
    arbitration: list[str] | None, expected: list[int], seed: int | None
) -> None:
    timing = {} if arbitration is None else {"arbitration": arbitration}
    load = [Post(0, operation) for operation in (W, R, W, R)]
    shuffle = None if seed is None else random.Random(seed)
    made = run(table(merge(**timing)), load, shuffle=shuffle)
    assert made.order(Kind.ACCEPTED, "x") == expected


def test_who_has_waited_longest_comes_first() -> None:
    # 0 is being served, 1 in the channel; 3 is finished at 2 ns, 2 at 3 ns.
    load = [Post(0, R), Post(0, R), Post(2000, R), Post(1000, W)]
    made = run(table(merge()), load)
    assert made.order(Kind.ARRIVED, "x") == [0, 1, 3, 2]
    assert made.times_ps(Kind.ARRIVED, "x") == [1000, 1000, 21_000, 11_000]
    assert made.parts_at(3, "right") == {"service": 1000, "backpressure": 9000}


def test_arbitration_comes_before_waiting_time() -> None:
    load = [Post(0, R), Post(0, R), Post(2000, R), Post(1000, W)]
    made = run(table(merge(arbitration=["left"])), load)
    assert made.order(Kind.ARRIVED, "x") == [0, 1, 2, 3]


def test_in_the_channel_it_is_first_come_first_served_whatever_the_arbitration() -> None:
    load = [Post(0, R), Post(0, W), Post(1, R), Post(1, W), Post(2, R)]
    made = run(table(merge(queue="unlimited", arbitration=["left"])), load)
    assert made.order(Kind.ACCEPTED, "x") == [0, 1, 2, 3, 4]
    assert made.accepted_ps("x") == [1000, 11_000, 21_000, 31_000, 41_000]
    assert made.parts_at(2, "x") == {
        "service": 10_000,
        "arbitration": 9999,
        "interval": 10_000,
    }


def test_plain_delays_and_submissions_compete_by_number() -> None:
    # 2 comes from outside, 0 and 1 through delays, all at 5 ns.
    path = [
        delay("a", "5 ns", when=["read"]),
        delay("b", "2 ns", when=["write"]),
        station("x", "10 ns", interval="10 ns", queue=1),
    ]
    messages = {
        operation: {"request": "64 B", "response": "payload"}
        for operation in ("read", "write", "send")
    }
    load = [Post(3000, W), Post(0, R), Post(5000, READ.SEND)]
    for order in ([0, 1, 2], [2, 1, 0]):
        made = run(table(path, messages=messages), [load[n] for n in order])
        assert made.accepted_ps("x") == [5000, 15_000, 25_000]


@pytest.mark.parametrize("kind", ("plain", "station"))
@pytest.mark.parametrize("load", ([Post(0, R), Post(0, W)], [Post(0, W), Post(0, R)]))
def test_all_that_reach_a_channel_in_an_instant_compete_for_it(kind: str, load: list[Post]) -> None:
    # Reads pass a stage more, which has no limits and takes no time.
    path = [
        delay("left", "5 ns", when=["read"]),
        (delay if kind == "plain" else station)("more", "0 ns", when=["read"]),
        delay("right", "5 ns", when=["write"]),
        station("x", "10 ns", interval="10 ns", queue=1, arbitration=["more", "right"]),
    ]
    made = run(table(path), load)
    first = load[made.order(Kind.ACCEPTED, "x")[0]]
    assert first.operation is R


def test_units_of_a_pool_go_to_who_has_waited_longest() -> None:
    path = [
        station("left", "10 ns", uses=[{"resource": "tag"}], when=["read"]),
        station("right", "10 ns", uses=[{"resource": "tag"}], when=["write"]),
    ]
    tag = {"kind": "pool", "capacity": 1, "source": {"text": "a test", "kind": "assumed"}}
    load = [Post(0, R), Post(3000, R), Post(2000, W), Post(2000, W)]
    for seed in range(4):
        made = run(table(path, resources={"tag": tag}), load, shuffle=random.Random(seed))
        assert [request.sequence for request in made.completed] == [0, 2, 3, 1]
        assert made.completions_ps() == [10_000, 40_000, 20_000, 30_000]


# -- a look-up --------------------------------------------------------------------------------


class Cache(Stage):
    """Costs 10 ns where the address is new."""

    def __init__(self, parameters: object) -> None:
        super().__init__(parameters)
        self.seen: set[int] = set()

    def serve(self, request: Request, now_ps: int) -> Served | None:
        """Looks the address up, and remembers it."""
        if request.address in self.seen:
            return None
        self.seen.add(request.address)
        return Served((("cache_miss", Picoseconds(10_000)),))


LOOKUPS = {
    "plain": delay("cache", "1 ns"),
    "station": station("cache", "1 ns"),
}


@pytest.mark.parametrize("kind", LOOKUPS)
@pytest.mark.parametrize("seed", (None, *range(6)))
def test_look_ups_of_one_instant_are_made_by_number(kind: str, seed: int | None) -> None:
    source = table([LOOKUPS[kind]], behaviour={"cache": Cache})
    shuffle = None if seed is None else random.Random(seed)
    made = run(source, posts(0, 0, 0), shuffle=shuffle)
    missed = [made.parts(number).get("cache_miss", 0) for number in range(3)]
    assert missed == [10_000, 0, 0]


@pytest.mark.parametrize("kind", LOOKUPS)
@pytest.mark.parametrize("listen", (True, False))
def test_look_ups_do_not_depend_on_how_many_stages_lie_before(kind: str, listen: bool) -> None:
    # Both are there at 10 ns; the read's way there is one of many events, the write's of one.
    path = [
        *(delay(f"r{n}", "1 ns", when=["read"]) for n in range(10)),
        delay("w", "5 ns", when=["write"]),
        LOOKUPS[kind],
    ]
    source = table(path, behaviour={"cache": Cache})
    for load in ([Post(0, R), Post(5000, W)], [Post(5000, W), Post(0, R)]):
        made = run(source, load, listen=listen)
        assert [made.parts(number).get("cache_miss", 0) for number in (0, 1)] == [10_000, 0]


def test_requests_that_leave_in_one_instant_look_up_in_their_order() -> None:
    path = [
        station("x", {"read": "1 ns", "write": "9 ns"}),
        delay("cache", "1 ns"),
    ]
    load = [Post(0, W), *posts(0, 0, 0)]
    made = run(table(path, behaviour={"cache": Cache}), load)
    assert made.left_ps("x") == [9000] * 4
    missed = [made.parts(number).get("cache_miss", 0) for number in range(4)]
    assert missed == [10_000, 0, 0, 0]


@pytest.mark.parametrize("seed", range(4))
def test_a_shuffled_evaluation_changes_nothing_where_all_meet(seed: int) -> None:
    path = [
        clocked("a", 1, depth=2, queue=1, when=["read"]),
        clocked("b", 1, depth=2, queue=1, when=["write"], channel="registered"),
        clocked("m", 1, 2, depth=1, queue=1, arbitration=["b", "a"]),
        delay("z", "1 ns"),
    ]
    load = [Post(0, operation) for operation in (R, W, W, R, R, W, R, W)]
    plain = run(table(path), load)
    assert run(table(path), load, shuffle=random.Random(seed)).events == plain.events
    # `a` is there a cycle before `b`; from then on `b` is always ready first.
    assert plain.order(Kind.ACCEPTED, "m")[:2] == [0, 1]
