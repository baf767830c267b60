"""Streams: endless iterators over accesses, put together from choices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

from emu.request import Operation
from emu.workload.access import Access

#: Says where an access of so many bytes goes.
Addresses = Callable[[int], int]


def stream(
    kinds: Iterator[tuple[Operation, int]],
    addresses: Addresses,
    initiators: Iterator[int],
    destinations: Iterator[int],
) -> Iterator[Access]:
    """Accesses, with each property drawn from its iterator; several streams may share one."""
    for (operation, size_bytes), initiator in zip(kinds, initiators, strict=False):
        yield Access(operation, size_bytes, addresses(size_bytes), initiator, next(destinations))


def stepping_addresses() -> Addresses:
    """Through memory from 0 on, each access behind the one before."""
    end = 0

    def step(size_bytes: int) -> int:
        nonlocal end
        address, end = end, end + size_bytes
        return address

    return step


def slots(choice: Iterator[int], slot_bytes: int) -> Addresses:
    """One of so many equal slots of memory."""
    return lambda size_bytes: next(choice) * slot_bytes


def stepping(
    operation: Operation, size_bytes: int, requests: int | None = None
) -> Iterator[Access]:
    """Equal accesses, so many or without end; their addresses step through memory from 0."""
    numbers = count() if requests is None else range(requests)
    return (Access(operation, size_bytes, n * size_bytes) for n in numbers)
