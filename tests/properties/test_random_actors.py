"""What holds on every path with actors in it, under every load."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from emu.breakdown import of_request
from emu.table.schema import Table
from emu.trace.events import Event, Held, Kind, Left
from emu.waits import who_waits_for_whom
from tests.build import Post, Run, run
from tests.engine.random_tables import HORIZON_PS, loaded_loads, loaded_tables
from tests.engine.shelf import Shelf
from tests.properties.random_paths import loads, tables

#: Enough for most of what can meet to meet, and a few seconds for each property.
many = settings(max_examples=max(200, settings.default.max_examples if settings.default else 0))


def ended(source: Table, load: list[Post], **how: Any) -> Run:
    """A run up to where nothing more happens, which is not for ever."""
    made = Run(source, load, **how)
    made.kernel.run(until_ps=HORIZON_PS)
    assert made.kernel.is_idle
    return made


def breakdowns(made: Run) -> list[list[dict[str, int]]]:
    return [of_request(request) for request in made.requests]


def shelves_of(made: Run) -> list[Shelf]:
    return [one.actor for one in made.path.stations if isinstance(one.actor, Shelf)]


@many
@given(loaded_tables(shelved=True), loaded_loads())
def test_each_request_gets_through_or_is_dropped_and_its_parts_sum(
    source: Table, load: list[Post]
) -> None:
    made = ended(source, load)
    assert not made.kernel.inside, who_waits_for_whom(made.kernel)
    out = [request.sequence for request in (*made.completed, *made.dropped)]
    assert sorted(out) == list(range(len(load)))
    for request in made.completed:
        parts = made.parts(request.sequence)
        assert sum(parts.values()) == request.latency_ps, request.sequence
        assert min(parts.values(), default=0) >= 0, request.sequence
    assert not made.held()
    for one in made.path.stations:
        assert not one.inside, one.name
        assert not one.candidates, one.name
        assert not one.port.blocked, one.name
        assert not one.port.behind, one.name


@many
@given(loaded_tables(shelved=True), loaded_loads())
def test_all_that_came_by_are_told_to_have_passed_once(source: Table, load: list[Post]) -> None:
    for one in shelves_of(ended(source, load)):
        assert sorted(one.gone) == (sorted(one.came) if one.watched else [])
        assert one.most_kept <= (one.parameters.places or len(load))
        assert not one.under_way


@many
@given(loaded_tables(shelved=True), loaded_loads(), st.integers(0, 2**32))
def test_the_order_of_evaluation_changes_no_trace(
    source: Table, load: list[Post], seed: int
) -> None:
    plain = ended(source, load)
    shuffled = ended(source, load, shuffle=random.Random(seed))
    assert shuffled.events == plain.events
    assert breakdowns(shuffled) == breakdowns(plain)
    for one, other in zip(shelves_of(plain), shelves_of(shuffled), strict=True):
        assert (one.came, one.gone) == (other.came, other.gone)


@many
@given(loaded_tables(shelved=True), loaded_loads())
def test_a_listener_changes_nothing(source: Table, load: list[Post]) -> None:
    heard = ended(source, load)
    alone = ended(source, load, listen=False)
    assert alone.completions_ps() == heard.completions_ps()
    assert breakdowns(alone) == breakdowns(heard)
    for one, other in ((alone.completed, heard.completed), (alone.dropped, heard.dropped)):
        assert [r.sequence for r in one] == [r.sequence for r in other]
    for here, there in zip(shelves_of(alone), shelves_of(heard), strict=True):
        assert (here.came, here.gone) == (there.came, there.gone)


#: What may come after what, at one stage; the first of a stay is an arrival.
FOLLOWS = {
    Kind.ARRIVED: (Kind.HELD, Kind.ACCEPTED, Kind.EMITTED, Kind.DROPPED),
    Kind.HELD: (Kind.HELD, Kind.ACCEPTED, Kind.EMITTED, Kind.DROPPED),
    Kind.ACCEPTED: (Kind.EMITTED, Kind.DROPPED),
    Kind.EMITTED: (Kind.LEFT,),
    Kind.LEFT: (Kind.ARRIVED, Kind.COMPLETED, Kind.DROPPED),
    Kind.SUBMITTED: (Kind.ARRIVED, Kind.DROPPED),
    Kind.COMPLETED: (),
    Kind.DROPPED: (),
}


def check_story(told: list[Event]) -> None:
    """One request's events: in the one possible order, and each stay with all of its time."""
    since_ps = told[0].time_ps
    assert told[0].kind is Kind.SUBMITTED
    assert told[-1].kind in (Kind.COMPLETED, Kind.DROPPED)
    for event, following in pairwise(told):
        assert following.kind in FOLLOWS[event.kind], (event, following)
        assert event.time_ps <= following.time_ps
        if isinstance(event, Left):
            assert sum(time_ps for _, time_ps in event.parts) == event.time_ps - since_ps, event
            assert all(time_ps for _, time_ps in event.parts)
            since_ps = event.time_ps
        if isinstance(event, Held):
            assert event.behind >= 0


def check_stories(made: Run) -> None:
    for request in made.requests:
        check_story([event for event in made.events if event.request == request.sequence])


@many
@given(loaded_tables(shelved=True), loaded_loads())
def test_the_events_tell_where_all_the_time_went(source: Table, load: list[Post]) -> None:
    check_stories(ended(source, load))


@many
@given(tables(), loads())
def test_the_events_of_paths_without_actors_do_too(source: Table, load: list[Post]) -> None:
    check_stories(run(source, load))
