"""Assembly: the resources and stations that a table describes, and the hops of a request."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import Literal

from emu.actor import Actor
from emu.channel import Channel
from emu.memory import Memory
from emu.parts import CACHE_MISS, SERVICE
from emu.pcie import (
    BEHIND,
    COMPLETION,
    NONPOSTED,
    POSTED,
    RELAXED,
    bytes_per_ps,
    completion_bytes,
    request_bytes,
    write_bytes,
)
from emu.plan import Hop, Later, StageTime, packet_bytes, stage_time
from emu.random import Random
from emu.request import Operation, Request
from emu.resource import Pool
from emu.stage import Served, Stage
from emu.stage_errors import asking
from emu.station import Station
from emu.table.schema import Channels, Entry, Link, Pcie, Table, Use
from emu.time import Picoseconds

Serve = Callable[[Request, int], Served | None]

HOST, DEVICE = "host", "device"


@dataclass(frozen=True)
class Kind:
    """One kind of request: what a plan is made for."""

    operation: Operation
    size_bytes: int
    address: int


@dataclass(frozen=True)
class Carried:
    """Bytes on a link, of which the first `covered_bytes` are in the latency of the stage."""

    link: str
    lane: str
    wire_bytes: int
    covered_bytes: int
    each: bool


class Resources:
    """The pools and links of a table, built."""

    def __init__(self, table: Table) -> None:
        self.specs = table.head.resources
        self.pools: dict[str, Pool] = {}
        self.links: dict[str, Station] = {}
        self._bytes_per_ps: dict[str, Fraction] = {}
        for name, spec in self.specs.items():
            if isinstance(spec, Link):
                self._link(name, spec.bandwidth)
            elif isinstance(spec, Pcie):
                self._link(f"{name}.to_{HOST}", bytes_per_ps(spec), BEHIND)
                self._link(f"{name}.to_{DEVICE}", bytes_per_ps(spec), BEHIND)
                self._pool(f"{name}.tags", spec.tags)
                self._pool(f"{name}.nonposted_credits", spec.nonposted_credits)
                self._pool(f"{name}.posted_credits", spec.posted_credits)
            elif isinstance(spec, Channels):
                self._pool(name, spec.window, channel_key(spec))
            else:
                key = None if spec.per is None else UnitKey(spec.per)
                self._pool(name, spec.capacity, key)

    def _link(
        self, name: str, bytes_per_ps: Fraction, behind: Mapping[Hashable, Hashable] | None = None
    ) -> None:
        channel = Channel(name, None, lane_of=_lane, turns=True, behind=behind)
        self.links[name] = Station(name, channel=channel, is_link=True)
        self._bytes_per_ps[name] = bytes_per_ps

    def _pool(
        self, name: str, capacity: int | None, key: Callable[[Request], Hashable] | None = None
    ) -> None:
        self.pools[name] = Pool(name, capacity, key)

    def pools_of(self, use: Use) -> list[tuple[Pool, int | None]]:
        """The pools that a use takes a unit of, each with the time for which, if it is one."""
        spec = self.specs[use.resource]
        if isinstance(spec, Link):
            return []
        names: list[tuple[str, int | None]]
        if not isinstance(spec, Pcie):
            names = [(use.resource, use.for_)]
        elif use.as_ == "write":
            names = [(f"{use.resource}.posted_credits", spec.credit_return)]
        else:
            kinds = ("tags", "nonposted_credits")
            names = [(f"{use.resource}.{kind}", None) for kind in kinds]
        pools = [(self.pools[name], time_ps) for name, time_ps in names]
        return [(pool, time_ps) for pool, time_ps in pools if pool.capacity is not None]

    def carried(self, use: Use, kind: Kind, covered_bytes: int) -> list[Carried]:
        """What a use puts on links: before the latency of its stage, and after it."""
        spec = self.specs[use.resource]
        data_bytes = kind.size_bytes if use.bytes is None else use.bytes
        if isinstance(spec, Link):
            wire_bytes = packet_bytes(data_bytes, spec.mtu, spec.header)
            return [Carried(use.resource, "", wire_bytes, covered_bytes, False)]
        assert isinstance(spec, Pcie)  # asked for these two only
        name, there = use.resource, f"to_{use.to}"
        back = f"to_{DEVICE if use.to == HOST else HOST}"
        if use.as_ == "write":
            wire_bytes = write_bytes(spec, data_bytes)
            return [Carried(f"{name}.{there}", POSTED, wire_bytes, covered_bytes, False)]
        asked = request_bytes(spec, data_bytes)
        got = completion_bytes(spec, kind.address, data_bytes)
        answer = RELAXED if use.relaxed_ordering else COMPLETION
        return [
            Carried(f"{name}.{back}", NONPOSTED, asked, covered_bytes, True),
            Carried(f"{name}.{there}", answer, got, covered_bytes, True),
        ]

    def is_carrier(self, use: Use) -> bool:
        """Whether a use is of a link."""
        return isinstance(self.specs[use.resource], (Link, Pcie))

    def occupied_ps(self, link: str, wire_bytes: int) -> Fraction:
        """How long so many bytes occupy a link, exactly."""
        return wire_bytes / self._bytes_per_ps[link]

    def address_step(self) -> int:
        """Addresses that differ by a multiple of this make the same plan."""
        steps = [s.completion_boundary for s in self.specs.values() if isinstance(s, Pcie)]
        return lcm(*steps)


class StageAssembly:
    """One stage of a path: its stations, and the hops of each kind of request through them.

    Without a link it is one hop. With one, it is a hop to be accepted, with all the limits of the
    stage; a hop on the link; the latency; and, for a read, a hop on the link that brings the data.
    A stage that looks up has a hop in front, from which what it finds skips the rest.
    """

    def __init__(self, index: int, entry: Entry, table: Table, resources: Resources) -> None:
        self.entry = entry
        with asking(entry.name, "__init__"):
            self.stage: Stage = entry.stage(entry.parameters)
        self._index = index
        self._resources = resources
        self._resolution = table.head.resolution
        self._uses = entry.timing.uses or []
        timing = entry.timing
        self._clock = table.clocks[timing.clock] if timing.clock else None
        self._edges = self._clock if self._clock is not None and self._clock.aligned else None
        self._carries = any(resources.is_carrier(use) for use in self._uses)
        pools = [pool for use in self._uses for pool, _ in resources.pools_of(use)]
        self._memory: Memory | None = None
        self.depth_pool: Pool | None = None
        if self._carries and entry.depth is not None:
            # A place inside is held until the data is there, and that is past this station.
            self.depth_pool = Pool(f"{entry.name}.depth", entry.depth)
            pools.append(self.depth_pool)
        self.station = self._station(tuple(dict.fromkeys(pools)))
        self._wait = Station(f"{entry.name}.latency", plain=True)
        self._look_up = Station(f"{entry.name}.look_up", plain=True)
        for pool in self.station.pools:
            pool.users.append(self.station)

    def stations(self) -> list[Station]:
        """The stations of this stage alone, links left out."""
        return [self._look_up, self.station, self._wait]

    def until(self, pool: Pool, operation: Operation) -> str:
        """The stage that a request leaves when it gives back a unit that it took here."""
        for use in (use for use in self._uses if use.applies(operation)):
            if use.until is not None and any(
                pool is one for one, _ in self._resources.pools_of(use)
            ):
                return use.until
        return self.entry.name

    def later(self, pool: Pool, operation: Operation) -> Later | None:
        """When a unit that is kept for longer comes back, if its request leaves at a time."""
        for use in (use for use in self._uses if use.applies(operation)):
            plus = use.plus
            if plus is None or all(pool is not one for one, _ in self._resources.pools_of(use)):
                continue
            if isinstance(plus, Picoseconds):
                return Later(plus.count)
            assert self._clock is not None  # checked by the loader
            if self._edges is None:
                return Later(self._clock.span(plus))
            return Later(plus.count, self._edges)
        return None

    def returns(self, pool: Pool) -> bool:
        """Whether a unit comes back with the data: tags and credits of PCIe do."""
        carriers = (use for use in self._uses if self._resources.is_carrier(use))
        return any(pool is one for use in carriers for one, _ in self._resources.pools_of(use))

    def use_memory(self, memory: Memory) -> None:
        """From now on requests that touch memory here read and write values."""
        self._memory = memory
        with asking(self.entry.name, "use_memory"):
            self.stage.use_memory(memory)

    def start(self, seed: int) -> None:
        """Before a run: the stage gets its own source of random numbers."""
        with asking(self.entry.name, "start"):
            self.stage.start(Random(seed, self.entry.name))

    def applies(self, operation: Operation, size_bytes: int) -> bool:
        """Whether such a request passes the stage, if the table sends it here."""
        with asking(self.entry.name, "applies"):
            return self.stage.applies(operation, size_bytes)

    def flush(self, initiator: int, destination: int, address: int, now_ps: int) -> None:
        """The stage forgets what it keeps of far memory there."""
        with asking(self.entry.name, "flush"):
            self.stage.flush(initiator, destination, address, now_ps)

    def set_ranks(self, ranks: dict[int, int]) -> None:
        """Which entries' requests come first where several want to enter here."""
        self.station.ranks = self._look_up.ranks = ranks

    def _station(self, pools: tuple[Pool, ...]) -> Station:
        entry = self.entry
        registered = self._edges if entry.channel == "registered" else None
        # Who waits for other units than the first of the queue is not held up by it.
        apart = self._carries or any(pool.key is not None for pool in pools)
        channel = Channel(entry.name, entry.queue, registered, _units if apart else None)
        return Station(
            entry.name,
            plain=entry.is_plain_delay and not issubclass(entry.stage, Actor),
            clock=self._edges,
            channel=channel,
            depth=None if self._carries else entry.depth,
            refills_at_edge=entry.refill == "next_edge",
            pools=pools,
            batch=entry.batch,
            overflow=entry.timing.overflow or "hold",
            actor=self.stage if isinstance(self.stage, Actor) else None,
        )

    def hops(self, kind: Kind, travels_bytes: int) -> list[Hop]:
        """The hops of such a request here, of which `travels_bytes` travel."""
        entry = self.entry
        time = stage_time(entry, self._clock, self._resolution, kind.operation, travels_bytes)
        if self.stage.looks_up:
            parts = tuple((CACHE_MISS if p == SERVICE else p, ps) for p, ps in time.parts)
            time = replace(time, parts=parts)
        uses = [use for use in self._uses if use.applies(kind.operation)]
        carriers = [use for use in uses if self._resources.is_carrier(use)]
        hops: list[Hop] = []
        if self.stage.looks_up:
            hops.append(self._hop(self._look_up, StageTime(0, 0, 0, ()), serves=True))
        if not carriers:
            hops.append(self._hop(self.station, time, serves=not self.stage.looks_up))
        else:
            hops += self._carried_hops(carriers[0], kind, time)
        for hop in hops:
            hop.message_bytes = travels_bytes
        first = next(hop for hop in hops if hop.station is self.station)
        pools = [both for use in uses for both in self._resources.pools_of(use)]
        first.takes = tuple(dict.fromkeys(pool for pool, _ in pools))
        first.timed = {pool: ps for pool, ps in pools if ps is not None}
        if self.depth_pool is not None:
            first.takes = (*first.takes, self.depth_pool)
        hops[-1].ends_batch = entry.batch != 1
        return hops

    def _carried_hops(self, use: Use, kind: Kind, time: StageTime) -> list[Hop]:
        covered_bytes = self.entry.timing.cut_through or 0
        links = [self._on_link(c) for c in self._resources.carried(use, kind, covered_bytes)]
        serves = not self.stage.looks_up
        if self._edges is not None:
            return [self._hop(self.station, time, serves=serves), *links]
        accept = StageTime(0, time.busy, 0, ())
        wait = StageTime(time.derived_ps, 0, time.derived_ps, time.parts)
        return [
            self._hop(self.station, accept, serves=serves),
            links[0],
            self._hop(self._wait, wait, serves=False),
            *links[1:],
        ]

    def _on_link(self, carried: Carried) -> Hop:
        occupied = self._resources.occupied_ps(carried.link, carried.wire_bytes)
        late_bytes = max(0, carried.wire_bytes - carried.covered_bytes)
        late_ps = int(self._resources.occupied_ps(carried.link, late_bytes))
        busy_ps = -(-occupied.numerator // occupied.denominator)
        parts = (("serialisation", late_ps),) if late_ps else ()
        time = StageTime(late_ps, busy_ps, late_ps, parts)
        hop = self._hop(self._resources.links[carried.link], time, serves=False)
        hop.lane = carried.lane or self.entry.name
        hop.carries_each = carried.each
        return hop

    def _hop(self, station: Station, time: StageTime, *, serves: bool) -> Hop:
        serve: Serve | None = None
        if serves and type(self.stage).serve is not Stage.serve:
            serve = self.stage.serve
        if serves and self._memory is not None and self.stage.touches_memory:
            serve = touching(self._memory, serve)
        return Hop(
            name=self.entry.name,
            kind=self.entry.timing.stage,
            entry=self._index,
            station=station,
            latency=time.latency,
            busy=time.busy,
            derived_ps=time.derived_ps,
            parts=time.parts,
            serve=serve,
        )


def place_releases(
    hops: list[Hop], assemblies: list[StageAssembly], table: Table, operation: Operation
) -> None:
    """A unit goes back when the request leaves the last stage that it passes up to `until`."""
    where = {entry.name: index for index, entry in enumerate(table.entries)}
    for at, hop in enumerate(list(hops)):
        assembly = assemblies[hop.entry]
        if hop.station is not assembly.station:
            continue
        for pool in hop.takes:
            if pool not in hop.timed:
                until = where[assembly.until(pool, operation)]
                last = max(i for i, one in enumerate(hops) if one.entry <= until and i >= at)
                if assembly.returns(pool):
                    hops[last].returns = (*hops[last].returns, pool)
                else:
                    hops[last].releases = (*hops[last].releases, pool)
                    later = assembly.later(pool, operation)
                    if later is not None:
                        hops[last].later[pool] = later


def place_tells(hops: list[Hop], assemblies: list[StageAssembly], table: Table) -> None:
    """An actor is told when a request leaves the last stage that it passes up to the watched.

    And when it comes to the one that announces, if it passes that.
    """
    where = {entry.name: index for index, entry in enumerate(table.entries)}
    for at, hop in enumerate(hops):
        actor = hop.station.actor
        if actor is None:
            continue
        if actor.watched or actor.announced:
            until = where[actor.watched] if actor.watched else hop.entry
            last = max(i for i, one in enumerate(hops) if one.entry <= until or i == at)
            hops[last].tells = (*hops[last].tells, hop.station)
        for earlier in hops[:at]:
            if actor.announced and earlier.entry == where[actor.announced]:
                earlier.announces = (*earlier.announces, hop.station)


def touching(memory: Memory, serve: Serve | None) -> Serve:
    """What a stage does at acceptance, with the touch of memory."""

    def touch_and_serve(request: Request, now_ps: int) -> Served | None:
        memory.touch(request, now_ps)
        return None if serve is None else serve(request, now_ps)

    return touch_and_serve


@dataclass(frozen=True)
class UnitKey:
    """Which requests count the units of a pool together."""

    by: Literal["initiator", "destination", "pair", "groups"]
    groups: int = 1

    def __call__(self, request: Request) -> Hashable:
        """What they have in common."""
        if self.by == "initiator":
            return request.initiator
        if self.by == "destination":
            return request.destination
        if self.by == "pair":
            return (request.initiator, request.destination)
        return (request.initiator % self.groups, request.destination)


def channel_key(spec: Channels) -> UnitKey:
    """Which transport channel a request goes by."""
    if spec.sharing == "private":
        return UnitKey("pair")
    if spec.sharing == "shared":
        return UnitKey("destination")
    assert spec.groups is not None  # checked by the loader
    return UnitKey("groups", spec.groups)


def _units(request: Request) -> Hashable:
    takes = request.plan.hops[request.hop].takes
    return tuple((pool.name, pool.key and pool.key(request)) for pool in takes)


def _lane(request: Request) -> Hashable:
    return request.plan.hops[request.hop].lane
