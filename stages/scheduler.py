"""The scheduler in front of a sender: whose request goes next, and what waits for a fence."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from pydantic import Field

from emu.actor import Port
from emu.request import RETURNING, Request
from emu.stage import parameters
from emu.table.fields import CountField
from stages.order.dispatcher import (
    Dispatch,
    Dispatcher,
    FlitField,
    UntilField,
    clock_of,
    flits_of,
    hop_of,
)
from stages.order.lane import Lane, Waiting
from stages.order.outstanding import outstanding


class Scheduler(Dispatcher):
    """Keeps a queue for each initiator, and serves the queues in turn.

    A request with a fence waits, and those behind it in its queue, until every earlier read and
    atomic of its initiator has been answered: has left stage `until`, is lost, or `answered` says
    so. A request enters when its queue has a free place, and takes as many as it has flits: the
    last of them may still be on their way in. A place that becomes free can be taken from the next
    edge on.
    """

    @parameters
    class Parameters(Dispatch):
        """The queues, their turns, and what answers a read."""

        depth: Annotated[CountField, Field(description="flits in one queue")]
        flit: FlitField = None
        until: UntilField = None

    keeps_marks = True
    bounded = True
    source = (
        "interconnect chapter, sections on ordering; the scan as in OpenURMA (arXiv 2605.28717), "
        "scheduler of its SystemC sender"
    )

    def __init__(self, parameters: Parameters) -> None:
        super().__init__(parameters)
        self._depth = parameters.depth
        self._flit_bytes = parameters.flit
        self._until = parameters.until or ""
        self._reads = outstanding(parameters.until is not None)
        #: Flits in each queue.
        self._filled: dict[int, int] = {}

    @property
    def watched(self) -> str:
        """The stage whose leaving answers a read."""
        return self._until

    def has_room(self, request: Request) -> bool:
        """Whether a place is free in its queue."""
        filled = self._filled.get(self.queue_of(request.initiator), 0)
        return self._depth is None or filled < self._depth

    def arrive(self, request: Request, port: Port) -> None:
        """It joins its initiator's queue."""
        flits = flits_of(hop_of(request), self._flit_bytes)
        key = self.queue_of(request.initiator)
        if self._depth is not None:
            self._filled[key] = self._filled.get(key, 0) + flits
        self.join(key, request, flits, port)
        self.consider(port)

    def behind(self, request: Request) -> Request | None:
        """A fence waits for the reads of its initiator."""
        return self._reads.last(request.initiator) if request.fence else None

    def went(self, request: Request, port: Port) -> None:
        """A read is outstanding from now on."""
        if request.operation in RETURNING:
            self._reads.add(request)
            self.refresh(self.queue_of(request.initiator), port)

    def go(self, waiting: Waiting, lane: Lane | None, edge: int, port: Port) -> None:
        """Flit after flit leaves its place in the queue."""
        super().go(waiting, lane, edge, port)
        if self._depth is not None:
            key = self.queue_of(waiting.request.initiator)
            clock = clock_of(port)
            for number in range(waiting.flits):
                freed_ps = clock.edge(edge + number * self._interval + 1)
                port.call_at(freed_ps, partial(self._free, key))

    def awaits(self, request: Request) -> bool:
        """A fence waits for what brings a value back."""
        return request.operation in RETURNING

    def expects(self, request: Request) -> bool:
        """Whether a fence waits for it."""
        return request in self._reads

    def hear(self, initiator: int, request: Request | None) -> None:
        """A read has been answered."""
        self._reads.answer(initiator, request)

    def _free(self, key: int) -> None:
        self._filled[key] -= 1
