"""The ordering engine: what is held, behind whom, and until when, each edge by hand."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.driver import Driver
from emu.path import Path
from emu.request import Operation
from emu.table import TableError
from emu.table.schema import Table
from emu.trace.events import Kind
from emu.waits import DeadlockError
from emu.workload import Access, Timed
from tests.build import Post, clocked, delay, run, station
from tests.stages.dispatched import (
    CYCLE,
    answered,
    check_sums,
    engine,
    held,
    left,
    parts,
    path,
    post,
)

SCAN = {"pick": "scan", "queues": 4}
SEQUENCE = path(engine())
COUNT = path(engine(tracking="count"))
SERVICES = ("ROI", "ROT", "ROL", "UNO", "")
ORDERS = ("NO", "RO", "SO", "")
EVERY = [
    path(engine(tracking=tracking, strict=strict, **pick))
    for tracking in ("count", "sequence")
    for strict in (False, True)
    for pick in ({}, SCAN)
]


# -- what need not wait -------------------------------------------------------------------------


@pytest.mark.parametrize("source", EVERY)
@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize("order", ORDERS)
def test_an_order_that_need_not_wait_costs_no_cycle(
    source: Table, service: str, order: str
) -> None:
    made = run(source, [post(5, 2, order, service)])
    assert left(made) == {0: 6}
    assert parts(made, 0) == {"service": 1000}


@pytest.mark.parametrize("source", (SEQUENCE, COUNT, path(engine(**SCAN))))
@pytest.mark.parametrize("before", ("NO", "RO", "SO", ""))
@pytest.mark.parametrize(
    ("order", "service"),
    (
        *((order, service) for order in ("NO", "RO", "") for service in SERVICES),
        *(("SO", service) for service in ("ROT", "ROL", "UNO")),
    ),
)
def test_only_strict_order_waits_and_only_at_the_initiator(
    source: Table, before: str, order: str, service: str
) -> None:
    made = run(source, [post(0, 0, before), post(1, 0, order, service)])
    assert left(made) == {0: 1, 1: 2}


# -- what waits ---------------------------------------------------------------------------------


@pytest.mark.parametrize("source", (SEQUENCE, COUNT))
@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize("before", ("RO", "SO"))
def test_strict_order_waits_for_all_before_it_whatever_their_service(
    source: Table, service: str, before: str
) -> None:
    load = [
        post(0, 0, before, service, destination=3),
        post(1, 0, "NO"),
        post(2, 0, "SO", "ROI"),
        post(3, 0, "SO"),
    ]
    made = answered(source, load, (10, 1), (20, 0), (30, 0))
    assert left(made) == {0: 1, 1: 2, 2: 21, 3: 31}
    assert parts(made, 2) == {"ordering": 18_000, "service": 1000}
    assert parts(made, 3) == {"ordering": 27_000, "service": 1000}
    # The last one waits for the one in front of it, which waits for the first.
    assert held(made) == [(2, 2, 0), (3, 3, 2)]
    check_sums(made)


def test_initiators_never_wait_for_each_other() -> None:
    load = [post(0, 9, "RO"), post(1, 9, "SO"), *(post(2, n % 4, "SO") for n in range(4))]
    made = run(SEQUENCE, load)
    assert left(made) == {0: 1, 2: 3, 3: 4, 4: 5, 5: 6}


def test_behind_whom_it_waits_is_told_again_when_that_changes() -> None:
    # The second is answered first.
    source = path(engine(until="far"), delay("far", {"write": "9 ns", "other": "20 ns"}))
    made = run(source, [post(0, 0, "RO"), post(1, 0, "RO", write=True), post(2, 0, "SO")])
    assert held(made) == [(2, 2, 1), (11, 2, 0)]
    assert left(made) == {0: 1, 1: 2, 2: 22}
    assert parts(made, 2) == {"ordering": 19_000, "service": 1000}


def test_an_answer_from_outside_is_to_the_oldest_that_was_sent() -> None:
    load = [post(0, 0, "RO"), post(1, 0, "SO"), post(2, 0, "RO"), post(3, 0, "SO")]
    made = answered(SEQUENCE, load, (10, 0), (20, 0), (30, 0))
    # At 20 it is the first SO, which came before the RO that passed it.
    assert left(made) == {0: 1, 2: 3, 1: 11, 3: 31}


def test_what_is_lost_is_answered() -> None:
    small = station("small", "100 ns", depth=1, queue=1, overflow="drop")
    source = path(engine(until="end"), small, delay("end", "0 ns"))
    load = [post(0, 1), post(0, 2), post(0, 5, "RO"), post(1, 5, "SO")]
    made = run(source, load)
    # Initiators 1 and 2 take the places. The RO goes third and is lost at 3; the SO follows.
    assert [one.sequence for one in made.dropped] == [2, 3]
    assert made.times_ps(Kind.DROPPED, "small") == [3000, 4000]


def test_a_program_that_waits_for_ever_is_told_whom_it_waits_for() -> None:
    accesses = [Access(Operation.READ, 32, 0, 0, 0, order) for order in ("RO", "SO", "SO")]
    driver = Driver(Path(SEQUENCE), Timed((0, access) for access in accesses))
    with pytest.raises(DeadlockError) as error:
        driver.run()
    told = "request 1 (read) at x waits for request 0, which has left: nothing here answers it"
    assert told in str(error.value)
    assert "request 2 (read) at x waits for request 1" in str(error.value)


def test_without_a_clock_all_answers_of_an_instant_are_taken_in_it() -> None:
    timed = engine(latency="2 ns", interval="0 ns", until="far")
    del timed["clock"]
    made = run(
        path(timed, delay("far", "5 ns")),
        [*(post(0, n, "RO") for n in (0, 0, 1)), post(0, 0, "SO")],
    )
    assert made.completions_ps() == [7000, 7000, 7000, 14_000]
    assert parts(made, 3) == {"ordering": 7000, "service": 2000}


# -- strict: a reliable connection --------------------------------------------------------------


@pytest.mark.parametrize(("pick", "edge"), (({}, 41), (SCAN, 43)))
@pytest.mark.parametrize("tracking", ("count", "sequence"))
def test_nothing_of_an_initiator_passes_what_is_held(
    pick: dict[str, Any], edge: int, tracking: str
) -> None:
    source = path(engine(strict=True, tracking=tracking, **pick))
    load = [
        post(0, 0, "RO"),
        post(1, 0, "SO"),
        post(2, 0, "NO"),
        post(3, 0, "RO", "UNO"),
        post(4, 1, "NO"),
    ]
    made = answered(source, load, (40, 0))
    edges = left(made)
    assert (edges[0], edges[4]) == (1, 5)
    assert list(edges) == [0, 4, 1, 2, 3]
    assert edges[1] == edge
    assert held(made) == [(1, 1, 0), (2, 2, 1), (3, 3, 2)]
    assert parts(made, 2)["ordering"] == 38_000
    check_sums(made)


# -- the scan: what need not wait goes straight on ------------------------------------------------


@pytest.mark.parametrize("initiator", range(4))
def test_what_was_held_waits_for_the_scan(initiator: int) -> None:
    source = path(engine(tracking="count", **SCAN))
    made = answered(source, [post(0, initiator, "RO"), post(1, initiator, "SO")], (10, initiator))
    # One look was lost to the RO that passed: the cursor is at queue `edge - 1`.
    looks = next(edge for edge in range(10, 20) if (edge - 1) % 4 == initiator)
    assert left(made) == {0: 1, 1: looks + 1}
    waited = {"arbitration": (looks - 10) * CYCLE} if looks > 10 else {}
    assert parts(made, 1) == {"ordering": 9000, **waited, "service": 1000}


def test_what_passes_straight_on_stops_the_scan() -> None:
    source = path(engine(tracking="count", **SCAN))
    straight = [post(edge, 1, "NO") for edge in range(8, 14)]
    made = answered(source, [post(0, 0, "RO"), post(1, 0, "SO"), *straight], (7, 0))
    # On edge 7 the cursor is at queue 2; it stands there from 8 to 13.
    assert left(made)[1] == 7 + 2 + 6 + 1


@pytest.mark.parametrize(("straight", "second"), ((False, 14), (True, 16)))
def test_what_passes_straight_on_goes_before_the_rest_of_a_packet(
    straight: bool, second: int
) -> None:
    source = path(engine(tracking="count", flit="32 B", **SCAN))
    load = [
        post(0, 0, "RO"),
        post(1, 1, "RO"),
        post(2, 0, "SO", size_bytes=96),
        post(5, 1, "SO"),
        *([post(11, 2, "NO", size_bytes=64)] if straight else []),
    ]
    made = answered(source, load, (8, 0), (8, 1))
    # Three flits are sent on edges 10 to 12; with two that pass on 11 and 12, on 10, 13 and 14.
    passed = {4: 12} if straight else {}
    assert left(made) == {0: 1, 1: 2, 2: 11, **passed, 3: second}


def test_what_comes_faster_than_a_flit_a_cycle_waits_to_be_looked_at() -> None:
    source = path(engine(flit="32 B", **SCAN))
    made = run(source, [post(0, 0, size_bytes=64), post(0, 1), post(0.5, 2)])
    assert left(made) == {0: 1, 1: 3, 2: 4}
    assert parts(made, 1) == {"interval": 2000, "service": 1000}
    assert parts(made, 2) == {"arbitration": 1500, "interval": 1000, "service": 1000}


# -- counting, and knowing which came first -------------------------------------------------------


def litmus(tracking: str, load: list[Post], *answers: tuple[int, int]) -> list[int]:
    """In which order the requests leave an engine that scans."""
    made = answered(path(engine(tracking=tracking, **SCAN)), load, *answers)
    return list(left(made))


#: SO 1 is queued behind RO 0, which is answered at 8, when the scan is elsewhere; and SO 2 comes.
OVERTAKES = [post(0, 0, "RO"), post(1, 0, "SO"), post(8, 0, "SO")]
#: SO 1 is queued behind RO 0; RO 2 passes it; RO 0 is answered.
DELAYS = [post(0, 0, "RO"), post(1, 0, "SO"), post(2, 0, "RO")]


def test_counting_lets_one_in_strict_order_overtake_one_that_is_queued() -> None:
    assert litmus("count", OVERTAKES, (8, 0), (20, 0), (30, 0)) == [0, 2, 1]


def test_with_sequence_numbers_it_does_not() -> None:
    assert litmus("sequence", OVERTAKES, (8, 0), (20, 0), (30, 0)) == [0, 1, 2]


@pytest.mark.parametrize("pick", ({}, SCAN))
def test_counting_lets_a_later_request_delay_one_that_is_queued(pick: dict[str, Any]) -> None:
    source = path(engine(tracking="count", **pick))
    assert 1 not in left(answered(source, DELAYS, (8, 0)))
    assert list(left(answered(source, DELAYS, (8, 0), (9, 0)))) == [0, 2, 1]


@pytest.mark.parametrize("pick", ({}, SCAN))
def test_with_sequence_numbers_a_later_request_delays_nobody(pick: dict[str, Any]) -> None:
    source = path(engine(tracking="sequence", **pick))
    assert 1 in left(answered(source, DELAYS, (8, 0)))


# -- numbers ------------------------------------------------------------------------------------


def test_it_numbers_what_comes_by_initiator_and_destination() -> None:
    load = [
        post(0, 0, "RO", "ROT"),
        post(1, 0, "NO", "ROL"),
        post(2, 0, "SO", "ROL"),
        post(3, 0, "RO", "ROI", destination=1),
        post(4, 1, "SO", "UNO"),
        post(5, 0, "SO", "ROI"),
        post(6, 0, "", "ROL", destination=1),
        post(7, 0, "NO", "ROI"),
    ]
    made = run(SEQUENCE, load)
    transactions = [request.transaction_number for request in made.requests]
    packets = [request.packet_number for request in made.requests]
    assert transactions == [0, -1, 1, 0, 0, 2, -1, -1]
    assert packets == [-1, 0, 1, -1, -1, -1, 0, -1]


# -- entries ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "error"),
    (
        ({"pick": "scan"}, "a scan of unlimited queues never comes round"),
        ({"tracking": "counts"}, "did you mean 'count'"),
        ({"strict": "yes"}, "strict"),
        ({"until": "y"}, "there is no stage 'y'"),
        ({"overflow": "drop"}, "overflow"),
        ({"interval": "1 ns"}, "'1 ns' is no number of cycles"),
    ),
)
def test_an_entry_that_cannot_be(changes: dict[str, Any], error: str) -> None:
    with pytest.raises(TableError, match=error):
        path(engine(**changes))


# -- whatever is posted -------------------------------------------------------------------------

POSTS = st.lists(
    st.builds(
        post,
        edge=st.integers(0, 60).map(lambda half: half / 2),
        initiator=st.integers(0, 3),
        order=st.sampled_from(ORDERS),
        service=st.sampled_from(SERVICES),
        write=st.booleans(),
        size_bytes=st.sampled_from((0, 32, 64, 96)),
    ),
    min_size=1,
    max_size=30,
)
ENGINES = st.fixed_dictionaries(
    {
        "latency": st.sampled_from(("0 cycles", "3 cycles")),
        "strict": st.booleans(),
        "until": st.sampled_from(("x", "far", "end")),
    },
    optional={"flit": st.just("32 B")},
)
PICKS = st.sampled_from(({}, SCAN, {"queues": 2}, {"interval": "2 cycles"}))


def everywhere(entry: dict[str, Any]) -> Table:
    """The engine, something that blocks it, and a far end that answers out of order."""
    return path(
        engine(**entry),
        clocked("far", 5, 3, depth=2, queue=2),
        delay("end", {"write": "3 ns", "other": "40 ns"}),
    )


def waits(post: Post) -> bool:
    return post.order == "SO" and post.service in ("ROI", "")


@given(POSTS, ENGINES, PICKS)
def test_by_sequence_number_strict_order_is_kept_and_nothing_else_waits(
    load: list[Post], entry: dict[str, Any], pick: dict[str, Any]
) -> None:
    made = run(everywhere({**entry, **pick}), load)
    assert len(made.completed) == len(load)
    check_sums(made)
    came = sorted(range(len(load)), key=lambda number: load[number].at_ps)
    accepted_ps, answered_ps = made.accepted_ps("x"), made.left_ps(entry["until"])
    for place, number in enumerate(came):
        own = [one for one in came[:place] if load[one].initiator == load[number].initiator]
        if waits(load[number]):
            before = [one for one in own if load[one].order in ("RO", "SO")]
            assert all(answered_ps[one] <= accepted_ps[number] for one in before)
        elif not entry["strict"]:
            assert "ordering" not in parts(made, number)
        if entry["strict"]:
            assert all(accepted_ps[one] <= accepted_ps[number] for one in own)


@given(POSTS, ENGINES, PICKS, st.sampled_from(("count", "sequence")))
def test_neither_listening_nor_the_order_of_evaluation_changes_a_time(
    load: list[Post], entry: dict[str, Any], pick: dict[str, Any], tracking: str
) -> None:
    source = everywhere({**entry, **pick, "tracking": tracking})
    made = run(source, load)
    check_sums(made)
    for how in ({"listen": False}, {"shuffle": random.Random(1)}, {"shuffle": random.Random(2)}):
        other = run(source, load, **how)
        assert other.completions_ps() == made.completions_ps()


@given(POSTS, st.lists(st.tuples(st.integers(0, 80), st.integers(0, 3)), max_size=20))
def test_who_is_held_waits_for_one_that_came_before(
    load: list[Post], answers: list[tuple[int, int]]
) -> None:
    made = answered(SEQUENCE, load, *answers)
    came = {
        number: place
        for place, number in enumerate(sorted(range(len(load)), key=lambda n: load[n].at_ps))
    }
    told = held(made)
    for _, number, behind in told:
        assert load[number].initiator == load[behind].initiator
        assert came[behind] < came[number]
    late = [n for n in range(len(load)) if parts(made, n).get("ordering")]
    assert set(late) <= {number for _, number, _ in told}
    stuck = set(came) - {request.sequence for request in made.completed}
    assert stuck <= {number for _, number, _ in told}
    assert not [
        one for one in made.events if one.kind is Kind.HELD and not waits(load[one.request])
    ]
