"""Where a target keeps back what has overtaken those that it must wait for."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial
from typing import Annotated

from pydantic import Field

from emu.actor import Port
from emu.parts import ORDERING, SERVICE
from emu.request import Request
from emu.stage import StageError, parameters
from emu.table.fields import NameField, TimeField
from stages.order.in_turn import InTurn, channel_of
from stages.order.trackers import is_ordered
from stages.read_check import ReadCheck, can_be_early


class TargetOrder(InTurn):
    """The target's part of service mode ROT: the initiator has sent at once, so the order is here.

    A request of order SO and service ROT is kept until every earlier RO and SO of its initiator
    has executed at this target, which is when it leaves `until`. The transaction numbers tell
    which those are, so those count that have not come yet. NO, RO, and the other service modes
    pass. With `early_reads` such a read passes too, and samples memory before its turn; then
    `until` must be a `read_check` behind the memory, which makes sure of what it saw.
    """

    @parameters
    class Parameters:
        """Between which stages it keeps order, and what that takes."""

        since: Annotated[NameField, Field(description="the ordering engine at the initiator")]
        until: Annotated[
            NameField,
            Field(
                description="a request has executed when it leaves this stage: the memory, or "
                "with early reads their check"
            ),
        ]
        latency: Annotated[
            TimeField, Field(description="from its turn until it goes on, for one that was kept")
        ]
        early_reads: Annotated[
            bool,
            Field(strict=True, description="true: a read samples before its turn, and is checked"),
        ]

    keeps_marks = True
    needs_numbers = True
    source = "interconnect chapter, sections on ordering: service mode ROT"
    parameters: Parameters

    @property
    def watched(self) -> str:
        """Where requests execute."""
        return self.parameters.until

    def order_of(self, request: Request) -> Hashable:
        """An initiator and this target."""
        return channel_of(request) if is_ordered(request) else None

    def number_of(self, request: Request) -> int:
        """The engine's."""
        return request.transaction_number

    def waits(self, request: Request) -> bool:
        """Strict order is kept here, if it was not at the initiator."""
        if request.order != "SO" or request.service != "ROT":
            return False
        if not self.parameters.early_reads or not can_be_early(request):
            return True
        until = self.parameters.until
        hop = next((hop for hop in request.plan.hops if hop.name == until), None)
        if hop is None or not isinstance(hop.station.actor, ReadCheck):
            raise StageError(
                f"stage {request.plan.hops[request.hop].name}: request {request.sequence} would "
                f"sample before its turn ('early_reads'), and stage {until} ('until') does not "
                "check it; expected the name of a read_check"
            )
        return False

    def turn(self, request: Request, port: Port) -> None:
        """At once if it need not wait; else after the latency."""
        waited_ps, latency_ps = port.now_ps - request.arrived_ps, self.parameters.latency
        if not waited_ps or not latency_ps:
            super().turn(request, port)
            return
        port.accept(request)
        parts = ((ORDERING, waited_ps), (SERVICE, latency_ps))
        port.call_at(port.now_ps + latency_ps, partial(port.emit, request, parts))
