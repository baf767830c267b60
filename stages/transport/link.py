"""The link itself: one packet after another, the channels in turn."""

from __future__ import annotations

from fractions import Fraction

from stages.transport.channel import Channel
from stages.transport.packet import Packet


class Link:
    """Carries one packet at a time; channels that have one to send take turns."""

    def __init__(self, bytes_per_ps: Fraction, header_bytes: int) -> None:
        self._bytes_per_ps = bytes_per_ps
        self._header_bytes = header_bytes
        # The channel whose turn it is stands first.
        self._turns: dict[Channel, None] = {}
        self._busy = False
        #: Sendings so far, and their bytes, headers included.
        self.packets = 0
        self.bytes = 0

    def occupied_ps(self, payload_bytes: int) -> int:
        """How long a packet is on the link; rounded up, so that no link is faster than it is."""
        exact = (payload_bytes + self._header_bytes) / self._bytes_per_ps
        return -(-exact.numerator // exact.denominator)

    def offer(self, channel: Channel) -> None:
        """Gives the channel a turn if it has something to send, and has none on the link."""
        if channel.on_link is None and channel.sender.is_ready:
            self._turns.setdefault(channel)

    @property
    def can_send(self) -> bool:
        """Whether the link is free and a channel has something to send."""
        return bool(self._turns) and not self._busy

    def next_turn(self) -> tuple[Channel, Packet]:
        """Puts the next packet on the link, which must be one that can send."""
        channel = next(iter(self._turns))
        del self._turns[channel]
        packet = channel.sender.next_packet()
        packet.sendings += 1
        packet.is_lost = False
        packet.order = self.packets
        self.packets += 1
        self.bytes += packet.payload_bytes + self._header_bytes
        self._busy = True
        channel.on_link = packet
        return channel, packet

    def end_turn(self, channel: Channel) -> None:
        """The last byte of the channel's packet is on the link."""
        self._busy = False
        channel.on_link = None
