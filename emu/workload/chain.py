"""Dependent chains: the address of an access is in the answer of the one before."""

from __future__ import annotations

from collections.abc import Iterator

from emu.random import Random
from emu.request import Operation, Request
from emu.workload.access import Access


class Chain:
    """Pointer chases through one memory, each with one request open.

    A chain is a ring of `nodes` records of the size of an access, in a random order, and starts at
    its first. The rings lie interleaved. A lost request is posted again: nobody knows what follows.
    """

    def __init__(
        self,
        operation: Operation,
        size_bytes: int,
        random: Random,
        *,
        chains: int = 1,
        nodes: int = 1024,
        initiators: int = 1,
    ) -> None:
        self._operation = operation
        self._size_bytes = size_bytes
        self._chains = chains
        self._initiators = initiators
        #: Record to the record that it points to.
        self._memory: dict[int, int] = {}
        for chain in range(chains):
            ring = [node * chains + chain for node in one_cycle(nodes, random)]
            self._memory |= zip(ring, [*ring[1:], ring[0]], strict=True)

    def posts(self) -> Iterator[tuple[int, Access]]:
        """The first of each chain."""
        for chain in range(self._chains):
            yield 0, self._access(chain, chain % self._initiators)

    def answered(self, request: Request) -> Access | None:
        """What the record points to."""
        record = request.address // self._size_bytes
        if request.completed_ps >= 0:
            record = self._memory[record]
        return self._access(record, request.initiator)

    def _access(self, record: int, initiator: int) -> Access:
        address = record * self._size_bytes
        return Access(self._operation, self._size_bytes, address, initiator)


def one_cycle(count: int, random: Random) -> list[int]:
    """The numbers below `count` in a random order, 0 first."""
    order = list(range(count))
    for last in range(count - 1, 1, -1):
        other = 1 + random.below(last)
        order[last], order[other] = order[other], order[last]
    return order
