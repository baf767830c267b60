"""Trackers: what a request in strict order waits for at its initiator.

Either knows the requests of order RO and SO, whatever their service; only an SO of service ROI
waits.
"""

from __future__ import annotations

from itertools import takewhile
from typing import Protocol

from emu.request import Request
from stages.order.outstanding import outstanding


class Tracker(Protocol):
    """Knows who has not been answered, and so who must wait."""

    def comes(self, request: Request) -> None:
        """The request has come to the engine."""

    def goes(self, request: Request) -> None:
        """The engine has let it go."""

    def answer(self, initiator: int, request: Request | None) -> None:
        """It has been answered: this request, or the oldest that the initiator has sent."""

    def expects(self, request: Request) -> bool:
        """Whether the answer to this request makes a difference."""

    def behind(self, request: Request) -> Request | None:
        """Whom the request must wait for; `None` if it may go."""


def is_ordered(request: Request) -> bool:
    """Whether a later request in strict order waits for this one."""
    return request.order in ("RO", "SO")


def is_strict(request: Request) -> bool:
    """Whether this one waits at its initiator for those before it."""
    return request.order == "SO" and request.service in ("ROI", "")


class CountTracker:
    """Counts what has been sent and not answered, and does not know which came first.

    So a request in strict order that comes when nothing is outstanding passes one that is still
    held, and what comes and goes after a held one delays it.
    """

    def __init__(self, answered_by_request: bool) -> None:
        self._outstanding = outstanding(answered_by_request)

    def comes(self, request: Request) -> None:
        """Nothing: only what has been sent counts."""

    def goes(self, request: Request) -> None:
        """One more is outstanding, if it counts."""
        if is_ordered(request):
            self._outstanding.add(request)

    def answer(self, initiator: int, request: Request | None) -> None:
        """One fewer is outstanding."""
        self._outstanding.answer(initiator, request)

    def expects(self, request: Request) -> bool:
        """Whether it is outstanding."""
        return request in self._outstanding

    def behind(self, request: Request) -> Request | None:
        """The last that was sent of those that are outstanding."""
        return self._outstanding.last(request.initiator) if is_strict(request) else None


class SequenceTracker:
    """Knows in which order requests came: one in strict order waits for all before it."""

    def __init__(self) -> None:
        #: Those without an answer, in the order in which they came, and whether they were sent.
        self._known: dict[int, dict[Request, bool]] = {}
        #: Behind whom a request was the last time that it was asked for.
        self._behind: dict[Request, Request] = {}

    def comes(self, request: Request) -> None:
        """It takes its place behind those that came before."""
        if is_ordered(request):
            self._known.setdefault(request.initiator, {})[request] = False

    def goes(self, request: Request) -> None:
        """From now on it can be answered."""
        if is_ordered(request):
            self._known[request.initiator][request] = True
            self._behind.pop(request, None)

    def answer(self, initiator: int, request: Request | None) -> None:
        """Those behind it wait for it no more."""
        known = self._known.get(initiator, {})
        if request is None:
            request = next((one for one, is_sent in known.items() if is_sent), None)
        if request is not None:
            known.pop(request, None)

    def expects(self, request: Request) -> bool:
        """Whether it has been sent and not answered."""
        return self._known.get(request.initiator, {}).get(request, False)

    def behind(self, request: Request) -> Request | None:
        """The last of those before it that have not been answered."""
        if not is_strict(request):
            return None
        known = self._known[request.initiator]
        last = self._behind.get(request)
        if last is None or last not in known:
            before = list(takewhile(lambda one: one is not request, known))
            if not before:
                return None
            last = self._behind[request] = before[-1]
        return last
