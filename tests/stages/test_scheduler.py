"""The scheduler: turns, fences and full queues, each edge by hand."""

from __future__ import annotations

import random
from collections import deque
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.contest import QueueOverflowError
from emu.driver import Driver
from emu.path import Path
from emu.request import Operation
from emu.table import TableError
from emu.trace.events import Kind
from emu.waits import who_waits_for_whom
from emu.workload import Access, Timed
from tests.build import Post, Run, clocked, delay, run, station
from tests.stages.dispatched import (
    CYCLE,
    answered,
    check_sums,
    held,
    left,
    parts,
    path,
    post,
    scheduler,
)

SCAN = {"pick": "scan", "queues": 4}
#: A request of 32 B is a flit.
FLITS = {"flit": "32 B"}


def by(*initiators: int, edge: float = 0) -> list[Post]:
    """A request of each, at once."""
    return [post(edge, initiator) for initiator in initiators]


# -- turns --------------------------------------------------------------------------------------


def test_initiators_take_turns() -> None:
    made = run(path(scheduler(latency="5 cycles", interval="2 cycles")), by(0, 0, 1, 1, 7))
    assert left(made) == {0: 5, 2: 7, 4: 9, 1: 11, 3: 13}
    assert parts(made, 0) == {"service": 5000}
    assert parts(made, 2) == {"interval": 2000, "service": 5000}
    assert parts(made, 4) == {"arbitration": 2000, "interval": 2000, "service": 5000}
    check_sums(made)


def test_no_turn_is_lost_on_who_has_nothing() -> None:
    made = run(path(scheduler()), [*by(900, 3, 3), *by(5, edge=1)])
    # After initiator 3 comes 5, which is there by then, and after that 900.
    assert left(made) == {1: 1, 3: 2, 0: 3, 2: 4}


def test_what_comes_between_edges_waits_for_the_next() -> None:
    made = run(path(scheduler()), [post(0.3), post(2)])
    assert left(made) == {0: 2, 1: 3}
    assert parts(made, 0) == {"alignment": 700, "service": 1000}


def test_initiators_that_share_a_queue_go_in_the_order_of_coming() -> None:
    made = run(path(scheduler(queues=2)), by(0, 2, 1, 4, 3))
    assert list(left(made)) == [0, 2, 1, 4, 3]


def test_a_request_of_several_flits_keeps_others_out_for_as_long() -> None:
    source = path(scheduler(interval="2 cycles", **FLITS))
    made = run(source, [post(size_bytes=65), post(initiator=1, size_bytes=0), post(initiator=2)])
    assert left(made) == {0: 1, 1: 7, 2: 9}


def test_without_a_clock_it_counts_time() -> None:
    timed = scheduler(latency="5 ns", interval="2500 ps")
    del timed["clock"]
    made = run(path(timed), by(0, 0, 1, edge=0.1))
    assert made.completions_ps() == [5100, 10_100, 7600]
    assert parts(made, 1) == {"arbitration": 2500, "interval": 2500, "service": 5000}


@pytest.mark.parametrize("edge", range(6))
@pytest.mark.parametrize("initiator", range(6))
def test_a_scan_looks_at_one_queue_a_cycle(edge: int, initiator: int) -> None:
    made = run(path(scheduler(**SCAN)), [post(edge, initiator)])
    looks = next(cycle for cycle in range(edge, 20) if cycle % 4 == initiator % 4)
    assert left(made) == {0: looks + 1}
    waited = {"arbitration": (looks - edge) * CYCLE} if looks > edge else {}
    assert parts(made, 0) == {**waited, "service": 1000}


def test_a_scan_stands_still_while_a_packet_is_sent() -> None:
    # Queue 1 on edge 1, three flits; then queue 2 on edge 4, and queue 0 on edge 6.
    load = [post(0, 1, size_bytes=96), post(0, 2), post(1, 0)]
    made = run(path(scheduler(**SCAN, **FLITS)), load)
    assert left(made) == {0: 2, 1: 5, 2: 7}


def test_a_scan_goes_by_a_queue_that_gets_something_a_moment_later() -> None:
    made = run(path(scheduler(**SCAN)), [post(1.5, 1), post(6, 1)])
    assert left(made) == {0: 6, 1: 10}


# -- fences -------------------------------------------------------------------------------------


def test_a_fence_waits_for_every_earlier_read_and_atomic() -> None:
    load = [
        post(),
        post(operation=Operation.FETCH_AND_ADD),
        post(write=True),
        post(fence=True),
        post(),
    ]
    made = answered(path(scheduler()), load, (10, 0), (20, 0), (21, 0))
    # What is behind it in its queue waits with it.
    assert left(made) == {0: 1, 1: 2, 2: 3, 3: 21, 4: 22}
    assert parts(made, 3) == {"arbitration": 2000, "ordering": 18_000, "service": 1000}
    assert parts(made, 4) == {
        "arbitration": 2000,
        "ordering": 18_000,
        "interval": 1000,
        "service": 1000,
    }
    assert held(made) == [(2, 3, 1), (2, 4, 3)]
    check_sums(made)


def test_a_fence_with_nothing_to_wait_for_costs_no_cycle() -> None:
    made = run(path(scheduler()), [post(write=True), post(1, fence=True), post(5, 1, fence=True)])
    assert left(made) == {0: 1, 1: 2, 2: 6}
    assert not held(made)


def test_others_pass_an_initiator_that_waits() -> None:
    load = [post(), post(1, fence=True), *by(1, 2, 1, 2, edge=2)]
    made = Run(path(scheduler()), load).finish()
    assert left(made) == {0: 1, 2: 3, 3: 4, 4: 5, 5: 6}
    told = who_waits_for_whom(made.kernel)
    assert "request 1 (read) at x waits for request 0" in told


def test_an_edge_takes_one_answer() -> None:
    load = [post(0, 0), post(0, 1), post(5, 0, fence=True), post(5, 1, fence=True)]
    made = answered(path(scheduler()), load, (10, 1), (10, 1), (10, 0))
    # That there is no read left to answer does not make the second one go away.
    assert left(made) == {0: 1, 1: 2, 3: 11, 2: 13}


def test_an_answer_counts_on_the_edge_on_which_it_comes() -> None:
    made = answered(path(scheduler(**SCAN)), [post(0), post(0, fence=True)], (8, 0))
    assert left(made) == {0: 1, 1: 9}
    late = answered(path(scheduler(**SCAN)), [post(0), post(0, fence=True)], (9, 0))
    assert left(late) == {0: 1, 1: 13}
    assert parts(late, 1) == {"ordering": 9000, "arbitration": 3000, "service": 1000}


def test_a_read_is_answered_when_it_has_left_the_stage_that_is_named() -> None:
    source = path(scheduler(until="far"), delay("far", "7 ns"), delay("on", "1 us"))
    made = run(source, [post(), post(fence=True)])
    assert left(made) == {0: 1, 1: 9}
    assert parts(made, 1) == {"ordering": 8000, "service": 1000}


def test_a_read_that_is_lost_is_answered() -> None:
    small = station("small", "100 ns", depth=1, queue=1, overflow="drop")
    source = path(scheduler(until="end"), small, delay("end", "0 ns"))
    made = run(source, [*by(0, 0, 0), post(4, fence=True)])
    assert [one.sequence for one in made.dropped] == [2]
    # The third is lost at 3, the second is answered at 201.
    assert left(made)[3] == 202


# -- full queues --------------------------------------------------------------------------------


def test_a_full_queue_holds_its_sender() -> None:
    source = path(delay("before", "0 ns"), scheduler(**SCAN, depth=2, **FLITS))
    made = run(source, by(0, 0, 0, 1))
    # Two fit; a place is free from the edge after a look on, and others are not held up by it.
    assert made.times_ps(Kind.ARRIVED, "x") == [0, 0, 1000, 0]
    assert left(made) == {0: 1, 3: 2, 1: 5, 2: 9}
    assert parts(made, 2, "before") == {"backpressure": 1000}
    check_sums(made)


def test_places_come_free_flit_by_flit() -> None:
    source = path(scheduler(**SCAN, depth=4, **FLITS))
    load = [post(size_bytes=64), post(size_bytes=64), post(size_bytes=32), post(size_bytes=64)]
    made = run(source, load)
    # Edge 0 sends the first flit, edge 1 the second; the scan is back on edge 5.
    assert made.times_ps(Kind.ARRIVED, "x") == [0, 0, 1000, 2000]
    assert left(made) == {0: 1, 1: 6, 2: 11, 3: 15}


def test_a_free_place_is_enough_to_come_in() -> None:
    source = path(scheduler(**SCAN, depth=2, **FLITS))
    made = run(source, [post(size_bytes=32), post(size_bytes=96), post(size_bytes=32)])
    # 0 goes on edge 0, and 1, of which two flits wait for a place, on edges 4 to 6.
    assert made.times_ps(Kind.ARRIVED, "x") == [0, 0, 6000]
    assert left(made) == {0: 1, 1: 5, 2: 11}


def test_what_does_not_fit_is_dropped_and_counted() -> None:
    source = path(scheduler(**SCAN, depth=2, overflow="drop"))
    driver = Driver(
        Path(source), Timed((0, Access(Operation.READ, 64, 0, n % 2)) for n in range(8))
    )
    driver.run()
    assert (driver.posted, driver.latency.count, driver.dropped) == (
        8,
        4,
        {"x": 4},
    )


def test_an_overflow_that_must_not_be_is_an_error() -> None:
    made = Run(path(scheduler(depth=1, overflow="error")), by(0, 1, 0))
    with pytest.raises(QueueOverflowError, match="x overflows at 0 ps: all its places are taken"):
        made.finish()


# -- the way out --------------------------------------------------------------------------------


def test_who_is_next_is_not_decided_before_the_way_out_is_free() -> None:
    slow = clocked("slow", 10, 10, depth=1, queue=1)
    made = run(path(scheduler(), slow), [*by(1, 1, 1, 1, 1), post(15, 2)])
    # At 2 the second is in the queue of `slow`, and the third stands in the way until 11; then the
    # fourth does until 21, when it is the turn of 2.
    assert made.accepted_ps("x") == [0, 1000, 2000, 11_000, 31_000, 21_000]
    assert parts(made, 2) == {
        "arbitration": 1000,
        "interval": 1000,
        "service": 1000,
        "backpressure": 8000,
    }
    assert parts(made, 3) == {
        "arbitration": 3000,
        "backpressure": 8000 + 9000,
        "service": 1000,
    }
    assert parts(made, 5) == {"backpressure": 6000 + 9000, "service": 1000}
    check_sums(made)


# -- entries ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "error"),
    (
        (
            {"pick": "scan"},
            "a scan of unlimited queues never comes round; expected a number",
        ),
        (
            {**SCAN, "interval": "2 cycles"},
            (
                "a scan looks at a queue in each cycle; expected an interval of 1 cycle, and not "
                "2 cycles"
            ),
        ),
        ({"latency": "5 ns"}, "'5 ns' is no number of cycles, but the stage has a clock"),
        ({"until": "y"}, "there is no stage 'y'"),
        ({"flit": "0 B"}, "0 B"),
        ({"pick": "random"}, "'random' is not known here"),
    ),
)
def test_an_entry_that_cannot_be(changes: dict[str, Any], error: str) -> None:
    with pytest.raises(TableError, match=error):
        path(scheduler(**changes))


def test_on_paper_it_takes_its_latency() -> None:
    assert Path(path(scheduler(**SCAN, latency="5 cycles"))).derived_ps(Operation.READ, 32) == 5000


# -- whatever is posted -------------------------------------------------------------------------

POSTS = st.lists(
    st.builds(
        post,
        edge=st.integers(0, 60).map(lambda half: half / 2),
        initiator=st.integers(0, 5),
        fence=st.booleans(),
        write=st.booleans(),
        size_bytes=st.sampled_from((0, 32, 64, 96)),
    ),
    min_size=1,
    max_size=30,
)
SCHEDULERS = st.fixed_dictionaries(
    {
        "latency": st.sampled_from(("0 cycles", "3 cycles")),
        "depth": st.sampled_from((1, 3, "unlimited")),
        "until": st.sampled_from(("x", "far")),
    },
    optional={"flit": st.just("32 B")},
)


@given(POSTS, SCHEDULERS, st.sampled_from(({}, SCAN, {"queues": 2, "interval": "2 cycles"})))
def test_all_leave_each_initiator_in_order_and_every_picosecond_is_charged(
    load: list[Post], entry: dict[str, Any], turns: dict[str, Any]
) -> None:
    source = path(scheduler(**{**turns, **entry}), clocked("far", 5, 3, depth=2, queue=2))
    made = run(source, load)
    assert len(made.completed) == len(load)
    check_sums(made)
    order = list(left(made))
    for initiator in range(6):
        own = [number for number in order if load[number].initiator == initiator]
        assert own == sorted(own, key=lambda number: load[number].at_ps)
    for how in ({"listen": False}, {"shuffle": random.Random(1)}, {"shuffle": random.Random(2)}):
        assert run(source, load, **how).completions_ps() == made.completions_ps()


def in_turn(load: list[Post], interval: int) -> list[int]:
    """When each is chosen, cycle by cycle: the next initiator that has something, in a circle."""
    queues: dict[int, deque[int]] = {}
    waiting = deque(sorted(range(len(load)), key=lambda number: load[number].at_ps))
    chosen = [0] * len(load)
    last, free, edge = -1, 0, 0
    while waiting or any(queues.values()):
        while waiting and load[waiting[0]].at_ps <= edge * CYCLE:
            number = waiting.popleft()
            queues.setdefault(load[number].initiator, deque()).append(number)
        ready = sorted(initiator for initiator, queue in queues.items() if queue)
        if ready and edge >= free:
            last = next((one for one in ready if one > last), ready[0])
            chosen[queues[last].popleft()] = edge
            free = edge + interval
        edge += 1
    return chosen


@given(POSTS, st.integers(1, 3))
def test_round_robin_is_as_a_circle_says(load: list[Post], interval: int) -> None:
    load = [post(one.at_ps / CYCLE, one.initiator) for one in load]
    made = run(path(scheduler(interval=f"{interval} cycles")), load)
    assert made.accepted_ps("x") == [edge * CYCLE for edge in in_turn(load, interval)]
