"""What an operation that asks for strict order costs where others ask for none."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from emu.request import Request
from emu.stage import Served, Stage, parameters
from emu.table.fields import TimeField
from emu.time import Picoseconds


class StrictOrder(Stage):
    """A step that costs a constant, for the share of the operations that ask for strict order.

    The first so many of every hundred ask for it, by their number. The constant stands for what
    a controller's ordering engine does for them; that they may have to wait for others is not in
    it. A reliable connection makes all pay instead (`order_serialisation`).
    """

    @parameters
    class Parameters:
        """How many ask for it, and what it costs them."""

        percent: Annotated[
            int, Field(ge=0, le=100, strict=True, description="how many of every hundred ask")
        ]
        cost: Annotated[TimeField, Field(description="what it costs each of them")]

    has_latency = False
    source = "OpenURMA (arXiv 2605.28717), two-node simulator: parameter strict_order_pct"

    def __init__(self, parameters: Parameters) -> None:
        super().__init__(parameters)
        self._percent = parameters.percent
        self._served = Served(parts=(("service", Picoseconds(parameters.cost)),))

    def serve(self, request: Request, now_ps: int) -> Served | None:
        """The cost, if this is one of those that ask."""
        return self._served if request.sequence % 100 < self._percent else None
