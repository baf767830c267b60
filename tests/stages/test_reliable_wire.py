"""A link that loses packets: each time by hand, from the link's own numbers.

A packet is on the link for 0.1 µs, in flight for 1 µs, and known of another 1 µs later.
"""

from __future__ import annotations

from typing import Any

import pytest

from emu.path import build
from emu.table import TableError
from emu.trace.events import Held
from stages.reliable_wire import RetryLimitError
from tests.build import READ, WRITE, Post, delay, run, station, table
from tests.stages.reliable_link import LINK, PACKET_PS, counts, link, messages, send

BOTH = ("go_back_n", "selective_repeat")
WINDOW = "resource:link.window"


def us(*times: float) -> list[int]:
    return [round(time * 1_000_000) for time in times]


@pytest.mark.parametrize("recovery", BOTH)
def test_without_loss_packets_follow_one_another(recovery: str) -> None:
    sent = send(messages(2, 1, 3), recovery=recovery)
    assert sent.completions_ps() == us(1.2, 1.3, 1.6)
    assert sent.parts(0) == {"service": 1_000_000, "serialisation": 200_000}
    assert sent.parts(2) == {
        "service": 1_000_000,
        "serialisation": 300_000,
        "arbitration": 300_000,
    }
    assert counts(sent) == {
        "packets_sent": 6,
        "bytes_sent": 6000,
        "packets_lost": 0,
        "packets_repeated": 0,
        "bytes_repeated": 0,
        "packets_held": 0,
        "packets_refused": 0,
    }


def test_a_message_is_cut_into_packets_with_a_header_each() -> None:
    sent = send([Post(0, WRITE, 2300)], header="50 B")
    # 1050, 1050 and 350 B.
    assert sent.completions_ps() == us(1.245)
    assert counts(sent)["packets_sent"] == 3
    assert counts(sent)["bytes_sent"] == 2450


def test_a_message_without_payload_is_a_packet() -> None:
    sent = send([Post(0, WRITE, 0)], header="50 B")
    assert sent.completions_ps() == us(1.005)
    assert counts(sent)["packets_sent"] == 1


def test_each_packet_is_on_the_link_for_its_time_rounded_up() -> None:
    # 1000 B at 3 GB/s are 333,333 and a third ps.
    assert send(messages(2), bandwidth="3 GB/s").completions_ps() == [2 * 333_334 + 1_000_000]


def test_carries_the_answer_where_it_stands_behind_the_turn() -> None:
    path = [delay("far", "0 ns", stage="memory"), LINK]
    sent = run(table(path), [Post(0, READ, 5000)])
    assert sent.completions_ps() == us(1.5)
    assert counts(sent)["bytes_sent"] == 5000


# -- a gap ------------------------------------------------------------------------------------


def test_selective_repeat_sends_one_packet_again_and_holds_those_behind_it() -> None:
    sent = send(messages(2, 2, 2), loss=[1])
    # Packet 2 is there at 1.3 and tells of the gap at 2.3; packet 1 is there again at 3.4.
    assert sent.completions_ps() == us(3.4, 3.4, 3.4)
    assert sent.parts(0) == {
        "service": 1_000_000,
        "serialisation": 200_000,
        "retransmit": 2_200_000,
    }
    assert sent.parts(1) == {
        "service": 1_000_000,
        "serialisation": 200_000,
        "arbitration": 200_000,
        "ordering": 2_000_000,
    }
    assert sent.parts(2)["ordering"] == 1_800_000
    assert counts(sent)["packets_repeated"] == 1
    assert counts(sent)["bytes_repeated"] == 1000
    assert counts(sent)["packets_held"] == 4


def test_go_back_n_sends_all_again_from_the_gap_on() -> None:
    sent = send(messages(2, 2, 2), loss=[1], recovery="go_back_n")
    # From 2.3 on packets 1 to 5 are sent again.
    assert sent.completions_ps() == us(3.4, 3.6, 3.8)
    assert sent.parts(1) == {
        "service": 1_000_000,
        "serialisation": 200_000,
        "arbitration": 200_000,
        "retransmit": 2_200_000,
    }
    assert counts(sent)["packets_repeated"] == 5
    assert counts(sent)["bytes_repeated"] == 5000
    assert counts(sent)["packets_held"] == 0
    assert counts(sent)["packets_refused"] == 4


def test_go_back_n_repeats_only_what_was_sent_when_it_hears_of_the_gap() -> None:
    # 30 packets take 3.0 µs. At 2.2 packet 1 tells of the gap, and packet 22 is just to be sent:
    # packets 0 to 21 are sent again first.
    sent = send(messages(30), loss=[0], recovery="go_back_n")
    assert counts(sent)["packets_repeated"] == 22
    assert sent.completions_ps() == us(2.2 + 3.0 + 1.0)
    # New packets were kept back for 2.2 µs, and nothing came too late after that.
    assert sent.parts(0)["retransmit"] == 2_200_000


def test_messages_before_the_gap_are_not_held_up() -> None:
    for recovery in BOTH:
        sent = send(messages(2, 2, 2), loss=[4], recovery=recovery)
        assert sent.completions_ps()[:2] == us(1.2, 1.4)


def test_what_came_early_is_held_behind_the_message_that_is_missing() -> None:
    sent = send(messages(1, 1, 1, 1, 1), loss=[0, 2])
    assert sent.completions_ps() == us(3.3, 3.3, 3.5, 3.5, 3.5)
    held = [(one.time_ps, one.request, one.behind) for one in sent.events if isinstance(one, Held)]
    times_ps = us(1.2, 1.4, 1.5, 3.3, 3.3)
    assert held == list(zip(times_ps, (1, 3, 4, 3, 4), (0, 0, 0, 2, 2), strict=True))
    # From the first byte on the link on it is served, and 3 waited for three packets before that.
    assert sent.accepted_ps("link")[3] == 300_000


def test_two_gaps_are_filled_together() -> None:
    sent = send(messages(6), loss=[1, 3])
    # Told of at 2.3 and 2.5; packet 3 is there again at 3.6.
    assert sent.completions_ps() == us(3.6)
    assert counts(sent)["packets_repeated"] == 2


def test_go_back_n_goes_back_again_to_a_second_gap() -> None:
    sent = send(messages(6), loss=[1, 3], recovery="go_back_n")
    # All from packet 1 on again from 2.3: what was sent as number 3 was refused in any case.
    assert sent.completions_ps() == us(2.3 + 0.5 + 1.0)
    sent = send(messages(6), loss=[1, 7], recovery="go_back_n")
    # Number 7 is packet 2's repetition. Packet 3 comes at 3.6, and at 4.6 four more are sent.
    assert sent.completions_ps() == us(4.6 + 0.4 + 1.0)
    assert counts(sent)["packets_repeated"] == 5 + 4


# -- the timer --------------------------------------------------------------------------------


@pytest.mark.parametrize("recovery", BOTH)
def test_a_timer_stands_for_the_last_packet(recovery: str) -> None:
    sent = send(messages(2, 1), loss=[2], recovery=recovery)
    assert sent.completions_ps() == us(1.2, 0.3 + 5.0 + 0.1 + 1.0)
    assert sent.parts(1) == {
        "service": 1_000_000,
        "serialisation": 100_000,
        "arbitration": 200_000,
        "retransmit": 5_100_000,
    }


@pytest.mark.parametrize("recovery", BOTH)
def test_a_timer_stands_for_what_is_lost_again(recovery: str) -> None:
    sent = send(messages(2), loss=[0, 2], recovery=recovery)
    # Sent again at 2.2 as number 2, and once more 5 µs after its last byte.
    repeated = {"go_back_n": 2, "selective_repeat": 1}[recovery]
    assert sent.completions_ps() == us(2.3 + 5.0 + 0.1 * repeated + 1.0)


def test_what_is_asked_for_late_is_not_sent_twice() -> None:
    # Packet 0 is sent again at 5.1; packet 1, which tells of the gap, was sent at 4.9.
    late = [*messages(1), *messages(1, at_ps=4_900_000)]
    for recovery in BOTH:
        sent = send(late, loss=[0], recovery=recovery)
        assert counts(sent)["packets_repeated"] == {"go_back_n": 2, "selective_repeat": 1}[recovery]
        assert sent.completions_ps()[0] == us(5.1 + 0.1 + 1.0)[0]


# -- the limit --------------------------------------------------------------------------------


@pytest.mark.parametrize("recovery", BOTH)
@pytest.mark.parametrize("loss", (1, "1", 1.0))
def test_a_link_that_loses_everything_is_an_error(recovery: str, loss: object) -> None:
    with pytest.raises(RetryLimitError) as raised:
        send([Post(0, WRITE, 3000, initiator=4, destination=2)], loss=loss, recovery=recovery)
    # Eight times 0.1 and 5 µs; go-back-N sends two others each time.
    assert str(raised.value) == (
        "link: packet 0 from 4 to 2, of request 0, was lost 8 times up to "
        f"{8 * (PACKET_PS + 5_000_000)} ps; expected at most 7 losses of one packet ('retries')"
    )


def test_as_many_losses_as_retries_are_made_up_for() -> None:
    assert send(messages(1), loss=[0, 1], retries=2).completions_ps() == us(5.1 + 5.1 + 0.1 + 1.0)
    with pytest.raises(RetryLimitError, match="was lost 2 times up to 10200000 ps"):
        send(messages(1), loss=[0, 1], retries=1)
    with pytest.raises(RetryLimitError, match=r"packet 0 .* was lost once up to 2200000 ps"):
        send(messages(2), loss=[0], retries=0)


def test_go_back_n_counts_no_loss_behind_a_gap() -> None:
    # Packet 1 is lost behind packet 0, and again when both are sent again.
    sent = send(messages(3), loss=[0, 1, 4], recovery="go_back_n", retries=1)
    assert counts(sent)["packets_lost"] == 3
    assert len(sent.completed) == 1


def test_what_is_refused_counts_as_no_loss() -> None:
    # Packets 4 to 7 are refused behind packet 0, and again behind packet 2, which is number 9.
    sent = send(messages(8), loss=[0, 9], receive_buffer=1, retries=1)
    assert len(sent.completed) == 1
    assert counts(sent)["packets_refused"] == 6 + 4


def test_a_loss_counts_once_when_its_repetition_is_refused() -> None:
    # Packet 2 is lost, then refused behind packet 0, and at 9.5 lost once more, as number 7.
    sent = send(messages(4), loss=[0, 2, 4, 7], receive_buffer=1, retries=2)
    assert sent.completions_ps() == us(9.5 + 5.0 + 0.1 + 1.0)


def test_timer_and_gap_count_one_loss_while_the_link_is_busy() -> None:
    # The timer is over at 2.25, and packet 1 tells of the gap at 2.3, when the link is free.
    load = [Post(0, WRITE, size, initiator=n) for n, size in ((0, 2000), (1, 30_000))]
    sent = send(load, loss=[0], timeout="2150 ns", retries=1)
    assert sent.completions_ps()[0] == us(2.3 + 0.1 + 1.0)[0]


# -- window and buffer ------------------------------------------------------------------------


def test_a_full_window_waits_for_the_first_acknowledgement() -> None:
    sent = send(messages(2, 2), window=2)
    # Acknowledged at 2.1 and 2.2.
    assert sent.completions_ps() == us(1.2, 2.3 + 1.0)
    assert sent.parts(1) == {
        "service": 1_000_000,
        "serialisation": 200_000,
        "arbitration": 200_000,
        WINDOW: 1_900_000,
    }


def test_a_window_full_behind_a_gap_is_charged_to_the_loss_once_it_would_have_opened() -> None:
    sent = send(messages(2, 1), window=2, loss=[0])
    # Asked for at 2.2, there at 3.3, acknowledged at 4.3.
    assert sent.completions_ps() == us(3.3, 5.4)
    assert sent.parts(1) == {
        "service": 1_000_000,
        "serialisation": 100_000,
        "arbitration": 200_000,
        WINDOW: 1_900_000,
        "retransmit": 2_200_000,
    }


def test_the_windows_of_two_channels_are_two() -> None:
    both = [Post(0, WRITE, 2000, initiator=n) for n in (0, 1)]
    assert send(both, window=1).completions_ps() == us(2.2 + 1.0, 2.3 + 1.0)
    shared = send(both, window=1, sharing="shared")
    assert shared.completions_ps() == us(2.2 + 1.0, 6.4 + 1.0)
    elsewhere = [Post(0, WRITE, 2000, destination=n) for n in (0, 1)]
    assert send(elsewhere, window=1, sharing="shared").completions_ps() == us(3.2, 3.3)


def test_what_finds_no_room_is_asked_for_when_the_gap_is_filled() -> None:
    sent = send(messages(5), loss=[0], receive_buffer=2)
    # Packets 1 and 2 are held; 3 and 4 are asked for at 3.3, and heard of at 4.3.
    assert sent.completions_ps() == us(4.5 + 1.0)
    assert counts(sent)["packets_held"] == 2
    assert counts(sent)["packets_refused"] == 2
    assert counts(sent)["packets_repeated"] == 3


def test_what_is_refused_is_asked_for_before_a_second_gap_is_filled() -> None:
    sent = send(messages(6), loss=[0, 2], receive_buffer=1)
    # Packet 1 is held; 3, 4 and 5 are refused. Packet 0 is there again at 3.3, and then those three
    # are asked for; packet 2, of which packet 3 told, at 3.5.
    assert sent.completions_ps() == us(3.3 + 1.0 + 0.3 + 1.0)
    assert counts(sent)["packets_refused"] == 3


# -- channels ---------------------------------------------------------------------------------


def test_channels_take_turns_on_the_link() -> None:
    long, short = (Post(0, WRITE, size, initiator=n) for n, size in ((0, 10_000), (1, 1000)))
    assert send([long, short]).completions_ps() == us(1.1 + 1.0, 0.2 + 1.0)
    assert send([long, short], sharing="shared").completions_ps() == us(2.0, 2.1)


def test_a_channel_that_is_on_the_link_joins_the_turns_when_it_is_done() -> None:
    load = [
        Post(0, WRITE, 1000, initiator=0),
        Post(50_000, WRITE, 1000, initiator=0),
        Post(60_000, WRITE, 1000, initiator=1),
    ]
    assert send(load).completions_ps() == us(1.1, 1.3, 1.2)


def test_a_gap_holds_up_no_other_channel() -> None:
    both = [Post(0, WRITE, 1000, initiator=n) for n in (0, 1)]
    sent = send(both, loss=[0])
    assert sent.completions_ps() == us(0.1 + 5.0 + 0.1 + 1.0, 1.2)
    assert "ordering" not in sent.parts(1)
    shared = send(both, loss=[0], sharing="shared")
    # The other tells of the gap at 2.2.
    assert shared.completions_ps() == us(3.3, 3.3)
    assert shared.parts(1)["ordering"] == 2_100_000


# -- among other stages -----------------------------------------------------------------------


def test_what_finds_no_place_ahead_is_charged_backpressure() -> None:
    path = [LINK, station("full", "500 ns", queue=1, depth=1)]
    sent = run(table(path), messages(1, 1, 1))
    assert sent.completions_ps() == us(1.6, 2.1, 2.6)
    assert sent.parts_at(2, "link") == {
        "service": 1_000_000,
        "serialisation": 100_000,
        "arbitration": 200_000,
        "backpressure": 300_000,
    }


def test_each_direction_loses_for_itself() -> None:
    back = {**LINK, "name": "back", "loss": [0]}
    path = [{**LINK, "loss": [1]}, delay("far", "0 ns", stage="memory"), back]
    sent = run(table(path), [Post(0, READ, 2000), Post(0, READ, 2000)])
    # Each request is a packet of 64 B, 6.4 ns. The second is lost, and repeated by its timer.
    assert sent.requests[1].arrived_ps == 6400 + 6400 + 5_000_000 + 6400 + 1_000_000
    # The first answer is repeated when its second packet is there, and both are whole by then.
    first_ps = 6400 + 1_000_000
    assert sent.completions_ps()[0] == first_ps + 200_000 + 2_000_000 + 100_000 + 1_000_000
    assert sent.completions_ps()[1] == sent.requests[1].arrived_ps + 200_000 + 1_000_000
    assert counts(sent)["packets_lost"] == counts(sent, "back")["packets_lost"] == 1


# -- on paper, and in the table ---------------------------------------------------------------


@pytest.mark.parametrize("window", (1, 2, 3, 7, "unlimited"))
@pytest.mark.parametrize("size_bytes", (0, 1, 1000, 6700, 50_001))
def test_alone_and_without_loss_it_takes_what_paper_says(window: object, size_bytes: int) -> None:
    source = link(window=window, header="30 B", bandwidth="3 GB/s")
    sent = run(source, [Post(0, WRITE, size_bytes)])
    path = build(source)
    assert sent.completions_ps() == [path.derived_ps(WRITE, size_bytes)]
    ((_, parts),) = path.derived(WRITE, size_bytes)
    assert sent.parts(0) == parts


@pytest.mark.parametrize(
    ("change", "expected"),
    (
        ({"loss": "1.5"}, "'1.5' is more than 1"),
        ({"loss": 2}, "2 is more than 1"),
        ({"loss": "some"}, "'some' is no probability"),
        ({"loss": True}, "no probability"),
        ({"loss": [True]}, "does not say which packets"),
        ({"loss": [-1]}, "does not say which packets"),
        ({"loss": ["first"]}, "does not say which packets"),
        ({"timeout": "2 us"}, "is over before an acknowledgement can be there"),
        ({"mtu": "0 B"}, "expected more than 0"),
        ({"retries": -1}, "expected at least 0"),
        ({"window": 0}, "expected a whole number from 1 on"),
        ({"latency": 100}, "has no unit"),
    ),
)
def test_refuses_what_means_nothing(change: dict[str, Any], expected: str) -> None:
    with pytest.raises(TableError) as raised:
        link(**change)
    assert expected in str(raised.value)


@pytest.mark.parametrize("key", [key for key in LINK if key not in ("stage", "name")])
def test_has_no_defaults(key: str) -> None:
    without = {name: value for name, value in LINK.items() if name != key}
    with pytest.raises(TableError, match=f"'{key}' is missing"):
        table([without])
