"""Both engines agree on what random tables and loads seldom or never come to."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from random import Random as Draw

import pytest

from emu.engines import EngineError, FaultError, start
from emu.errors import RunError
from emu.fast.events import CHUNK, MOST_PS, Events
from emu.path import Path
from emu.random import Random
from emu.request import Operation
from emu.table import load
from emu.workload import Access, Chain, Closed, Stream, Timed, Workload, stepping
from emu.workload.arrivals import Arrivals
from emu.workload.choice import Constant
from emu.workload.stream import Slots
from tests.build import READ, WRITE, Post, StageDict, delay, station, table
from tests.fast.agree import assert_agree, assert_agree_on, assert_same_counts
from tests.fast.random_built_in import MESSAGES
from tests.fast.whole import marked
from tests.stages.dispatched import path, scheduler

LOAD = Operation.LOAD
#: From somewhere in the middle of the first request to after the last.
ENDS_PS = (0, 1, 150_000, 400_000, 401_234, 1_000_000, 10**9)


def test_an_arbitration_that_names_some_of_those_that_come() -> None:
    # What is not named, and what comes from outside, have the same rank.
    made = table(
        [
            station("reads", "1 ns", when=["read"]),
            station("writes", "1 ns", when=["write"]),
            station("shared", "3 ns", interval="10 ns", queue=1, arbitration=["reads"]),
        ],
        messages=MESSAGES,
    )
    ran = assert_agree(made, [Post(0, one) for one in (LOAD, WRITE, READ) for _ in range(5)])
    assert ran is not None


@pytest.mark.parametrize("until_ps", ENDS_PS)
@pytest.mark.parametrize("name", ("pcie_nic", "ub_ordered", "ordered_link"))
def test_a_run_that_is_cut_off(name: str, until_ps: int) -> None:
    made = load(name)
    posts = marked(Draw(1), made.operations, 150, 20_000)
    ran = assert_same_counts(made, Timed(posts), Timed(posts), None, until_ps=until_ps)
    assert ran is not None
    reference, _ = ran
    if until_ps == 400_000:
        assert sum(reference.in_flight_at.values()) > 0


def test_one_that_is_stopped_has_not_run_until_the_end() -> None:
    run = Events(Path(load("pcie_nic")), Closed([stepping(READ, 64)], 1), until_ps=10**9)
    run.stop()
    run.run()
    assert run.now_ps == 0


def test_a_deadlock_with_nothing_left_to_be_posted_before_the_end() -> None:
    # Nobody answers the read for which the fence waits; the third post is one too many.
    made = path(scheduler(), delay("y", "1 ns"))
    read = Access(READ, 32, 0)
    posts = [(0, read), (0, Access(WRITE, 32, 0, fence=True)), (10**9, read)]
    assert assert_same_counts(made, Timed(posts), Timed(posts), 2, until_ps=10**6) is None


def lossy() -> list[StageDict]:
    """A queue that overflows, some time after a request was posted."""
    return [delay("a", "5 ns"), station("b", "9 ns", interval="7 ns", queue=1, overflow="drop")]


def chain() -> Workload:
    """Pointer chases that are posted again where they were lost."""
    return Chain(READ, 64, Random(3, "chain"), chains=5, nodes=4, initiators=2)


def ending() -> Workload:
    """Streams that end, each at another time."""
    same = Constant(0)
    return Closed(
        [
            Stream([(READ, 64)], same, Slots(same, 64), Constant(number), same, left)
            for number, left in enumerate((0, 2, 30))
        ],
        4,
    )


@pytest.mark.parametrize("make", (chain, ending))
def test_the_lost_are_posted_again_or_followed_by_the_next(make: type[Workload]) -> None:
    ran = assert_agree_on(table(lossy()), [make() for _ in range(4)], 60)
    assert ran is not None
    assert ran[0].dropped["b"] > 5


def test_more_posts_of_one_time_than_are_given_at_once() -> None:
    def burst() -> Workload:
        return Timed(Arrivals(repeat(7), stepping(READ, 64)))

    made = table([station("a", "9 ns", interval="1 ns")])
    ran = assert_same_counts(made, burst(), burst(), CHUNK + 100)
    assert ran is not None
    assert ran[1].posted == CHUNK + 100


# -- large numbers --------------------------------------------------------------------------


def test_sums_that_need_more_than_63_bits() -> None:
    # 1024 requests at a time add 10**18 to a sum of which 9 * 10**18 fit.
    one, other = (Closed([stepping(READ, 64)], 1024) for _ in range(2))
    ran = assert_same_counts(table([delay("a", "1000 s")]), one, other, 12 * 1024)
    assert ran is not None
    assert ran[1].latency.sum == 12 * 1024 * 10**15


def test_times_that_lie_too_far_ahead_are_an_error() -> None:
    run = Events(Path(table([delay("a", "1 s")])), Timed([(MOST_PS - 1, Access(READ, 64, 0))]))
    with pytest.raises(RunError, match=r"the run goes beyond 1152921\.504606846976 s"):
        run.run()


@pytest.mark.parametrize(
    ("stage", "reason"),
    (
        (delay("x", "2000 s"), "stage x takes longer than 1125.899906842624 s"),
        (
            {"stage": "multi_path", "name": "x", "latency": "1 ns", "spread": "2000 s"},
            "stage x takes longer than 1125.899906842624 s",
        ),
        (
            {"stage": "strict_order", "name": "x", "percent": 100, "cost": "2000 s"},
            "stage x takes longer than 1125.899906842624 s",
        ),
        (station("x", "1 ns", queue=1 << 70), "the table has numbers of more than 63 bits"),
    ),
)
def test_numbers_of_a_table_that_are_too_large(stage: StageDict, reason: str) -> None:
    with pytest.raises(EngineError, match=reason):
        start(Path(table([stage])), Closed([stepping(READ, 64)], 1), engine="fast")


def test_what_is_refused_in_the_middle_of_a_run_needs_the_reference_engine() -> None:
    def posts() -> Iterator[tuple[int, Access]]:
        yield from repeat((0, Access(READ, 64, 0)), CHUNK)
        yield 0, Access(WRITE, 64, 0, operand=1)

    run = Events(Path(table([delay("a", "1 ns")])), Timed(posts()))
    with pytest.raises(FaultError, match="can't go on: the workload brings values to memory"):
        run.run()
