"""The sending end of a channel: its window, what it sends next, and what it sends again."""

from __future__ import annotations

from collections import deque
from heapq import heappop, heappush

from stages.transport.packet import Message, Packet


class Sender:
    """Cuts messages into packets, and keeps at most `window` from the oldest unacknowledged on.

    What is to be sent again goes first, oldest first. `goes_back` says that all that follows a
    packet is sent again with it.
    """

    def __init__(self, window: int | None, *, goes_back: bool) -> None:
        self.waiting: deque[Message] = deque()
        self.outstanding: deque[Packet] = deque()
        self._window = window
        self._goes_back = goes_back
        self._again: list[tuple[int, Packet]] = []
        self._next_psn = 0

    @property
    def repeats(self) -> bool:
        """Whether something waits to be sent again."""
        return bool(self._again)

    @property
    def is_full(self) -> bool:
        """Whether the window keeps new packets back."""
        return self._window is not None and len(self.outstanding) >= self._window

    @property
    def is_ready(self) -> bool:
        """Whether there is a packet to be sent now."""
        return bool(self._again) or (bool(self.waiting) and not self.is_full)

    def next_packet(self) -> Packet:
        """The packet to be sent now."""
        if self._again:
            packet = heappop(self._again)[1]
            packet.queued = False
            return packet
        message = self.waiting[0]
        message.uncut -= 1
        packet = Packet(self._next_psn, message, next(message.payloads), not message.uncut)
        self._next_psn += 1
        self.outstanding.append(packet)
        if packet.is_last:
            self.waiting.popleft()
        return packet

    def acknowledge(self, expected: int) -> None:
        """All packets before `expected` have been received."""
        outstanding = self.outstanding
        while outstanding and outstanding[0].psn < expected:
            outstanding.popleft()

    def find(self, psn: int) -> Packet:
        """The outstanding packet of this number."""
        return self.outstanding[psn - self.outstanding[0].psn]

    def repeat(self, packet: Packet) -> None:
        """Sends a packet again, and going back all that followed it."""
        first = packet.psn - self.outstanding[0].psn
        until = len(self.outstanding) if self._goes_back else first + 1
        for index in range(first, until):
            one = self.outstanding[index]
            if not one.queued:
                one.queued = True
                heappush(self._again, (one.psn, one))
