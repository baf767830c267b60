"""Path: a timing table, built: stations joined by channels, and a plan for each kind of request."""

from __future__ import annotations

import random
from collections.abc import Callable

from emu.assembly import Kind, Resources, StageAssembly, place_releases, place_tells
from emu.engines import Engine
from emu.errors import EmuError, listed
from emu.handshake import serve
from emu.hosting import on_paper
from emu.kernel import Kernel
from emu.memory import Memory
from emu.plan import Hop, Plan, PlanError, message_bytes
from emu.report import Report
from emu.request import Operation, Request
from emu.resource import Pool
from emu.run import run_closed_loop
from emu.stage import Stage
from emu.station import Station
from emu.table.schema import Table
from emu.time import Clock
from emu.trace.events import Listener


def build(table: Table) -> Path:
    """Makes a fresh path from a table; its stages start empty."""
    return Path(table)


class PathError(EmuError):
    """A path used against its rules."""


def _takes_memory(stage: Stage) -> bool:
    """Whether a stage is given the memory, and so may touch it by rules of its own."""
    return type(stage).use_memory is not Stage.use_memory


class Path:
    """Stations and plans made from one table; it holds what stages remember between requests.

    `seed` is what every component's random numbers come from. With a `memory` requests read and
    write values there; a path with a stage that needs values has one in any case.
    """

    def __init__(self, table: Table, seed: int = 1, memory: Memory | None = None) -> None:
        self.table = table
        self.seed = seed
        self._resources = Resources(table)
        self.assemblies = [
            StageAssembly(index, entry, table, self._resources)
            for index, entry in enumerate(table.entries)
        ]
        #: Whether the memory is somebody else's too, who looks at its values.
        self.shares_memory = memory is not None
        if memory is None and any(entry.stage.needs_memory for entry in table.entries):
            memory = Memory()
        self.memory = memory
        places = {entry.name: index for index, entry in enumerate(table.entries)}
        for assembly in self.assemblies:
            order = assembly.entry.timing.arbitration or ()
            assembly.set_ranks({places[name]: rank for rank, name in enumerate(order)})
            assembly.start(seed)
            if memory is not None:
                assembly.use_memory(memory)
        for index, station in enumerate(self.stations):
            station.index = index
        self.address_step = self._resources.address_step()
        self._is_claimed = False
        self._plans: dict[tuple[Operation, int, int], Plan] = {}

    def plan(self, operation: Operation, size_bytes: int, address: int = 0) -> Plan:
        """The stages that such requests pass; `PlanError` for an operation that the table lacks."""
        key = (operation, size_bytes, address % self.address_step)
        plan = self._plans.get(key)
        if plan is None:
            plan = self._plans[key] = self._make_plan(Kind(*key))
        return plan

    def derived(self, operation: Operation, size_bytes: int) -> list[tuple[Hop, dict[str, int]]]:
        """The stages that one request alone meets on a fresh path, each with its parts in ps.

        Straight from the table, on paper: no clock edge is waited for. A stage that decides as it
        goes is asked what it does with such a request, for address 0, when it is new.
        """
        path = Path(self.table, self.seed)
        request = Request(0, operation, size_bytes, 0, 0, path.plan(operation, size_bytes))
        stages: list[tuple[Hop, dict[str, int]]] = []
        while request.hop + 1 < len(request.plan.hops):
            request.hop += 1
            hop = request.plan.hops[request.hop]
            parts = dict(hop.parts)
            stages.append((hop, parts))
            before = len(request.charges)
            if hop.station.actor is not None:
                parts.update(on_paper(hop.station, request))
            elif hop.serve is not None:
                serve(hop, request, 0)
            for _, part, time_ps in request.charges[before:]:
                parts[part] = parts.get(part, 0) + time_ps
        return stages

    def derived_ps(self, operation: Operation, size_bytes: int) -> int:
        """The sum of the parts of `derived`."""
        return sum(sum(parts.values()) for _, parts in self.derived(operation, size_bytes))

    def kernel(
        self,
        complete: Callable[[Request], None],
        *,
        drop: Callable[[Request], None] | None = None,
        listener: Listener | None = None,
        shuffle: random.Random | None = None,
    ) -> Kernel:
        """The engine over this path's stations; `complete` is called for each completed request.

        A path has one engine: `PathError` for a second, which would find it as the first left it.
        """
        self.claim()
        return Kernel(
            self.stations,
            self.pools,
            complete,
            drop=drop,
            listener=listener,
            memory=self.memory,
            shuffle=shuffle,
        )

    def claim(self) -> None:
        """An engine runs it from now on; `PathError` if one has, and left it as it was then."""
        if self._is_claimed:
            raise PathError(f"the path of {self.table.name} has run; expected a fresh build(table)")
        self._is_claimed = True

    def run(
        self,
        *,
        operation: Operation = Operation.READ,
        size_bytes: int = 64,
        requests: int = 1000,
        outstanding: int = 1,
        engine: Engine = "reference",
    ) -> Report:
        """Runs a closed loop on a fresh copy of this path: as many requests, so many at a time.

        On `auto` the compiled engine runs what it can; `EngineError` if `fast` can't run it, and
        an `EmuError` for what cannot be run at all. Ctrl-C is a KeyboardInterrupt.
        """
        path = Path(self.table, self.seed)
        report = run_closed_loop(path, operation, size_bytes, requests, outstanding, engine=engine)
        if report.interrupted:
            raise KeyboardInterrupt
        return report

    @property
    def stations(self) -> tuple[Station, ...]:
        """All stations: those of the stages, and the links that they share."""
        stages = (one for assembly in self.assemblies for one in assembly.stations())
        return (*stages, *self._resources.links.values())

    @property
    def pools(self) -> tuple[Pool, ...]:
        """All pools: the table's, and the places of stages that use a link."""
        places = (assembly.depth_pool for assembly in self.assemblies)
        return (*self._resources.pools.values(), *(pool for pool in places if pool is not None))

    @property
    def keeps_marks(self) -> bool:
        """Whether some stage makes requests wait for the order or the fence that they ask for."""
        return any(assembly.stage.keeps_marks for assembly in self.assemblies)

    def touches_memory(self, operation: Operation, size_bytes: int) -> bool:
        """Whether such requests meet a stage at which they can read or write memory."""
        return any(
            assembly.entry.passes(operation)
            and assembly.applies(operation, size_bytes)
            and (assembly.stage.touches_memory or _takes_memory(assembly.stage))
            for assembly in self.assemblies
        )

    def actor(self, name: str) -> Station:
        """The station of the stage `name`, which is an actor; `PathError` if there is none."""
        actors = {station.name: station for station in self.stations if station.actor is not None}
        if name not in actors:
            raise PathError(
                f"{self.table.name} has no stage '{name}' that keeps requests by its own rules; "
                f"expected {listed(actors)}"
            )
        return actors[name]

    def flush(self, initiator: int, destination: int, address: int, now_ps: int) -> None:
        """Every stage forgets what it keeps of far memory there; between two instants."""
        for assembly in self.assemblies:
            assembly.flush(initiator, destination, address, now_ps)

    @property
    def clocks(self) -> tuple[Clock, ...]:
        """The clocks whose edges bind a stage, in the order of the path."""
        clocks = (station.clock for station in self.stations)
        return tuple(dict.fromkeys(clock for clock in clocks if clock is not None))

    def _make_plan(self, kind: Kind) -> Plan:
        table, operation = self.table, kind.operation
        if operation not in table.operations:
            other = table.head.other_operations
            raise PlanError(
                f"{table.name} has no {operation}; expected {listed(table.operations)}"
                + (f", or the table {other} for {operation}" if other else "")
            )
        message = table.message(operation)
        hops: list[Hop] = []
        answered = False
        for assembly in self.assemblies:
            if not assembly.entry.passes(operation):
                continue
            if assembly.applies(operation, kind.size_bytes):
                travels_bytes = message_bytes(
                    message,
                    kind.size_bytes,
                    answered=answered,
                    at_initiator=assembly.entry.timing.at == "initiator",
                )
                hops += assembly.hops(kind, travels_bytes)
            answered = answered or assembly.stage.turns
        if not hops:
            raise PlanError(f"{table.name} sends {operation} through no stage at all")
        place_releases(hops, self.assemblies, table, operation)
        place_tells(hops, self.assemblies, table)
        return Plan.of(operation, kind.size_bytes, kind.address, hops)
