"""Streams: iterators over accesses, put together from choices, which say what these are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from emu.request import Operation
from emu.workload.access import Access
from emu.workload.choice import Constant

#: Operation and bytes.
Kind = tuple[Operation, int]
#: Says where an access of so many bytes goes.
Addresses = Callable[[int], int]


class Stream(Iterator[Access]):
    """Accesses without marks, with each property chosen; several streams may share a choice.

    There are `left` more of them, and no end if that is `None`.
    """

    def __init__(
        self,
        kinds: Sequence[Kind],
        choice_of_kinds: Iterator[int],
        addresses: Addresses,
        initiators: Iterator[int],
        destinations: Iterator[int],
        left: int | None = None,
    ) -> None:
        self.kinds = kinds
        self.choice_of_kinds = choice_of_kinds
        self.addresses = addresses
        self.initiators = initiators
        self.destinations = destinations
        self.left = left

    def __next__(self) -> Access:
        if self.left is not None:
            if not self.left:
                raise StopIteration
            self.left -= 1
        operation, size_bytes = self.kinds[next(self.choice_of_kinds)]
        initiator = next(self.initiators)
        address = self.addresses(size_bytes)
        return Access(operation, size_bytes, address, initiator, next(self.destinations))


class SteppingAddresses:
    """Through memory from 0 on, each access behind the one before."""

    def __init__(self) -> None:
        #: Of what has been accessed.
        self.end = 0

    def __call__(self, size_bytes: int) -> int:
        """Where an access of so many bytes goes."""
        address = self.end
        self.end += size_bytes
        return address


class Slots:
    """One of so many equal slots of memory."""

    def __init__(self, choice: Iterator[int], slot_bytes: int) -> None:
        self.choice = choice
        self.slot_bytes = slot_bytes

    def __call__(self, size_bytes: int) -> int:
        """Where the next access goes, however many bytes it has."""
        return next(self.choice) * self.slot_bytes


def stepping(operation: Operation, size_bytes: int, requests: int | None = None) -> Stream:
    """Equal accesses, so many or without end; their addresses step through memory from 0."""
    same = Constant(0)
    return Stream([(operation, size_bytes)], same, SteppingAddresses(), same, same, requests)


def staying(operation: Operation, size_bytes: int, initiator: int = 0) -> Stream:
    """Equal accesses of one initiator without end, all of them at address 0."""
    same = Constant(0)
    at = Slots(same, size_bytes)
    return Stream([(operation, size_bytes)], same, at, Constant(initiator), same)
