from collections.abc import Hashable, Mapping
from fractions import Fraction

import pytest

from emu.channel import Channel, ChannelError
from emu.path import Path
from emu.request import Request
from emu.time import Clock
from emu.trace.events import Kind
from tests.build import READ, clocked, delay, posts, run, station, table

GHZ = Clock("nic", Fraction(1000))
PLAN = Path(table([delay("only", "1 ns")])).plan(READ, 64)


def request(number: int) -> Request:
    return Request(number, READ, 64, 0, 0, PLAN)


def test_it_is_first_in_first_out() -> None:
    channel = Channel("c", None)
    first, second = request(0), request(1)
    channel.put(first, 0)
    channel.put(second, 0)
    assert (channel.waiting, channel.heads(0)) == (2, [first])
    channel.take(first, 0)
    assert (channel.waiting, channel.heads(0)) == (1, [second])
    channel.take(second, 0)
    assert (channel.waiting, channel.heads(0), channel.requests()) == (0, [], [])


def test_a_bypass_adds_nothing() -> None:
    channel = Channel("c", 1)
    assert channel.free_places(7) == 1
    first = request(0)
    channel.put(first, 7)
    assert channel.free_places(7) == 0
    channel.take(first, 7)
    assert channel.free_places(7) == 1
    assert channel.next_change(7) is None


def test_an_unlimited_channel_has_any_number_of_places() -> None:
    channel = Channel("c", None)
    for number in range(100):
        channel.put(request(number), 0)
    assert channel.free_places(0) is None


def test_registered_both_ways_takes_an_edge() -> None:
    channel = Channel("c", 1, GHZ)
    first = request(0)
    channel.put(first, 1000)
    assert channel.heads(1000) == []
    assert channel.heads(1999) == []
    assert channel.next_change(1000) == 2000
    assert channel.heads(2000) == [first]
    assert channel.next_change(2000) is None
    channel.take(first, 2000)
    assert [channel.free_places(at) for at in (2000, 2999, 3000)] == [0, 0, 1]


def test_registered_between_edges_waits_for_the_next_one_only() -> None:
    channel = Channel("c", 2, GHZ)
    channel.put(request(0), 1001)
    assert channel.next_change(1001) == 2000


def test_registered_and_unlimited_delays_what_is_put_alone() -> None:
    channel = Channel("c", None, GHZ)
    first = request(0)
    channel.put(first, 0)
    channel.take(first, 1000)
    assert channel.free_places(1000) is None
    assert channel.next_change(1000) is None


def test_the_next_change_is_never_one_that_is_over() -> None:
    channel = Channel("c", 3, GHZ)
    requests = [request(number) for number in range(3)]
    for one in requests:
        channel.put(one, 0)
    channel.take(requests[0], 1000)
    channel.take(requests[1], 4000)
    # The place of 1000 ps has been free since 2000 ps; that of 4000 ps comes at 5000 ps.
    assert channel.next_change(4000) == 5000


def test_a_put_on_a_full_channel_is_an_error_with_channel_and_time() -> None:
    channel = Channel("wire_out", 1)
    channel.put(request(0), 5)
    with pytest.raises(ChannelError) as error:
        channel.put(request(8), 6)
    assert str(error.value) == "wire_out: put of request 8 at 6 ps, and all 1 places are taken"
    assert channel.waiting == 1


def test_a_put_before_a_registered_place_is_free_is_an_error() -> None:
    channel = Channel("c", 1, GHZ)
    first = request(0)
    channel.put(first, 0)
    channel.take(first, 1000)
    with pytest.raises(ChannelError, match=r"^c: put of request 1 at 1999 ps"):
        channel.put(request(1), 1999)
    channel.put(request(1), 2000)


def test_a_take_of_what_is_not_there_is_an_error_with_channel_and_time() -> None:
    with pytest.raises(ChannelError) as error:
        Channel("wire_out", 1).take(request(7), 6)
    assert str(error.value) == "wire_out: take of request 7 at 6 ps, and it can't be taken"


def test_a_take_of_what_is_not_first_is_an_error() -> None:
    channel = Channel("c", None)
    first, second = request(0), request(1)
    channel.put(first, 0)
    channel.put(second, 0)
    with pytest.raises(ChannelError, match=r"^c: take of request 1 at 5 ps"):
        channel.take(second, 5)
    assert channel.requests() == [first, second]


def test_a_take_before_the_edge_is_an_error() -> None:
    channel = Channel("c", 1, GHZ)
    first = request(0)
    channel.put(first, 0)
    with pytest.raises(ChannelError, match=r"^c: take of request 0 at 999 ps"):
        channel.take(first, 999)
    channel.take(first, 1000)


# Lanes: a queue for each, within the one capacity.


def by_lane(
    *,
    turns: bool = False,
    capacity: int | None = None,
    behind: Mapping[Hashable, Hashable] | None = None,
) -> Channel:
    """A channel whose lane is the address."""
    return Channel("c", capacity, lane_of=lambda one: one.address, turns=turns, behind=behind)


def waiting(number: int, lane: int, arrived_ps: int) -> Request:
    """A request that came to the channel at this time."""
    made = Request(number, READ, 64, lane, 0, PLAN)
    made.arrived_ps = arrived_ps
    return made


def test_a_lane_is_first_in_first_out_and_holds_up_no_other() -> None:
    channel = by_lane()
    a, b, c = waiting(0, 1, 0), waiting(1, 1, 5), waiting(2, 2, 7)
    for one in (a, b, c):
        channel.put(one, one.arrived_ps)
    assert channel.heads(7) == [a, c]
    with pytest.raises(ChannelError):
        channel.take(b, 7)
    channel.take(c, 7)
    assert channel.heads(7) == [a]
    channel.take(a, 7)
    assert channel.heads(7) == [b]


def test_lanes_share_the_capacity() -> None:
    channel = by_lane(capacity=2)
    channel.put(waiting(0, 1, 0), 0)
    channel.put(waiting(1, 2, 0), 0)
    assert channel.free_places(0) == 0
    with pytest.raises(ChannelError):
        channel.put(waiting(2, 3, 0), 0)


@pytest.mark.parametrize(
    ("turns", "expected"),
    (
        # Lane 1 has three requests, lane 2 two, and lane 3 one.
        (False, [0, 1, 2, 3, 4, 5]),
        (True, [0, 3, 5, 1, 4, 2]),
    ),
)
def test_lanes_are_served_in_turn_or_the_longest_waiting_first(
    turns: bool, expected: list[int]
) -> None:
    channel = by_lane(turns=turns)
    for number, lane in enumerate((1, 1, 1, 2, 2, 3)):
        channel.put(waiting(number, lane, number), number)
    served = []
    while channel.waiting:
        first = channel.heads(10)[0]
        channel.take(first, 10)
        served.append(first.sequence)
    assert served == expected


def served(channel: Channel, *load: tuple[int, int]) -> list[int]:
    """In which order they are taken, of lane and time each, the most preferred first."""
    for number, (lane, at_ps) in enumerate(load):
        channel.put(waiting(number, lane, at_ps), at_ps)
    order = []
    while channel.waiting:
        first = channel.heads(10)[0]
        channel.take(first, 10)
        order.append(first.sequence)
    return order


@pytest.mark.parametrize(
    ("load", "expected"),
    (
        # Lanes 2 and 3 keep behind lane 1, and 4 behind none.
        (((1, 0), (1, 1), (2, 2), (3, 3), (4, 4)), [0, 4, 1, 2, 3]),
        # What came first need not wait, and what came after it in its own lane does.
        (((2, 0), (1, 1), (2, 2), (1, 3)), [0, 1, 2, 3]),
        # Lane 1 waits for nobody.
        (((2, 0), (2, 0), (2, 0), (1, 1)), [0, 3, 1, 2]),
        # In one instant the number says who came first.
        (((2, 5), (1, 5), (3, 5)), [0, 1, 2]),
    ),
)
@pytest.mark.parametrize("turns", (True, False))
def test_a_lane_that_keeps_behind_another_waits_for_what_came_before(
    load: tuple[tuple[int, int], ...], expected: list[int], turns: bool
) -> None:
    channel = by_lane(turns=turns, behind={2: 1, 3: 1})
    order = served(channel, *load)
    assert order == expected if turns else sorted(order) == sorted(expected)
    at_ps = dict(enumerate(load))
    for place, number in enumerate(order):
        lane, came_ps = at_ps[number]
        if lane in (2, 3):
            earlier = [n for n, (one, time_ps) in at_ps.items() if one == 1 and time_ps < came_ps]
            assert set(earlier) <= set(order[:place]), number


# In a running path: when a stage that could take one request a cycle accepts them.


@pytest.mark.parametrize(
    ("queue", "channel", "accepted_cycles"),
    (
        ("unlimited", "bypass", [0, 1, 2, 3, 4, 5]),
        (1, "bypass", [0, 1, 2, 3, 4, 5]),
        ("unlimited", "registered", [1, 2, 3, 4, 5, 6]),
        (1, "registered", [1, 3, 5, 7, 9, 11]),
        (2, "registered", [1, 2, 3, 4, 5, 6]),
        (3, "registered", [1, 2, 3, 4, 5, 6]),
    ),
)
def test_what_a_channel_carries(queue: object, channel: str, accepted_cycles: list[int]) -> None:
    path = [clocked("x", 1, queue=queue, channel=channel)]
    made = run(table(path), posts(*[0] * 6))
    assert made.accepted_ps("x") == [1000 * cycle for cycle in accepted_cycles]


@pytest.mark.parametrize(
    ("queue", "entered_cycles"),
    ((1, [0, 2, 4, 6]), (2, [0, 0, 2, 3]), (3, [0, 0, 0, 2]), ("unlimited", [0, 0, 0, 0])),
)
def test_when_a_registered_place_can_be_filled(queue: object, entered_cycles: list[int]) -> None:
    path = [clocked("x", 1, queue=queue, channel="registered")]
    made = run(table(path), posts(0, 0, 0, 0))
    assert made.times_ps(Kind.ARRIVED, "x") == [1000 * cycle for cycle in entered_cycles]


def test_a_registered_place_is_filled_at_its_edge_though_earlier_ones_went_unnoticed() -> None:
    # Places come free at 2, 5, 8, 11 ns and so on. Nobody wants the one of 2 ns before 4.2 ns,
    # and then the one of 5 ns is wanted too.
    path = [clocked("x", 1, 3, queue=3, channel="registered")]
    made = run(table(path), posts(0, 0, 0, 4200, 4300))
    assert made.accepted_ps("x") == [1000, 4000, 7000, 10000, 13000]
    assert made.times_ps(Kind.ARRIVED, "x") == [0, 0, 0, 4200, 5000]
    assert made.parts(4) == {
        "service": 1000,
        "arbitration": 5000,
        "interval": 3000,
        "backpressure": 700,
    }


def test_the_wait_for_a_register_is_alignment() -> None:
    made = run(table([clocked("x", 2, channel="registered")]), posts(0, 10_400))
    assert made.parts(0) == {"service": 2000, "alignment": 1000}
    assert made.parts(1) == {"service": 2000, "alignment": 600}


def test_backpressure_reaches_back_through_full_channels() -> None:
    # The last stage takes 10 ns for each; one waits in front of it, one inside each stage before.
    path = [
        delay("issue", "1 ns"),
        station("first", "1 ns", depth=1, queue=1),
        station("last", "10 ns", depth=1, queue=1),
    ]
    made = run(table(path), posts(0, 0, 0, 0, 0))
    assert made.accepted_ps("last") == [2000, 12000, 22000, 32000, 42000]
    assert made.times_ps(Kind.ARRIVED, "last") == [2000, 3000, 12000, 22000, 32000]
    assert made.accepted_ps("first") == [1000, 2000, 3000, 12000, 22000]
    assert made.times_ps(Kind.ARRIVED, "first") == [1000, 1000, 2000, 3000, 12000]
    assert made.parts_at(2, "issue") == {"service": 1000, "backpressure": 1000}
    assert made.parts_at(2, "first") == {
        "service": 1000,
        "resource:first.depth": 1000,
        "backpressure": 8000,
    }
    assert made.parts_at(4, "issue") == {"service": 1000, "backpressure": 11000}
    assert made.parts_at(4, "first") == {
        "service": 1000,
        "resource:first.depth": 10000,
        "backpressure": 9000,
    }
    assert made.parts_at(4, "last") == {"service": 10000, "resource:last.depth": 10000}


def test_a_request_that_cannot_enter_the_first_channel_is_charged_to_its_stage() -> None:
    made = run(table([station("x", "10 ns", depth=1, queue=1)]), posts(0, 0, 0))
    assert made.times_ps(Kind.SUBMITTED) == [0, 0, 0]
    assert made.times_ps(Kind.ARRIVED, "x") == [0, 0, 10000]
    assert made.parts_at(2, "x") == {
        "service": 10000,
        "backpressure": 10000,
        "resource:x.depth": 10000,
    }
