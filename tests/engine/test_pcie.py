"""PCIe: bytes, tags, credits and directions, to the picosecond. A byte takes a nanosecond."""

from __future__ import annotations

from typing import Any

import pytest

from emu.request import Operation
from tests.build import READ, WRITE, Post, Run, clocked, delay, posts, run, station, table
from tests.engine.resources import pcie, pool, use, user


def reader(name: str = "reader", latency: object = "100 ns", **timing: Any) -> dict[str, Any]:
    return user(name, latency, use("pcie", as_="read", to="device"), **timing)


def writer(name: str = "writer", latency: object = "10 ns", **timing: Any) -> dict[str, Any]:
    return user(name, latency, use("pcie", as_="write", to="host"), **timing)


def alone_ps(stage: dict[str, Any], size: int, address: int = 0, **link: Any) -> int:
    load = [Post(0, READ, size, address)]
    return run(table([stage], resources={"pcie": pcie(**link)}), load).completions_ps()[0]


# -- bytes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "packets"), ((0, 1), (1, 1), (256, 1), (257, 2), (512, 2), (513, 3))
)
def test_a_write_is_cut_into_payloads(size: int, packets: int) -> None:
    assert alone_ps(writer(), size) == (10 + size + 20 * packets) * 1000


@pytest.mark.parametrize(
    ("size", "address", "completions"),
    (
        (1, 0, 1),
        (256, 0, 1),
        (257, 0, 2),
        (512, 0, 2),
        (256, 64, 1),
        (256, 1, 2),  # 63 and 193
        (63, 1, 1),
        (64, 1, 2),
        (512, 1, 3),  # 63, 256 and 193
        (8, 60, 2),
        (8, 56, 1),
    ),
)
def test_completions_are_cut_at_the_boundary_and_into_payloads(
    size: int, address: int, completions: int
) -> None:
    asked = 2 if size > 512 else 1
    assert alone_ps(reader(), size, address) == (100 + size + 20 * (asked + completions)) * 1000


def test_the_requests_of_a_read_occupy_the_other_direction() -> None:
    # 1025 B ask three times: 60 ns on the link to the host, and the write there waits for them.
    path = [reader(when=["read"]), writer(when=["write"])]
    load = [Post(0, READ, 1025), Post(1000, WRITE, 64)]
    made = run(table(path, resources={"pcie": pcie()}), load)
    assert made.completions_ps() == [1_285_000, 60_000 + 84_000 + 10_000]
    assert made.parts(0) == {"service": 100_000, "serialisation": 1_185_000}
    assert made.parts(1)["resource:pcie.to_host"] == 59_000


def test_a_completion_answers_one_request() -> None:
    # Four requests of 512 B each can't be answered by one packet, however large it may be.
    assert alone_ps(reader(), 2048, payload="4096 B") == (100 + 2048 + 4 * 20 + 4 * 20) * 1000


def test_no_completion_is_larger_than_the_payload() -> None:
    # From address 1 to the boundary are 127 B, in one packet; then 385 B, of 128 B and fewer each.
    link = {"payload": "128 B", "completion_boundary": "128 B"}
    assert alone_ps(reader(), 512, 1, **link) == (100 + 512 + 20 + 5 * 20) * 1000


def test_links_with_boundaries_of_their_own_are_cut_by_their_own() -> None:
    path = [
        user("p", "0 ns", use("near", as_="read", to="device")),
        user("q", "0 ns", use("far", as_="read", to="device")),
    ]
    resources = {
        "near": pcie(completion_boundary="64 B"),
        "far": pcie(completion_boundary="128 B"),
    }
    load = [Post(0, READ, 64, 64), Post(10**6, READ, 64, 32), Post(2 * 10**6, READ, 64, 96)]
    made = run(table(path, resources=resources), load)
    # Each asks twice. At 64: one packet each time. At 32: 32 + 32, and one packet. At 96: 32 + 32
    # each time.
    taken_ps = [request.latency_ps for request in made.requests]
    assert taken_ps == [208_000, 228_000, 248_000]


@pytest.mark.parametrize("cut_through", (0, 30, 84, 500))
def test_cut_through_covers_the_first_bytes_both_ways(cut_through: int) -> None:
    stage = reader(cut_through=f"{cut_through} B")
    late = max(0, 20 - cut_through) + max(0, 84 - cut_through)
    assert alone_ps(stage, 64) == (100 + late) * 1000


# -- directions ---------------------------------------------------------------------------------


def test_directions_are_independent() -> None:
    path = [
        writer("up", when=["write"]),
        user("down", "10 ns", use("pcie", as_="write", to="device"), when=["read"]),
    ]
    load = [Post(0, WRITE, 236), Post(0, READ, 236), Post(0, WRITE, 236)]
    made = run(table(path, resources={"pcie": pcie()}), load)
    assert made.completions_ps() == [266_000, 266_000, 522_000]


def test_in_one_direction_writes_requests_and_relaxed_completions_take_turns() -> None:
    made = to_the_host(relaxed_ordering=True)
    # After the first write of 100 B: a request of 20 B, whose answer takes 100 ns the other way;
    # a completion of 100 B; a write; and round again.
    assert made.completions_ps() == [
        100_000,
        *(220_000, 440_000, 660_000),
        *(220_000, 440_000, 660_000),
        *(320_000, 540_000),
    ]


def test_completions_that_are_not_relaxed_go_once_the_writes_before_them_have_gone() -> None:
    made = to_the_host()
    # Requests and writes take turns. The completions come at 20, 40 and 60 ns, after the writes.
    assert made.completions_ps() == [
        100_000,
        *(220_000, 340_000, 560_000),
        *(440_000, 560_000, 660_000),
        *(220_000, 340_000),
    ]


def to_the_host(**how: Any) -> Run:
    """Posted writes, requests of reads to the device, and completions of reads to the host."""
    path = [
        writer("post", "0 ns", when=["write"]),
        reader("fetch", "0 ns", when=["read"]),
        user("upload", "0 ns", use("pcie", as_="read", to="host", **how), when=["send"]),
    ]
    messages = {word: {"request": "64 B", "response": "8 B"} for word in ("read", "write", "send")}
    load = [Post(0, WRITE, 80), *[Post(1, READ, 80)] * 3, *[Post(2, Operation.SEND, 80)] * 3]
    load += [Post(3, WRITE, 80)] * 2
    return run(table(path, messages=messages, resources={"pcie": pcie()}), load)


# -- order --------------------------------------------------------------------------------------


def behind_a_write(*others: Post, **how: Any) -> list[int]:
    """When each left the link to the host, in ns: a write of 100 B that came first, and these."""
    path = [
        writer("post", "0 ns", when=["write"]),
        # Its request goes to the host; its data comes back at once.
        user("fetch", "0 ns", use("pcie", as_="read", to="device", bytes="0 B"), when=["read"]),
        # Its request goes to the device, for 20 ns.
        user("upload", "0 ns", use("pcie", as_="read", to="host", **how), when=["send"]),
    ]
    messages = {word: {"request": "64 B", "response": "8 B"} for word in ("read", "write", "send")}
    load = [Post(0, WRITE, 80), *others]
    made = run(table(path, messages=messages, resources={"pcie": pcie()}), load)
    fetched_ps = [20_000 if request.operation is READ else 0 for request in made.requests]
    over = zip(made.completions_ps(), fetched_ps, strict=True)
    return [(done_ps - more_ps) // 1000 for done_ps, more_ps in over]


def test_a_read_passes_no_write_that_came_before_it() -> None:
    # All wait for the first write. The read's lane has not been served yet, and it is the last.
    others = [Post(10, WRITE, 80), Post(20, WRITE, 80), Post(30, READ, 80)]
    assert behind_a_write(*others) == [100, 200, 300, 320]


def test_a_read_that_came_first_goes_in_its_turn() -> None:
    others = [Post(10, WRITE, 80), Post(15, READ, 80), Post(20, WRITE, 80)]
    # Behind the second write; then it is its turn, and the third write's after that.
    assert behind_a_write(*others) == [100, 200, 220, 320]


def test_a_write_passes_reads_that_came_before_it() -> None:
    others = [*[Post(10, READ, 80)] * 4, Post(20, WRITE, 80)]
    # One read in turn, and the write before all others.
    assert behind_a_write(*others) == [100, 120, 240, 260, 280, 220]


@pytest.mark.parametrize(
    ("order", "over"), (((WRITE, READ), [200, 220]), ((READ, WRITE), [120, 220]))
)
def test_of_one_instant_the_number_says_who_came_first(
    order: tuple[Operation, ...], over: list[int]
) -> None:
    assert behind_a_write(*(Post(10, operation, 80) for operation in order))[1:] == over


def test_a_completion_passes_no_write_unless_it_is_relaxed() -> None:
    send = Post(0, Operation.SEND, 80)
    writes = [Post(10_000, WRITE, 80), Post(19_999, WRITE, 80), Post(20_001, WRITE, 80)]
    # The completion comes at 20 ns, behind two of the writes that wait.
    assert behind_a_write(send, *writes) == [100, 400, 200, 300, 500]
    assert behind_a_write(send, *writes, relaxed_ordering=True) == [100, 200, 300, 400, 500]


def test_the_two_directions_keep_no_order_between_them() -> None:
    path = [
        writer("up", "0 ns", when=["write"]),
        user("ring", "0 ns", use("pcie", as_="write", to="device", bytes="80 B"), when=["read"]),
    ]
    made = run(table(path, resources={"pcie": pcie()}), [Post(0, WRITE, 80), Post(0, READ)])
    assert made.completions_ps() == [100_000, 100_000]


# -- tags and credits -----------------------------------------------------------------------------


@pytest.mark.parametrize("scarce", ("tags", "nonposted_credits"))
def test_a_read_holds_tag_and_credit_until_its_completion_is_back(scarce: str) -> None:
    made = run(table([reader()], resources={"pcie": pcie(**{scarce: 1})}), posts(0, 0, 5))
    assert made.completions_ps() == [204_000, 408_000, 612_000]
    assert made.parts(1) == {
        "service": 100_000,
        "serialisation": 104_000,
        f"resource:pcie.{scarce}": 204_000,
    }
    assert not made.held()


def test_a_tag_is_back_with_the_data_and_not_when_there_is_a_place_for_it() -> None:
    path = [
        reader("one", when=["read"]),
        station("slow", "10 us", depth=1, queue=1, when=["read"]),
        reader("two", when=["write"]),
    ]
    # The data of the third read is there at 612 ns, and `slow` has no place for it.
    load = [*posts(0, 0, 0), Post(700_000, WRITE)]
    made = run(table(path, resources={"pcie": pcie(tags=1)}), load)
    assert made.completions_ps()[3] == 904_000


def test_tags_let_so_many_be_under_way() -> None:
    made = run(table([reader()], resources={"pcie": pcie(tags=3)}), posts(*[0] * 5))
    # Asked by 20, 40 and 60 ns, answered one behind the other. A tag comes back with its answer.
    assert made.completions_ps() == [204_000, 288_000, 372_000, 456_000, 540_000]
    assert made.parts(3)["resource:pcie.tags"] == 204_000


def test_a_waiting_read_of_another_stage_shares_the_tags() -> None:
    path = [reader("one", when=["read"]), reader("two", when=["write"])]
    load = [Post(0), Post(1, WRITE), Post(2)]
    made = run(table(path, resources={"pcie": pcie(tags=1)}), load)
    assert made.completions_ps() == [204_000, 408_000, 612_000]
    assert made.parts(2)["resource:pcie.tags"] == 407_998


def test_a_read_that_waits_for_a_tag_holds_up_no_posted_write_of_another_stage() -> None:
    path = [reader(when=["read"]), writer(when=["write"])]
    load = [*posts(0, 0, 0), Post(1, WRITE)]
    made = run(table(path, resources={"pcie": pcie(tags=1)}), load)
    # The request of the first read is 20 ns on the link.
    assert made.completions_ps()[3] == 20_000 + 84_000 + 10_000


def test_a_read_that_waits_for_a_tag_holds_up_no_posted_write_of_its_stage() -> None:
    reads = use("pcie", as_="read", to="device", when=["read"])
    writes = use("pcie", as_="write", to="host", when=["write"])
    path = [user("dma", {"read": "100 ns", "write": "10 ns"}, reads, writes)]
    load = [*posts(0, 0, 0), Post(1, WRITE)]
    made = run(table(path, resources={"pcie": pcie(tags=1)}), load)
    assert made.completions_ps()[3] == 20_000 + 84_000 + 10_000


def test_a_posted_write_needs_no_tag_and_a_read_no_posted_credit() -> None:
    path = [reader(when=["read"]), writer(when=["write"])]
    link = pcie(tags=1, nonposted_credits=1, posted_credits=1)
    load = [Post(0), Post(0, WRITE), Post(0), Post(0, WRITE)]
    made = run(table(path, resources={"pcie": link}), load)
    # The first write is behind the request of the first read, on the link to the host.
    assert made.completions_ps() == [204_000, 114_000, 408_000, 594_000]
    assert made.parts(3)["resource:pcie.posted_credits"] == 500_000


@pytest.mark.parametrize(("credit", "second_ps"), ((1, 500_000), (2, 84_000)))
def test_a_posted_credit_is_back_after_its_time(credit: int, second_ps: int) -> None:
    made = run(table([writer()], resources={"pcie": pcie(posted_credits=credit)}), posts(0, 0))
    assert made.completions_ps() == [94_000, second_ps + 94_000]


def test_a_request_that_writes_twice_takes_two_credits() -> None:
    # A doorbell, and a completion before the credit of the doorbell is back.
    path = [
        user("doorbell", "10 ns", use("pcie", as_="write", to="device", bytes="8 B")),
        writer("completion"),
    ]
    made = run(table(path, resources={"pcie": pcie(posted_credits=2)}), posts(0))
    assert made.completions_ps() == [28_000 + 10_000 + 84_000 + 10_000]


def test_a_request_that_reads_twice_takes_its_tag_again() -> None:
    path = [reader("descriptor"), reader("payload")]
    made = run(table(path, resources={"pcie": pcie(tags=1)}), posts(0, 0))
    # At 204 ns both want the tag; request 1 has waited for it since 0 ns.
    assert made.completions_ps() == [612_000, 816_000]
    assert not made.held()


# -- clocks and places ----------------------------------------------------------------------------


def test_a_clocked_stage_reads_after_its_latency() -> None:
    path = [clocked("fetch", 5, 2, uses=[use("pcie", as_="read", to="device")])]
    made = run(table(path, resources={"pcie": pcie(tags=1)}), posts(0, 0))
    # 5 cycles, 20 B of asking, 84 B of data; the tag is back at 109 ns.
    assert made.completions_ps() == [109_000, 218_000]
    assert made.parts(1) == {
        "service": 5000,
        "serialisation": 104_000,
        "resource:pcie.tags": 109_000,
    }


def test_depth_is_the_number_of_reads_under_way() -> None:
    path = [reader(depth=2)]
    made = run(table(path, resources={"pcie": pcie()}), posts(0, 0, 0))
    assert made.completions_ps() == [204_000, 288_000, 408_000]
    assert made.parts(2)["resource:reader.depth"] == 204_000


def test_the_first_exhausted_of_several_is_charged() -> None:
    stage = user("fetch", "100 ns", use("pcie", as_="read", to="device"), use("slot", until="end"))
    path = [stage, delay("end", "16 ns")]
    source = table(path, resources={"pcie": pcie(tags=1), "slot": pool(1)})
    made = run(source, posts(0, 0))
    assert made.completions_ps() == [220_000, 440_000]
    assert made.parts_at(1, "fetch") == {
        "service": 100_000,
        "serialisation": 104_000,
        "resource:pcie.tags": 204_000,
        "resource:slot": 16_000,
    }
