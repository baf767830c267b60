"""The controller fetches the descriptor of an operation."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from emu.request import Operation
from emu.stage import Stage, parameters
from emu.table.fields import BytesField


class DescriptorDma(Stage):
    """A DMA read over PCIe that brings the descriptor from host memory to the controller.

    With `inline`, operations of at most so many bytes don't pass: the processor writes their
    descriptor into the doorbell itself (BlueFlame), and there is nothing left to fetch.
    """

    @parameters
    class Parameters:
        """Whether descriptors can ride in the doorbell."""

        inline: Annotated[
            BytesField | None,
            Field(
                description="largest operation whose descriptor rides in the doorbell; "
                "without it, every descriptor is fetched"
            ),
        ] = None

    source = "OpenURMA (arXiv 2605.28717), two-node simulator: stacks roce_dma and roce_bf"

    def __init__(self, parameters: Parameters) -> None:
        super().__init__(parameters)
        self._inline = parameters.inline

    def applies(self, operation: Operation, size_bytes: int) -> bool:
        """Whether the descriptor has to be fetched."""
        return self._inline is None or size_bytes > self._inline
