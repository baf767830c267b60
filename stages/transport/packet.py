"""What travels: a message, and the packets that it is cut into."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from emu.request import Request


@dataclass(slots=True, eq=False)
class Message:
    """A request on its way, and the times that its breakdown is made of."""

    request: Request
    arrived_ps: int
    #: Payload of each packet that is still to be cut off, and how many are still to be received.
    payloads: Iterator[int]
    uncut: int
    missing: int
    #: What had kept new packets of the channel back when the message came, and what had when its
    #: last packet was sent for the first time (see `Channel.kept_ps`).
    kept_before: tuple[int, int] = (0, 0)
    kept_after: tuple[int, int] = (0, 0)
    serialisation_ps: int = 0
    #: Its first packet has been put on the link.
    started: bool = False
    #: When its last packet had been sent for the first time, and when none was missing.
    sent_ps: int = 0
    received_ps: int = 0


@dataclass(slots=True, eq=False)
class Packet:
    """A packet with its sequence number on its channel; `order` is the one of its last sending."""

    psn: int
    message: Message
    payload_bytes: int
    #: The last of its message.
    is_last: bool
    sendings: int = 0
    order: int = -1
    #: Its last sending was lost; and how often that was why it had to be sent again.
    is_lost: bool = False
    losses: int = 0
    #: When its acknowledgement would be there if it were not lost the first time.
    due_ps: int = 0
    #: It waits to be sent again.
    queued: bool = False


def payloads(message_bytes: int, mtu_bytes: int) -> tuple[int, Iterator[int]]:
    """How many packets a message makes, and the payload of each; an empty one makes one."""
    count = max(1, -(-message_bytes // mtu_bytes))
    return count, (min(mtu_bytes, message_bytes - n * mtu_bytes) for n in range(count))
