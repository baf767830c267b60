"""What it costs that several Jetties send through one transport channel."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from emu.request import Request
from emu.stage import Served, Stage, parameters
from emu.table.fields import TimeField
from emu.time import Picoseconds


class ChannelSharing(Stage):
    """A step that costs each operation a constant for every other Jetty on its channel.

    Stands for the turns that the channel gives them, whether or not they have something to send:
    the model that the published rows were made with. Where the others' operations are
    emulated too, what they cost is a wait for a resource of kind `channels`.
    """

    @parameters
    class Parameters:
        """How many share a channel, and what each costs the others."""

        jetties: Annotated[
            int, Field(gt=0, strict=True, description="Jetties on one transport channel")
        ]
        cost: Annotated[TimeField, Field(description="what each Jetty but the first adds")]

    has_latency = False
    source = "OpenURMA (arXiv 2605.28717), two-node simulator: Jetties on a transport channel"

    def __init__(self, parameters: Parameters) -> None:
        super().__init__(parameters)
        cost = Picoseconds(parameters.cost * (parameters.jetties - 1))
        self._served = Served(parts=(("service", cost),)) if cost.count else None

    def serve(self, request: Request, now_ps: int) -> Served | None:
        """The same for every operation."""
        return self._served
