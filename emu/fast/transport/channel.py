"""A transport channel: which one a request takes, and what keeps its new packets back."""

from __future__ import annotations

from typing import Any

from emu.fast.compiled import compiled
from emu.fast.hash_map import find, insert
from emu.fast.memory import extend
from emu.fast.transport.layout import CHANNEL, channels, packets
from emu.fast.transport.sender import is_full

_CHANNEL_BYTES = CHANNEL.itemsize


@compiled
def channel_of(wire: Any, initiator: int, destination: int) -> int:
    """The channel from an initiator to a destination; made if it is the first time."""
    key = initiator if wire.is_private else -1
    place = find(wire.channel_of, key, destination)
    if place >= 0:
        return place
    place = extend(wire.wire_channels, 1, _CHANNEL_BYTES)
    insert(wire.channel_of, key, destination, place)
    channel = channels(wire)[place]
    channel.on_link = -1
    channel.first_waiting = -1
    channel.last_waiting = -1
    channel.first = -1
    channel.last = -1
    channel.asked = -1
    channel.window_until_ps = -1
    return place


@compiled
def note(wire: Any, channel: Any, now_ps: int) -> None:
    """Looks anew at what keeps new packets back; called after each change."""
    until_ps = _look(wire, channel)
    if until_ps != channel.window_until_ps:
        window_ps = kept_by_window_ps(channel, now_ps)
        repairs_ps = kept_by_repairs_ps(channel, now_ps)
        channel.window_ps = window_ps
        channel.repairs_ps = repairs_ps
        channel.since_ps = now_ps
        channel.window_until_ps = until_ps


@compiled
def kept_by_window_ps(channel: Any, now_ps: int) -> int:
    """How long the window has kept new packets back up to now."""
    if channel.window_until_ps < 0:
        return int(channel.window_ps)
    return int(channel.window_ps + _split_ps(channel, now_ps) - channel.since_ps)


@compiled
def kept_by_repairs_ps(channel: Any, now_ps: int) -> int:
    """How long repairs have kept new packets back up to now."""
    if channel.window_until_ps < 0:
        return int(channel.repairs_ps)
    return int(channel.repairs_ps + now_ps - _split_ps(channel, now_ps))


@compiled
def _split_ps(channel: Any, now_ps: int) -> int:
    """Until when it was the window, if it has been more than that since."""
    return int(min(max(channel.window_until_ps, channel.since_ps), now_ps))


@compiled
def _look(wire: Any, channel: Any) -> int:
    """Until when the window keeps new packets back, and then repairs do; -1 if neither does."""
    if channel.on_link >= 0:
        return -1 if packets(wire)[channel.on_link].sendings == 1 else 0
    if channel.again.count > 0:
        return 0
    return int(packets(wire)[channel.first].due_ps) if is_full(wire, channel) else -1
