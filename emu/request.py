"""A request: one remote memory operation on its way through a path."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from emu.plan import Plan


class Operation(StrEnum):
    """What a request does to the far memory."""

    READ = "read"
    WRITE = "write"
    SEND = "send"
    FETCH_AND_ADD = "fetch_and_add"
    COMPARE_AND_SWAP = "compare_and_swap"
    LOAD = "load"
    STORE = "store"


#: Words that a table or a command may use for several operations at once.
OPERATION_GROUPS: dict[str, tuple[Operation, ...]] = {
    **{operation.value: (operation,) for operation in Operation},
    "atomic": (Operation.FETCH_AND_ADD, Operation.COMPARE_AND_SWAP),
}

#: What only reads memory, what only writes it, and what brings a value back.
READS = (Operation.READ, Operation.LOAD)
WRITES = (Operation.WRITE, Operation.SEND, Operation.STORE)
RETURNING = (*READS, *OPERATION_GROUPS["atomic"])


@dataclass(slots=True, eq=False)
class Request:
    """One operation: `size_bytes` at `address`, and when it was where.

    The times are absolute picoseconds, of the stage it stands in or left last; `charges` are the
    waits (and all else that is not known before the run) as `(hop, part, picoseconds)`.
    """

    sequence: int
    operation: Operation
    size_bytes: int
    address: int
    submitted_ps: int
    plan: Plan
    initiator: int = 0
    destination: int = 0
    #: Ordering marks, empty for none: `NO`, `RO` or `SO`; `ROI`, `ROT`, `ROL` or `UNO`.
    order: str = ""
    service: str = ""
    fence: bool = False
    #: What a write or an atomic brings, and what a compare-and-swap compares with.
    operand: int = 0
    compare: int = 0
    #: Its number among those of its initiator to its destination: of what a later SO waits for,
    #: and of what one channel delivers in sequence; given by the ordering engine, else -1.
    transaction_number: int = -1
    packet_number: int = -1
    #: What a read or an atomic found; `None` until it has sampled memory, or without values.
    value: int | None = None
    #: How often that word had been written by then.
    version: int = -1
    #: The stage that dropped it, or whose full queue did; empty as long as it is not lost.
    dropped_at: str = ""
    hop: int = -1
    arrived_ps: int = 0
    accepted_ps: int = 0
    emitted_ps: int = 0
    completed_ps: int = -1
    finished: bool = False
    #: What had held up its lane by the time it came: see `BlockedLane`.
    blocked_before: dict[str, int] | None = None
    #: Those that were accepted with this one and leave with it; from which charge on theirs are
    #: the same; and whether this is itself one of them, on its way out.
    riders: tuple[Request, ...] = ()
    shared_charges: int = 0
    rides: bool = False
    #: How many of a batch are still inside a place that they share.
    sharing: list[int] | None = None
    charges: list[tuple[int, str, int]] = field(default_factory=list)

    @property
    def latency_ps(self) -> int:
        """Picoseconds from submission to completion; of a completed request only."""
        return self.completed_ps - self.submitted_ps
