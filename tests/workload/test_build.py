from itertools import islice, pairwise

import pytest

from emu.driver import Driver
from emu.path import Path
from emu.request import Operation, Request
from emu.workload.access import Access
from emu.workload.build import Described, closed_loop, described, says_kinds
from emu.workload.read import read_workload
from tests.build import READ, WRITE, station, table

PATH = [station("x", "10 ns", interval="2 ns")]


def made(text: str, seed: int = 1, requests: int | None = None) -> Described:
    spec, said = read_workload(text)
    return described(spec, said, (READ, 64), seed, requests)


def posts(text: str, count: int, seed: int = 1) -> list[tuple[int, Access]]:
    return list(islice(made(text, seed).workload.posts(), count))


def run(text: str, requests: int) -> list[Request]:
    done: list[Request] = []
    Driver(Path(table(PATH)), made(text).workload, requests=requests, on_complete=done.append).run()
    return done


def test_a_burst_is_all_at_once() -> None:
    assert posts("{kind: burst}", 3) == [(0, Access(READ, 64, 64 * n)) for n in range(3)]


def test_an_open_loop_at_a_fixed_rate() -> None:
    found = posts("{kind: open, rate: 300 M/s}", 4)
    assert found == [
        (at_ps, Access(READ, 64, 64 * n)) for n, at_ps in enumerate([0, 3333, 6666, 10_000])
    ]


def test_an_open_loop_of_poisson() -> None:
    found = posts("{kind: open, rate: 300 M/s, arrivals: poisson}", 100)
    assert [access for _, access in found] == [Access(READ, 64, 64 * n) for n in range(100)]
    times = [at_ps for at_ps, _ in found]
    assert times == sorted(times)
    assert len(set(times)) > 95


def test_each_initiator_keeps_its_own_open() -> None:
    assert [
        access.initiator for _, access in posts("{kind: closed, outstanding: 2, initiators: 3}", 9)
    ] == [0, 1, 2, 0, 1, 2]
    done = run("{kind: closed, outstanding: 2, initiators: 3}", 30)
    for request in done[:24]:
        # Posted by the same initiator, in the instant of the answer.
        at_ps, by = request.completed_ps, request.initiator
        assert any((one.submitted_ps, one.initiator) == (at_ps, by) for one in done)
    assert sorted(request.address for request in done) == [64 * n for n in range(30)]


def test_all_initiators_share_what_is_open() -> None:
    text = "{kind: closed, outstanding: 2, per: all, initiators: 3}"
    assert [access.initiator for _, access in posts(text, 9)] == [0, 1]
    done = sorted(run(text, 7), key=lambda request: request.sequence)
    assert [request.initiator for request in done] == [0, 1, 2, 0, 1, 2, 0]


def test_a_mix_has_its_weights() -> None:
    text = (
        "{kind: burst, mix: [{operation: read, bytes: 64 B, weight: 3}, "
        "{operation: write, bytes: 4 KiB}]}"
    )
    found = [access for _, access in posts(text, 4000)]
    kinds = [(access.operation, access.size_bytes) for access in found]
    assert set(kinds) == {(READ, 64), (WRITE, 4096)}
    assert abs(kinds.count((READ, 64)) - 3000) < 150
    # Each stands behind the one before.
    for one, other in pairwise(found):
        assert other.address == one.address + one.size_bytes
    assert made(text).kind is None


def test_a_mix_of_one_is_of_a_kind() -> None:
    text = "{kind: burst, mix: [{operation: atomic, bytes: 8 B}]}"
    assert made(text).kind == (Operation.FETCH_AND_ADD, 8)
    assert posts(text, 1) == [(0, Access(Operation.FETCH_AND_ADD, 8, 0))]


def test_initiators_and_destinations_in_turn() -> None:
    found = posts("{kind: burst, initiators: 2, destinations: {count: 3, choose: by_round}}", 7)
    assert [(a.initiator, a.destination) for _, a in found] == [
        (0, 0),
        (1, 0),
        (0, 1),
        (1, 1),
        (0, 2),
        (1, 2),
        (0, 0),
    ]
    found = posts("{kind: burst, initiators: 2, destinations: 3}", 4)
    assert [(a.initiator, a.destination) for _, a in found] == [(0, 0), (1, 1), (0, 2), (1, 0)]


def test_destinations_by_zipf() -> None:
    text = "{kind: burst, destinations: {count: 4, choose: zipf, exponent: 1}}"
    found = [access.destination for _, access in posts(text, 5000)]
    # 1, 1/2, 1/3 and 1/4 of 25/12.
    assert abs(found.count(0) - 2400) < 175
    assert abs(found.count(3) - 600) < 115


@pytest.mark.parametrize(
    ("addresses", "found"),
    (
        ("1", [0, 0, 0]),
        ("2", [0, 64, 0]),
        ("{count: 2, choose: in_turn}", [0, 64, 0]),
    ),
)
def test_addresses(addresses: str, found: list[int]) -> None:
    text = f"{{kind: burst, addresses: {addresses}}}"
    assert [access.address for _, access in posts(text, 3)] == found


def test_addresses_drawn() -> None:
    text = "{kind: burst, addresses: {count: 4, choose: uniform}}"
    assert {access.address for _, access in posts(text, 100)} == {0, 64, 128, 192}


def test_the_seed_decides_and_each_draw_is_its_own() -> None:
    text = (
        "{kind: open, rate: 1 M/s, arrivals: poisson, initiators: {count: 50, choose: uniform}, "
        "destinations: {count: 50, choose: uniform}}"
    )
    first = posts(text, 30)
    assert posts(text, 30) == first
    assert posts(text, 30, seed=2) != first
    assert [a.initiator for _, a in first] != [a.destination for _, a in first]
    fewer = posts(text.replace("initiators: {count: 50, choose: uniform}, ", ""), 30)
    assert [a.destination for _, a in fewer] == [a.destination for _, a in first]
    assert [at_ps for at_ps, _ in fewer] == [at_ps for at_ps, _ in first]


def test_what_a_workload_says_of_its_requests() -> None:
    assert not says_kinds(read_workload("{kind: chain}")[0])
    assert not says_kinds(read_workload("{kind: burst}")[0])
    assert says_kinds(read_workload("{kind: burst, mix: [{operation: read, bytes: 64 B}]}")[0])
    assert says_kinds(read_workload("some.csv")[0])


def test_a_closed_loop_says_so() -> None:
    made_ = closed_loop((READ, 64), 7, 100)
    assert (made_.said, made_.kind, made_.requests) == (
        {"kind": "closed", "outstanding": 7},
        (READ, 64),
        100,
    )
    assert len(list(made_.workload.posts())) == 7
