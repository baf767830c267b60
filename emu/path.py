"""Path: a timing table, built: stations joined by channels, and a plan for each kind of request."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from emu.channel import Channel
from emu.errors import listed
from emu.kernel import Kernel
from emu.plan import Hop, Plan, PlanError, message_bytes, stage_time
from emu.report import Report
from emu.request import Operation, Request
from emu.resource import Pool
from emu.run import run_closed_loop
from emu.stage import Stage
from emu.station import Station
from emu.table.schema import Entry, Table
from emu.time import Clock
from emu.trace.events import Listener


def build(table: Table) -> Path:
    """Makes a fresh path from a table; its stages start empty."""
    return Path(table)


class Path:
    """Stations and plans made from one table; it holds what stages remember between requests."""

    def __init__(self, table: Table) -> None:
        self.table = table
        pools = {name: Pool(name, pool.capacity) for name, pool in table.head.resources.items()}
        self._entries = table.entries
        self._stages = [entry.stage(entry.parameters) for entry in table.entries]
        self._stations = tuple(
            _station(index, entry, table.clocks, pools) for index, entry in enumerate(table.entries)
        )
        by_name = {station.name: station for station in self._stations}
        for entry, station in zip(table.entries, self._stations, strict=True):
            order = entry.timing.arbitration or ()
            station.ranks = {by_name[name]: rank for rank, name in enumerate(order)}
        self._pools = pools
        self._plans: dict[tuple[Operation, int], Plan] = {}

    def plan(self, operation: Operation, size_bytes: int) -> Plan:
        """The stages that such requests pass; `PlanError` for an operation that the table lacks."""
        plan = self._plans.get((operation, size_bytes))
        if plan is None:
            plan = self._plans[operation, size_bytes] = self._make_plan(operation, size_bytes)
        return plan

    def derived(self, operation: Operation, size_bytes: int) -> list[tuple[Hop, dict[str, int]]]:
        """The stages that one request alone meets on a fresh path, each with its parts in ps.

        Straight from the table, on paper: no clock edge is waited for. A stage that decides as it
        goes is asked what it does with such a request, for address 0, when it is new.
        """
        plan = self.plan(operation, size_bytes)
        stages: list[tuple[Hop, dict[str, int]]] = []
        for hop in plan.hops:
            parts = dict(hop.parts)
            stages.append((hop, parts))
            if hop.serve is None:
                continue
            entry = self._entries[hop.station.index]
            request = Request(0, operation, size_bytes, 0, 0, plan)
            served = entry.stage(entry.parameters).serve(request, 0)
            if served is not None:
                for part, duration in served.parts:
                    parts[part] = parts.get(part, 0) + hop.station.span(duration)
                if served.ends:
                    break
        return stages

    def derived_ps(self, operation: Operation, size_bytes: int) -> int:
        """The sum of the parts of `derived`."""
        return sum(sum(parts.values()) for _, parts in self.derived(operation, size_bytes))

    def kernel(
        self,
        complete: Callable[[Request], None],
        *,
        listener: Listener | None = None,
        shuffle: random.Random | None = None,
    ) -> Kernel:
        """The engine over this path's stations; `complete` is called for each completed request."""
        return Kernel(self._stations, complete, listener=listener, shuffle=shuffle)

    def run(
        self,
        *,
        operation: Operation = Operation.READ,
        size_bytes: int = 64,
        requests: int = 1000,
        outstanding: int = 1,
    ) -> Report:
        """Runs a closed loop on a fresh copy of this path: as many requests, so many at a time."""
        return run_closed_loop(Path(self.table), operation, size_bytes, requests, outstanding)

    @property
    def clocks(self) -> tuple[Clock, ...]:
        """The clocks whose edges bind a stage, in the order of the path."""
        clocks = (station.clock for station in self._stations)
        return tuple(dict.fromkeys(clock for clock in clocks if clock is not None))

    def _make_plan(self, operation: Operation, size_bytes: int) -> Plan:
        table = self.table
        if operation not in table.operations:
            other = table.head.other_operations
            raise PlanError(
                f"{table.name} has no {operation}; expected {listed(table.operations)}"
                + (f", or the table {other} for {operation}" if other else "")
            )
        message = table.message(operation)
        hops: list[Hop] = []
        positions: list[int] = []
        answered = False
        for index, (entry, stage) in enumerate(zip(self._entries, self._stages, strict=True)):
            if entry.passes(operation) and stage.applies(operation, size_bytes):
                travels = message_bytes(message, size_bytes, answered=answered)
                hops.append(self._make_hop(index, stage, operation, travels))
                positions.append(index)
            if entry.passes(operation) and stage.turns:
                answered = True
        if not hops:
            raise PlanError(f"{table.name} sends {operation} through no stage at all")
        self._place_releases(hops, positions)
        return Plan(operation, size_bytes, tuple(hops), sum(hop.derived_ps for hop in hops))

    def _make_hop(self, index: int, stage: Stage, operation: Operation, travels: int) -> Hop:
        entry = self._entries[index]
        clock = self.table.clocks[entry.timing.clock] if entry.timing.clock else None
        time = stage_time(entry, clock, self.table.head.resolution, operation, travels)
        serves = type(stage).serve is not Stage.serve
        return Hop(
            name=entry.name,
            kind=entry.timing.stage,
            station=self._stations[index],
            latency=time.latency,
            busy=time.busy,
            derived_ps=time.derived_ps,
            parts=time.parts,
            serve=stage.serve if serves else None,
            takes=tuple(self._pools[use.resource] for use in entry.timing.uses or ()),
        )

    def _place_releases(self, hops: list[Hop], positions: list[int]) -> None:
        """A unit goes back when the request leaves the last stage it passes up to `until`."""
        where = {entry.name: index for index, entry in enumerate(self._entries)}
        for at, position in enumerate(positions):
            for use in self._entries[position].timing.uses or ():
                until = where[use.until] if use.until else position
                last = max(i for i, p in enumerate(positions) if p <= until and i >= at)
                pool = self._pools[use.resource]
                hops[last] = replace(hops[last], releases=(*hops[last].releases, pool))


def _station(index: int, entry: Entry, clocks: dict[str, Clock], pools: dict[str, Pool]) -> Station:
    clock = clocks[entry.timing.clock] if entry.timing.clock else None
    edges = clock if clock is not None and clock.aligned else None
    station = Station(
        index,
        entry.name,
        plain=entry.is_plain_delay,
        clock=edges,
        channel=Channel(entry.name, entry.queue, edges if entry.channel == "registered" else None),
        depth=entry.depth,
        refills_at_edge=entry.refill == "next_edge",
        pools=tuple(pools[use.resource] for use in entry.timing.uses or ()),
    )
    for pool in station.pools:
        pool.users.append(station)
    return station
