"""A network with several ways from one end to the other."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from pydantic import Field

from emu.actor import Actor, Port
from emu.parts import SERVICE
from emu.random import Random
from emu.request import Request
from emu.stage import parameters
from emu.table.fields import TimeField


class MultiPath(Actor):
    """Ways of different length: requests that take different ones overtake each other.

    Each request takes up to `spread` longer than by the shortest way, every picosecond of it as
    likely as any other. On paper it takes the shortest. Bandwidth is a wire's matter.
    """

    @parameters
    class Parameters:
        """How long the ways are."""

        latency: Annotated[TimeField, Field(description="of the shortest way")]
        spread: Annotated[
            TimeField, Field(description="by how much the longest way is longer than the shortest")
        ]

    source = "interconnect chapter, sections on ordering: requests overtake each other on the way"

    def __init__(self, parameters: Parameters) -> None:
        super().__init__(parameters)
        self._latency_ps = parameters.latency
        self._ways = parameters.spread + 1

    def start(self, random: Random) -> None:
        """Ways are drawn from the stage's own numbers."""
        self._random = random

    def arrive(self, request: Request, port: Port) -> None:
        """It takes one of the ways."""
        time_ps = self._latency_ps + self._random.below(self._ways)
        port.accept(request)
        parts = ((SERVICE, time_ps),) if time_ps else ()
        port.call_at(port.now_ps + time_ps, partial(port.emit, request, parts))

    def on_paper(self, request: Request) -> dict[str, int]:
        """The shortest way."""
        return {SERVICE: self._latency_ps} if self._latency_ps else {}
