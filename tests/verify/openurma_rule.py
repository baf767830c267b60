"""The published rule of OpenURMA's two-node simulator, written out as arithmetic.

Independent of the emulator: what its rows are checked against for parameters that no published row
has.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

COLUMNS = (
    "stack",
    "workload",
    "verb",
    "cache_policy",
    "locality_pct",
    "active_connections_n",
    "remote_jetties",
    "n_ops",
    "conc",
    "link_ns",
    "payload_bytes",
    "membus_ns",
    "pcie_mmio_ns",
    "pcie_dma_read_ns",
    "pcie_dma_write_ns",
    "wqe_construct_ns",
    "cqe_poll_host_ns",
    "cqe_poll_onchip_ns",
    "remote_dram_ns",
    "mean_ns",
)
ROW: dict[str, Any] = {
    "stack": "ub_urma",
    "workload": "bulk_read",
    "verb": "read",
    "cache_policy": "wb",
    "locality_pct": 0,
    "active_connections_n": 1,
    "remote_jetties": 1,
    "n_ops": 10,
    "conc": 1,
    "link_ns": 100,
    "payload_bytes": 64,
    "membus_ns": 30,
    "pcie_mmio_ns": 150,
    "pcie_dma_read_ns": 500,
    "pcie_dma_write_ns": 250,
    "wqe_construct_ns": 30,
    "cqe_poll_host_ns": 70,
    "cqe_poll_onchip_ns": 5,
    "remote_dram_ns": 30,
    "mean_ns": 757,
}


def nic_ns(cycles: int, size_bytes: int) -> int:
    beats = max(0, math.ceil(size_bytes / 32) - 1)
    return math.floor((cycles + beats) * Fraction("3.106"))


def wire_ns(row: dict[str, Any], size_bytes: int) -> int:
    return math.floor(Fraction(str(row["link_ns"])) + Fraction(8 * size_bytes, 400))


def uncached_ns(row: dict[str, Any], operation: str, size_bytes: int, number: int = 0) -> int:
    """One operation that goes out to the far memory, without what a cache adds before it.

    `number` counts the operations of the row.
    """
    roce = row["stack"].startswith("roce")
    short = operation in ("load", "store") and row["stack"] == "ub_loadstore"
    reads = operation in ("read", "load")
    writes = operation in ("write", "store", "send")
    cycles = 9 if roce else 8 if short else 25
    request = size_bytes if writes else 64
    response = size_bytes if reads else 8
    # On the way back a read is shorter with ROL; the initiator's last pass has the whole payload.
    rol = row.get("service_mode") == "rol" and reads and size_bytes >= 32
    back = response - 32 if rol else response
    total = 2 * nic_ns(cycles, request) + wire_ns(row, request)
    total += nic_ns(cycles, back) + wire_ns(row, back) + nic_ns(cycles, response)
    total += row["remote_dram_ns"]
    n, k = row["active_connections_n"], row["remote_jetties"]
    if operation == "send":
        total += row["membus_ns"] + math.floor(8 * Fraction("3.106"))
        total += 200 if roce and k > 1 else 0
    if not roce:
        total += 3 * row["membus_ns"]
        total += 20 if number % 100 < row.get("strict_order_pct", 0) else 0
        total += 5 * (row.get("jetties_per_channel", 1) - 1)
        total += 2 * (row["membus_ns"] + 70) if 2 * n + k > 2048 else 0
        software = 50 + row["wqe_construct_ns"] + row["cqe_poll_onchip_ns"] + 30
        return int(total + (0 if short else software))
    dma_read, dma_write = row["pcie_dma_read_ns"], row["pcie_dma_write_ns"]
    total += 50 + row["wqe_construct_ns"] + row["pcie_mmio_ns"] + 50
    total += 0 if row["stack"] == "roce_bf" and size_bytes <= 64 else dma_read
    total += dma_write if writes else dma_read
    total += dma_write if reads else 0
    total += dma_write + row["cqe_poll_host_ns"] + 30
    total += 2 * dma_read if n * n * k > 512 else 0
    return int(total)


class Cache:
    """Both levels as lists, the line used last at the end."""

    def __init__(self) -> None:
        self.l1: list[int] = []
        self.l2: list[int] = []

    def hit_ns(self, address: int) -> int | None:
        line = address // 64
        found = 1 if line in self.l1 else 4 if line in self.l2 else None
        levels = [(self.l1, 512)] if found == 1 else [(self.l1, 512), (self.l2, 8192)]
        for level, size in levels:
            if line in level:
                level.remove(line)
            level.append(line)
            del level[:-size]
        return found


def mean_ns(row: dict[str, Any], accesses: Sequence[tuple[str, int, int]]) -> Fraction:
    """The mean over (operation, address, bytes), one after the other."""
    cache = Cache()
    total = 0
    for number, (operation, address, size_bytes) in enumerate(accesses):
        if operation in ("load", "store") and row["stack"] == "ub_loadstore":
            hit_ns = cache.hit_ns(address) if row["cache_policy"] != "uc" else None
            total += hit_ns or 70 + uncached_ns(row, operation, size_bytes, number)
        else:
            total += uncached_ns(row, operation, size_bytes, number)
    return Fraction(total, len(accesses))


def csv_text(rows: Sequence[dict[str, Any]], columns: Sequence[str] = COLUMNS) -> str:
    lines = [",".join(columns), *(",".join(str(row[column]) for column in columns) for row in rows)]
    return "\n".join(lines) + "\n"
