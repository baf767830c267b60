import pytest

from emu.request import Operation
from stages.descriptor_dma import DescriptorDma


def dma(inline: str | None = None) -> DescriptorDma:
    if inline is None:
        return DescriptorDma(DescriptorDma.Parameters())
    return DescriptorDma(DescriptorDma.Parameters(inline=inline))  # type: ignore[arg-type]


@pytest.mark.parametrize("operation", list(Operation))
def test_fetches_every_descriptor_without_inline(operation: Operation) -> None:
    assert dma().applies(operation, 0)
    assert dma().applies(operation, 1)


@pytest.mark.parametrize(("size_bytes", "fetched"), ((1, False), (64, False), (65, True)))
def test_small_operations_ride_in_the_doorbell(size_bytes: int, fetched: bool) -> None:
    assert dma("64 B").applies(Operation.WRITE, size_bytes) is fetched


def test_inline_of_nothing_fetches_all_that_carries_bytes() -> None:
    assert not dma("0 B").applies(Operation.READ, 0)
    assert dma("0 B").applies(Operation.READ, 1)
