"""Placements to draw: the four columns of the published comparison, and odd ones."""

from emu.compare import Placement, StageTime

CYCLE_PS = 3105

# Stage kind and picoseconds, in the order of the path; the NIC passes are clocked.
POST, BUILD = ("verb_post", 50_000), ("descriptor_build", 30_000)
ORDER, WIRE, MEMORY = ("order_serialisation", 50_000), ("wire", 100_000), ("memory", 30_000)
BUS, LIBRARY = ("on_chip_bus", 30_000), ("verb_poll", 30_000)


def nic(cycles: int) -> tuple[str, int]:
    """One pass through a NIC of so many cycles."""
    return ("nic_pipeline", cycles * CYCLE_PS)


def placement(
    table: str, title: str, times: list[tuple[str, int]], operation: str = "read", size: int = 64
) -> Placement:
    """A placement whose stages take these times, and where each NIC pass waits 1.2 ns before."""
    stages = []
    now_ps = 0
    for index, (stage, time_ps) in enumerate(times):
        wait_ps = 1_200 if stage == "nic_pipeline" else 0
        parts = {"service": time_ps, "alignment": wait_ps}
        emulated_ps = time_ps + wait_ps
        stages.append(
            StageTime(
                name=f"{stage}_{index}",
                stage=stage,
                derived_ps=time_ps,
                emulated_ps=emulated_ps,
                start_ps=now_ps,
                parts=parts,
                derived_parts={"service": time_ps},
            )
        )
        now_ps += emulated_ps
    parts = {part: sum(stage.parts[part] for stage in stages) for part in ("service", "alignment")}
    derived_ps = sum(stage.derived_ps for stage in stages)
    return Placement(table, title, operation, size, derived_ps, now_ps, parts, tuple(stages))


def pcie_nic(wire_ps: int = 100_000, size: int = 64) -> Placement:
    """The RDMA NIC behind PCIe."""
    times = [
        *(POST, BUILD, ("doorbell", 150_000), ("descriptor_dma", 500_000), ORDER, nic(9)),
        *(WIRE, nic(9), ("target_dma", 500_000), MEMORY, ("response_dma", 250_000), nic(9)),
        *(("wire", wire_ps), nic(9), ("completion", 250_000), ("verb_poll", 70_000), LIBRARY),
    ]
    return placement("pcie_nic", "RDMA NIC behind PCIe", times, size=size)


def nic_processor(operation: str = "read") -> Placement:
    """The NIC with a processor of its own; its own work is assumed to take no time."""
    times = [
        *(POST, BUILD, ("descriptor_build", 0), ORDER, nic(9), WIRE, nic(9)),
        *(("target_dma", 500_000), MEMORY, ("response_dma", 250_000), nic(9), WIRE, nic(9)),
        *(("completion", 250_000), ("verb_poll", 70_000), LIBRARY),
    ]
    return placement("nic_processor", "RDMA NIC with a processor of its own", times, operation)


def ub_async(wire_ps: int = 100_000, size: int = 64) -> Placement:
    """The controller on the on-chip bus."""
    times = [
        *(POST, BUILD, BUS, nic(25), WIRE, nic(25), BUS, MEMORY, nic(25)),
        *(("wire", wire_ps), nic(25), BUS, ("verb_poll", 5_000), LIBRARY),
    ]
    return placement("ub_async", "Controller on the on-chip bus", times, size=size)


def ub_load(operation: str = "load", wire_ps: int = 100_000, size: int = 64) -> Placement:
    """The controller inside the load/store unit."""
    times = [BUS, nic(8), WIRE, nic(8), BUS, MEMORY, nic(8), ("wire", wire_ps), nic(8), BUS]
    return placement("ub_load", "Controller in the load/store unit", times, operation, size)


def cache_hit() -> Placement:
    """A load that ends in the CPU's cache after 1 ns."""
    times = [("cpu_cache", 1_000)]
    return placement("openurma_loadstore", "Load that hits the CPU's cache", times, "load")


BLOCK = 64 * 1024
BLOCK_WIRE_PS = 100_000 + BLOCK * 20

#: The cases that were looked at, by name.
CASES: dict[str, tuple[Placement, ...]] = {
    "four": (pcie_nic(), nic_processor(), ub_async(), ub_load("read")),
    "mixed operations": (pcie_nic(), nic_processor(), ub_async(), ub_load("load")),
    "two": (ub_async(), ub_load()),
    "one": (pcie_nic(),),
    "eight": (pcie_nic(), nic_processor(), ub_async(), ub_load()) * 2,
    "twelve": (pcie_nic(), nic_processor(), ub_async(), ub_load()) * 3,
    "64 KiB": (
        pcie_nic(BLOCK_WIRE_PS, BLOCK),
        ub_async(BLOCK_WIRE_PS, BLOCK),
        ub_load("load", BLOCK_WIRE_PS, BLOCK),
    ),
    "cache hit": (pcie_nic(), ub_load(), cache_hit()),
    "others' stages": (
        placement(
            "lab",
            "A path of many short stages that other people's distributions bring along",
            [(f"somebody_elses_stage_{n}", 1_000 + n * n * 700) for n in range(18)],
        ),
        pcie_nic(),
    ),
}
