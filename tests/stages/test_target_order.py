"""The order at the target, each time by hand: the ways are the tests', a memory takes 10 ns."""

from __future__ import annotations

from typing import Any

import pytest

from emu.stage import StageError
from emu.table import TableError
from emu.waits import who_waits_for_whom
from tests.build import Run, delay, run
from tests.stages.ordered import (
    KEPT,
    LOST,
    MEMORY,
    NS,
    check_sums,
    entry,
    held,
    left_ns,
    ordered,
    post,
    read,
    short,
    target,
)

ROT = ordered(target(), MEMORY)


def test_a_strict_one_waits_for_one_that_it_overtook() -> None:
    made = run(ROT, [post(50, "RO"), post(20, "SO")])
    assert left_ns(made, "memory") == [60, 71]
    assert held(made, "target_order") == [(1, 20, 0)]
    assert made.parts_at(1, "target_order") == {"ordering": 40 * NS, "service": 1 * NS}
    assert made.parts_at(0, "target_order") == {}
    check_sums(made)


def test_one_that_need_not_wait_costs_nothing() -> None:
    made = run(ROT, [post(20, "RO"), post(30, "SO"), post(41, "SO")])
    # The first left memory at 30 ns, just when the second came.
    assert left_ns(made, "memory") == [30, 40, 51]
    assert held(made, "target_order") == []
    assert made.parts_at(1, "target_order") == {}


@pytest.mark.parametrize(
    ("order", "service"),
    (
        *((order, service) for order in ("", "NO", "RO") for service in ("", "ROI", "ROT", "UNO")),
        *(("SO", service) for service in ("", "ROI", "ROL", "UNO")),
    ),
)
def test_only_strict_order_at_the_target_waits_here(order: str, service: str) -> None:
    made = run(ROT, [post(50, "RO"), post(20, order, service)])
    assert left_ns(made, "memory") == [60, 30]
    assert made.parts_at(1, "target_order") == {}


@pytest.mark.parametrize(("order", "service"), (("RO", "ROI"), ("SO", "ROL"), ("RO", "UNO")))
def test_what_is_ordered_is_waited_for_whatever_its_service(order: str, service: str) -> None:
    made = run(ROT, [post(50, order, service), post(20, "SO")])
    assert left_ns(made, "memory") == [60, 71]


@pytest.mark.parametrize("order", ("", "NO"))
def test_nobody_waits_for_what_is_not_ordered(order: str) -> None:
    made = run(ROT, [post(50, order), post(20, "SO")])
    assert left_ns(made, "memory") == [60, 30]


def test_it_waits_for_earlier_ones_alone() -> None:
    made = run(ROT, [post(20, "SO"), post(50, "RO"), post(60, "SO")])
    assert left_ns(made, "memory") == [30, 60, 70]


def test_strict_ones_follow_one_another() -> None:
    made = run(ROT, [post(40, "SO"), post(30, "SO"), post(20, "SO")])
    # Each waits for the one before to leave memory, and takes 1 ns to go on.
    assert left_ns(made, "memory") == [50, 61, 72]
    assert held(made, "target_order") == [(2, 20, 1), (1, 30, 0)]
    assert made.parts_at(2, "target_order") == {"ordering": 41 * NS, "service": 1 * NS}


def test_it_is_held_behind_the_last_that_has_not_executed() -> None:
    made = run(ROT, [post(70, "RO"), post(40, "RO"), post(50, "RO"), post(20, "SO")])
    # 2 executes at 60 ns, after 1; then only 0 is left.
    assert held(made, "target_order") == [(3, 20, 2), (3, 60, 0)]
    assert left_ns(made, "memory") == [80, 50, 60, 91]


@pytest.mark.parametrize("apart", ({"initiator": 1}, {"destination": 1}))
def test_initiators_and_destinations_do_not_wait_for_each_other(apart: dict[str, Any]) -> None:
    made = run(ROT, [post(50, "RO"), post(20, "SO", **apart)])
    assert left_ns(made, "memory") == [60, 30]
    assert held(made, "target_order") == []


def test_of_those_whose_turn_comes_in_one_instant_who_came_first_goes_first() -> None:
    source = ordered(target(latency="0 ns"), MEMORY, entry("values"))
    one = [post(50, "RO", address=64), post(30, "SO", operand=1)]
    other = [
        post(50, "RO", address=64, initiator=1),
        post(20, "SO", operand=2, initiator=1),
    ]
    made = run(source, [*one, *other, read(90, "NO")])
    assert left_ns(made, "target_order")[1::2] == [60, 60]
    # What goes last is what stays.
    assert made.requests[4].value == 1


def test_what_executes_in_the_instant_of_its_coming_holds_up_nobody() -> None:
    memory = MEMORY | {"latency": "0 ns"}
    made = run(ordered(target(), memory, entry("values")), [post(20, "RO"), post(20, "SO")])
    assert left_ns(made, "memory") == [20, 20]
    assert held(made, "target_order") == []


def test_without_a_latency_it_goes_in_the_instant_of_its_turn() -> None:
    made = run(ordered(target(latency="0 ns"), MEMORY), [post(50, "RO"), post(20, "SO")])
    assert left_ns(made, "memory") == [60, 70]
    assert made.parts_at(1, "target_order") == {"ordering": 40 * NS}


# -- those that do not come ---------------------------------------------------------------------


def test_what_is_lost_on_its_way_is_not_waited_for() -> None:
    made = run(ROT, [post(LOST, "RO"), post(5, "SO")])
    assert [request.sequence for request in made.dropped] == [0]
    assert left_ns(made, "memory") == [LOST + 1 + 10]
    assert held(made, "target_order") == [(1, 5, 0)]
    check_sums(made, but=[0])


def test_what_ends_on_its_way_is_not_waited_for() -> None:
    ends = entry("ends", latency="2 ns")
    made = run(ordered(ends, target(), MEMORY), [post(50, "RO", address=8), post(20, "SO")])
    # It ends when it leaves that stage, at 52 ns.
    assert made.completions_ps() == [52 * NS, 63 * NS]
    assert held(made, "target_order") == [(1, 22, 0)]
    check_sums(made)


def test_it_is_not_waited_for_where_it_does_not_come_by() -> None:
    order = target() | {"when": ["read"]}
    made = run(ordered(order, MEMORY), [post(50, "RO"), read(20, "SO")])
    assert left_ns(made, "memory") == [60, 30]


def test_a_report_says_who_never_came() -> None:
    made = Run(ROT, [post(KEPT, "RO"), post(20, "SO"), post(30, "SO"), post(10, "NO")])
    made.kernel.run()
    assert who_waits_for_whom(made.kernel).splitlines()[1:] == [
        "  request 0 (write) at way is kept by the rules of that stage",
        "  request 1 (write) at target_order waits for request 0",
        "  request 2 (write) at target_order waits for request 1",
    ]
    assert [request.sequence for request in made.completed] == [3]


def test_nothing_is_kept_of_those_that_are_through() -> None:
    made = run(ROT, [post(number % 12 + 1, ("RO", "SO")[number % 3 == 0]) for number in range(200)])
    check_sums(made)
    actor = made.path.actor("target_order").actor
    assert actor is not None
    assert vars(actor)["_places"] == vars(actor)["_held"] == {}


# -- paths that lack something --------------------------------------------------------------------


def test_without_numbers_it_says_what_is_missing() -> None:
    numbers = entry("numbers") | {"when": ["read"]}
    path = [numbers, entry("silent"), target(since="silent"), MEMORY]
    with pytest.raises(StageError) as error:
        run(short(path), [post(1, "NO"), post(20, "SO")])
    assert str(error.value) == (
        "stage target_order: request 1 is in an order (marked SO ROT), and stage silent gave it "
        "no number; expected 'since' to name a stage that does, an ordering_engine"
    )


def test_numbers_must_be_announced_in_their_order() -> None:
    # At a stage behind the ways they come as they have overtaken each other.
    path = [entry("silent"), target(since="silent"), MEMORY]
    run(ordered(*path), [post(10, "RO"), post(20, "SO")])
    with pytest.raises(StageError) as error:
        run(ordered(*path), [post(20, "RO"), post(10, "SO")])
    assert str(error.value) == (
        "stage target_order: request 0 comes to stage silent with number 0, after number 1 of the "
        "same order; expected 'since' to name the stage that gives the numbers"
    )


def test_a_request_that_was_not_announced_is_an_error() -> None:
    numbers = entry("numbers") | {"when": ["read"]}
    with pytest.raises(StageError) as error:
        run(short([numbers, target(), MEMORY]), [post(20, "RO"), post(20, "SO")])
    assert str(error.value) == (
        "stage target_order: request 1 waits for its turn (marked SO ROT), and has not come by "
        "stage numbers, which says after whom; expected all that comes here to come by there"
    )


@pytest.mark.parametrize(
    ("since", "problem"),
    (
        ("numbers", ""),
        ("numberz", "there is no stage 'numberz'; expected one of numbers, way, .*'numbers'"),
        ("target_order", "stage 'target_order' does not come before this one; expected an earlier"),
        ("memory", "stage 'memory' does not come before this one; expected an earlier stage"),
        ("plain", "stage 'plain' has no rules of its own, .*; expected one of numbers or way"),
    ),
)
def test_since_names_an_actor_before_it(since: str, problem: str) -> None:
    path = [delay("plain", "1 ns"), target(since=since), MEMORY]
    if not problem:
        assert ordered(*path).entries
        return
    with pytest.raises(TableError, match=rf"target_order\.since: {problem}"):
        ordered(*path)


def test_somebody_must_give_numbers() -> None:
    what = "target_order.since: stage 'silent' gives requests no numbers, and no stage before it"
    with pytest.raises(TableError, match=what):
        short([entry("silent"), target(since="silent"), MEMORY])


def test_since_needs_an_actor_at_all() -> None:
    with pytest.raises(TableError, match="announces nothing; expected an actor before this one"):
        short([delay("plain", "1 ns"), target(since="plain"), MEMORY])


def test_until_names_a_stage_behind_it() -> None:
    with pytest.raises(TableError, match=r"target_order\.until: stage 'way' comes before this one"):
        ordered(target(until="way"), MEMORY)


def test_early_reads_need_a_check() -> None:
    source = ordered(target(early_reads=True), MEMORY)
    run(source, [post(20, "SO")])
    with pytest.raises(StageError) as error:
        run(source, [read(20, "SO")])
    assert str(error.value) == (
        "stage target_order: request 0 would sample before its turn ('early_reads'), and stage "
        "memory ('until') does not check it; expected the name of a read_check"
    )
