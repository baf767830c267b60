"""The sending end of a channel: its window, what it sends next, and what it sends again."""

from __future__ import annotations

from typing import Any

from emu.fast.compiled import compiled
from emu.fast.memory import new_slot, pop, push, words
from emu.fast.transport.layout import MESSAGE, PACKET, messages, packets

_PACKET_BYTES = PACKET.itemsize
_MESSAGE_BYTES = MESSAGE.itemsize


@compiled
def add_message(wire: Any, channel: Any, request: int, size_bytes: int, now_ps: int) -> int:
    """Lets a request wait, as a message, to be cut into packets; gives its place."""
    place = new_slot(wire.wire_messages, wire.free_messages, _MESSAGE_BYTES)
    message = messages(wire)[place]
    message.request = request
    message.after = -1
    message.uncut_bytes = size_bytes
    message.started = 0
    message.arrived_ps = now_ps
    message.serialisation_ps = 0
    if channel.first_waiting < 0:
        channel.first_waiting = place
    else:
        messages(wire)[channel.last_waiting].after = place
    channel.last_waiting = place
    return place


@compiled
def is_full(wire: Any, channel: Any) -> bool:
    """Whether the window keeps new packets back."""
    return bool(0 <= wire.window <= channel.outstanding)


@compiled
def is_ready(wire: Any, channel: Any) -> bool:
    """Whether there is a packet to be sent now."""
    if channel.again.count > 0:
        return True
    return channel.first_waiting >= 0 and not is_full(wire, channel)


@compiled
def next_packet(wire: Any, channel: Any, place: int) -> int:
    """The packet to be sent now; `place` is that of the channel."""
    if channel.again.count > 0:
        first = _take_again(wire, channel.again)
        packets(wire)[first].queued = 0
        return first
    return _cut_off(wire, channel, place)


@compiled
def _cut_off(wire: Any, channel: Any, place: int) -> int:
    """A new packet, of the first message that waits."""
    message = messages(wire)[channel.first_waiting]
    payload_bytes = min(wire.mtu_bytes, message.uncut_bytes)
    message.uncut_bytes -= payload_bytes
    new = new_slot(wire.wire_packets, wire.free_packets, _PACKET_BYTES)
    packet = packets(wire)[new]
    packet.channel = place
    packet.psn = channel.next_psn
    packet.message = channel.first_waiting
    packet.payload_bytes = payload_bytes
    packet.is_last = message.uncut_bytes == 0
    packet.before = channel.last
    packet.after = -1
    packet.sendings = 0
    packet.losses = 0
    packet.queued = 0
    packet.held = 0
    if channel.last < 0:
        channel.first = new
    else:
        packets(wire)[channel.last].after = new
    channel.last = new
    channel.outstanding += 1
    channel.next_psn += 1
    if packet.is_last:
        channel.first_waiting = message.after
    return new


@compiled
def acknowledge(wire: Any, channel: Any, expected: int) -> None:
    """All packets before `expected` have been received.

    Nothing but a timer that has not been stopped refers to them any more.
    """
    every = packets(wire)
    while channel.first >= 0 and every[channel.first].psn < expected:
        push(wire.free_packets, channel.first)
        channel.first = every[channel.first].after
        channel.outstanding -= 1
    if channel.first < 0:
        channel.last = -1


@compiled
def repeat(wire: Any, channel: Any, place: int) -> None:
    """Sends a packet again, and going back all that followed it."""
    every = packets(wire)
    one = place
    while one >= 0:
        if not every[one].queued:
            every[one].queued = 1
            _put_again(wire, channel.again, one)
        one = every[one].after if wire.goes_back else -1


@compiled
def _put_again(wire: Any, again: Any, packet: int) -> None:
    every = packets(wire)
    psn = every[packet].psn
    push(again, packet)
    heap = words(again)
    place = again.count - 1
    while place > 0:
        above = (place - 1) >> 1
        if every[heap[above]].psn < psn:
            break
        heap[place] = heap[above]
        place = above
    heap[place] = packet


@compiled
def _take_again(wire: Any, again: Any) -> int:
    """Takes the packet with the lowest number."""
    every = packets(wire)
    heap = words(again)
    first = int(heap[0])
    moved = pop(again)
    count = again.count
    place = 0
    while 2 * place + 1 < count:
        below = 2 * place + 1
        if below + 1 < count and every[heap[below + 1]].psn < every[heap[below]].psn:
            below += 1
        if every[moved].psn < every[heap[below]].psn:
            break
        heap[place] = heap[below]
        place = below
    heap[place] = moved
    return first
