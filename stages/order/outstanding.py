"""Requests that have no answer yet, by initiator."""

from __future__ import annotations

from typing import Protocol

from emu.request import Request


class Outstanding(Protocol):
    """Knows what has been sent and not answered."""

    def add(self, request: Request) -> None:
        """It is sent."""

    def answer(self, initiator: int, request: Request | None) -> None:
        """It is answered: this request, or the oldest of the initiator, if it has any."""

    def __contains__(self, request: Request) -> bool: ...

    def last(self, initiator: int) -> Request | None:
        """The one that was sent last of those of the initiator; `None` if all are answered."""


class Known:
    """Knows each of them, so that they can be answered in any order."""

    def __init__(self) -> None:
        self._sent: dict[int, dict[Request, None]] = {}

    def add(self, request: Request) -> None:
        """It is sent."""
        self._sent.setdefault(request.initiator, {})[request] = None

    def answer(self, initiator: int, request: Request | None) -> None:
        """It is answered: this request, or the oldest of the initiator, if it has any."""
        sent = self._sent.get(initiator)
        if sent is None:
            return
        sent.pop(next(iter(sent)) if request is None else request, None)
        if not sent:
            del self._sent[initiator]

    def __contains__(self, request: Request) -> bool:
        return request in self._sent.get(request.initiator, ())

    def last(self, initiator: int) -> Request | None:
        """The one that was sent last of those of the initiator; `None` if all are answered."""
        sent = self._sent.get(initiator)
        return None if sent is None else next(reversed(sent))


class Counted:
    """Counts them, where always the oldest is answered first: so the last is the last to be.

    A run in which no answer ever comes keeps no more than that.
    """

    def __init__(self) -> None:
        self._sent: dict[int, tuple[int, Request]] = {}

    def add(self, request: Request) -> None:
        """It is sent."""
        count = self._sent[request.initiator][0] if request in self else 0
        self._sent[request.initiator] = (count + 1, request)

    def answer(self, initiator: int, request: Request | None) -> None:
        """The oldest of the initiator is answered, if it has any."""
        if initiator in self._sent:
            count, last = self._sent.pop(initiator)
            if count > 1:
                self._sent[initiator] = (count - 1, last)

    def __contains__(self, request: Request) -> bool:
        return request.initiator in self._sent

    def last(self, initiator: int) -> Request | None:
        """The one that was sent last of those of the initiator; `None` if all are answered."""
        return self._sent[initiator][1] if initiator in self._sent else None


def outstanding(answered_by_request: bool) -> Outstanding:
    """What a stage needs to know: each request, or how many where answers name none."""
    return Known() if answered_by_request else Counted()
