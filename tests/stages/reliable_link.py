"""Messages over one `reliable_wire`, with times that are easy to say."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

from emu.actor import Actor
from emu.table.schema import Table
from tests.build import WRITE, Post, Run, run, table

#: A packet of 1000 B is on the link for 100 ns, in flight for 1 µs, and known of 1 µs later.
PACKET_BYTES = 1000
PACKET_PS, FLIGHT_PS, BACK_PS, TIMEOUT_PS = 100_000, 1_000_000, 1_000_000, 5_000_000
LINK: dict[str, Any] = {
    "stage": "reliable_wire",
    "name": "link",
    "bandwidth": "10 GB/s",
    "latency": "1 us",
    "acknowledgement": "1 us",
    "mtu": "1000 B",
    "header": "0 B",
    "sharing": "private",
    "window": "unlimited",
    "recovery": "selective_repeat",
    "receive_buffer": "unlimited",
    "timeout": "5 us",
    "retries": 7,
    "loss": 0,
}


def link(**changes: Any) -> Table:
    """A path that is one link."""
    return table([{**LINK, **changes}])


def messages(*packets: int, at_ps: int = 0) -> list[Post]:
    """Messages of so many packets each, all at once."""
    return [Post(at_ps, WRITE, count * PACKET_BYTES) for count in packets]


def send(load: Iterable[Post], shuffle: random.Random | None = None, **changes: Any) -> Run:
    """Sends messages over a link, to the end."""
    return run(link(**changes), load, shuffle=shuffle)


def counts(of: Run, stage: str = "link") -> dict[str, int]:
    """What the link has counted."""
    actor = next(station.actor for station in of.path.stations if station.name == stage)
    assert isinstance(actor, Actor)
    return actor.counts()
