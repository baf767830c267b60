"""A lane: requests that go one after the other, and for how long its first was held."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from emu.request import Request


@dataclass(slots=True)
class Waiting:
    """A request in a lane, and what had been counted when it joined."""

    request: Request
    flits: int
    held_before_ps: int = 0
    blocked_before_ps: int = 0


class Stopwatch:
    """Adds up the time in which something was so."""

    def __init__(self) -> None:
        self.is_running = False
        self._sum_ps = self._since_ps = 0

    def total_ps(self, now_ps: int) -> int:
        """All of it up to now."""
        return self._sum_ps + (now_ps - self._since_ps if self.is_running else 0)

    def set(self, is_running: bool, now_ps: int) -> None:
        """From now on it is so, or is not."""
        self._sum_ps = self.total_ps(now_ps)
        self._since_ps = now_ps
        self.is_running = is_running


class Lane:
    """First in, first out. While its first request is held, so are those behind it."""

    def __init__(self) -> None:
        self.waiting: deque[Waiting] = deque()
        #: How long the lane was held.
        self.held = Stopwatch()
        #: When it was let go last, and for how long the way out had been blocked by then.
        self.released_ps = 0
        self.blocked_at_release_ps = 0

    @property
    def first(self) -> Request:
        """Whose turn it is in this lane; it must not be empty."""
        return self.waiting[0].request
