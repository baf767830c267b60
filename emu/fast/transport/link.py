"""The link itself: one packet after another, the channels in turn."""

from __future__ import annotations

from typing import Any

from emu.fast.compiled import compiled
from emu.fast.ring import put, take
from emu.fast.transport.layout import channels, packets
from emu.fast.transport.sender import is_ready, next_packet


@compiled
def occupied_ps(wire: Any, payload_bytes: int) -> int:
    """How long a packet is on the link; rounded up, so that no link is faster than it is."""
    exact = (payload_bytes + wire.header_bytes) * wire.per_bytes_ps
    return int((exact + wire.bytes_per - 1) // wire.bytes_per)


@compiled
def offer(wire: Any, place: int) -> None:
    """Gives a channel a turn if it has something to send, and has none on the link."""
    channel = channels(wire)[place]
    if channel.on_link < 0 and not channel.has_turn and is_ready(wire, channel):
        channel.has_turn = 1
        put(wire.turns, place)


@compiled
def can_send(wire: Any) -> bool:
    """Whether the link is free and a channel has something to send."""
    return wire.turns.count > 0 and not wire.busy


@compiled
def next_turn(wire: Any) -> int:
    """Puts the next packet on the link, which must be one that can send; gives its place."""
    place = take(wire.turns)
    channel = channels(wire)[place]
    channel.has_turn = 0
    sent = next_packet(wire, channel, place)
    packet = packets(wire)[sent]
    packet.sendings += 1
    packet.is_lost = 0
    packet.order = wire.packets
    wire.packets += 1
    wire.bytes += packet.payload_bytes + wire.header_bytes
    wire.busy = 1
    channel.on_link = sent
    return sent
