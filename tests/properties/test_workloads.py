"""What holds for every workload on every path."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from itertools import islice
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from emu.driver import Driver
from emu.kernel import Kernel
from emu.path import Path
from emu.request import Request
from emu.run import run_workload
from emu.table.schema import Table
from emu.utilisation import used
from emu.where import still_inside
from emu.workload.build import Described, described
from emu.workload.schema import (
    BurstSpec,
    ChainSpec,
    ClosedSpec,
    DestinationPick,
    Item,
    OpenSpec,
    Pick,
    Spec,
)
from tests.build import READ
from tests.properties import random_paths, random_resources

TABLES = st.one_of(random_paths.tables(), random_resources.tables())
SMALL = st.integers(1, 4)
PICKS = st.one_of(
    st.builds(Pick, count=SMALL, choose=st.sampled_from(("in_turn", "uniform"))),
    st.builds(
        Pick, count=SMALL, choose=st.just("zipf"), exponent=st.sampled_from(("0", "0.99", "2"))
    ),
)
IN_TURN = st.builds(Pick, count=SMALL)
DESTINATIONS = st.builds(
    DestinationPick, count=SMALL, choose=st.sampled_from(("in_turn", "by_round", "uniform"))
)
ITEMS = st.builds(
    Item,
    operation=st.sampled_from(("read", "write")),
    bytes=st.sampled_from(("1 B", "64 B", "5 KB")),
    weight=SMALL,
)
MIXES = st.one_of(st.none(), st.lists(ITEMS, min_size=1, max_size=3))
RATES = st.sampled_from(("1 M/s", "130 M/s", "322 M/s", "3 G/s"))
POSTING = {"mix": MIXES, "destinations": DESTINATIONS, "addresses": st.one_of(st.none(), PICKS)}
WORKLOADS: st.SearchStrategy[Spec] = st.one_of(
    st.builds(ClosedSpec, kind=st.just("closed"), outstanding=SMALL, initiators=IN_TURN, **POSTING),
    st.builds(
        ClosedSpec,
        kind=st.just("closed"),
        outstanding=st.integers(1, 20),
        per=st.just("all"),
        initiators=PICKS,
        **POSTING,
    ),
    st.builds(
        OpenSpec,
        kind=st.just("open"),
        rate=RATES,
        arrivals=st.sampled_from(("fixed", "poisson")),
        initiators=PICKS,
        **POSTING,
    ),
    st.builds(BurstSpec, kind=st.just("burst"), initiators=PICKS, **POSTING),
    st.builds(ChainSpec, kind=st.just("chain"), chains=SMALL, nodes=st.just(5), initiators=SMALL),
)
REQUESTS = st.integers(1, 30)
UNTIL_PS = st.integers(0, 100_000)


def made(spec: Spec, seed: int, requests: int) -> Described:
    return described(spec, {}, (READ, 64), seed, requests)


@given(TABLES, WORKLOADS, REQUESTS, st.integers(1, 3))
def test_nothing_is_lost_and_nothing_comes_twice(
    source: Table, spec: Spec, requests: int, seed: int
) -> None:
    done: list[Request] = []
    workload = made(spec, seed, requests).workload
    driver = Driver(Path(source, seed), workload, requests=requests, on_complete=done.append)
    driver.run()
    assert driver.posted == requests
    assert sorted(request.sequence for request in done) == list(range(requests))
    by_number = sorted(done, key=lambda request: request.sequence)
    posted_ps = [request.submitted_ps for request in by_number]
    assert posted_ps == sorted(posted_ps)
    assert driver.kernel.inside == {}
    assert all(not pool.holders for pool in driver.kernel.pools)
    assert all(not station.inside for station in driver.kernel.stations)


@given(TABLES, WORKLOADS, REQUESTS)
def test_the_law_of_little_holds_exactly(source: Table, spec: Spec, requests: int) -> None:
    report = run_workload(Path(source), made(spec, 1, requests))
    assert report.inside_ps == report.latency.sum == sum(report.parts.values())
    mean = report.in_flight_mean
    if mean is None:
        assert report.window_ps == report.latency.sum == 0
    else:
        assert mean == float(Fraction(report.latency.sum, report.window_ps))
    assert all(0 <= fraction <= 1 for fraction in report.utilisation.values())


@given(TABLES, WORKLOADS, REQUESTS, UNTIL_PS)
def test_a_stopped_run_accounts_for_all(
    source: Table, spec: Spec, requests: int, until_ps: int
) -> None:
    whole: list[Request] = []
    workload = made(spec, 1, requests).workload
    Driver(Path(source), workload, requests=requests, on_complete=whole.append).run()
    done: list[Request] = []
    path = Path(source)
    workload = made(spec, 1, requests).workload
    driver = Driver(path, workload, requests=requests, on_complete=done.append)
    driver.run(until_ps)
    assert driver.posted == sum(one.submitted_ps <= until_ps for one in whole)
    assert [one.sequence for one in done] == [
        one.sequence for one in whole if one.completed_ps <= until_ps
    ]
    assert driver.posted == len(done) + sum(still_inside(driver.kernel).values())
    found = used(path, None, len(done), driver.first_post_ps, until_ps)
    assert all(0 <= one.in_use_ps <= one.capacity * one.span_ps for one in found)
    driver.run()
    assert [(one.sequence, one.completed_ps) for one in done] == [
        (one.sequence, one.completed_ps) for one in whole
    ]


@given(WORKLOADS, st.integers(0, 3))
def test_the_same_seed_posts_the_same(spec: Spec, seed: int) -> None:
    posts = [list(islice(made(spec, seed, 20).workload.posts(), 20)) for _ in range(2)]
    assert posts[0] == posts[1]


class Told(Path):
    """A path whose events are heard, and whose steps are evaluated in another order."""

    def kernel(self, complete: Callable[[Request], None], **how: Any) -> Kernel:
        """The kernel, with a listener and a shuffle."""
        how |= {"listener": lambda event: None, "shuffle": random.Random(self.seed)}
        return super().kernel(complete, **how)


@given(TABLES, WORKLOADS, REQUESTS, st.integers(0, 2**32))
def test_neither_a_listener_nor_the_order_of_evaluation_changes_a_report(
    source: Table, spec: Spec, requests: int, seed: int
) -> None:
    plain = run_workload(Path(source, seed), made(spec, 1, requests))
    told = run_workload(Told(source, seed), made(spec, 1, requests))
    assert {**told.as_json(), "wall_s": 0} == {**plain.as_json(), "wall_s": 0}
    assert told.stages == plain.stages
