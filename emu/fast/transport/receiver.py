"""The receiving end of a channel: what it takes, in which order, and what it asks for again."""

from __future__ import annotations

from typing import Any

from emu.fast.compiled import compiled
from emu.fast.memory import push, words
from emu.fast.transport.layout import packets


@compiled
def take(wire: Any, channel: Any, place: int) -> bool:
    """Takes a packet that it has not taken before; whether it keeps it, delivered or held.

    All before `channel.expected` are delivered then, and the wire's `asks` are the packets that it
    asks for.
    """
    if wire.goes_back:
        return _take_next(wire, channel, place)
    return _take_any(wire, channel, place)


@compiled
def _take_next(wire: Any, channel: Any, place: int) -> bool:
    """Takes the next packet only; at the first that is another, it asks for that next one, once."""
    psn = packets(wire)[place].psn
    if psn == channel.expected:
        channel.expected += 1
        return True
    if channel.asked != channel.expected:
        channel.asked = channel.expected
        missing = place
        for _ in range(psn - channel.expected):
            missing = packets(wire)[missing].before
        push(wire.asks, missing)
    return False


@compiled
def _take_any(wire: Any, channel: Any, place: int) -> bool:
    """Holds what comes early, within its room, and asks once for each packet that it misses.

    With each packet that comes in order it asks again for all that it had no room for.
    """
    packet = packets(wire)[place]
    missing = place
    for _ in range(packet.psn - channel.noticed):
        missing = packets(wire)[missing].before
        push(wire.asks, missing)
    channel.noticed = max(channel.noticed, packet.psn + 1)
    if packet.psn != channel.expected:
        if 0 <= wire.receive_buffer <= channel.held:
            push(channel.refused, place)
            return False
        channel.held += 1
        packet.held = 1
        return True
    channel.expected += 1
    _take_held(wire, channel, packet.after)
    refused = channel.refused
    for index in range(refused.count):
        push(wire.asks, words(refused)[index])
    refused.count = 0
    return True


@compiled
def _take_held(wire: Any, channel: Any, place: int) -> None:
    """Delivers what it holds, from a packet on up to the next that is missing."""
    while place >= 0 and packets(wire)[place].held:
        packets(wire)[place].held = 0
        channel.held -= 1
        channel.expected += 1
        place = packets(wire)[place].after
