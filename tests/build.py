"""Small timing tables and runs for tests: short to write, and loaded as a user's would be."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path as FilePath
from typing import Any
from unittest.mock import patch

from emu.breakdown import of_request, total
from emu.kernel import Kernel
from emu.path import Path
from emu.request import Operation, Request
from emu.stage import Stage, registry
from emu.table import load
from emu.table.schema import Table
from emu.trace.events import Event, Kind

READ, WRITE = Operation.READ, Operation.WRITE
NIC = "322 MHz"
#: Edges are whole picoseconds here, so that a test can say them.
GHZ = "1 GHz"

StageDict = dict[str, Any]


def delay(name: str, latency: object, **timing: Any) -> StageDict:
    """A stage without a clock; a plain delay unless `timing` limits it."""
    return {"stage": "wire", "name": name, "latency": latency, **timing}


def clocked(name: str, latency: object, interval: object = 1, **timing: Any) -> StageDict:
    """A stage on the clock `nic`, without limits of its own; whole numbers count cycles."""
    return {
        "stage": "nic_pipeline",
        "name": name,
        "clock": "nic",
        "latency": _cycles(latency),
        "interval": _cycles(interval),
        "depth": "unlimited",
        "queue": "unlimited",
        **timing,
    }


def _cycles(value: object) -> object:
    return f"{value} cycles" if isinstance(value, int) else value


def station(name: str, latency: object, **timing: Any) -> StageDict:
    """A stage without a clock that keeps order and has a queue, endless unless said otherwise."""
    limits = {"interval": "0 ns", "depth": "unlimited", "queue": "unlimited"}
    return {"stage": "wire", "name": name, "latency": latency, **limits, **timing}


def table(
    path: Sequence[StageDict],
    *,
    clocks: Mapping[str, Any] | None = None,
    messages: Mapping[str, Any] | None = None,
    behaviour: Mapping[str, type[Stage]] | None = None,
    stages: Mapping[str, type[Stage]] | None = None,
    **head: Any,
) -> Table:
    """The table of these stages, by the loader; `behaviour` puts test stages into named entries.

    `stages` are test stages by the word that an entry uses, as if they were registered. A clock
    that no stage uses is left out, and so may be given for all tables of a test.
    """
    used = {stage.get("clock") for stage in path}
    document = {
        "schema": 1,
        "name": "under_test",
        "title": "A path under test",
        "clocks": {k: v for k, v in (clocks or {"nic": GHZ}).items() if k in used},
        "messages": messages
        or {
            "read": {"request": "64 B", "response": "payload"},
            "write": {"request": "payload", "response": "8 B"},
        },
        "path": [{"source": {"text": "a test", "kind": "assumed"}, **stage} for stage in path],
        **head,
    }
    with tempfile.TemporaryDirectory() as directory:
        file = FilePath(directory) / "under_test.yaml"
        # JSON is YAML too.
        file.write_text(json.dumps(document), encoding="utf-8")
        named = {str(stage["stage"]) for stage in path}
        known = {name: registry()[name] for name in named if name in registry()} | dict(
            stages or {}
        )
        with patch("emu.table.parse.registry", lambda: known):
            made = load(file)
    kinds = behaviour or {}
    entries = tuple(
        replace(entry, stage=kinds.get(entry.name, entry.stage)) for entry in made.entries
    )
    return replace(made, entries=entries)


@dataclass(frozen=True)
class Post:
    """A request to be submitted; its number is its place in the list."""

    at_ps: int = 0
    operation: Operation = READ
    size_bytes: int = 64
    address: int = 0
    initiator: int = 0
    destination: int = 0
    order: str = ""
    service: str = ""
    fence: bool = False
    operand: int = 0


def posts(*times_ps: int, operation: Operation = READ, size_bytes: int = 64) -> list[Post]:
    """Equal requests at these times."""
    return [Post(at_ps, operation, size_bytes) for at_ps in times_ps]


class Run:
    """Requests submitted ahead of time to a fresh path, and what became of them."""

    def __init__(
        self,
        source: Table,
        load_: Iterable[Post],
        *,
        listen: bool = True,
        shuffle: random.Random | None = None,
        seed: int = 1,
    ) -> None:
        self.path = Path(source, seed)
        self.events: list[Event] = []
        #: In the order of completion.
        self.completed: list[Request] = []
        #: In the order in which they were dropped.
        self.dropped: list[Request] = []
        self.kernel: Kernel = self.path.kernel(
            self.completed.append,
            drop=self.dropped.append,
            listener=self.events.append if listen else None,
            shuffle=shuffle,
        )
        self.requests = [
            Request(
                number,
                post.operation,
                post.size_bytes,
                post.address,
                post.at_ps,
                self.path.plan(post.operation, post.size_bytes, post.address),
                post.initiator,
                post.destination,
                post.order,
                post.service,
                post.fence,
                post.operand,
            )
            for number, post in enumerate(load_)
        ]
        for request in self.requests:
            self.kernel.submit(request)

    def finish(self) -> Run:
        """Runs to the end."""
        self.kernel.run()
        return self

    def completions_ps(self) -> list[int]:
        """When each request completed, by number; -1 for one that did not."""
        return [request.completed_ps for request in self.requests]

    def parts(self, number: int) -> dict[str, int]:
        """The breakdown of one request."""
        return total(of_request(self.requests[number]))

    def parts_at(self, number: int, stage: str) -> dict[str, int]:
        """The breakdown of one request at one stage, which may be several hops."""
        request = self.requests[number]
        parts = zip(request.plan.hops, of_request(request), strict=True)
        return total(at for hop, at in parts if hop.name == stage)

    def held(self) -> dict[str, list[int]]:
        """The numbers of those that hold units, by pool; pools that nobody holds are left out."""
        pools = {pool.name: pool.holders for pool in self.kernel.pools}
        return {name: [one.sequence for one in held] for name, held in pools.items() if held}

    def times_ps(self, kind: Kind, stage: str = "") -> list[int]:
        """When this happened there, by request number; requests that it passed by are left out."""
        found = [event for event in self.events if (event.kind, event.stage) == (kind, stage)]
        return [event.time_ps for event in sorted(found, key=lambda event: event.request)]

    def order(self, kind: Kind, stage: str = "") -> list[int]:
        """Which request it happened to, in the order in which it did."""
        found = [event for event in self.events if (event.kind, event.stage) == (kind, stage)]
        return [event.request for event in sorted(found, key=lambda event: event.time_ps)]

    def accepted_ps(self, stage: str) -> list[int]:
        """When the stage accepted each request."""
        return self.times_ps(Kind.ACCEPTED, stage)

    def left_ps(self, stage: str) -> list[int]:
        """When each request left the stage."""
        return self.times_ps(Kind.LEFT, stage)


def run(source: Table, load_: Iterable[Post], **how: Any) -> Run:
    """A finished run of these requests."""
    return Run(source, load_, **how).finish()
