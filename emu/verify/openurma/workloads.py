"""What each workload of the two-node simulator does, one access after the other."""

from __future__ import annotations

from collections.abc import Iterator

from emu.request import Operation
from emu.run import Access
from emu.verify.openurma.addresses import Draws
from emu.verify.openurma.results import Row, on_stack

#: Where the workloads that step through memory begin.
BULK_READ_BASE = 0x600000
BULK_WRITE_BASE = 0x500000
ATOMIC_BYTES = 8
#: Workloads that stay at one address, with the operation they do there whatever the row's verb.
AT_ONE_ADDRESS = {
    "send_recv": Operation.SEND,
    "dist_barrier": Operation.FETCH_AND_ADD,
    "cas_lock": Operation.COMPARE_AND_SWAP,
    "cas_lock_contention": Operation.COMPARE_AND_SWAP,
}


def why_unknown(row: Row, draws: Draws) -> str | None:
    """Why the accesses of a row are not known, or `None` if they are.

    What `graph_bfs` does is drawn altogether. Of `ptr_chase` only the addresses are, and they
    matter only where a cache is looked into.
    """
    if row.workload == "ptr_chase":
        if not (row.is_cached and row.operation in (Operation.LOAD, Operation.STORE)):
            return None
        what = "addresses"
    elif row.workload == "graph_bfs":
        what = "operations"
    else:
        return None
    known = len(draws.get((row.workload, row.locality_percent), ()))
    if known >= row.operations:
        return None
    return (
        f"the {what} that {row.workload} draws with a locality of {row.locality_percent} % are "
        + (f"known for {known} operations, and it does {row.operations}" if known else "not known")
    )


def accesses(row: Row, draws: Draws) -> Iterator[Access]:
    """The accesses of a row, as many as it has operations; `why_unknown` must have nothing."""
    size_bytes = row.payload_bytes
    if row.workload in AT_ONE_ADDRESS:
        operation = AT_ONE_ADDRESS[row.workload]
        if operation is not Operation.SEND:
            size_bytes = ATOMIC_BYTES
        return (Access(operation, size_bytes, 0) for _ in range(row.operations))
    if row.workload == "bulk_read":
        return _stepping(row, row.operation, BULK_READ_BASE)
    if row.workload == "bulk_write":
        # It writes, also where the row says `store`.
        return _stepping(row, Operation.WRITE, BULK_WRITE_BASE)
    if row.workload == "mixed_order":
        return _stepping(row, row.operation, BULK_WRITE_BASE)
    drawn = draws.get((row.workload, row.locality_percent), [])[: row.operations]
    if row.workload == "graph_bfs":
        return (
            Access(on_stack(row.stack, draw.operation), draw.size_bytes, draw.address)
            for draw in drawn
        )
    if len(drawn) < row.operations:
        return (Access(row.operation, size_bytes, 0) for _ in range(row.operations))
    return (Access(row.operation, size_bytes, draw.address) for draw in drawn)


def _stepping(row: Row, operation: Operation, base: int) -> Iterator[Access]:
    size_bytes = row.payload_bytes
    return (Access(operation, size_bytes, base + n * size_bytes) for n in range(row.operations))
