"""The receiving end of a channel: what it takes, in which order, and what it asks for again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from stages.transport.packet import Packet


@dataclass(slots=True)
class Answer:
    """What a receiver does with a packet."""

    #: Whether it keeps the packet, delivered or held.
    taken: bool
    #: Packets whose turn has come, in order.
    delivered: list[Packet] = field(default_factory=list)
    #: Sequence numbers that it asks the sender for.
    asks: list[int] = field(default_factory=list)


class Receiver(Protocol):
    """Delivers packets in the order of their sequence numbers."""

    #: All packets before this one are delivered.
    expected: int

    def take(self, packet: Packet) -> Answer:
        """Takes a packet that it has not taken before."""


class GoBackN:
    """Takes the next packet only; at the first that is another, it asks for that next one, once."""

    def __init__(self) -> None:
        self.expected = 0
        self._asked = -1

    def take(self, packet: Packet) -> Answer:
        """Takes a packet that it has not taken before."""
        if packet.psn == self.expected:
            self.expected += 1
            return Answer(True, [packet])
        if self._asked == self.expected:
            return Answer(False)
        self._asked = self.expected
        return Answer(False, asks=[self.expected])


class SelectiveRepeat:
    """Holds what comes early, within its room, and asks once for each packet that it misses.

    With each packet that comes in order it asks again for all that it had no room for.
    """

    def __init__(self, room: int | None) -> None:
        self.expected = 0
        self._room = room
        self._held: dict[int, Packet] = {}
        self._refused: list[int] = []
        # Each packet before this one has come, or is asked for.
        self._noticed = 0

    def take(self, packet: Packet) -> Answer:
        """Takes a packet that it has not taken before."""
        psn = packet.psn
        missed = list(range(self._noticed, psn))
        self._noticed = max(self._noticed, psn + 1)
        if psn != self.expected:
            if self._room is None or len(self._held) < self._room:
                self._held[psn] = packet
                return Answer(True, asks=missed)
            self._refused.append(psn)
            return Answer(False, asks=missed)
        delivered = [packet]
        self.expected += 1
        while self.expected in self._held:
            delivered.append(self._held.pop(self.expected))
            self.expected += 1
        refused, self._refused = self._refused, []
        return Answer(True, delivered, refused)
