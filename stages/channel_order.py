"""A transport channel that delivers in sequence."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Annotated

from pydantic import Field

from emu.request import Request
from emu.stage import parameters
from emu.table.fields import NameField
from stages.order.in_turn import InTurn, channel_of


class ChannelOrder(InTurn):
    """The receiving end of service mode ROL: requests go on in the order of their packet numbers.

    A channel is an initiator and a destination. What came early waits until all before it on the
    channel have gone on; requests of other service modes pass. That the acknowledgement of a
    transaction rides on the channel's, is a matter of the table's `messages`
    (`fused_acknowledgement`): it makes answers shorter.
    """

    @parameters
    class Parameters:
        """Where the packets were numbered."""

        since: Annotated[NameField, Field(description="the ordering engine at the initiator")]

    keeps_marks = True
    needs_numbers = True
    source = "interconnect chapter, sections on ordering: service mode ROL"
    parameters: Parameters

    def order_of(self, request: Request) -> Hashable:
        """A channel."""
        return channel_of(request) if request.service == "ROL" else None

    def number_of(self, request: Request) -> int:
        """The engine's."""
        return request.packet_number
