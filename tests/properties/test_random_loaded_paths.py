"""What holds on every path whose stages share links, windows and places, under every load."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from emu.breakdown import of_request
from emu.driver import Driver
from emu.path import Path
from emu.request import Operation
from emu.resource import Pool
from emu.table.schema import Table
from emu.trace.events import Kind
from emu.waits import DeadlockError, who_waits_for_whom
from emu.workload import Access, Timed
from tests.build import Post, Run
from tests.engine.random_tables import HORIZON_PS, loaded_loads, loaded_tables

#: Enough for most of what can meet to meet, and a few seconds for each property.
many = settings(max_examples=max(150, settings.default.max_examples if settings.default else 0))


def ended(source: Table, load: list[Post], **how: Any) -> Run:
    """A run up to where nothing more happens, which is not for ever."""
    made = Run(source, load, **how)
    made.kernel.run(until_ps=HORIZON_PS)
    assert made.kernel.is_idle
    return made


def breakdowns(made: Run) -> list[list[dict[str, int]]]:
    return [of_request(request) for request in made.requests]


@many
@given(loaded_tables(), loaded_loads())
def test_each_request_is_delivered_or_dropped_once(source: Table, load: list[Post]) -> None:
    made = ended(source, load)
    assert not made.kernel.inside, who_waits_for_whom(made.kernel)
    out = [request.sequence for request in (*made.completed, *made.dropped)]
    assert sorted(out) == list(range(len(load)))
    told = [e.request for e in made.events if e.kind in (Kind.COMPLETED, Kind.DROPPED)]
    assert sorted(told) == sorted(out)


@many
@given(loaded_tables(), loaded_loads())
def test_no_unit_and_no_place_is_left_behind(source: Table, load: list[Post]) -> None:
    made = ended(source, load)
    assert not made.held()
    for one in made.path.stations:
        assert not one.inside, one.name
        assert not one.candidates, one.name
        assert not one.channel.waiting, one.name


@many
@given(loaded_tables(), loaded_loads())
def test_the_parts_of_each_request_sum(source: Table, load: list[Post]) -> None:
    made = ended(source, load)
    for request in made.completed:
        parts = made.parts(request.sequence)
        assert sum(parts.values()) == request.latency_ps, request.sequence
        assert min(parts.values(), default=0) >= 0, request.sequence


@many
@given(loaded_tables(), loaded_loads())
def test_at_no_instant_is_there_more_than_there_is_room(source: Table, load: list[Post]) -> None:
    instants = sorted({event.time_ps for event in ended(source, load).events})
    made = Run(source, load)
    for at_ps in instants:
        made.kernel.run(until_ps=at_ps)
        for pool in made.kernel.pools:
            check_pool(made, pool)
        for one in made.path.stations:
            capacity = one.channel.capacity
            assert capacity is None or one.channel.waiting <= capacity, (one.name, at_ps)
            # A batch takes one place.
            assert one.depth is None or one.taken <= one.depth, (one.name, at_ps)


def check_pool(made: Run, pool: Pool) -> None:
    requests = {request.sequence: request for request in made.requests}
    held: dict[object, int] = {}
    for holder in pool.holders:
        key = None if pool.key is None else pool.key(requests[holder.sequence])
        held[key] = held.get(key, 0) + 1
    assert pool.capacity is None or max(held.values(), default=0) <= pool.capacity, pool.name


@many
@given(loaded_tables(), loaded_loads())
def test_nothing_accepts_while_it_is_busy(source: Table, load: list[Post]) -> None:
    for one in ended(source, load).path.stations:
        # In the unit in which it counts: together no longer than up to the end of the last.
        end = one.free_ps if one.clock is None else one.free_edge
        assert one.busy <= end, one.name


@many
@given(loaded_tables(circles=True), loaded_loads(), st.integers(0, 2**32))
def test_the_order_of_evaluation_changes_no_trace(
    source: Table, load: list[Post], seed: int
) -> None:
    plain = ended(source, load)
    shuffled = ended(source, load, shuffle=random.Random(seed))
    assert shuffled.events == plain.events
    assert breakdowns(shuffled) == breakdowns(plain)
    assert shuffled.held() == plain.held()


@many
@given(loaded_tables(circles=True), loaded_loads())
def test_a_listener_changes_nothing(source: Table, load: list[Post]) -> None:
    heard = ended(source, load)
    alone = ended(source, load, listen=False)
    assert alone.completions_ps() == heard.completions_ps()
    assert breakdowns(alone) == breakdowns(heard)
    for one, other in ((alone.completed, heard.completed), (alone.dropped, heard.dropped)):
        assert [r.sequence for r in one] == [r.sequence for r in other]


@many
@given(loaded_tables(circles=True), loaded_loads())
def test_the_same_input_gives_the_same_output(source: Table, load: list[Post]) -> None:
    first, second = ended(source, load), ended(source, load)
    assert first.events == second.events
    assert breakdowns(first) == breakdowns(second)


@many
@given(loaded_tables(circles=True), loaded_loads())
def test_a_run_ends_or_says_who_waits_in_a_circle(source: Table, load: list[Post]) -> None:
    in_order = sorted(load, key=lambda post: post.at_ps)
    driver = Driver(
        Path(source),
        Timed((post.at_ps, Access(*(getattr(post, name) for name in ACCESS))) for post in in_order),
    )
    said = ""
    try:
        driver.run()
    except DeadlockError as error:
        said = str(error)
    assert bool(driver.kernel.inside) == ("\n  in a circle: " in said)
    assert said or not any(pool.holders for pool in driver.kernel.pools)
    dropped = sum(driver.dropped.values())
    inside = len(driver.kernel.inside)
    assert driver.posted == driver.latency.count + dropped + inside == len(load)


ACCESS = ("operation", "size_bytes", "address", "initiator", "destination")


@many
@given(loaded_tables(), st.sampled_from((Operation.READ, Operation.WRITE)))
def test_alone_it_takes_what_is_derived_and_its_waits(source: Table, operation: Operation) -> None:
    made = ended(source, [Post(0, operation)])
    parts = made.parts(0)
    own_ps = sum(time_ps for part, time_ps in parts.items() if part in OWN_TIME)
    # What cut-through lets go on can find its own last bytes still on a link.
    assert all(part in (*OWN_TIME, "alignment") or part.startswith("resource:") for part in parts)
    # An edge of 1 GHz is a whole picosecond, so nothing is cut.
    assert own_ps == made.path.derived_ps(operation, 64)


OWN_TIME = ("service", "serialisation", "cache_miss")
