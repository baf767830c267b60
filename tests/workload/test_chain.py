import pytest

from emu.driver import Driver
from emu.errors import EmuError
from emu.path import Path
from emu.random import Random
from emu.request import Operation, Request
from emu.run import ClosedLoop
from emu.table import load
from emu.workload import Access, Chain, Timed, stepping
from emu.workload.build import described
from emu.workload.chain import one_cycle
from emu.workload.read import read_workload
from tests.build import READ, station, table

PATH = [station("x", "10 ns", interval="2 ns"), station("y", "5 ns")]


def chain(count: int, requests: int, nodes: int = 16) -> list[Request]:
    done: list[Request] = []
    workload = Chain(READ, 64, Random(1, "x"), chains=count, nodes=nodes)
    Driver(Path(table(PATH)), workload, requests=requests, on_complete=done.append).run()
    return done


@pytest.mark.parametrize("count", (1, 2, 3, 10, 100))
def test_one_cycle_has_each_number_once(count: int) -> None:
    order = one_cycle(count, Random(1, "x"))
    assert order[0] == 0
    assert sorted(order) == list(range(count))


def test_one_request_is_open_at_a_time() -> None:
    done = chain(1, 8)
    assert [request.submitted_ps for request in done] == [n * 15_000 for n in range(8)]
    assert [request.completed_ps for request in done] == [(n + 1) * 15_000 for n in range(8)]


def test_a_chain_comes_to_each_record_once_before_it_comes_back() -> None:
    addresses = [request.address for request in chain(1, 33)]
    assert addresses[0] == 0
    assert sorted(addresses[:16]) == [64 * n for n in range(16)]
    assert addresses[:16] != sorted(addresses[:16])
    assert addresses[16:32] == addresses[:16]


def test_chains_share_no_record() -> None:
    done = chain(3, 48)
    first_of = [
        {request.address for request in done if request.address // 64 % 3 == n} for n in range(3)
    ]
    assert [len(found) for found in first_of] == [16, 16, 16]
    # Three at a time: two intervals later each, and each a round trip after its last.
    assert [request.submitted_ps for request in done[:6]] == [0, 0, 0, 15_000, 17_000, 19_000]


def test_an_access_without_bytes_holds_no_address() -> None:
    spec, said = read_workload("{kind: chain}")
    with pytest.raises(EmuError) as error:
        described(spec, said, (READ, 0), 1, None)
    assert str(error.value) == (
        "a chain of accesses of 0 B; expected 1 B or more, to hold an address"
    )


@pytest.mark.parametrize(("name", "interval_cycles"), (("ub_async", 2), ("pcie_nic", 6)))
def test_eight_dependent_reads_and_eight_independent_ones(name: str, interval_cycles: int) -> None:
    source = load(name)
    done: list[Request] = []
    workload = Chain(Operation.READ, 64, Random(1, "x"))
    Driver(Path(source), workload, requests=8, on_complete=done.append).run()
    at_ps = 0
    for request in done:
        # Each is a round trip of its own, from the instant at which the one before came back.
        alone = ClosedLoop(Path(source), [Access(READ, 64, 0)], 1, start_ps=at_ps)
        alone.run()
        assert (request.submitted_ps, request.completed_ps) == (at_ps, alone.last_completion_ps)
        at_ps = request.completed_ps
    derived_ps = Path(source).derived_ps(READ, 64)
    assert 8 * derived_ps <= at_ps <= 8 * (derived_ps + 4 * 3106)

    burst = Timed([(0, access) for access in stepping(READ, 64, 8)])
    together = Driver(Path(source), burst)
    together.run()
    clock = source.clocks["nic"]
    intervals_ps = clock.edge(7 * interval_cycles) - clock.edge(0)
    spread_ps = together.last_completion_ps - together.first_completion_ps
    assert abs(spread_ps - intervals_ps) <= 1
    alone = ClosedLoop(Path(source), [Access(READ, 64, 0)], 1)
    alone.run()
    assert together.first_completion_ps == alone.last_completion_ps
