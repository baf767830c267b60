"""Tables under a load: what binds, at which rate, and that it ends."""

from collections.abc import Sequence

import pytest

from emu.contest import QueueOverflowError
from emu.driver import Driver
from emu.figures.measure import closed, millions_per_s
from emu.request import Operation

READ, WRITE, ATOMIC = Operation.READ, Operation.WRITE, Operation.FETCH_AND_ADD


def flood(
    table: str,
    *overrides: str,
    operation: Operation = READ,
    size_bytes: int = 64,
    outstanding: int = 256,
    requests: int = 3000,
) -> Driver:
    driver = closed(
        table,
        operation,
        size_bytes,
        outstanding=outstanding,
        requests=requests,
        overrides=overrides,
    )
    assert isinstance(driver, Driver)  # the reference engine, if no other is asked for
    assert driver.latency.count == driver.posted == requests
    assert not driver.kernel.inside
    assert not any(pool.holders for pool in driver.kernel.pools)
    return driver


def waits(driver: Driver) -> str:
    """The part that the requests spent most of their time in."""
    parts = driver.ledger.parts()
    return max(parts, key=lambda part: parts[part])


@pytest.mark.parametrize(
    ("overrides", "operation", "binds"),
    (
        ((), READ, "resource:pcie.tags"),
        (("pcie.tags=128",), READ, "resource:pcie.nonposted_credits"),
        (
            ("pcie.tags=unlimited", "pcie.nonposted_credits=unlimited"),
            READ,
            "resource:pcie.to_device",
        ),
        (("pcie.tags=1",), WRITE, "resource:pcie.to_host"),
        (("pcie.posted_credits=20",), WRITE, "resource:pcie.posted_credits"),
        ((), ATOMIC, "resource:key"),
    ),
)
def test_the_breakdown_of_kv_direct_names_what_binds(
    overrides: Sequence[str], operation: Operation, binds: str
) -> None:
    assert waits(flood("kv_direct", *overrides, operation=operation, requests=1000)) == binds


@pytest.mark.parametrize(
    ("table", "cycles", "interval"), (("ub_sender", 24, 2), ("rc_sender", 9, 6))
)
def test_a_sender_takes_its_cycles_and_then_one_an_interval(
    table: str, cycles: int, interval: int
) -> None:
    burst = flood(table, outstanding=16, requests=16)
    assert burst.first_completion_ps == cycles * 10**6 // 322
    assert burst.last_completion_ps == (cycles + 15 * interval) * 10**6 // 322


def test_a_completion_queue_that_overflows_is_an_error_that_names_it() -> None:
    with pytest.raises(QueueOverflowError, match=r"the queue of handling overflows .* all 16"):
        flood("completion_queue", requests=100)


def test_a_completion_queue_that_holds_lets_go_of_16_each_time() -> None:
    driver = flood("completion_queue", "handling.overflow=hold", requests=1600)
    assert millions_per_s(driver) == pytest.approx(0.8, rel=0.02)
    assert driver.ledger.by_stage()["transfer"]["backpressure"] > 0


def test_a_long_queue_never_overflows() -> None:
    driver = flood("completion_queue", "handling.queue=32", "handling.batch=32", requests=1600)
    assert millions_per_s(driver) == pytest.approx(1.0, rel=0.02)


# -- doorbells, descriptors and payloads over one link --------------------------------------------

BATCHED = ("doorbell.batch=16",)


def test_a_core_that_rings_for_each_operation_is_the_limit() -> None:
    driver = flood("pcie_nic_link")
    assert millions_per_s(driver) == pytest.approx(10, rel=0.001)
    stages = {name: sum(parts.values()) for name, parts in driver.ledger.by_stage().items()}
    assert max(stages, key=lambda name: stages[name]) == "doorbell"


def test_with_a_doorbell_for_several_the_nic_is_the_limit() -> None:
    assert millions_per_s(flood("pcie_nic_link", *BATCHED)) == pytest.approx(53.67, rel=0.005)


def test_several_descriptors_in_one_fetch_take_one_tag() -> None:
    # A descriptor a tag: 4 of them in the 500 ns and more that a fetch takes.
    few = (*BATCHED, "pcie.tags=4")
    one_each = flood("pcie_nic_link", *few, requests=1000)
    together = flood("pcie_nic_link", *few, "descriptor_dma.batch=16", requests=1000)
    assert waits(one_each) == "resource:pcie.tags"
    assert millions_per_s(one_each) == pytest.approx(8, rel=0.01)
    assert millions_per_s(together) > 5 * millions_per_s(one_each)


def test_on_a_small_link_what_goes_to_the_host_is_the_limit() -> None:
    small = ("pcie.generation=3", "pcie.lanes=4")
    driver = flood("pcie_nic_link", *BATCHED, *small)
    assert waits(driver) == "resource:pcie.to_host"
    # The request of a descriptor, 64 B that were read, a completion: 24, 88 and 88 B.
    assert millions_per_s(driver) == pytest.approx(3938 / 200, rel=0.02)


@pytest.mark.parametrize(
    ("operation", "binds"),
    ((READ, "resource:target_pcie.to_device"), (WRITE, "resource:pcie.to_device")),
)
def test_at_4_kib_pcie_is_slower_than_the_wire(operation: Operation, binds: str) -> None:
    driver = flood("pcie_nic_link", *BATCHED, operation=operation, size_bytes=4096, requests=1500)
    parts = driver.ledger.parts()
    links = {
        part: ps for part, ps in parts.items() if part.startswith("resource:") and "to_" in part
    }
    assert max(links, key=lambda part: links[part]) == binds
    # 16 packets of 256 B; a write also fetches a descriptor of 128 B there.
    there_bytes = 4096 + 16 * 24 + (0 if operation is READ else 128 + 24 + 8 + 24)
    assert millions_per_s(driver) == pytest.approx(31_508 / there_bytes, rel=0.03)


def test_a_descriptor_in_the_doorbell_is_not_fetched() -> None:
    small = flood("pcie_nic_inline", *BATCHED, operation=WRITE, requests=500)
    large = flood("pcie_nic_inline", *BATCHED, operation=WRITE, size_bytes=65, requests=500)
    assert "descriptor_dma" not in small.ledger.by_stage()
    assert {"descriptor_dma", "payload_dma"} <= large.ledger.by_stage().keys()


# -- dependent atomics ----------------------------------------------------------------------------


def test_atomics_on_one_key_wait_for_each_other_and_reads_do_not() -> None:
    atomics = flood("kv_direct", operation=ATOMIC, size_bytes=8, outstanding=8, requests=200)
    reads = flood("kv_direct", size_bytes=8, outstanding=8, requests=200)
    assert millions_per_s(atomics) == pytest.approx(1 / 1.05, rel=0.001)
    assert millions_per_s(reads) == pytest.approx(8 / 1.05, rel=0.05)
