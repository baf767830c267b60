"""A channel that delivers in sequence, each time by hand: the ways are the tests'."""

from __future__ import annotations

from typing import Any

import pytest

from emu.stage import StageError
from emu.waits import who_waits_for_whom
from tests.build import Post, Run, delay, run
from tests.stages.ordered import (
    CHANNEL,
    KEPT,
    LOST,
    NS,
    check_sums,
    entry,
    held,
    left_ns,
    ordered,
    post,
    short,
)

PATH = ordered(CHANNEL, delay("end", "10 ns"))


def on_channel(*ways_ns: int, **changes: Any) -> list[Post]:
    """Requests of service mode ROL."""
    return [post(way_ns, service="ROL", **changes) for way_ns in ways_ns]


def test_what_came_early_waits_for_all_before_it() -> None:
    made = run(PATH, on_channel(50, 20, 70, 30))
    assert left_ns(made, "channel_order") == [50, 50, 70, 70]
    assert [request.sequence for request in made.completed] == [0, 1, 2, 3]
    assert held(made, "channel_order") == [(1, 20, 0), (3, 30, 2)]
    assert made.parts_at(1, "channel_order") == {"ordering": 30 * NS}
    assert made.parts_at(2, "channel_order") == {}
    assert made.parts_at(3, "channel_order") == {"ordering": 40 * NS}
    check_sums(made)


def test_all_that_wait_go_in_one_instant_and_in_sequence() -> None:
    made = run(PATH, on_channel(50, 40, 30, 20, 10))
    assert left_ns(made, "channel_order") == [50] * 5
    assert [request.sequence for request in made.completed] == [0, 1, 2, 3, 4]
    # Each behind the one before it, which had not come.
    assert held(made, "channel_order") == [(4, 10, 3), (3, 20, 2), (2, 30, 1), (1, 40, 0)]


@pytest.mark.parametrize("service", ("", "ROI", "ROT", "UNO"))
def test_other_services_pass(service: str) -> None:
    made = run(PATH, [*on_channel(50), post(20, "SO", service), *on_channel(30)])
    assert left_ns(made, "channel_order") == [50, 20, 50]


@pytest.mark.parametrize("order", ("", "NO", "RO", "SO"))
def test_the_order_of_a_transaction_makes_no_difference(order: str) -> None:
    made = run(PATH, on_channel(50, 20, order=order))
    assert left_ns(made, "channel_order") == [50, 50]


@pytest.mark.parametrize("apart", ({"initiator": 1}, {"destination": 1}))
def test_another_channel_is_on_its_own(apart: dict[str, Any]) -> None:
    made = run(PATH, [*on_channel(50), *on_channel(20, **apart)])
    assert left_ns(made, "channel_order") == [50, 20]


def test_a_stage_behind_that_is_full_holds_up_all_in_sequence() -> None:
    narrow = delay("end", "10 ns", interval="0 ns", depth=1, queue=1)
    made = run(ordered(CHANNEL, narrow), on_channel(50, 20, 30))
    assert made.completions_ps() == [60 * NS, 70 * NS, 80 * NS]
    check_sums(made)


def test_what_is_lost_is_not_waited_for() -> None:
    made = run(PATH, on_channel(LOST, 5, 20))
    assert left_ns(made, "channel_order") == [13, 20]
    assert held(made, "channel_order") == [(1, 5, 0)]


def test_a_report_says_who_never_came() -> None:
    made = Run(PATH, on_channel(KEPT, 5))
    made.kernel.run()
    assert who_waits_for_whom(made.kernel).splitlines()[2] == (
        "  request 1 (write) at channel_order waits for request 0"
    )


def test_without_numbers_it_says_what_is_missing() -> None:
    order = entry("channel_order", since="silent")
    path = [entry("numbers") | {"when": ["read"]}, entry("silent"), order, delay("end", "1 ns")]
    with pytest.raises(StageError, match=r"request 0 is in an order \(marked ROL\), and stage sil"):
        run(short(path), on_channel(5))
