"""What the tables with context caches derive, and what their caches add to those without."""

import pytest

from emu.path import build
from emu.request import OPERATION_GROUPS, Operation
from emu.run import Access, ClosedLoop
from emu.table import load

#: Table, the one without caches, and what two misses (one for connectx4) add.
TABLES = (
    ("context_pcie", "pcie_nic", 1_000_000),
    ("context_onchip", "ub_async", 200_000),
    ("connectx4", "pcie_nic", 1_050_000),
)


@pytest.mark.parametrize(("table", "base", "missed_ps"), TABLES)
@pytest.mark.parametrize("word", ("read", "write", "atomic", "send"))
def test_on_paper_a_new_path_misses(table: str, base: str, missed_ps: int, word: str) -> None:
    for operation in OPERATION_GROUPS[word]:
        without = build(load(base)).derived_ps(operation, 64)
        assert build(load(table)).derived_ps(operation, 64) == without + missed_ps


@pytest.mark.parametrize(("table", "base", "missed_ps"), TABLES)
def test_a_hit_costs_nothing(table: str, base: str, missed_ps: int) -> None:
    assert latencies_ps(table, 2)[1] == pytest.approx(latencies_ps(base, 2)[1], abs=2)


@pytest.mark.parametrize(("table", "base", "missed_ps"), TABLES)
def test_a_miss_costs_its_fetch_within_an_alignment(table: str, base: str, missed_ps: int) -> None:
    extra_ps = latencies_ps(table, 1)[0] - latencies_ps(base, 1)[0]
    assert extra_ps == pytest.approx(missed_ps, abs=3_106)


def latencies_ps(table: str, requests: int) -> list[int]:
    """What equal writes take, one at a time."""
    found: list[int] = []
    accesses = [Access(Operation.WRITE, 64, 0)] * requests
    loop = ClosedLoop(
        build(load(table)),
        accesses,
        1,
        on_complete=lambda request: found.append(request.latency_ps),
    )
    loop.run()
    return found


def test_misses_overlap_as_far_as_the_table_says() -> None:
    found: list[int] = []
    accesses = [Access(Operation.WRITE, 64, 0, 0, destination) for destination in range(10)]
    table = load("connectx4", overrides=["verb_post.interval=0 ns"])
    ClosedLoop(
        build(table), accesses, 10, on_complete=lambda request: found.append(request.completed_ps)
    ).run()
    # Ten first uses at once: five fetches, and then five.
    assert found[4] - found[0] < 150_000
    assert found[5] - found[4] > 900_000
    assert found[9] - found[5] < 150_000
