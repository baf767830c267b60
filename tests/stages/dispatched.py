"""Short paths with a scheduler or an ordering engine `x`, at 1 GHz: an edge every 1000 ps."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from emu.request import Operation
from emu.table.schema import Table
from emu.trace.events import Held, Kind
from stages.order.dispatcher import Dispatcher
from tests.build import READ, WRITE, Post, Run, StageDict, table

CYCLE = 1000
#: Messages of as many bytes as the request moves, in both directions.
MESSAGES = {
    word: {"request": "payload", "response": "payload"} for word in ("read", "write", "atomic")
}


def scheduler(**more: Any) -> StageDict:
    """Round robin, a cycle each, and no limit, unless said otherwise."""
    return {"stage": "scheduler", **_BOTH, "depth": "unlimited", **more}


def engine(**more: Any) -> StageDict:
    """Round robin, a cycle each, by sequence number, unless said otherwise."""
    return {"stage": "ordering_engine", **_BOTH, "tracking": "sequence", "strict": False, **more}


_BOTH: StageDict = {
    "name": "x",
    "clock": "nic",
    "pick": "round_robin",
    "queues": "unlimited",
    "latency": "1 cycle",
    "interval": "1 cycle",
}


def path(*stages: StageDict, **head: Any) -> Table:
    """The table of these stages."""
    return table(stages, messages=MESSAGES, **head)


def post(
    edge: float = 0,
    initiator: int = 0,
    order: str = "",
    service: str = "",
    *,
    fence: bool = False,
    write: bool = False,
    operation: Operation = READ,
    size_bytes: int = 32,
    destination: int = 0,
) -> Post:
    """A request at an edge, or between two."""
    operation = WRITE if write else operation
    at_ps = int(edge * CYCLE)
    marks = (order, service, fence)
    return Post(at_ps, operation, size_bytes, 0, initiator, destination, *marks)


class Answered(Run):
    """A run with answers from outside: edge and initiator of each."""

    def __init__(
        self, source: Table, load: Iterable[Post], answers: Iterable[tuple[int, int]], **how: Any
    ) -> None:
        super().__init__(source, load, **how)
        station = self.path.actor("x")
        actor = station.actor
        assert isinstance(actor, Dispatcher)
        for edge, initiator in answers:
            action = partial(actor.answered, initiator, station.port)
            self.kernel.call_at(station, edge * CYCLE, action)


def answered(
    source: Table, load: Iterable[Post], *answers: tuple[int, int], **how: Any
) -> Answered:
    """A finished run of these requests."""
    made = Answered(source, load, answers, **how)
    made.finish()
    return made


def left(made: Run, stage: str = "x") -> dict[int, int]:
    """By request, the edge on which it left the stage, in the order of leaving."""
    events = [one for one in made.events if (one.kind, one.stage) == (Kind.LEFT, stage)]
    assert all(one.time_ps % CYCLE == 0 for one in events)
    return {one.request: one.time_ps // CYCLE for one in events}


def held(made: Run) -> list[tuple[int, int, int]]:
    """Edge, who was held, and behind whom, in the order in which it was told."""
    events = [one for one in made.events if isinstance(one, Held)]
    return [(one.time_ps // CYCLE, one.request, one.behind) for one in events]


def parts(made: Run, number: int, stage: str = "x") -> dict[str, int]:
    """The breakdown of a request there, in picoseconds."""
    return {part: time_ps for part, time_ps in made.parts_at(number, stage).items() if time_ps}


def check_sums(made: Run) -> None:
    """Every picosecond of every request that is complete has been charged, and none twice."""
    for request in made.completed:
        assert sum(made.parts(request.sequence).values()) == request.latency_ps
        assert all(time_ps > 0 for time_ps in parts(made, request.sequence).values())
