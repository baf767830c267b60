"""What holds of a link with losses, whatever it carries and loses."""

from __future__ import annotations

import math
import random
from itertools import accumulate
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.breakdown import of_request
from emu.driver import Driver
from emu.path import Path
from emu.request import Request
from emu.workload import Access, Timed
from stages.reliable_wire import RetryLimitError
from tests.build import WRITE, Post, Run, clocked, run, station, table
from tests.stages.reliable_link import FLIGHT_PS, LINK, counts, link, send
from tests.stages.transport_reference import Reference, Times

COUNTS = st.sampled_from((1, 2, 3, 8, "unlimited"))
INSTANTS = st.one_of(st.sampled_from((0, 100_000, 2_100_000)), st.integers(0, 9_000_000))
LOADS = st.lists(
    st.builds(
        Post,
        INSTANTS,
        st.just(WRITE),
        st.sampled_from((0, 1, 999, 1000, 1001, 3000, 12_345)),
        st.just(0),
        st.integers(0, 2),
        st.integers(0, 1),
    ),
    min_size=1,
    max_size=12,
)
LOSSES = st.one_of(
    st.lists(st.integers(0, 40), max_size=12),
    st.sampled_from((0, "0.01", "0.2", "0.5", "0.9")),
)
LINKS = st.fixed_dictionaries(
    {
        "bandwidth": st.sampled_from(("10 GB/s", "3 GB/s")),
        "header": st.sampled_from(("0 B", "58 B")),
        "sharing": st.sampled_from(("private", "shared")),
        "window": COUNTS,
        "recovery": st.sampled_from(("go_back_n", "selective_repeat")),
        "receive_buffer": COUNTS,
        "timeout": st.sampled_from(("2000001 ps", "5 us")),
        "retries": st.sampled_from((0, 1, 7, 1000)),
        "loss": LOSSES,
    }
)
many = settings(max_examples=max(300, settings.default.max_examples if settings.default else 0))


def channel_of(request: Request, sharing: str) -> tuple[int, int]:
    return (request.initiator if sharing == "private" else 0, request.destination)


def packets_of(size_bytes: int) -> int:
    return max(1, -(-size_bytes // 1000))


@many
@given(LINKS, LOADS)
def test_every_message_comes_once_and_in_order_or_it_is_an_error(
    how: dict[str, Any], load: list[Post]
) -> None:
    try:
        sent = send(load, **how)
    except RetryLimitError:
        assert how["loss"] != 0
        assert how["retries"] < 1000
        return
    assert len(sent.completed) == len(load)
    assert not sent.kernel.inside
    channels: dict[tuple[int, int], list[Request]] = {}
    for request in sorted(sent.requests, key=lambda one: (one.submitted_ps, one.sequence)):
        channels.setdefault(channel_of(request, how["sharing"]), []).append(request)
    for requests in channels.values():
        ends_ps = [request.completed_ps for request in requests]
        assert ends_ps == sorted(ends_ps)


@many
@given(LINKS, LOADS)
def test_every_packet_is_taken_once_and_every_byte_accounted_for(
    how: dict[str, Any], load: list[Post]
) -> None:
    how = {**how, "retries": 10_000}
    counted = counts(send(load, **how))
    packets = sum(packets_of(post.size_bytes) for post in load)
    # A packet that is sent is taken, once; or is lost or refused, and then sent again, once.
    assert counted["packets_repeated"] == counted["packets_lost"] + counted["packets_refused"]
    assert counted["packets_sent"] == packets + counted["packets_repeated"]
    header_bytes = int(how["header"].split()[0])
    payload_bytes = sum(post.size_bytes for post in load) + counted["bytes_repeated"]
    assert counted["bytes_sent"] == payload_bytes + header_bytes * counted["packets_sent"]
    assert counted["bytes_repeated"] <= 1000 * counted["packets_repeated"]
    if how["recovery"] == "go_back_n":
        assert counted["packets_held"] == 0
    elif how["receive_buffer"] == "unlimited":
        assert counted["packets_refused"] == 0


@many
@given(LINKS, LOADS)
def test_the_parts_sum_to_the_stay_and_none_is_negative(
    how: dict[str, Any], load: list[Post]
) -> None:
    how = {**how, "retries": 10_000}
    sent = send(load, **how)
    lossless = counts(sent)["packets_lost"] == 0
    for post, request in zip(load, sent.requests, strict=True):
        (parts,) = of_request(request)
        assert sum(parts.values()) == request.latency_ps
        assert all(time_ps > 0 for time_ps in parts.values())
        assert parts["service"] == FLIGHT_PS
        assert parts.get("serialisation", 0) == on_link_ps(post.size_bytes, how)
        assert not (lossless and parts.keys() & {"retransmit", "ordering"})
        assert not (how["window"] == "unlimited" and "resource:link.window" in parts)
        assert not (how["recovery"] == "go_back_n" and "ordering" in parts)


def on_link_ps(size_bytes: int, how: dict[str, Any]) -> int:
    header_bytes = int(how["header"].split()[0])
    bytes_per_ns = int(how["bandwidth"].split()[0])
    whole, rest = divmod(size_bytes, 1000)
    sizes = [1000] * whole + ([rest] if rest or not whole else [])
    return sum(-(-(size + header_bytes) * 1000 // bytes_per_ns) for size in sizes)


@many
@given(LINKS, LOADS, st.integers(0, 2**32))
def test_the_order_of_evaluation_changes_nothing(
    how: dict[str, Any], load: list[Post], seed: int
) -> None:
    how = {**how, "retries": 10_000}
    plain = send(load, **how)
    shuffled = send(load, random.Random(seed), **how)
    assert shuffled.events == plain.events
    assert counts(shuffled) == counts(plain)
    assert breakdowns(shuffled) == breakdowns(plain)
    unheard = run(link(**how), load, listen=False)
    assert breakdowns(unheard) == breakdowns(plain)


def breakdowns(of: Run) -> list[list[dict[str, int]]]:
    return [of_request(request) for request in of.requests]


@many
@given(LINKS, LINKS, LOADS, st.integers(0, 2**32))
def test_between_other_stages_nothing_is_lost_and_the_order_of_evaluation_changes_nothing(
    there: dict[str, Any], back: dict[str, Any], load: list[Post], seed: int
) -> None:
    path = [
        clocked("tx", 3, interval=2, depth=4, queue=1),
        {**LINK, **there, "name": "there", "retries": 10_000},
        station("access", "50 ns", stage="memory", queue=1, depth=2),
        {**LINK, **back, "name": "back", "retries": 10_000},
        clocked("rx", 5, interval=9, queue=2),
    ]
    source = table(path)
    plain = run(source, load)
    assert len(plain.completed) == len(load)
    for request in plain.requests:
        hops = of_request(request)
        assert sum(sum(parts.values()) for parts in hops) == request.latency_ps
        assert all(time_ps > 0 for parts in hops for time_ps in parts.values())
    shuffled = run(source, load, shuffle=random.Random(seed))
    assert shuffled.events == plain.events
    assert breakdowns(shuffled) == breakdowns(plain)


@many
@given(LINKS, LOADS)
def test_loss_makes_no_message_of_a_lone_channel_earlier(
    how: dict[str, Any], load: list[Post]
) -> None:
    how = {**how, "retries": 10_000}
    alone = [Post(post.at_ps, WRITE, post.size_bytes) for post in load]
    lossy = send(alone, **how).completions_ps()
    clean = send(alone, **{**how, "loss": 0}).completions_ps()
    assert all(late >= early for late, early in zip(lossy, clean, strict=True))


@many
@given(LINKS, LOADS)
def test_without_loss_a_channel_with_room_is_a_queue_for_the_link(
    how: dict[str, Any], load: list[Post]
) -> None:
    how = {**how, "window": "unlimited", "loss": 0}
    alone = [Post(post.at_ps, WRITE, post.size_bytes) for post in load]
    sent = send(alone, **how)
    free_ps = 0
    for request in sorted(sent.requests, key=lambda one: (one.submitted_ps, one.sequence)):
        free_ps = max(free_ps, request.submitted_ps) + on_link_ps(request.size_bytes, how)
        assert request.completed_ps == free_ps + FLIGHT_PS


@many
@given(
    st.lists(st.sampled_from((0, 0, 0, 40_000, 100_000, 2_000_000, 6_000_000)), min_size=1),
    st.sets(st.integers(0, 40)),
    st.sampled_from(("go_back_n", "selective_repeat")),
    st.integers(1, 8),
    st.integers(1, 4),
)
def test_every_delivery_is_at_its_one_right_time(
    gaps_ps: list[int], lost: set[int], recovery: str, window: int, room: int
) -> None:
    ready_ps = list(accumulate(gaps_ps))
    reference = Reference(
        ready_ps,
        Times(packet_ps=100_000, flight_ps=1_000_000, back_ps=900_000, timeout_ps=5_000_000),
        frozenset(lost),
        goes_back=recovery == "go_back_n",
        window=window,
        room=room,
    )
    sent = send(
        [Post(at_ps, WRITE, 1000) for at_ps in ready_ps],
        acknowledgement="900 ns",
        recovery=recovery,
        window=window,
        receive_buffer=room,
        loss=sorted(lost),
        retries=1000,
    )
    assert sent.completions_ps() == [reference.delivered_ps[psn] for psn in range(len(gaps_ps))]
    assert counts(sent)["packets_sent"] == len(reference.sent)


@given(LINKS, LOADS)
def test_a_link_that_loses_everything_is_an_error(how: dict[str, Any], load: list[Post]) -> None:
    how = {**how, "loss": 1}
    with pytest.raises(RetryLimitError):
        send(load, **how)


def outcome(seed: int, loss: str = "0.3", packets: int = 200) -> tuple[int, dict[str, int]]:
    """When one message was there, and what was counted on its way."""
    path = Path(link(loss=loss, retries=1000), seed)
    driver = Driver(path, Timed([(0, Access(WRITE, packets * 1000, 0))]))
    driver.run()
    (actor,) = [station.actor for station in path.stations if station.actor is not None]
    return driver.last_completion_ps, actor.counts()


def test_the_same_seed_loses_the_same_packets() -> None:
    assert outcome(seed=1) == outcome(seed=1)
    assert outcome(seed=1) != outcome(seed=2)


@pytest.mark.parametrize("loss", ("0.01", "0.3", "0.7"))
def test_a_probability_is_that_of_each_packet(loss: str) -> None:
    _, counted = outcome(1, loss, packets=20_000)
    sent, p = counted["packets_sent"], float(loss)
    assert abs(counted["packets_lost"] - p * sent) < 4 * math.sqrt(p * (1 - p) * sent)
