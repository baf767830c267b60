"""Both engines agree on every shipped table, with every operation, alone and under load."""

from __future__ import annotations

from fractions import Fraction

import pytest

from emu.random import Random
from emu.request import Operation
from emu.table import load
from emu.table.catalog import table_names
from emu.workload import Access, Closed, Stream, Timed, Workload, stepping
from emu.workload.arrivals import Arrivals, Poisson
from emu.workload.choice import InTurn, Uniform, Weighted
from emu.workload.stream import Slots
from tests.fast.agree import assert_agree_on

REQUESTS = 150
#: Of those that are let through by a table that overflows.
FEW = 16
OVERFLOWS = ("completion_queue",)


def mixed(operations: list[Operation], kind: str) -> Workload:
    """All operations in two sizes, from several initiators to several destinations."""
    kinds = [(operation, size) for operation in operations for size in (64, 4096)]
    stream = Stream(
        kinds,
        Weighted([1 + number for number in range(len(kinds))], Random(1, "mix")),
        Slots(Uniform(40, Random(1, "addresses")), 64),
        InTurn(5),
        Uniform(3, Random(1, "destinations")),
    )
    if kind == "closed":
        return Closed([stream], 12)
    return Timed(Arrivals(Poisson(Fraction(20_000_000), Random(1, "arrivals")), stream))


@pytest.mark.parametrize("name", table_names())
def test_closed_and_open_loops_of_all_operations(name: str) -> None:
    table = load(name)
    operations = list(table.operations)
    requests = FEW if name in OVERFLOWS else REQUESTS
    for kind in ("closed", "open"):
        workloads = [mixed(operations, kind) for _ in range(4)]
        assert_agree_on(table, workloads, requests)


@pytest.mark.parametrize("name", table_names())
def test_each_operation_alone(name: str) -> None:
    table = load(name)
    for operation in table.operations:
        workloads = [Closed([stepping(operation, 64)], 1) for _ in range(4)]
        assert_agree_on(table, workloads, 4)


def test_explicit_posts_beyond_what_a_naive_product_holds() -> None:
    # Picoseconds times hertz leave 63 bits after 28.6 ms of simulated time.
    table = load("ub_sender")
    posts = [(number * 10**9, Access(Operation.WRITE, 64, 0, number % 16)) for number in range(300)]
    assert_agree_on(table, [Timed(posts) for _ in range(4)], None)
