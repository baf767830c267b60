"""State: the bytes of connection records that each way to organise them needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from emu.errors import EmuError

#: Bytes of one record. The first four are what a controller holds. The others are what an endpoint
#: needs by itself, for each destination, and for the transport to it.
#: Source: interconnect chapter, sections on the state of controllers and on sharing transport.
RECORD_BYTES: Mapping[str, int] = {
    "jetty": 20,
    "segment": 32,
    "channel": 56,
    "qp": 512,
    "endpoint": 256,
    "route": 64,
    "transport": 1024,
}


class StateError(EmuError):
    """Counts or sizes that state cannot be counted for."""


@dataclass(frozen=True)
class Organisation:
    """One way to organise records: how many of each kind it has."""

    name: str
    records: Mapping[str, int]

    def bytes(self, sizes: Mapping[str, int] = RECORD_BYTES) -> int:
        """What they take together."""
        return sum(count * sizes[kind] for kind, count in self.records.items())


def per_pair(applications: int, peers: int) -> Organisation:
    """A queue pair for each application and peer, and a segment for each application."""
    return Organisation("per_pair", {"qp": applications * peers, "segment": applications})


def ub(applications: int, peers: int) -> Organisation:
    """A Jetty and a segment for each application, and a transport channel for each peer."""
    records = {"jetty": applications, "segment": applications, "channel": peers}
    return Organisation("ub", records)


def private(endpoints: int, destinations: int) -> Organisation:
    """A transport for each endpoint and destination."""
    return _transports("private", endpoints, destinations, endpoints * destinations)


def shared(endpoints: int, destinations: int) -> Organisation:
    """A transport for each destination, shared by all endpoints."""
    return _transports("shared", endpoints, destinations, destinations)


def groups(endpoints: int, destinations: int, count: int) -> Organisation:
    """A transport for each destination and each of so many groups of endpoints."""
    return _transports("groups", endpoints, destinations, count * destinations)


def _transports(name: str, endpoints: int, destinations: int, transports: int) -> Organisation:
    routes = endpoints * destinations
    records = {"endpoint": endpoints, "route": routes, "transport": transports}
    return Organisation(name, records)


def most_that_fit(
    organise: Callable[[int], Organisation],
    memory_bytes: int,
    sizes: Mapping[str, int] = RECORD_BYTES,
) -> int:
    """The largest count from 1 on whose organisation fits; 0 if not even one does.

    `StateError` where no count is too many, because its records take no room.
    """
    most, above = 0, 1
    while organise(above).bytes(sizes) <= memory_bytes:
        if above > memory_bytes:
            raise StateError("any number fits: the records take no bytes; expected larger records")
        most, above = above, 2 * above
    while above - most > 1:
        middle = (most + above) // 2
        if organise(middle).bytes(sizes) <= memory_bytes:
            most = middle
        else:
            above = middle
    return most
