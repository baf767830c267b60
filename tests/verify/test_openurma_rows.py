"""Rows of a results file: with the parameters of others, changed, and not comparable."""

import csv
import math
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.verify import Verification, verify_openurma_rows
from emu.verify.openurma.rows import shipped_addresses
from tests.verify.openurma_rule import COLUMNS, ROW, csv_text, mean_ns

SHIPPED = shipped_addresses().parent


def verify(directory: Path, *rows: dict[str, Any], **files: Any) -> Verification:
    file = directory / "rows.csv"
    columns = [*COLUMNS, *(key for key in rows[0] if key not in COLUMNS)]
    file.write_text(csv_text(rows, columns))
    return verify_openurma_rows(file, **files)


@pytest.mark.parametrize(
    ("off_ns", "holds"), ((0, True), (0.5, True), (0.501, False), (1, False), (-1, False))
)
def test_a_row_holds_to_within_half_a_nanosecond(
    tmp_path: Path, off_ns: float, holds: bool
) -> None:
    found = verify(tmp_path, {**ROW, "mean_ns": 757 + off_ns})
    assert len(found.checks) == 1
    assert (found.failures == ()) is holds


def test_one_published_row_changed_by_a_nanosecond_fails_alone(tmp_path: Path) -> None:
    with (SHIPPED / "twonode_m2n.csv").open() as file:
        rows = list(csv.DictReader(file))
    rows[7]["mean_ns"] = str(float(rows[7]["mean_ns"]) + 1)
    found = verify(tmp_path, *rows)
    assert len(found.checks) == 22
    (failure,) = found.failures
    assert failure.name == f"line 9: {rows[7]['stack']} send_recv send"
    assert failure.difference == -1000


# -- parameters of others -----------------------------------------------------------------------

TIMES = {
    "membus_ns": st.integers(0, 200),
    "pcie_mmio_ns": st.integers(0, 1000),
    "pcie_dma_read_ns": st.integers(0, 2000),
    "pcie_dma_write_ns": st.integers(0, 2000),
    "wqe_construct_ns": st.integers(0, 300),
    "cqe_poll_host_ns": st.integers(0, 300),
    "cqe_poll_onchip_ns": st.integers(0, 100),
    "remote_dram_ns": st.integers(0, 300),
    # The wire is cut to whole nanoseconds once, flight and bytes together.
    "link_ns": st.sampled_from([0, 12.5, 50, 99.999, 100, 250, 1000.25]),
}
PARAMETERS = st.fixed_dictionaries(
    {
        **TIMES,
        "stack": st.sampled_from(["roce_dma", "roce_bf", "ub_urma", "ub_loadstore"]),
        "cache_policy": st.sampled_from(["wb", "wt", "uc"]),
        "active_connections_n": st.sampled_from([1, 2, 16, 22, 23, 1000, 1023, 1024, 5000]),
        "remote_jetties": st.sampled_from([1, 2, 3, 512, 513, 2046, 2047]),
        "payload_bytes": st.sampled_from([1, 8, 32, 33, 63, 64, 65, 96, 256, 1500, 4096, 65536]),
        "n_ops": st.integers(1, 20),
    }
)
WORKLOADS = st.sampled_from(
    [
        ("bulk_read", "read"),
        ("bulk_read", "load"),
        ("bulk_read", "store"),
        ("bulk_write", "write"),
        ("bulk_write", "store"),
        ("mixed_order", "read"),
        ("send_recv", "send"),
        ("dist_barrier", "faa"),
        ("cas_lock", "cas"),
        ("cas_lock_contention", "cas"),
    ]
)
ON_OTHER_STACKS = {"load": "read", "store": "write"}


def accesses(row: dict[str, Any]) -> list[tuple[str, int, int]]:
    """Operation, address and bytes of each access, as the reference describes the workloads."""
    workload, operation, size = row["workload"], row["verb"], row["payload_bytes"]
    base = 0x600000 if workload == "bulk_read" else 0x500000
    if workload == "bulk_write":
        operation = "write"
    if row["stack"] != "ub_loadstore":
        operation = ON_OTHER_STACKS.get(operation, operation)
    if operation in ("faa", "cas"):
        size = 8
    return [(operation, base + n * size, size) for n in range(row["n_ops"])]


@given(parameters=PARAMETERS, workload=WORKLOADS)
def test_follows_the_rule_for_any_parameters(
    parameters: dict[str, Any], workload: tuple[str, str]
) -> None:
    row = {**ROW, **parameters, "workload": workload[0], "verb": workload[1]}
    if row["cache_policy"] == "wt" and row["verb"] == "store":
        # The rule does not say where a store ends that is written through.
        row["cache_policy"] = "wb"
    expected_ns = mean_ns(row, accesses(row))
    row["mean_ns"] = f"{float(expected_ns):.6f}"
    with tempfile.TemporaryDirectory() as directory:
        found = verify(Path(directory), row)
    (check,) = found.checks
    assert check.got == expected_ns * 1000
    assert check.ok


OPTIONAL = st.fixed_dictionaries(
    {},
    optional={
        "strict_order_pct": st.integers(0, 100),
        "service_mode": st.sampled_from(["uno", "rol"]),
        "jetties_per_channel": st.integers(1, 2000),
    },
)


@given(parameters=PARAMETERS, optional=OPTIONAL, workload=WORKLOADS, operations=st.integers(1, 130))
def test_follows_the_rule_for_order_service_mode_and_sharing(
    parameters: dict[str, Any],
    optional: dict[str, Any],
    workload: tuple[str, str],
    operations: int,
) -> None:
    row = {**ROW, **parameters, **optional, "workload": workload[0], "verb": workload[1]}
    row["n_ops"] = operations
    row["cache_policy"] = "uc"
    if row["stack"].startswith("roce"):
        row["service_mode"] = "uno"
    expected_ns = mean_ns(row, accesses(row))
    row["mean_ns"] = f"{float(expected_ns):.6f}"
    with tempfile.TemporaryDirectory() as directory:
        (check,) = verify(Path(directory), row).checks
    assert check.got == expected_ns * 1000


@pytest.mark.parametrize(
    ("change", "expected_ns"),
    (
        # The first ten of ten: 20 ns each.
        ({"strict_order_pct": 100}, 777),
        ({"strict_order_pct": 5}, 767),
        ({"jetties_per_channel": 3}, 767),
        ({"service_mode": "rol"}, 753),
        ({"service_mode": "rol", "payload_bytes": 31}, 750.38),
        ({"strict_order_pct": 100, "jetties_per_channel": 2, "service_mode": "rol"}, 778),
        # Behind PCIe everything is in order as it is, and each pair has its own channel.
        ({"stack": "roce_dma", "strict_order_pct": 100, "jetties_per_channel": 9}, 2236),
    ),
)
def test_the_optional_columns_one_by_one(
    tmp_path: Path, change: dict[str, Any], expected_ns: float
) -> None:
    (check,) = verify(tmp_path, {**ROW, **change}).checks
    assert abs(check.got - round(expected_ns * 1000)) <= 500


@given(
    locality=st.sampled_from([0, 25, 50, 80]),
    policy=st.sampled_from(["wb", "wt", "uc"]),
    payload=st.sampled_from([8, 64, 256]),
    operations=st.integers(1, 200),
)
def test_follows_the_rule_through_drawn_addresses(
    locality: int, policy: str, payload: int, operations: int
) -> None:
    row = {
        **ROW,
        "stack": "ub_loadstore",
        "workload": "ptr_chase",
        "verb": "load",
        "locality_pct": locality,
        "cache_policy": policy,
        "payload_bytes": payload,
        "n_ops": operations,
    }
    with shipped_addresses().open() as file:
        drawn = [
            int(draw["address"])
            for draw in csv.DictReader(file)
            if (draw["workload"], draw["locality_pct"]) == ("ptr_chase", str(locality))
        ]
    expected_ns = mean_ns(row, [("load", address, payload) for address in drawn[:operations]])
    with tempfile.TemporaryDirectory() as directory:
        (check,) = verify(Path(directory), row).checks
    assert check.got == expected_ns * 1000


def test_a_fraction_of_a_nanosecond_is_cut_stage_by_stage(tmp_path: Path) -> None:
    (check,) = verify(tmp_path, {**ROW, "membus_ns": 30.9, "remote_dram_ns": 30.999}).checks
    assert check.got == 757_000


def test_a_cache_of_bytes_is_hit_within_its_lines(tmp_path: Path) -> None:
    row = {**ROW, "stack": "ub_loadstore", "verb": "load", "payload_bytes": 8, "n_ops": 16}
    (check,) = verify(tmp_path, row).checks
    # Two lines of eight words each: 2 misses, 14 hits.
    assert math.isclose(check.got, (2 * 493_000 + 14 * 1_000) / 16)


# -- not comparable -----------------------------------------------------------------------------

CHASE = {**ROW, "stack": "ub_loadstore", "workload": "ptr_chase", "verb": "load", "mean_ns": 500}


@pytest.mark.parametrize(
    ("row", "reason"),
    (
        (
            {**ROW, "conc": 4},
            (
                "more than one request open (conc): that simulator serves one request at a time, "
                "so its rate never rises; a pipelined path must beat it"
            ),
        ),
        (
            {**CHASE, "locality_pct": 33},
            "the addresses that ptr_chase draws with a locality of 33 % are not known",
        ),
        (
            {**CHASE, "n_ops": 201},
            (
                "the addresses that ptr_chase draws with a locality of 0 % are known for 200 "
                "operations, and it does 201"
            ),
        ),
        (
            {**ROW, "workload": "graph_bfs", "n_ops": 201},
            (
                "the operations that graph_bfs draws with a locality of 0 % are known for 200 "
                "operations, and it does 201"
            ),
        ),
        ({**ROW, "service_mode": "roi"}, "not modelled: column service_mode"),
        (
            {**ROW, "stack": "roce_bf", "service_mode": "rol"},
            "not modelled: column service_mode",
        ),
        (
            {**ROW, "service_mode": "rol", "loss": "0.1", "seed": 3},
            "not modelled: column loss, seed",
        ),
    ),
)
def test_says_why_a_row_is_not_comparable(tmp_path: Path, row: dict[str, Any], reason: str) -> None:
    found = verify(tmp_path, row)
    assert found.checks == ()
    assert [one.reason for one in found.not_comparable] == [reason]


@pytest.mark.parametrize(
    "row",
    (
        # No cache is looked into, so that no address matters.
        {**CHASE, "locality_pct": 33, "cache_policy": "uc"},
        {**CHASE, "locality_pct": 33, "stack": "ub_urma", "mean_ns": 757},
        {**CHASE, "locality_pct": 33, "verb": "read", "mean_ns": 757},
        {**CHASE, "n_ops": 1000, "stack": "roce_dma", "mean_ns": 2236},
        # Parameters at the value at which they change nothing, and one that has no value.
        {**ROW, "strict_order_pct": 0, "service_mode": "uno", "jetties_per_channel": 1, "x": ""},
        {**ROW, "strict_order_pct": "", "service_mode": "", "jetties_per_channel": ""},
        {**ROW, "p50_ns": 1, "p99_ns": 2, "max_ns": 3, "oprate_Mops": 4},
    ),
)
def test_a_row_is_comparable_where_what_is_unknown_does_not_matter(
    tmp_path: Path, row: dict[str, Any]
) -> None:
    found = verify(tmp_path, row)
    assert len(found.checks) == 1
    assert found.failures == ()


def test_addresses_of_ones_own(tmp_path: Path) -> None:
    addresses = tmp_path / "addresses.csv"
    addresses.write_text(
        "workload,locality_pct,index,operation,address,bytes\n"
        "ptr_chase,33,0,load,4096,64\n"
        "ptr_chase,33,1,load,4096,64\n"
    )
    row = {**CHASE, "locality_pct": 33, "n_ops": 2, "mean_ns": 250.5}
    found = verify(tmp_path, row, addresses=addresses)
    assert [check.ok for check in found.checks] == [True]
    # They take the place of the shipped ones.
    assert len(verify(tmp_path, CHASE, addresses=addresses).not_comparable) == 1
