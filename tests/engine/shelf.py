"""A shelf: an actor that makes use of all that the engine gives actors, for tests of the engine."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from pydantic import Field

from emu.actor import Actor, Port
from emu.request import Request
from emu.stage import parameters
from emu.table.fields import CountField, DurationField
from emu.time import Cycles
from tests.build import StageDict

#: What a request with this address comes to: it is given up.
GIVEN_UP = 5


class Shelf(Actor):
    """Keeps a few, lets the lowest address go first, and only so many until they are far enough.

    On a clock it chooses once an edge. It never chooses while what it let go stands in the way.
    """

    @parameters
    class Parameters:
        """Limits."""

        latency: Annotated[DurationField, Field(description="from the choice to the emission")]
        places: Annotated[CountField, Field(description="how many it keeps")] = None
        window: Annotated[CountField, Field(description="how many are on their way")] = None
        until: Annotated[str, Field(description="the stage that they are on their way to")] = ""

    clocked = True
    bounded = True
    parameters: Shelf.Parameters

    def __init__(self, parameters: Any) -> None:
        super().__init__(parameters)
        self.kept: list[Request] = []
        self.under_way: dict[Request, None] = {}
        #: The numbers of those that came, and of those that were told to have passed.
        self.came: list[int] = []
        self.gone: list[int] = []
        self.most_kept = 0

    @property
    def watched(self) -> str:
        """As the table says."""
        return self.parameters.until

    def has_room(self, request: Request) -> bool:
        """As many as there are places."""
        return self.parameters.places is None or len(self.kept) < self.parameters.places

    def arrive(self, request: Request, port: Port) -> None:
        """Looks once all are there."""
        self.came.append(request.sequence)
        self.kept.append(request)
        self.most_kept = max(self.most_kept, len(self.kept))
        self._look(port)

    def passed(self, request: Request, port: Port) -> None:
        """One less is under way."""
        self.gone.append(request.sequence)
        self.under_way.pop(request, None)
        self._look(port)

    def left(self, request: Request, port: Port) -> None:
        """The way out may be free."""
        self._look(port)

    def on_paper(self, request: Request) -> dict[str, int]:
        """Its latency; the clock of all these tests has 1 GHz."""
        latency = self.parameters.latency
        return {"service": latency.count * (1000 if isinstance(latency, Cycles) else 1)}

    def _look(self, port: Port, *, later: int = 0) -> None:
        choose = partial(self._choose, port)
        if port.clock is None:
            port.when_settled(choose)
            return
        edge = port.clock.edge_at_or_after(port.now_ps) + later
        port.call_at(port.clock.edge(edge), partial(port.when_settled, choose))

    def _choose(self, port: Port) -> None:
        window = self.parameters.window
        if not self.kept or port.blocked:
            return
        self.kept.sort(key=lambda one: (one.address, one.sequence))
        if window is not None and len(self.under_way) >= window:
            for one in self.kept:
                port.hold(one, next(iter(self.under_way)))
            return
        chosen = self.kept.pop(0)
        port.accept(chosen)
        if window is not None:
            self.under_way[chosen] = None
        latency = self.parameters.latency
        if port.clock is None:
            out_ps = port.now_ps + port.span_ps(latency)
        else:
            out_ps = port.clock.edge(port.clock.edge_at_or_after(port.now_ps) + latency.count)
        latency_ps = out_ps - port.now_ps
        parts = (("ordering", port.now_ps - chosen.arrived_ps), ("service", latency_ps))
        go = partial(self._go, chosen, parts, port)
        if latency_ps:
            port.call_at(out_ps, go)
        else:
            go()
        self._look(port, later=1)

    def _go(self, chosen: Request, parts: tuple[tuple[str, int], ...], port: Port) -> None:
        if chosen.address == GIVEN_UP:
            port.drop(chosen)
        else:
            port.emit(chosen, parts)


def shelf(name: str, latency: str = "0 ns", **limits: Any) -> StageDict:
    """The entry of a shelf."""
    return {"stage": "shelf", "name": name, "latency": latency, **limits}
