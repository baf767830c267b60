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
        self.operation = operation
        self.size_bytes = size_bytes
        self.chains = chains
        self.initiators = initiators
        #: By record, the record that it points to.
        self.following = [0] * (chains * nodes)
        for chain in range(chains):
            ring = [node * chains + chain for node in one_cycle(nodes, random)]
            for record, other in zip(ring, [*ring[1:], ring[0]], strict=True):
                self.following[record] = other

    def posts(self) -> Iterator[tuple[int, Access]]:
        """The first of each chain."""
        for chain in range(self.chains):
            yield 0, self._access(chain, chain % self.initiators)

    def answered(self, request: Request) -> Access | None:
        """What the record points to."""
        record = request.address // self.size_bytes
        if request.completed_ps >= 0:
            record = self.following[record]
        return self._access(record, request.initiator)

    def _access(self, record: int, initiator: int) -> Access:
        address = record * self.size_bytes
        return Access(self.operation, self.size_bytes, address, initiator)


def one_cycle(count: int, random: Random) -> list[int]:
    """The numbers below `count` in a random order, 0 first."""
    order = list(range(count))
    for last in range(count - 1, 1, -1):
        other = 1 + random.below(last)
        order[last], order[other] = order[other], order[last]
    return order
