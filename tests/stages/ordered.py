"""Short paths with the stages that keep order, where a test says how long each request is away."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from emu.actor import Actor, Port
from emu.request import Operation, Request
from emu.stage import Served, Stage
from emu.table.schema import Table
from emu.trace.events import Held, Touched
from tests.build import Post, Run, StageDict, delay, table

READ, WRITE = Operation.READ, Operation.WRITE
NS = 1000

#: Bytes of requests that do not get far: one is lost on its way, and one never comes.
LOST, KEPT = 13, 99


class Numbers(Actor):
    """Gives the numbers that an ordering engine gives, and keeps nobody."""

    numbers = True

    def __init__(self, parameters: Any) -> None:
        super().__init__(parameters)
        self._given: dict[tuple[str, int, int], int] = {}

    def arrive(self, request: Request, port: Port) -> None:
        """In the order in which they come."""
        if request.order in ("RO", "SO"):
            request.transaction_number = self._next("transaction", request)
        if request.service == "ROL":
            request.packet_number = self._next("packet", request)
        port.emit(request, ())

    def on_paper(self, request: Request) -> dict[str, int]:
        """Nothing."""
        return {}

    def _next(self, kind: str, request: Request) -> int:
        key = (kind, request.initiator, request.destination)
        self._given[key] = self._given.get(key, -1) + 1
        return self._given[key]


class Way(Actor):
    """Takes as many nanoseconds as a request has bytes; `LOST` and `KEPT` ones don't arrive."""

    def arrive(self, request: Request, port: Port) -> None:
        """An alarm for each."""
        if request.size_bytes != KEPT:
            time_ps = request.size_bytes * NS
            port.call_at(port.now_ps + time_ps, partial(self._go, request, time_ps, port))

    def _go(self, request: Request, time_ps: int, port: Port) -> None:
        if request.size_bytes == LOST:
            port.drop(request)
        else:
            port.emit(request, (("service", time_ps),))

    def on_paper(self, request: Request) -> dict[str, int]:
        """Its own time."""
        return {"service": request.size_bytes * NS}


class Silent(Actor):
    """Lets requests go as they come, and numbers none."""

    def arrive(self, request: Request, port: Port) -> None:
        """At once."""
        port.emit(request, ())


class Values(Silent):
    """Has every path with it read and write values."""

    needs_memory = True


class Ends(Stage):
    """Requests with an address end here."""

    def serve(self, request: Request, now_ps: int) -> Served | None:
        """By the address alone."""
        return Served(ends=request.address > 0)


def entry(stage: str, **parameters: Any) -> StageDict:
    """An entry that is called as its stage is."""
    return {"stage": stage, "name": stage, **parameters}


MEMORY = delay("memory", "10 ns") | {"stage": "memory"}
CHANNEL = entry("channel_order", since="numbers")
COMPLETIONS = entry("completion_order", since="numbers")


def target(**changes: Any) -> StageDict:
    """The order at the target; a request that was kept takes 1 ns to go on."""
    order = {"since": "numbers", "until": "memory", "latency": "1 ns", "early_reads": False}
    return entry("target_order", **order | changes)


def check(reread: str = "7 ns") -> StageDict:
    """The check behind memory."""
    return entry("read_check", since="numbers", reread=reread)


def ordered(*after: StageDict) -> Table:
    """A path: requests are numbered, go their ways, and come to these stages."""
    return short([entry("numbers"), entry("way"), *after])


def short(path: list[StageDict]) -> Table:
    """A path with the stages of this file among others."""
    known = {"numbers": Numbers, "way": Way, "silent": Silent, "values": Values, "ends": Ends}
    return table(path, stages=known)


def early(reread: str = "7 ns") -> Table:
    """A path with early reads."""
    return ordered(target(until="read_check", early_reads=True), MEMORY, check(reread))


def post(way_ns: int, order: str = "", service: str = "ROT", **changes: Any) -> Post:
    """A write at 0 ns that is so long on its way."""
    return Post(operation=WRITE, size_bytes=way_ns, order=order, service=service, **changes)


def read(way_ns: int, order: str = "", service: str = "ROT", **changes: Any) -> Post:
    """A read at 0 ns that is so long on its way."""
    return Post(operation=READ, size_bytes=way_ns, order=order, service=service, **changes)


def held(made: Run, stage: str) -> list[tuple[int, int, int]]:
    """Who was held at a stage from when on, in nanoseconds, and behind whom."""
    events = (event for event in made.events if isinstance(event, Held) and event.stage == stage)
    return [(event.request, event.time_ps // NS, event.behind) for event in events]


def touched(made: Run, stage: str) -> list[tuple[int, int, int]]:
    """Who touched memory at a stage, when, in nanoseconds, and with which value."""
    events = (event for event in made.events if isinstance(event, Touched) and event.stage == stage)
    return [(event.request, event.time_ps // NS, event.value) for event in events]


def left_ns(made: Run, stage: str) -> list[int]:
    """When each request left a stage."""
    return [time_ps // NS for time_ps in made.left_ps(stage)]


def check_sums(made: Run, but: Iterable[int] = ()) -> None:
    """All but some are complete, and every picosecond of theirs is accounted for."""
    assert sorted(request.sequence for request in made.completed) == [
        number for number in range(len(made.requests)) if number not in but
    ]
    for request in made.completed:
        parts = made.parts(request.sequence)
        assert sum(parts.values()) == request.latency_ps
        assert min(parts.values(), default=0) >= 0
