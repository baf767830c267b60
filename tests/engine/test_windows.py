"""Units for each initiator, windows of channels, and units that come back by themselves."""

from __future__ import annotations

from typing import Any

import pytest

from emu.request import Request
from emu.stage import Served, Stage
from tests.build import WRITE, Post, Run, clocked, delay, posts, run, station, table
from tests.engine.resources import channels, pool, use, user


def post(at_ps: int, initiator: int = 0, destination: int = 0) -> Post:
    return Post(at_ps, initiator=initiator, destination=destination)


WAY = [user("x", "10 ns", use("w", until="far")), delay("far", "90 ns")]


def test_units_for_each_initiator() -> None:
    made = run(
        table(WAY, resources={"w": pool(1, per="initiator")}),
        [post(0), post(0, 0, 1), post(0, 1), post(0, 2), post(5, 1)],
    )
    assert made.completions_ps() == [100_000, 200_000, 100_000, 100_000, 200_000]
    assert made.parts(1) == {"service": 100_000, "resource:w": 100_000}
    assert made.parts(4) == {"service": 100_000, "resource:w": 99_995}


def test_units_for_each_destination() -> None:
    made = run(
        table(WAY, resources={"w": pool(1, per="destination")}),
        [post(0), post(0, 0, 1), post(0, 1), post(0, 2, 2)],
    )
    assert made.completions_ps() == [100_000, 100_000, 200_000, 100_000]


#: Four initiators to two destinations, one request each, in the order of initiators.
ALL_PAIRS = [post(0, initiator, destination) for initiator in range(4) for destination in (0, 1)]


@pytest.mark.parametrize(
    ("sharing", "more", "rounds"),
    (
        ("private", {}, [1, 1, 1, 1, 1, 1, 1, 1]),
        ("shared", {}, [1, 1, 2, 2, 3, 3, 4, 4]),
        ("groups", {"groups": 2}, [1, 1, 1, 1, 2, 2, 2, 2]),
        ("groups", {"groups": 3}, [1, 1, 1, 1, 1, 1, 2, 2]),
        ("groups", {"groups": 1}, [1, 1, 2, 2, 3, 3, 4, 4]),
    ),
)
def test_who_shares_a_channel(sharing: str, more: dict[str, Any], rounds: list[int]) -> None:
    made = run(table(WAY, resources={"w": channels(sharing, 1, **more)}), ALL_PAIRS)
    assert made.completions_ps() == [100_000 * n for n in rounds]


def test_a_full_window_holds_up_no_other_channel_and_keeps_its_own_order() -> None:
    load = [post(0), post(0), post(0), post(3, 1), post(4), post(5, 1)]
    made = run(table(WAY, resources={"w": channels("private", 2)}), load)
    assert made.completions_ps() == [100_000, 100_000, 200_000, 100_003, 200_000, 100_005]
    assert [request.sequence for request in made.completed] == [0, 1, 3, 5, 2, 4]


def test_a_full_window_holds_up_no_other_channel_of_the_same_initiator() -> None:
    path = [user("x", "10 ns", use("slot"), use("w", until="far")), delay("far", "90 ns")]
    resources = {"slot": pool(4, per="initiator"), "w": channels("private", 1)}
    made = run(table(path, resources=resources), [post(0), post(0), post(0, 0, 1)])
    assert made.completions_ps() == [100_000, 200_000, 100_000]


@pytest.mark.parametrize(
    ("channel", "arrived_ps", "accepted_ps"),
    (
        ("bypass", 9500, 10_000),
        ("bypass", 10_000, 10_000),
        ("registered", 9500, 10_000),
        ("registered", 10_000, 11_000),
    ),
)
def test_a_full_window_of_a_clocked_stage_holds_up_no_other(
    channel: str, arrived_ps: int, accepted_ps: int
) -> None:
    path = [clocked("x", 1, channel=channel, uses=[use("w", until="far")]), delay("far", "99 ns")]
    load = [post(0), post(0), post(arrived_ps, 1)]
    made = run(table(path, resources={"w": channels("private", 1)}), load)
    first_ps = 0 if channel == "bypass" else 1000
    assert made.completions_ps() == [
        first_ps + 100_000,
        first_ps + 200_000,
        accepted_ps + 100_000,
    ]


def test_lanes_share_the_places_of_a_queue() -> None:
    path = [user("x", "10 ns", use("w"), queue=2)]
    load = [post(0), post(0), post(0), post(0), post(1, 1)]
    made = run(table(path, resources={"w": channels("private", 1)}), load)
    # 1 and 2 fill the queue, so 3 and then 4 of the other channel wait outside.
    assert made.completions_ps() == [10_000, 20_000, 30_000, 40_000, 30_000]
    assert made.parts(4) == {"service": 10_000, "backpressure": 19_999}


def test_who_has_waited_longest_for_a_unit_is_not_who_waits_for_another() -> None:
    path = [
        user("s", "0 ns", use("w", until="far"), use("tag", until="near"), when=["read"]),
        user("t", "0 ns", use("tag", until="near"), when=["write"]),
        delay("near", "20 ns"),
        delay("far", "1 us"),
    ]
    load = [post(0), post(1000), Post(5000, WRITE), post(10_000, 1)]
    source = table(path, resources={"w": channels("private", 1), "tag": pool(1)})
    made = run(source, load)
    # At 20 ns the tag comes back. Request 1 still has no window, so the write is first.
    assert made.parts_at(2, "t") == {"resource:tag": 15_000}
    assert made.parts_at(3, "s") == {"resource:tag": 30_000}
    assert made.completions_ps() == [1_020_000, 2_040_000, 1_040_000, 1_060_000]


def test_a_use_of_one_operation_does_not_last_as_long_as_that_of_another() -> None:
    reads, writes = use("tag", when=["read"], until="far"), use("tag", when=["write"])
    for uses in ([reads, writes], [writes, reads]):
        path = [user("x", "10 ns", *uses), delay("far", "90 ns")]
        made = run(table(path, resources={"tag": pool(1)}), [Post(0, WRITE), Post(0), Post(0)])
        assert made.completions_ps() == [100_000, 110_000, 210_000]


# -- units that come back by themselves -----------------------------------------------------------


def test_a_unit_for_a_time() -> None:
    path = [user("x", "10 ns", use("tag", for_="25 ns"))]
    made = run(table(path, resources={"tag": pool(2)}), posts(0, 0, 0, 0, 26_000))
    assert made.completions_ps() == [10_000, 10_000, 35_000, 35_000, 60_000]
    assert made.parts(4) == {"service": 10_000, "resource:tag": 24_000}
    assert not made.held()


def test_a_unit_comes_back_while_the_request_is_still_there() -> None:
    path = [user("x", "1 us", use("tag", for_="25 ns"))]
    made = run(table(path, resources={"tag": pool(1)}), posts(0, 0))
    assert made.completions_ps() == [1_000_000, 1_025_000]


def test_a_window_for_a_time() -> None:
    path = [user("x", "1 ns", use("w", for_="50 ns"))]
    load = [post(0), post(0), post(0, 1)]
    made = run(table(path, resources={"w": channels("private", 1)}), load)
    assert made.completions_ps() == [1000, 51_000, 1000]


# -- requests that leave the path or skip a part of it --------------------------------------------


class Ends(Stage):
    """Ends what has an odd address."""

    def serve(self, request: Request, now_ps: int) -> Served | None:
        """At once."""
        return Served(ends=True) if request.address % 2 else None


class Knows(Stage):
    """Knows odd addresses."""

    looks_up = True

    def serve(self, request: Request, now_ps: int) -> Served | None:
        """At once."""
        return Served(skips=True) if request.address % 2 else None


ODD, EVEN = Post(0, address=1), Post(0, address=2)


def test_a_unit_for_a_time_stays_out_when_the_request_ends() -> None:
    path = [
        user("x", "10 ns", use("tag", for_="25 ns")),
        delay("end", "1 ns"),
        delay("far", "1 us"),
    ]
    source = table(path, resources={"tag": pool(1)}, behaviour={"end": Ends})
    made = run(source, [ODD, ODD])
    assert made.completions_ps() == [11_000, 36_000]
    assert not made.held()


def test_a_pool_taken_twice_and_given_back_by_time_when_the_request_ends() -> None:
    path = [
        user("x", "10 ns", use("tag")),
        user("y", "10 ns", use("tag", for_="25 ns")),
        delay("end", "1 ns"),
        delay("far", "1 us"),
    ]
    source = table(path, resources={"tag": pool(1)}, behaviour={"end": Ends})
    made = run(source, [ODD, ODD])
    # Both want the tag at 10 ns, and request 1 has waited for it since 0. It is then in the way
    # of nobody: request 0 has it from 20 to 45 ns.
    assert made.completions_ps() == [31_000, 56_000]
    assert not made.held()


def test_what_ends_gives_back_the_windows_of_all_stages_before() -> None:
    path = [
        user("x", "10 ns", use("w", until="far")),
        user("y", "10 ns", use("tag", until="far")),
        delay("end", "1 ns"),
        delay("far", "100 ns"),
    ]
    resources = {"w": channels("shared", 1), "tag": pool(1)}
    made = run(table(path, resources=resources, behaviour={"end": Ends}), [ODD, EVEN, ODD])
    assert made.completions_ps() == [21_000, 142_000, 163_000]
    assert not made.held()


def test_what_skips_does_not_give_back_what_it_did_not_take() -> None:
    path = [user("look", "10 ns", use("tag", until="far")), delay("far", "90 ns")]
    source = table(path, resources={"tag": pool(1)}, behaviour={"look": Knows})
    made = run(source, [ODD, EVEN, EVEN, ODD])
    assert made.completions_ps() == [90_000, 100_000, 200_000, 90_000]
    assert not made.held()


def test_what_skips_gives_back_what_it_held_until_there() -> None:
    path = [user("x", "10 ns", use("tag", until="look")), station("look", "50 ns")]
    source = table(path, resources={"tag": pool(1)}, behaviour={"look": Knows})
    made = run(source, [ODD, EVEN, ODD])
    assert made.completions_ps() == [10_000, 70_000, 80_000]
    assert not made.held()


def test_pools_are_empty_in_the_middle_only_where_nobody_holds() -> None:
    made = Run(table(WAY, resources={"w": channels("private", 1)}), ALL_PAIRS)
    made.kernel.run(until_ps=99_999)
    assert made.held() == {"w": [0, 1, 2, 3, 4, 5, 6, 7]}
    made.kernel.run(until_ps=100_000)
    assert not made.held()
