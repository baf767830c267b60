"""The host's end of PCIe: what may reach its memory before what."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import count
from typing import Annotated, Literal

from pydantic import Field

from emu.actor import Actor, Port
from emu.request import OPERATION_GROUPS, WRITES, Request
from emu.stage import parameters
from emu.table.fields import TextField
from stages.order.in_turn import let_go

#: Those that need no answer on PCIe, so that their sender does not know when they are there.
POSTED = WRITES


@dataclass(slots=True, eq=False)
class _Host:
    """Posted writes that are not there yet, and all that waits; both with numbers of arrival."""

    posted: dict[Request, int] = field(default_factory=dict)
    waiting: deque[tuple[int, Request]] = field(default_factory=deque)

    def has_before(self, number: int) -> bool:
        """Whether a posted write that came before is not there yet."""
        return next(iter(self.posted.values()), number) < number

    def last_before(self, number: int) -> Request:
        """The last of those."""
        return next(one for one, came in reversed(self.posted.items()) if came < number)


class PcieOrder(Actor):
    """Keeps requests in front of the host's memory until PCIe lets them pass what came before.

    1. Reads push writes: what needs an answer (read, load, atomic) passes no posted write (write,
       send, store).
    2. Posted writes pass no posted writes.
    3. What is `relaxed` passes posted writes all the same.
    4. All else passes: posted writes the reads before them, and reads each other.

    What came before is there once it has left stage `until`: the memory, behind ways of different
    length. One starts on its way only then; a host that prepares several writes at once, and makes
    them visible in order, would let less time pass. Each destination is a host of its own, and has
    one root port.
    """

    @parameters
    class Parameters:
        """When a write is there, and what need not wait for it."""

        until: Annotated[
            TextField, Field(description="the stage that a write leaves when it is there")
        ]
        # A read waits even with the attribute: PCIe lets only requests that carry data pass.
        relaxed: Annotated[
            list[Literal["write", "send", "store", "atomic", "fetch_and_add", "compare_and_swap"]]
            | None,
            Field(description="operations with the attribute of relaxed ordering"),
        ] = None

    source = "PCI Express Base Specification, section on transaction ordering"
    parameters: Parameters

    def __init__(self, parameters: Parameters) -> None:
        super().__init__(parameters)
        relaxed = parameters.relaxed or []
        self._relaxed = {one for word in relaxed for one in OPERATION_GROUPS[word]}
        self._hosts: dict[int, _Host] = {}
        self._number = count().__next__

    @property
    def watched(self) -> str:
        """As the table says."""
        return self.parameters.until

    def arrive(self, request: Request, port: Port) -> None:
        """Goes on, or waits behind the last of the posted writes before it."""
        host = self._hosts.setdefault(request.destination, _Host())
        number = self._number()
        if host.has_before(number) and request.operation not in self._relaxed:
            host.waiting.append((number, request))
            port.hold(request, host.last_before(number))
        else:
            let_go(request, port)
        if request.operation in POSTED:
            host.posted[request] = number

    def passed(self, request: Request, port: Port) -> None:
        """A posted write is there: those behind it may go, unless others are before them too."""
        host = self._hosts[request.destination]
        if host.posted.pop(request, None) is None:
            return
        waiting = host.waiting
        while waiting and not host.has_before(waiting[0][0]):
            let_go(waiting.popleft()[1], port)
        # None was before one that is not relaxed, so all behind that have gone.
        if request.operation in self._relaxed:
            for number, one in waiting:
                if port.behind[one] is request:
                    port.hold(one, host.last_before(number))

    def on_paper(self, request: Request) -> dict[str, int]:
        """Alone, it waits for nobody."""
        return {}
