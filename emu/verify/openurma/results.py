"""The format of a results file: one row a run of the two-node simulator."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from emu.request import Operation
from emu.verify.openurma.csv_file import Cell, CsvFile, read_csv

#: Stack to the table that stands for it.
STACKS = {
    "roce_dma": "openurma_roce_dma",
    "roce_bf": "openurma_roce_bf",
    "ub_urma": "openurma_urma",
    "ub_loadstore": "openurma_loadstore",
}
VERBS = {
    "load": Operation.LOAD,
    "store": Operation.STORE,
    "read": Operation.READ,
    "write": Operation.WRITE,
    "send": Operation.SEND,
    "faa": Operation.FETCH_AND_ADD,
    "cas": Operation.COMPARE_AND_SWAP,
}
#: What a load or store is on the stacks that have none.
WITHOUT_LOADS = {Operation.LOAD: Operation.READ, Operation.STORE: Operation.WRITE}
POLICIES = {"wb": "write_back", "wt": "write_through", "uc": "uncacheable"}
WORKLOADS = (
    "ptr_chase",
    "graph_bfs",
    "bulk_read",
    "bulk_write",
    "mixed_order",
    "send_recv",
    "dist_barrier",
    "cas_lock",
    "cas_lock_contention",
)
TIMES = (
    "link_ns",
    "membus_ns",
    "pcie_mmio_ns",
    "pcie_dma_read_ns",
    "pcie_dma_write_ns",
    "wqe_construct_ns",
    "cqe_poll_host_ns",
    "cqe_poll_onchip_ns",
    "remote_dram_ns",
)
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
    "payload_bytes",
    *TIMES,
    "mean_ns",
)
RATE = "oprate_Mops"
#: Other results of the same run. The mean is the one that is compared.
OTHER_RESULTS = ("p50_ns", "p99_ns", "max_ns", RATE)
#: Columns that a file may have, with the value at which they change nothing.
OPTIONAL = {"strict_order_pct": "0", "service_mode": "uno", "jetties_per_channel": "1"}
#: The stacks that put operations into the order that they ask for, and share transport channels.
UB_STACKS = ("ub_urma", "ub_loadstore")
#: Service mode to what the name of a table for it ends in.
SERVICE_MODES = {"uno": "", "rol": "_rol"}


@dataclass(frozen=True, slots=True)
class Row:
    """One run. `times_ps` has the columns of `TIMES`; `unmodelled` names those that rule it out."""

    line: int
    stack: str
    workload: str
    verb: str
    cache_policy: str
    locality_percent: int
    connections: int
    receivers: int
    operations: int
    open_requests: int
    payload_bytes: int
    times_ps: dict[str, int]
    mean_ps: Fraction
    #: Operations a second, in millions, where the file has them.
    rate_millions: Fraction | None
    strict_percent: int
    service_mode: str
    jetties: int
    unmodelled: tuple[str, ...]

    @property
    def name(self) -> str:
        """What tells the row from others, for people."""
        return f"line {self.line}: {self.stack} {self.workload} {self.verb}"

    @property
    def table(self) -> str:
        """The name of the table that stands for its stack."""
        return STACKS[self.stack] + SERVICE_MODES[self.service_mode]

    @property
    def operation(self) -> Operation:
        """What its verb is on its stack: a stack without loads and stores reads and writes."""
        return on_stack(self.stack, VERBS[self.verb])

    @property
    def is_cached(self) -> bool:
        """Whether its loads and stores look into a cache, so that addresses matter."""
        return self.cache_policy != "uc"


def on_stack(stack: str, operation: Operation) -> Operation:
    """The operation that a stack makes of a load or store; others stay as they are."""
    if stack == "ub_loadstore":
        return operation
    return WITHOUT_LOADS.get(operation, operation)


def read_results(path: Path, shown: str) -> list[Row]:
    """The rows of a results file; `CsvError` with all that is wrong with it."""
    file = read_csv(path, COLUMNS, shown, (*OTHER_RESULTS, *OPTIONAL))
    rows = [_row(file, cells) for cells in file.rows]
    file.raise_problems()
    return rows


def _row(file: CsvFile, cells: dict[str, Cell]) -> Row:
    stack = file.word(cells["stack"], STACKS)
    optional = _optional(cells)
    mode = optional["service_mode"].text
    unmodelled = [
        column
        for column, cell in cells.items()
        if cell.text and column not in (*COLUMNS, *OTHER_RESULTS, *OPTIONAL)
    ]
    # Behind PCIe there is one service mode, that of a reliable connection.
    if mode not in SERVICE_MODES or (mode != OPTIONAL["service_mode"] and stack not in UB_STACKS):
        unmodelled.append("service_mode")
    return Row(
        line=cells["stack"].at.line,
        stack=stack,
        workload=file.word(cells["workload"], WORKLOADS),
        verb=file.word(cells["verb"], VERBS),
        cache_policy=file.word(cells["cache_policy"], POLICIES),
        locality_percent=file.whole(cells["locality_pct"], 0, 100),
        connections=file.whole(cells["active_connections_n"], 1),
        receivers=file.whole(cells["remote_jetties"], 1),
        operations=file.whole(cells["n_ops"], 1),
        open_requests=file.whole(cells["conc"], 1),
        payload_bytes=file.whole(cells["payload_bytes"], 1),
        times_ps={column: file.whole_ps(cells[column]) for column in TIMES},
        mean_ps=file.time_ps(cells["mean_ns"]),
        rate_millions=file.number(rate) if (rate := cells.get(RATE)) and rate.text else None,
        strict_percent=file.whole(optional["strict_order_pct"], 0, 100),
        service_mode=mode,
        jetties=file.whole(optional["jetties_per_channel"], 1),
        unmodelled=tuple(unmodelled),
    )


def _optional(cells: dict[str, Cell]) -> dict[str, Cell]:
    """The optional cells, those that are missing or empty with the value that changes nothing."""
    at = cells["stack"].at
    return {
        column: cell
        if (cell := cells.get(column)) is not None and cell.text
        else Cell(neutral, column, at)
        for column, neutral in OPTIONAL.items()
    }
