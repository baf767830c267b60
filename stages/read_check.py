"""Where a read that sampled memory before its turn is made sure of."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial
from typing import Annotated

from pydantic import Field

from emu.actor import Port
from emu.memory import Memory
from emu.parts import ORDERING, SERVICE
from emu.request import READS, Request
from emu.stage import parameters
from emu.table.fields import NameField, TimeField
from stages.order.in_turn import InTurn, channel_of
from stages.order.trackers import is_ordered


def can_be_early(request: Request) -> bool:
    """Whether it can sample before its turn and be checked later: a read in order at the target."""
    return (request.order, request.service) == ("SO", "ROT") and request.operation in READS


class ReadCheck(InTurn):
    """Behind the memory: keeps the answer of an early read until its turn, and then checks it.

    A `target_order` with `early_reads` lets a read of order SO and service ROT go before its
    turn. Here it waits until every earlier RO and SO of its initiator has executed. If the word
    has been written since it was sampled, it is read again, and that is what counts. All others
    pass.
    """

    @parameters
    class Parameters:
        """After which stage order counts, and what a second read takes."""

        since: Annotated[NameField, Field(description="the ordering engine at the initiator")]
        reread: Annotated[TimeField, Field(description="what it takes to read once more")]

    needs_memory = True
    needs_numbers = True
    source = (
        "interconnect chapter, sections on ordering: read early, check and read again; as "
        "processors replay loads (Cain and Lipasti, Memory Ordering, ISCA 2004)"
    )
    parameters: Parameters

    def __init__(self, parameters: Parameters) -> None:
        super().__init__(parameters)
        self._repeated = 0

    def use_memory(self, memory: Memory) -> None:
        """Where reads are checked."""
        self._memory = memory

    def counts(self) -> dict[str, int]:
        """How many reads were made twice."""
        return {"reads_repeated": self._repeated}

    def order_of(self, request: Request) -> Hashable:
        """An initiator and this target."""
        return channel_of(request) if is_ordered(request) else None

    def number_of(self, request: Request) -> int:
        """The engine's."""
        return request.transaction_number

    def waits(self, request: Request) -> bool:
        """Those that the target let go early."""
        return can_be_early(request)

    def turn(self, request: Request, port: Port) -> None:
        """Goes on with what it saw, if that still holds."""
        if self._memory.version(request.destination, request.address) == request.version:
            super().turn(request, port)
            return
        self._repeated += 1
        port.accept(request)
        waited_ps = port.now_ps - request.arrived_ps
        again = partial(self._read_again, request, waited_ps, port)
        port.call_at(port.now_ps + self.parameters.reread, again)

    def _read_again(self, request: Request, waited_ps: int, port: Port) -> None:
        self._memory.touch(request, port.now_ps)
        parts = ((ORDERING, waited_ps), (SERVICE, self.parameters.reread))
        port.emit(request, tuple((part, time_ps) for part, time_ps in parts if time_ps))
