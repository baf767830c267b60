"""Completions, released to the program in the order in which it submitted."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Annotated

from pydantic import Field

from emu.request import Request
from emu.stage import parameters
from emu.table.fields import NameField
from stages.order.in_turn import InTurn


class CompletionOrder(InTurn):
    """Keeps an answer until all earlier requests of its initiator have been answered, or are lost.

    What the initiator submitted, and in which order, is seen at `since`, an earlier stage. It
    changes when the program hears of an operation, not when memory was touched. A path without
    this stage releases completions as they come.
    """

    @parameters
    class Parameters:
        """Where requests are seen as they are submitted."""

        since: Annotated[
            NameField, Field(description="an actor by which all requests come in order")
        ]

    source = "interconnect chapter, sections on ordering: completion order"
    parameters: Parameters

    def __init__(self, parameters: Parameters) -> None:
        super().__init__(parameters)
        self._submitted: dict[int, int] = {}

    def order_of(self, request: Request) -> Hashable:
        """All of an initiator."""
        return request.initiator

    def number_of(self, request: Request) -> int:
        """The next of its initiator; asked once, when it is announced."""
        number = self._submitted.get(request.initiator, 0)
        self._submitted[request.initiator] = number + 1
        return number
