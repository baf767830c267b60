"""Transport channels: a window for each, and who waits behind whom."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.table import TableError
from emu.table.schema import Table
from emu.trace.events import Kind
from tests.build import READ, Post, delay, run, station, table

SOURCE = {"text": "a test", "kind": "assumed"}
WAIT = "resource:channels"


def channels(window: object = 1, sharing: str = "private", **more: Any) -> Table:
    """A round trip of 100 ns behind channels; a request takes its unit at the door."""
    resource = {"kind": "channels", "sharing": sharing, "window": window, "source": SOURCE, **more}
    uses = [{"resource": "channels", "until": "far"}]
    path = [station("door", "0 ns", uses=uses), delay("far", "100 ns")]
    return table(path, resources={"channels": resource})


def post(initiator: int = 0, destination: int = 0, at_ps: int = 0) -> Post:
    return Post(at_ps, READ, 64, 0, initiator, destination)


def ns(*times: int) -> list[int]:
    return [1000 * time for time in times]


def test_a_full_window_waits_for_the_first_to_come_back() -> None:
    sent = run(channels(window=2), [post(), post(at_ps=30_000), post(at_ps=40_000), post()])
    assert sent.completions_ps() == ns(100, 200, 230 - 30, 100)
    assert sent.parts(2) == {"service": 100_000, WAIT: 60_000}


def test_a_full_window_holds_up_no_other_channel() -> None:
    sent = run(channels(), [post(0), post(0), post(0), post(1), post(0, destination=1)])
    assert sent.completions_ps() == ns(100, 200, 300, 100, 100)
    assert sent.parts(3) == {"service": 100_000}
    assert sent.parts(2) == {"service": 100_000, WAIT: 200_000}


def test_a_shared_channel_lets_one_user_wait_behind_another() -> None:
    sent = run(channels(sharing="shared"), [post(0), post(0), post(1), post(1, destination=1)])
    assert sent.completions_ps() == ns(100, 200, 300, 100)
    assert sent.parts(2) == {"service": 100_000, WAIT: 200_000}


def test_initiators_of_a_group_share_and_groups_do_not() -> None:
    sent = run(channels(sharing="groups", groups=2), [post(0), post(1), post(2), post(3)])
    assert sent.completions_ps() == ns(100, 100, 200, 200)


def test_an_endless_window_holds_nobody_up() -> None:
    sent = run(channels(window="unlimited", sharing="shared"), [post() for _ in range(5)])
    assert sent.completions_ps() == ns(100, 100, 100, 100, 100)


def test_channels_that_wait_for_a_link_are_served_longest_waiting_first() -> None:
    uses = [{"resource": "channels", "until": "far"}]
    resource = {"kind": "channels", "sharing": "private", "window": 1, "source": SOURCE}
    path = [station("door", "0 ns", interval="10 ns", uses=uses), delay("far", "100 ns")]
    source = table(path, resources={"channels": resource})
    load = [post(0), post(0, at_ps=1000), post(1, at_ps=2000), post(2, at_ps=3000)]
    # The second waits for its window, and lets the others by.
    assert run(source, load).accepted_ps("door") == ns(0, 100, 10, 20)


@pytest.mark.parametrize(
    ("more", "expected"),
    (
        ({"sharing": "groups"}, "groups"),
        ({"sharing": "private", "groups": 2}, "groups"),
        ({"sharing": "groups", "groups": 0}, "expected at least 1"),
        ({"sharing": "alone"}, "expected private, shared or groups"),
        ({"window": 0}, "expected a whole number from 1 on"),
    ),
)
def test_refuses_what_means_nothing(more: dict[str, Any], expected: str) -> None:
    with pytest.raises(TableError) as raised:
        channels(**more)
    assert expected in str(raised.value)


# -- properties -------------------------------------------------------------------------------

SHARINGS: dict[str, dict[str, Any]] = {
    "private": {},
    "shared": {},
    "groups": {"groups": 2},
}
LOADS = st.lists(
    st.builds(
        post,
        st.integers(0, 4),
        st.integers(0, 1),
        st.one_of(st.sampled_from((0, 50_000, 100_000)), st.integers(0, 400_000)),
    ),
    min_size=1,
    max_size=25,
)
many = settings(max_examples=max(200, settings.default.max_examples if settings.default else 0))


def key(one: Post, sharing: str) -> tuple[int, int]:
    """The channel of a request, said once more."""
    group = {"private": one.initiator, "shared": 0, "groups": one.initiator % 2}[sharing]
    return group, one.destination


@many
@given(st.sampled_from(tuple(SHARINGS)), st.integers(1, 4), LOADS)
def test_each_channel_is_a_queue_by_itself(sharing: str, window: int, load: list[Post]) -> None:
    sent = run(channels(window, sharing, **SHARINGS[sharing]), load)
    # A channel is a queue with as many servers as its window has places, and knows no other.
    free_ps: dict[tuple[int, int], list[int]] = {}
    for request in sorted(sent.requests, key=lambda one: (one.submitted_ps, one.sequence)):
        places = free_ps.setdefault(key(load[request.sequence], sharing), [0] * window)
        places.sort()
        start_ps = max(places[0], request.submitted_ps)
        places[0] = start_ps + 100_000
        assert request.completed_ps == start_ps + 100_000
        expected = {"service": 100_000}
        if start_ps > request.submitted_ps:
            expected[WAIT] = start_ps - request.submitted_ps
        assert sent.parts(request.sequence) == expected
    assert not any(pool.holders for pool in sent.path.pools)


@many
@given(st.sampled_from(tuple(SHARINGS)), st.integers(1, 4), LOADS, st.integers(0, 2**32))
def test_windows_hold_and_the_order_of_evaluation_changes_nothing(
    sharing: str, window: int, load: list[Post], seed: int
) -> None:
    source = channels(window, sharing, **SHARINGS[sharing])
    sent = run(source, load)
    taken, left = sent.times_ps(Kind.ACCEPTED, "door"), sent.times_ps(Kind.LEFT, "far")
    spans: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for one, from_ps, until_ps in zip(load, taken, left, strict=True):
        spans.setdefault(key(one, sharing), []).append((from_ps, until_ps))
    for held in spans.values():
        assert max(sum(a <= at < b for a, b in held) for at, _ in held) <= window
    assert run(source, load, shuffle=random.Random(seed)).events == sent.events
