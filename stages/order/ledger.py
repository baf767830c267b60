"""Ledger: numbered requests, each open until it is done, and who comes last before whom."""

from __future__ import annotations

from emu.request import Request


class Ledger:
    """Requests of one order. Their numbers rise; each is added once, and done at some time.

    The search for the one before stops at the next open one, and never goes below the oldest, so
    that a run of a million costs no more for each than a short one.
    """

    def __init__(self) -> None:
        #: No number from here on has been added yet.
        self.next = 0
        self._open: dict[int, Request] = {}
        #: No number below is open.
        self._oldest = 0

    def add(self, number: int, request: Request) -> None:
        """The request takes its place in the order."""
        self._open[number] = request
        self.next = number + 1

    def done(self, number: int) -> None:
        """Nobody waits any more for the request of that number."""
        self._open.pop(number, None)
        while self._oldest < self.next and self._oldest not in self._open:
            self._oldest += 1

    def before(self, number: int) -> Request | None:
        """The last open request before that number; `None` if its turn has come."""
        for earlier in range(number - 1, self._oldest - 1, -1):
            if earlier in self._open:
                return self._open[earlier]
        return None
