"""What each shipped table derives for 64 B, to the picosecond, and what is on the path."""

import pytest

from emu.path import build
from emu.plan import PlanError
from emu.request import OPERATION_GROUPS, Operation
from emu.run import Access, ClosedLoop
from emu.table import load, table_names

# At 322 MHz 9, 25 and 8 cycles are 27950.3, 77639.75 and 24844.7 ps, cut to whole ones.
DERIVED_PS = {
    "pcie_nic": {"read": 2_221_800, "write": 1_721_800, "atomic": 1_971_800, "send": 1_776_644},
    "nic_processor": {
        "read": 1_571_800,
        "write": 1_071_800,
        "atomic": 1_321_800,
        "send": 1_126_644,
    },
    "ub_async": {"read": 745_556, "write": 745_556, "atomic": 745_556, "send": 800_400},
    "ub_load": {"load": 419_376, "store": 419_376},
    "openurma_roce_dma": {
        "read": 2_236_000,
        "write": 1_727_000,
        "atomic": 1_977_000,
        "send": 1_781_000,
    },
    "openurma_roce_bf": {
        "read": 1_736_000,
        "write": 1_227_000,
        "atomic": 1_477_000,
        "send": 1_281_000,
    },
    "openurma_urma": {"read": 757_000, "write": 750_000, "atomic": 750_000, "send": 804_000},
    # A load or store misses in the cache first, for 70 ns.
    "openurma_loadstore": {
        "read": 757_000,
        "write": 750_000,
        "atomic": 750_000,
        "send": 804_000,
        "load": 500_000,
        "store": 493_000,
    },
    # The response of a read is a beat and 32 B of the wire shorter.
    "openurma_urma_rol": {"read": 753_000, "write": 750_000, "atomic": 750_000, "send": 804_000},
    "openurma_loadstore_rol": {
        "read": 753_000,
        "write": 750_000,
        "atomic": 750_000,
        "send": 804_000,
        "load": 496_000,
        "store": 493_000,
    },
    # A packet of up to 64 B is within the time of its DMA.
    "pcie_nic_link": {
        "read": 2_221_800,
        "write": 1_721_800,
        "atomic": 1_971_800,
        "send": 1_776_644,
    },
    "pcie_nic_inline": {
        "read": 1_721_800,
        "write": 1_221_800,
        "atomic": 1_471_800,
        "send": 1_276_644,
    },
}
CASES = [
    (table, operation, derived_ps)
    for table, totals in DERIVED_PS.items()
    for word, derived_ps in totals.items()
    for operation in OPERATION_GROUPS[word]
]


def alone_ps(table: str, operation: Operation, size_bytes: int = 64) -> int:
    """What one request alone takes in the engine."""
    loop = ClosedLoop(build(load(table)), [Access(operation, size_bytes, 0)], outstanding=1)
    loop.run()
    return loop.latency.sum


def test_these_are_the_shipped_tables() -> None:
    assert set(table_names()) >= set(DERIVED_PS)


@pytest.mark.parametrize(("table", "operation", "derived_ps"), CASES)
def test_derives(table: str, operation: Operation, derived_ps: int) -> None:
    assert build(load(table)).derived_ps(operation, 64) == derived_ps


@pytest.mark.parametrize("table", list(DERIVED_PS))
def test_has_these_operations_and_no_others(table: str) -> None:
    known = {operation for word in DERIVED_PS[table] for operation in OPERATION_GROUPS[word]}
    assert set(load(table).operations) == known


@pytest.mark.parametrize(
    ("table", "operation", "derived_ps"), [case for case in CASES if "openurma" in case[0]]
)
def test_without_clock_edges_the_engine_gives_what_paper_does(
    table: str, operation: Operation, derived_ps: int
) -> None:
    assert alone_ps(table, operation) == derived_ps


@pytest.mark.parametrize(
    ("table", "operation", "derived_ps"), [case for case in CASES if "openurma" not in case[0]]
)
def test_clock_edges_add_less_than_a_period_each_time_the_clock_is_entered(
    table: str, operation: Operation, derived_ps: int
) -> None:
    # Entered from each direction at each end; a send once more, back from the bus at the target.
    entered = 5 if operation is Operation.SEND else 4
    cut_ps = entered
    assert -cut_ps <= alone_ps(table, operation) - derived_ps < entered * 3_106 + cut_ps


def test_ub_load_points_to_ub_async_for_what_it_has_not() -> None:
    expected = "ub_load has no read; expected load or store, or the table ub_async for read"
    with pytest.raises(PlanError) as caught:
        build(load("ub_load")).derived_ps(Operation.READ, 64)
    assert str(caught.value) == expected


@pytest.mark.parametrize(
    ("operation", "size_bytes", "derived_ps"),
    (
        # Beyond the first 64 B each byte takes 20 ps of the wire, in the direction that carries it.
        (Operation.READ, 64, 2_221_800),
        (Operation.READ, 65, 2_221_820),
        (Operation.READ, 4096, 2_221_800 + 4032 * 20),
        (Operation.WRITE, 4096, 1_721_800 + 4032 * 20),
        (Operation.READ, 8192, 2_221_800 + 8128 * 20),
        (Operation.READ, 1, 2_221_800),
    ),
)
def test_long_messages_take_the_wire_longer(
    operation: Operation, size_bytes: int, derived_ps: int
) -> None:
    assert build(load("pcie_nic")).derived_ps(operation, size_bytes) == derived_ps


@pytest.mark.parametrize(
    ("size_bytes", "fetched"), ((8, False), (64, False), (65, True), (4096, True))
)
def test_openurma_roce_bf_fetches_only_large_descriptors(size_bytes: int, fetched: bool) -> None:
    plan = build(load("openurma_roce_bf")).plan(Operation.WRITE, size_bytes)
    assert ("descriptor_dma" in [hop.name for hop in plan.hops]) is fetched


def test_the_rows_of_the_comparison_line_up() -> None:
    """A stage of one placement has the same name on all others that have it, in one order."""
    order = [
        "cpu_cache",
        "verb_post",
        "descriptor_build",
        "processor_work",
        "doorbell",
        "descriptor_dma",
        "payload_dma",
        "order_serialisation",
        "bus_out",
        "context_initiator",
        "strict_order",
        "channel_sharing",
        "initiator_tx",
        "wire_out",
        "target_rx",
        "context_target",
        "target_access",
        "memory",
        "receive_dispatch",
        "receive_bus",
        "receive_nic",
        "target_tx",
        "wire_back",
        "initiator_rx",
        "bus_back",
        "response_dma",
        "completion_dma",
        "poll_record",
        "poll_library",
    ]
    for table in DERIVED_PS:
        names = [entry.name for entry in load(table).entries]
        assert names == [name for name in order if name in names]
