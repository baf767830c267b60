"""Blocked lanes: for how long which resource has held up those that wait in a lane."""

from __future__ import annotations


class BlockedLane:
    """The history of one lane, kept as sums, so that a long wait costs no more than a short one.

    A request that waits remembers the sums of its arrival (`so_far`); `first` are those of the
    last acceptance, from when on the spans themselves are kept.
    """

    __slots__ = ("_name", "_since_ps", "_spans", "_sums", "first")

    def __init__(self) -> None:
        self._name = ""
        self._since_ps = 0
        self._sums: dict[str, int] = {}
        self._spans: list[tuple[int, int, str]] = []
        self.first: dict[str, int] = {}

    def note(self, now_ps: int, name: str) -> None:
        """From now on the resource of that name holds up the lane; none for empty text."""
        if name != self._name:
            self._close(now_ps)
            self._name = name

    def accept(self, now_ps: int) -> None:
        """The station has accepted a request."""
        self._close(now_ps)
        self._spans.clear()
        self.first = dict(self._sums)

    def so_far(self, now_ps: int) -> dict[str, int]:
        """Resource to picoseconds for which it has held up the lane."""
        sums = dict(self._sums)
        if self._name:
            sums[self._name] = sums.get(self._name, 0) + now_ps - self._since_ps
        return sums

    def spans(self, now_ps: int) -> list[tuple[int, int, str]]:
        """From when to when which resource held it up, since the last acceptance."""
        return [*self._spans, (self._since_ps, now_ps, self._name)] if self._name else self._spans

    def _close(self, now_ps: int) -> None:
        if self._name and now_ps > self._since_ps:
            self._sums[self._name] = self._sums.get(self._name, 0) + now_ps - self._since_ps
            self._spans.append((self._since_ps, now_ps, self._name))
        self._since_ps = now_ps
