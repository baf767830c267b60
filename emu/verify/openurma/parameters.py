"""A row's parameter columns as values to put over the table of its stack."""

from __future__ import annotations

from emu.verify.openurma.results import POLICIES, Row


def overrides(row: Row) -> list[str]:
    """`NAME.PARAMETER=VALUE` for each column that its stack uses."""
    ps = {column: f"{time_ps} ps" for column, time_ps in row.times_ps.items()}
    dma_read, dma_write, bus = ps["pcie_dma_read_ns"], ps["pcie_dma_write_ns"], ps["membus_ns"]
    common = [
        f"descriptor_build.latency={ps['wqe_construct_ns']}",
        f"wire.latency={ps['link_ns']}",
        f"memory.latency={ps['remote_dram_ns']}",
        # Every crossing, that of a send at the target behind PCIe too.
        f"on_chip_bus.latency={bus}",
        f"context_threshold.connections={row.connections}",
        f"context_threshold.receivers={row.receivers}",
    ]
    if row.stack in ("roce_dma", "roce_bf"):
        fetch = dma_read
        own = [
            f"doorbell.latency={ps['pcie_mmio_ns']}",
            f"descriptor_dma.latency={dma_read}",
            f"target_access.latency={{read: {dma_read}, atomic: {dma_read}, other: {dma_write}}}",
            f"response_dma.latency={dma_write}",
            f"completion.latency={dma_write}",
            f"poll_record.latency={ps['cqe_poll_host_ns']}",
        ]
    else:
        fetch = bus
        own = [
            f"poll_record.latency={ps['cqe_poll_onchip_ns']}",
            f"strict_order.percent={row.strict_percent}",
            f"channel_sharing.jetties={row.jetties}",
        ]
    if row.stack == "ub_loadstore":
        own.append(f"cpu_cache.policy={POLICIES[row.cache_policy]}")
    # A record that is not in the controller is fetched as everything else is: by a DMA read behind
    # PCIe, over the bus on the chip.
    ends = [f"context_initiator.crossing={fetch}", f"context_target.crossing={fetch}"]
    return [*common, *own, *ends]
