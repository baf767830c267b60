from collections.abc import Iterator
from typing import Any

import pytest

from emu.driver import Driver
from emu.path import Path
from emu.random import Random
from emu.request import Request
from emu.waits import DeadlockError
from emu.workload import Access, Chain, Closed, Timed, stepping
from tests.build import READ, StageDict, delay, station, table

PATH = [station("x", "10 ns", interval="4 ns"), delay("y", "5 ns")]
#: Takes one each 4 ns, keeps one waiting, and loses the rest.
LOSING = [
    station("x", "10 ns", interval="4 ns", queue=1, overflow="drop"),
    delay("y", "5 ns"),
]


def timed(*times_ps: int) -> Timed:
    return Timed((at_ps, Access(READ, 64, 64 * n)) for n, at_ps in enumerate(times_ps))


def driver(path: list[StageDict], workload: Any, **how: Any) -> Driver:
    return Driver(Path(table(path)), workload, **how)


def test_each_is_posted_at_its_time() -> None:
    done: list[Request] = []
    made = driver(PATH, timed(0, 1, 7777, 7777, 10**12), on_complete=done.append)
    made.run()
    assert [request.submitted_ps for request in done] == [0, 1, 7777, 7777, 10**12]
    assert [request.completed_ps for request in done] == [
        15_000,
        19_000,
        23_000,
        27_000,
        10**12 + 15_000,
    ]
    assert [request.sequence for request in done] == [0, 1, 2, 3, 4]
    assert (made.first_post_ps, made.last_completion_ps) == (0, 10**12 + 15_000)


def test_a_first_post_may_come_late() -> None:
    made = driver(PATH, timed(10**6, 10**6 + 1))
    made.run()
    assert made.first_post_ps == 10**6
    assert made.inside_ps == 15_000 + 18_999


class Both:
    """Posts at times known beforehand, and one more after each answer."""

    def posts(self) -> Iterator[tuple[int, Access]]:
        """One at the start, and one at the instant of its answer."""
        yield 0, Access(READ, 64, 0)
        yield 15_000, Access(READ, 64, 1)

    def answered(self, request: Request) -> Access | None:
        """Another place for each."""
        return Access(READ, 64, 100 + request.address)


def test_what_is_known_beforehand_is_numbered_before_what_an_answer_posts() -> None:
    done: list[Request] = []
    driver(PATH, Both(), requests=4, on_complete=done.append).run()
    assert [(one.sequence, one.address, one.submitted_ps) for one in done] == [
        (0, 0, 0),
        (1, 1, 15_000),
        (2, 100, 15_000),
        (3, 101, 30_000),
    ]
    # Both want the stage at once: the first number has it first.
    assert [one.completed_ps for one in done] == [15_000, 30_000, 34_000, 45_000]


@pytest.mark.parametrize("requests", (1, 2, 5))
def test_no_more_are_posted_than_asked_for(requests: int) -> None:
    for workload in (
        Closed([stepping(READ, 64)], 3),
        timed(*range(9)),
        Chain(READ, 64, Random(1, "x"), chains=3),
    ):
        made = driver(PATH, workload, requests=requests)
        made.run()
        assert (made.posted, made.latency.count) == (requests, requests)


def test_an_instant_of_its_own_is_run_before_the_next_post() -> None:
    made = driver(PATH, timed(0, 15_000))
    made.run(until_ps=14_999)
    assert (made.posted, made.latency.count) == (1, 0)
    made.run(until_ps=15_000)
    assert (made.posted, made.latency.count) == (2, 1)


@pytest.mark.parametrize("until_ps", (0, 1, 9999, 15_000, 20_000, 10**6))
def test_a_run_that_was_stopped_goes_on_as_if_it_had_not_been(until_ps: int) -> None:
    times = [0, 0, 3000, 15_000, 15_000, 40_000]
    whole: list[Request] = []
    driver(PATH, timed(*times), on_complete=whole.append).run()
    cut: list[Request] = []
    made = driver(PATH, timed(*times), on_complete=cut.append)
    made.run(until_ps)
    assert made.posted == sum(at_ps <= until_ps for at_ps in times)
    assert made.posted == made.latency.count + len(made.kernel.inside)
    assert made.latency.count == sum(one.completed_ps <= until_ps for one in whole)
    made.run()
    assert [(one.sequence, one.completed_ps) for one in cut] == [
        (one.sequence, one.completed_ps) for one in whole
    ]


def test_the_time_inside_is_the_sum_of_the_latencies() -> None:
    made = driver(PATH, Closed([stepping(READ, 64)], 5), requests=40)
    made.run()
    assert made.inside_ps == made.latency.sum
    # At the limit the four that wait longest are always there.
    assert made.latency.sum > 40 * 15_000


def test_what_is_dropped_is_counted_where_it_was() -> None:
    made = driver(LOSING, timed(0, 0, 0, 0, 1000, 9000))
    made.run()
    # One goes in, one waits, two do not fit, and so does not the one of 1 ns.
    assert made.dropped == {"x": 3}
    assert made.posted == made.latency.count + 3
    assert made.latency.count == 3
    assert made.kernel.inside == {}


def test_what_is_dropped_lets_the_next_be_posted() -> None:
    made = driver(LOSING, Closed([stepping(READ, 64)], 4), requests=100)
    with pytest.raises(Exception, match="nothing settles") as error:
        driver(LOSING, Closed([stepping(READ, 64)], 4)).run()
    assert error.type.__name__ == "UnsettledError"
    made.run()
    assert made.posted == 100
    assert made.dropped == {"x": 98}
    assert made.latency.count == 2


def test_a_lost_link_of_a_chain_is_asked_for_again() -> None:
    path = [
        station("x", "10 ns", interval="4 ns", depth=1, queue=1, overflow="drop"),
        delay("y", "5 ns"),
    ]
    done: list[Request] = []
    chain = Chain(READ, 64, Random(1, "x"), chains=4, nodes=4)
    made = driver(path, chain, requests=40, on_complete=done.append)
    made.run()
    assert made.posted == 40 == len(done) + sum(made.dropped.values())
    of_chain_3 = [one.address for one in done if one.address // 64 % 4 == 3]
    assert of_chain_3 == sorted(set(of_chain_3), key=of_chain_3.index)


@pytest.mark.parametrize("stop_at", (0, 1, 4))
def test_a_stop_comes_between_two_instants(stop_at: int) -> None:
    done: list[int] = []

    def note(request: Request) -> None:
        done.append(request.sequence)
        if request.sequence == stop_at:
            made.stop()

    made = driver(PATH, timed(*(n * 20_000 for n in range(6))), on_complete=note)
    made.run()
    assert done == list(range(stop_at + 1))
    assert made.posted == stop_at + 1
    made.run()
    assert len(done) == stop_at + 1


HOLDS = {"slot": {"kind": "pool", "capacity": 1, "source": {"text": "a test", "kind": "assumed"}}}


def deadlocked() -> Driver:
    """Two that each wait for the place of the other."""
    path = [
        station("x", "1 ns", depth=1, queue=1, uses=[{"resource": "slot", "until": "z"}]),
        station("y", "1 ns", depth=1, queue=1),
        delay("z", "1 ns"),
    ]
    made = Driver(Path(table(path, resources=HOLDS)), timed(0, 0))
    for pool in made.kernel.pools:
        pool.take(Request(99, READ, 64, 0, 0, next(iter(made.kernel.inside)).plan), 0)
    return made


@pytest.mark.parametrize("until_ps", (None, 10**9))
def test_what_never_moves_is_told_also_before_a_stop(until_ps: int | None) -> None:
    with pytest.raises(DeadlockError, match="nothing moves any more at"):
        deadlocked().run(until_ps)
