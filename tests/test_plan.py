"""What a table says of a stage and a kind of request, before anything runs."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.path import Path
from emu.plan import message_bytes, rounded, stage_time
from emu.request import Operation
from emu.table.schema import Message, Resolution, Table
from tests.build import READ, WRITE, StageDict, clocked, delay, station, table


def time_of(stage: StageDict, operation: Operation, message: int, **head: Any) -> Any:
    source = table([stage], **head)
    entry = source.entries[0]
    clock = source.clocks.get(entry.timing.clock or "")
    return stage_time(entry, clock, source.head.resolution, operation, message)


NIC = {"nic": "322 MHz"}
UNALIGNED = {"nic": {"period": "3.106 ns", "aligned": False}}
BEAT = {"bytes": "32 B", "cost": "2 cycles"}


@pytest.mark.parametrize(
    ("clocks", "message", "latency", "busy", "derived_ps", "parts"),
    (
        # A clock with edges: cycles; and on paper whole picoseconds, cut once.
        (NIC, 32, 9, 6, 27_950, {"service": 27_950}),
        (NIC, 33, 11, 8, 34_161, {"service": 27_950, "beats": 6211}),
        (NIC, 320, 27, 24, 83_850, {"service": 27_950, "beats": 55_900}),
        # Without edges all is time.
        (UNALIGNED, 32, 27_954, 18_636, 27_954, {"service": 27_954}),
        (UNALIGNED, 64, 34_166, 24_848, 34_166, {"service": 27_954, "beats": 6212}),
    ),
)
def test_a_clocked_stage(
    clocks: dict[str, Any],
    message: int,
    latency: int,
    busy: int,
    derived_ps: int,
    parts: dict[str, int],
) -> None:
    time = time_of(clocked("x", 9, 6, beat=BEAT), READ, message, clocks=clocks)
    assert (time.latency, time.busy, time.derived_ps) == (latency, busy, derived_ps)
    assert dict(time.parts) == parts


@pytest.mark.parametrize(
    ("clocks", "message", "latency", "busy", "parts"),
    (
        (NIC, 32, 9, 6, {"service": 27_950}),
        (NIC, 96, 11, 12, {"service": 27_950, "beats": 6211}),
        (UNALIGNED, 96, 34_166, 37_272, {"service": 27_954, "beats": 6212}),
    ),
)
def test_a_beat_may_cost_latency_and_interval_differently(
    clocks: dict[str, Any], message: int, latency: int, busy: int, parts: dict[str, int]
) -> None:
    beat = {"bytes": "32 B", "latency": "1 cycle", "interval": "3 cycles"}
    time = time_of(clocked("x", 9, 6, beat=beat), READ, message, clocks=clocks)
    assert (time.latency, time.busy) == (latency, busy)
    assert dict(time.parts) == parts


def test_a_beat_may_cost_interval_alone() -> None:
    beat = {"bytes": "32 B", "latency": "0 cycles", "interval": "1 cycle"}
    time = time_of(clocked("x", 1, 1, beat=beat), READ, 64)
    assert (time.latency, time.busy, dict(time.parts)) == (1, 2, {"service": 1000})


def test_no_part_is_empty() -> None:
    assert time_of(delay("x", "0 ns"), READ, 64).parts == ()


@pytest.mark.parametrize(
    ("operation", "latency_ps"),
    (
        (Operation.READ, 5000),
        (Operation.WRITE, 9000),
        (Operation.FETCH_AND_ADD, 7000),
        (Operation.COMPARE_AND_SWAP, 8000),
    ),
)
def test_a_latency_by_operation_the_most_specific_first(
    operation: Operation, latency_ps: int
) -> None:
    words = {"read": "5 ns", "atomic": "7 ns", "compare_and_swap": "8 ns", "other": "9 ns"}
    messages = {
        word: {"request": "64 B", "response": "8 B"} for word in ("read", "write", "atomic")
    }
    time = time_of(delay("x", words), operation, 64, messages=messages)
    assert time.latency == latency_ps


@pytest.mark.parametrize(
    ("round_", "times"),
    (
        ("down", [(0, 0), (1, 0), (999, 0), (1000, 1000), (1500, 1000), (1999, 1000)]),
        ("up", [(0, 0), (1, 1000), (999, 1000), (1000, 1000), (1001, 2000)]),
        ("nearest", [(0, 0), (499, 0), (500, 1000), (1499, 1000), (1500, 2000), (2500, 3000)]),
    ),
)
def test_rounding(round_: Any, times: list[tuple[int, int]]) -> None:
    resolution = Resolution(step="1 ns", round=round_)
    assert [(time_ps, rounded(time_ps, resolution)) for time_ps, _ in times] == times


@given(st.integers(0, 10**9), st.integers(1, 5000))
def test_rounding_is_to_a_step_and_by_less_than_one(time_ps: int, step_ps: int) -> None:
    down, up, nearest = (
        rounded(time_ps, Resolution(step=f"{step_ps} ps", round=round_))
        for round_ in ("down", "up", "nearest")
    )
    assert down % step_ps == up % step_ps == nearest % step_ps == 0
    assert down <= time_ps <= up
    assert time_ps - down < step_ps > up - time_ps
    assert abs(2 * (nearest - time_ps)) <= step_ps
    assert nearest in (down, up)


def test_without_a_resolution_nothing_is_rounded() -> None:
    assert rounded(12_345, None) == 12_345


@pytest.mark.parametrize(
    ("answered", "size", "expected"), ((False, 200, 64), (True, 200, 200), (True, 0, 0))
)
def test_what_travels(answered: bool, size: int, expected: int) -> None:
    message = Message(request="64 B", response="payload")
    assert message_bytes(message, size, answered=answered) == expected


@pytest.mark.parametrize(
    ("answered", "at_initiator", "size", "expected"),
    (
        (True, False, 64, 32),
        (True, False, 32, 0),
        # Not so many bytes that they could be saved.
        (True, False, 31, 31),
        # Where it has arrived, the whole of it is there; and the request is not shorter.
        (True, True, 64, 64),
        (False, False, 64, 100),
    ),
)
def test_a_fused_acknowledgement_makes_the_response_shorter_on_its_way(
    answered: bool, at_initiator: bool, size: int, expected: int
) -> None:
    message = Message(request="100 B", response="payload", fused_acknowledgement="32 B")
    got = message_bytes(message, size, answered=answered, at_initiator=at_initiator)
    assert got == expected


@given(st.integers(0, 10**6), st.sampled_from([None, 1, 64, 4096]), st.integers(0, 100))
def test_a_link_is_busy_for_every_byte_of_every_packet(
    size: int, mtu: int | None, header: int
) -> None:
    stage = station("x", "1 ns", bandwidth="7 GB/s", header=f"{header} B", cut_through="64 B")
    if mtu is not None:
        stage["mtu"] = f"{mtu} B"
    time = time_of(stage, WRITE, size)
    packets = 1 if mtu is None else max(1, -(-size // mtu))
    total_ps = Fraction((size + packets * header) * 1000, 7)
    late_ps = max(Fraction(0), total_ps - Fraction(64_000, 7))
    assert time.busy - 1 < total_ps <= time.busy
    assert dict(time.parts).get("serialisation", 0) <= late_ps
    assert late_ps < dict(time.parts).get("serialisation", 0) + 1
    assert time.latency == time.derived_ps == 1000 + dict(time.parts).get("serialisation", 0)


# -- a plan's runs of plain delays --------------------------------------------------------------


def runs(source: Table) -> list[tuple[int, int]]:
    hops = Path(source).plan(READ, 64).hops
    return [(hop.run_hops, hop.run_ps) for hop in hops]


def test_plain_delays_in_a_row_run_as_one() -> None:
    path = [delay("a", "1 ns"), delay("b", "2 ns"), clocked("x", 3), delay("c", "4 ns")]
    assert runs(table(path)) == [(2, 3000), (1, 2000), (1, 3000), (1, 4000)]


def test_a_run_ends_where_something_is_given_back() -> None:
    path = [
        station("x", "1 ns", uses=[{"resource": "tag", "until": "b"}]),
        delay("a", "1 ns"),
        delay("b", "2 ns"),
        delay("c", "4 ns"),
        delay("d", "8 ns"),
    ]
    tag = {"kind": "pool", "capacity": 1, "source": {"text": "a test", "kind": "assumed"}}
    assert runs(table(path, resources={"tag": tag})) == [
        (1, 1000),
        (2, 3000),
        (1, 2000),
        (2, 12_000),
        (1, 8000),
    ]
