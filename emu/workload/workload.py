"""Workload: what is posted at which instant, and what an answer lets be posted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from emu.errors import EmuError
from emu.request import Request
from emu.workload.access import Access


class Workload(Protocol):
    """What a driver asks; it answers from iterators, and so serves one run."""

    def posts(self) -> Iterator[tuple[int, Access]]:
        """What is posted at times known beforehand, in picoseconds, in the order of time."""

    def answered(self, request: Request) -> Access | None:
        """What the end of a request lets be posted in that instant; `None` for nothing.

        A dropped request has no `completed_ps`.
        """


@dataclass(frozen=True, eq=False)
class Timed:
    """Posts at their own times, whatever comes back: an open loop, a burst, a recorded run."""

    known: Iterable[tuple[int, Access]]

    def posts(self) -> Iterator[tuple[int, Access]]:
        """All posts."""
        return iter(self.known)

    def answered(self, request: Request) -> Access | None:
        """Nothing."""
        return None


@dataclass(frozen=True, eq=False)
class Closed:
    """Keeps `outstanding` requests of each stream open: the end of one posts the stream's next.

    Several streams are those of initiators 0, 1, 2 and so on.
    """

    streams: Sequence[Iterator[Access]]
    outstanding: int
    start_ps: int = 0

    def __post_init__(self) -> None:
        if self.start_ps < 0:
            raise EmuError(f"start_ps is {self.start_ps}; expected a time from 0 on")

    def posts(self) -> Iterator[tuple[int, Access]]:
        """The first of each stream, by turns."""
        for _ in range(self.outstanding):
            for stream in self.streams:
                access = next(stream, None)
                if access is not None:
                    yield self.start_ps, access

    def answered(self, request: Request) -> Access | None:
        """The next of the same stream."""
        streams = self.streams
        return next(streams[0 if len(streams) == 1 else request.initiator], None)
