"""The controller fetches what an operation carries."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from emu.request import Operation
from emu.stage import Stage, parameters
from emu.table.fields import BytesField


class PayloadDma(Stage):
    """A DMA read over PCIe that brings the payload of a write or send to the controller.

    With `inline`, a payload of at most so many bytes rides in the descriptor, and there is nothing
    left to fetch.
    """

    @parameters
    class Parameters:
        """Whether payloads can ride in the descriptor."""

        inline: Annotated[
            BytesField | None,
            Field(
                description="largest payload that rides in the descriptor; without it, every "
                "payload is fetched"
            ),
        ] = None

    source = "InfiniBand verbs: inline data of a send work request"

    def __init__(self, parameters: Parameters) -> None:
        super().__init__(parameters)
        self._inline = parameters.inline

    def applies(self, operation: Operation, size_bytes: int) -> bool:
        """Whether the payload has to be fetched."""
        return self._inline is None or size_bytes > self._inline
