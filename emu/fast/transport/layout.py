"""Layout: the records in which a reliable wire keeps its channels, messages and packets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import from_dtype

from emu.fast.compiled import compiled
from emu.fast.hash_map import HASH_MAP
from emu.fast.layout import record
from emu.fast.memory import BLOCK, view
from emu.fast.ring import RING

#: A packet; `before` and `after` are those beside it on its channel, as far as outstanding.
#: A slot is used again when its packet has been acknowledged.
PACKET = record(
    *("channel", "psn", "message", "payload_bytes", "is_last", "before", "after"),
    # The number of its last sending on the wire, which all later sendings exceed.
    *("sendings", "order", "is_lost", "losses", "due_ps"),
    # It waits to be sent again; it is at the receiver, which waits for one before it.
    *("queued", "held"),
)

#: A request on its way; `after` is the next that waits on its channel to be cut into packets. A
#: slot is used again when its message has been delivered.
MESSAGE = record(
    *("request", "after", "uncut_bytes", "started"),
    *("arrived_ps", "serialisation_ps", "sent_ps", "received_ps"),
    # What had kept new packets of the channel back when it came, and when its last packet had
    # been sent for the first time.
    *("window_before_ps", "repairs_before_ps", "window_after_ps", "repairs_after_ps"),
)

#: A transport channel with its two ends.
CHANNEL = record(
    # The link: the packet that is on it, and whether the channel has a turn.
    *("on_link", "has_turn"),
    # The sender: messages to be cut, and packets that are not acknowledged.
    *("first_waiting", "last_waiting", "first", "last", "outstanding", "next_psn"),
    # The receiver: how many it holds, what go-back-N has asked for last, and before which packet
    # each has come or is asked for.
    *("expected", "held", "asked", "noticed"),
    # What keeps new packets back: how long the window, and repairs, have done so up to `since_ps`;
    # and until when the window does from then on, -1 if nothing does.
    *("window_ps", "repairs_ps", "since_ps", "window_until_ps"),
    # Packets to be sent again, a heap by number, and those that the receiver had no room for.
    again=BLOCK,
    refused=BLOCK,
)

#: A reliable wire: what the table says, and all that is on its way.
WIRE = record(
    # A packet takes `per_bytes_ps` for each `bytes_per`, as a reduced fraction.
    *("per_bytes_ps", "bytes_per", "latency_ps", "acknowledgement_ps", "timeout_ps"),
    # -1 is unlimited.
    *("mtu_bytes", "header_bytes", "window", "receive_buffer", "retries"),
    *("is_private", "goes_back", "window_part"),
    # Losses: whether they are drawn, by which generator, and the next of those that are named.
    *("draws", "random", "next_named"),
    # The link is in use; which packet it takes next is to be decided in this instant.
    *("busy", "deciding"),
    *("packets", "bytes", "lost", "repeated", "repeated_bytes", "packets_held", "packets_refused"),
    # The largest draw that loses a packet.
    last_lost=np.dtype(np.uint64),
    # The numbers of the packets to lose, in order.
    named=BLOCK,
    # Channels that have something to send, the one whose turn it is first.
    turns=RING,
    # What the receivers have said and the senders have not heard: the packet expected, how many
    # are asked for, and which.
    answers=RING,
    # What a receiver asks for as it takes a packet.
    asks=BLOCK,
    # Initiator (-1 where all share) and destination, to the channel.
    channel_of=HASH_MAP,
    wire_channels=BLOCK,
    wire_packets=BLOCK,
    free_packets=BLOCK,
    wire_messages=BLOCK,
    free_messages=BLOCK,
)

#: What the blocks hold, by name.
KINDS: dict[str, np.dtype[Any]] = {
    "wires": WIRE,
    "wire_channels": CHANNEL,
    "wire_packets": PACKET,
    "wire_messages": MESSAGE,
}

PACKET_T = from_dtype(PACKET)
MESSAGE_T = from_dtype(MESSAGE)
CHANNEL_T = from_dtype(CHANNEL)
WIRE_T = from_dtype(WIRE)


@compiled
def wires(world: Any) -> Any:
    """All reliable wires."""
    return view(world.wires, WIRE_T)


@compiled
def channels(wire: Any) -> Any:
    """The channels of a wire."""
    return view(wire.wire_channels, CHANNEL_T)


@compiled
def packets(wire: Any) -> Any:
    """The packets that are not acknowledged, and slots that are free."""
    return view(wire.wire_packets, PACKET_T)


@compiled
def messages(wire: Any) -> Any:
    """The messages that are not delivered, and slots that are free."""
    return view(wire.wire_messages, MESSAGE_T)
