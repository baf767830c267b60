"""The compiled reliable wire does what the reference's does, to the picosecond."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.fast.make_wire import make_wire
from emu.fast.refusal import RefusalError
from emu.path import Path
from emu.random import Random
from emu.table import load as load_table
from tests.build import clocked, station, table
from tests.fast.agree import assert_agree
from tests.fast.wire_alone import (
    WINDOW,
    Arrival,
    Building,
    Compiled,
    checked,
    wire_of,
)
from tests.stages.reliable_link import FLIGHT_PS, LINK, PACKET_PS, link

COUNTS = st.sampled_from((1, 2, 3, 8, "unlimited"))
LOADS = st.lists(
    st.builds(
        Arrival,
        st.one_of(st.sampled_from((0, 100_000, 2_100_000)), st.integers(0, 9_000_000)),
        st.sampled_from((0, 1, 999, 1000, 1001, 3000, 12_345)),
        st.integers(0, 2),
        st.integers(0, 1),
        st.booleans(),
    ),
    min_size=1,
    max_size=16,
)
LINKS = st.fixed_dictionaries(
    {
        "bandwidth": st.sampled_from(("10 GB/s", "3 GB/s", "1.2345679 GB/s")),
        "latency": st.sampled_from(("0 ns", "1 us", "100 ns")),
        "acknowledgement": st.sampled_from(("0 ns", "1 us", "100 ns")),
        "header": st.sampled_from(("0 B", "58 B")),
        "sharing": st.sampled_from(("private", "shared")),
        "window": COUNTS,
        "recovery": st.sampled_from(("go_back_n", "selective_repeat")),
        "receive_buffer": COUNTS,
        "timeout": st.sampled_from(("2000001 ps", "5 us")),
        "retries": st.sampled_from((0, 1, 7, 10_000, 10_000, 10_000)),
        "loss": st.one_of(
            st.lists(st.integers(0, 40), max_size=12),
            st.sampled_from((0, "0.01", "0.2", "0.5", "0.9")),
        ),
    }
)
EXAMPLES = settings.default.max_examples if settings.default else 0
many = settings(max_examples=max(200, EXAMPLES))
few = settings(max_examples=max(30, EXAMPLES // 4))


@many
@given(LINKS, LOADS)
def test_does_what_the_reference_does(how: dict[str, Any], load: list[Arrival]) -> None:
    checked(load, **how)


@few
@given(LINKS, LINKS, LOADS)
def test_between_other_stages_it_does_too(
    there: dict[str, Any], back: dict[str, Any], load: list[Arrival]
) -> None:
    path = [
        clocked("tx", 3, interval=2, depth=4, queue=1),
        {**LINK, **there, "name": "there", "retries": 10_000},
        station("access", "50 ns", stage="memory", queue=1, depth=2),
        {**LINK, **back, "name": "back", "retries": 10_000},
        clocked("rx", 5, interval=9, queue=2),
    ]
    assert_agree(table(path), [arrival.post for arrival in load])


@pytest.mark.parametrize("recovery", ("go_back_n", "selective_repeat"))
@pytest.mark.parametrize("sharing", ("private", "shared"))
def test_in_the_shipped_table_it_does_too(recovery: str, sharing: str) -> None:
    how = (f"link.recovery={recovery}", f"link.sharing={sharing}", "link.loss=0.05")
    load = [Arrival(40_000 * n, 512 * (n % 40), n % 3, n % 2) for n in range(150)]
    assert_agree(load_table("loss_link", overrides=how), [arrival.post for arrival in load])


@pytest.mark.parametrize("recovery", ("go_back_n", "selective_repeat"))
@pytest.mark.parametrize("loss", ("0.01", "0.3"))
def test_is_the_same_after_many_packets(recovery: str, loss: str) -> None:
    load = [Arrival(137_000 * n, 700 * (n % 7), n % 3, n % 2, n % 2 == 0) for n in range(2000)]
    how = {"recovery": recovery, "loss": loss, "window": 8, "retries": 1000}
    outcome = checked(load, **how)
    assert len(outcome.emitted) == 2000
    assert outcome.counts["packets_repeated"] > 0


def test_a_window_is_charged_by_the_name_of_the_stage() -> None:
    ((_, at_ps, parts),) = checked([Arrival(0, 2000)], window=1).emitted
    # The second packet waits until the first is known of: 1 µs there and 1 µs back.
    assert at_ps == PACKET_PS + 2 * FLIGHT_PS + PACKET_PS + FLIGHT_PS
    assert dict(parts) == {
        WINDOW: 2 * FLIGHT_PS,
        "serialisation": 2 * PACKET_PS,
        "service": FLIGHT_PS,
    }


def test_a_probability_of_one_loses_every_packet() -> None:
    outcome = checked([Arrival(0, 1000)], loss=1, retries=3)
    assert outcome.failed
    assert outcome.counts["packets_lost"] == outcome.counts["packets_sent"] == 4


def test_a_packet_that_is_refused_is_not_lost() -> None:
    # Packet 1 is held as 0 is lost, twice: 2, 3, 5, 6, 7 are refused, and 4, which was lost before.
    # Then 3 is held as 2 is lost, and the last four are refused, 4 for the second time.
    outcome = checked([Arrival(0, 8000)], loss=[0, 4, 8, 11], receive_buffer=1, retries=2)
    assert not outcome.failed
    assert outcome.counts["packets_refused"] == 6 + 4


@pytest.mark.parametrize(("more", "lost"), ((0, 0), (1, 1)))
def test_a_probability_is_exact(more: int, lost: int) -> None:
    # A draw loses its packet if it is below the probability times 2^64, whole numbers of which
    # 27 digits tell apart.
    draw = Random(1, "link").bits() + more
    loss = f"0.{-(-draw * 10**27 >> 64):027}"
    outcome = checked([Arrival(0, 1000)], loss=loss, retries=0)
    assert outcome.counts["packets_lost"] == lost


@pytest.mark.parametrize("recovery", ("go_back_n", "selective_repeat"))
def test_memory_does_not_grow_with_the_packets(recovery: str) -> None:
    rooms = []
    for packets in (20_000, 400_000):
        path = Path(link(recovery=recovery, window=16, receive_buffer=8, loss="0.1", retries=1000))
        compiled = Compiled(path, [Arrival(0, 1000 * packets)])
        compiled.play()
        assert compiled.wire()["packets"] > packets
        assert compiled.wire()["wire_packets"]["count"] == 16
        rooms.append(compiled.rooms())
        compiled.give_back()
    assert rooms[0] == rooms[1]


def test_a_time_on_the_link_is_exact_where_its_product_is_large() -> None:
    # A byte takes 10^15 / 999,999,999,999,989 ps, and 4600 times 10^15 is nearly 2^62.
    how: dict[str, Any] = {"mtu": "4600 B", "bandwidth": "999.999999999989 GB/s"}
    load = [Arrival(0, 4600), Arrival(0, 4599)]
    assert checked(load, **how).emitted[0][1] == 4601 + FLIGHT_PS


@pytest.mark.parametrize(
    ("how", "reason"),
    (
        ({"retries": 2**62}, "stage link has a number that is too large, 4611686018427387904"),
        ({"mtu": "1000000000000 GB"}, "stage link has a number that is too large, "),
        (
            {"mtu": "5000 GB", "bandwidth": "0.000001000000001 GB/s"},
            "a packet of stage link is too large",
        ),
    ),
)
def test_numbers_that_are_too_large_are_refused(how: dict[str, Any], reason: str) -> None:
    path = Path(link(**how))
    with pytest.raises(RefusalError, match=reason):
        make_wire(wire_of(path), Building(path))
