"""A timing table as one would model it in SimPy, to have something to measure an engine against."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass

import simpy

from emu.path import build
from emu.request import Operation
from emu.table.schema import Table
from emu.time import Cycles


@dataclass(frozen=True)
class Step:
    """One stage: how long it is taken by a request, and how long the request stays after that."""

    interval_ps: int
    rest_ps: int


@dataclass(frozen=True)
class Result:
    """Requests, the sum of their latencies, and the seconds that SimPy took for them."""

    requests: int
    latency_sum_ps: int
    wall_s: float

    @property
    def mean_ps(self) -> float:
        """Mean latency."""
        return self.latency_sum_ps / self.requests


def steps(table: Table, operation: Operation, size_bytes: int) -> list[Step]:
    """The stages that such requests pass; on a wire the interval is what their bytes take."""
    clocks = {
        entry.name: table.clocks[entry.timing.clock]
        for entry in table.entries
        if entry.timing.clock is not None
    }
    found = []
    for hop in build(table).plan(operation, size_bytes).hops:
        clock = clocks.get(hop.name)
        interval_ps = hop.busy if clock is None else clock.span(Cycles(hop.busy))
        found.append(Step(interval_ps, max(0, hop.derived_ps - interval_ps)))
    return found


def run(path: list[Step], *, requests: int, outstanding: int, every_resource: bool) -> Result:
    """A closed loop of so many clients.

    A stage is a `Resource` of capacity 1, held for its interval; the rest of the latency is a
    timeout. Without `every_resource`, a stage that is never taken has no `Resource` either: less
    than the usual model, and as little as SimPy can do for this path.
    """
    environment = simpy.Environment()
    stages = [
        (
            simpy.Resource(environment, capacity=1) if every_resource or step.interval_ps else None,
            step.interval_ps,
            step.rest_ps,
        )
        for step in path
    ]
    latency_sum_ps = 0

    def client(tickets: Iterator[int]) -> Generator[simpy.Event, None, None]:
        nonlocal latency_sum_ps
        for _ in tickets:
            submitted_ps = environment.now
            for resource, interval_ps, rest_ps in stages:
                if resource is not None:
                    with resource.request() as turn:
                        yield turn
                        # A timeout of nothing would cost SimPy an event, and change nothing.
                        if interval_ps:
                            yield environment.timeout(interval_ps)
                if rest_ps:
                    yield environment.timeout(rest_ps)
            latency_sum_ps += int(environment.now - submitted_ps)

    tickets = iter(range(requests))
    for _ in range(outstanding):
        environment.process(client(tickets))
    started_s = time.perf_counter()
    environment.run()
    return Result(requests, latency_sum_ps, time.perf_counter() - started_s)
