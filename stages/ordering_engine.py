"""The ordering engine of an initiator: what must wait until others have been answered."""

from __future__ import annotations

from collections import deque
from typing import Annotated, Literal

from pydantic import Field

from emu.actor import Port
from emu.request import Request
from emu.stage import parameters
from stages.order.dispatcher import Dispatch, Dispatcher, FlitField, UntilField, flits_of, hop_of
from stages.order.lane import Waiting
from stages.order.trackers import (
    CountTracker,
    SequenceTracker,
    Tracker,
    is_ordered,
    is_strict,
)


class OrderingEngine(Dispatcher):
    """Holds a request in strict order until those before it have been answered.

    That is one of order SO and service ROI; it waits for every earlier one of order RO or SO of its
    initiator, whatever their service and destination. `tracking: sequence` does just that. With
    `count` the engine knows only how many of them have been sent and not answered, so that a
    later one may pass one that is held, or delay it. A request is answered when it has left stage
    `until`, is lost, or `answered` says so. With `strict`, nothing of an initiator passes what is
    held.

    With `round_robin` what need not wait has a queue of its own for each initiator, beside that of
    what must. With `scan` what need not wait goes straight on as it comes, a flit a cycle, and
    then nobody looks; the queues are for what is held.

    It numbers what comes, by initiator and destination: what is of order RO or SO, and what is of
    service ROL.
    """

    @parameters
    class Parameters(Dispatch):
        """What it knows of those before, and how those that it held take turns."""

        tracking: Annotated[
            Literal["count", "sequence"],
            Field(
                description="count: how many have not been answered; sequence: also which came "
                "first"
            ),
        ]
        strict: Annotated[
            bool, Field(strict=True, description="nothing passes what is held of its initiator")
        ]
        flit: FlitField = None
        until: UntilField = None

    keeps_marks = True
    numbers = True
    source = (
        "interconnect chapter, sections on ordering; the count and the scan as in OpenURMA (arXiv "
        "2605.28717), initiator's ordering engine of its SystemC sender"
    )

    def __init__(self, parameters: Parameters) -> None:
        super().__init__(parameters)
        self._flit_bytes = parameters.flit
        self._until = parameters.until or ""
        self._strict = parameters.strict
        self._scans = parameters.pick == "scan"
        self._tracker: Tracker = (
            CountTracker(parameters.until is not None)
            if parameters.tracking == "count"
            else SequenceTracker()
        )
        #: Where what comes is looked at flit by flit: those that wait for that, and from which
        #: edge on the next one can be.
        self._coming: deque[Waiting] = deque()
        self._input_edge = 0
        #: The next numbers, by initiator and destination.
        self._transactions: dict[tuple[int, int], int] = {}
        self._packets: dict[tuple[int, int], int] = {}

    @property
    def watched(self) -> str:
        """The stage whose leaving answers a request."""
        return self._until

    def arrive(self, request: Request, port: Port) -> None:
        """It is numbered, and joins those that wait for their turn."""
        self._number(request)
        self._tracker.comes(request)
        flits = flits_of(hop_of(request), self._flit_bytes)
        if self._scans:
            blocked_ps = self._blocked.total_ps(port.now_ps)
            self._coming.append(Waiting(request, flits, blocked_before_ps=blocked_ps))
        else:
            self.join(self._lane_of(request), request, flits, port)
        self.consider(port)

    def look(self, edge: int, port: Port) -> None:
        """First what comes, then what was held."""
        while self._coming and not port.blocked:
            if self._input_edge > edge:
                self.wake(self._input_edge, port)
                break
            self._take_in(self._coming.popleft(), edge, port)
        super().look(edge, port)

    def behind(self, request: Request) -> Request | None:
        """Whom it waits for, as far as the tracker knows."""
        return self._tracker.behind(request)

    def went(self, request: Request, port: Port) -> None:
        """What waits for the request can be held by it from now on."""
        self._tracker.goes(request)
        self.refresh(self.lane_held(request.initiator), port)

    def awaits(self, request: Request) -> bool:
        """Strict order waits for what has an order."""
        return is_ordered(request)

    def expects(self, request: Request) -> bool:
        """Whether others wait for it."""
        return self._tracker.expects(request)

    def hear(self, initiator: int, request: Request | None) -> None:
        """A request has been answered."""
        self._tracker.answer(initiator, request)

    def lane_held(self, initiator: int) -> int:
        """The lane of what must wait."""
        queue = self.queue_of(initiator)
        return queue if self._scans or self._strict else 2 * queue + 1

    def _lane_of(self, request: Request) -> int:
        lane = self.lane_held(request.initiator)
        return lane if self._strict or is_strict(request) else lane - 1

    def _take_in(self, coming: Waiting, edge: int, port: Port) -> None:
        """What has come goes straight on, and then nobody looks; or into its queue."""
        busy = coming.flits * self._interval
        self._input_edge = edge + busy
        key = self.lane_held(coming.request.initiator)
        has_to_wait = self._strict and key in self._lanes
        if has_to_wait or self.behind(coming.request) is not None:
            self.join(key, coming.request, coming.flits, port)
            return
        self.go(coming, None, edge, port)
        self._free_edge = max(self._free_edge, edge) + busy
        self._turns.stand(busy)

    def _number(self, request: Request) -> None:
        pair = (request.initiator, request.destination)
        if is_ordered(request):
            request.transaction_number = self._transactions.get(pair, 0)
            self._transactions[pair] = request.transaction_number + 1
        if request.service == "ROL":
            request.packet_number = self._packets.get(pair, 0)
            self._packets[pair] = request.packet_number + 1
