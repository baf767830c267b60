"""Memory: the values that requests read and write, in all nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emu.request import Operation, Request
from emu.trace.events import Kind

if TYPE_CHECKING:
    from emu.trace.teller import Teller

WORD_BYTES = 8
WORD_MASK = (1 << 8 * WORD_BYTES) - 1

_WRITES = (Operation.WRITE, Operation.STORE, Operation.SEND)


class Memory:
    """Words of 8 B by node and address; each is 0 before it is written.

    A request touches the word in which it starts, at one instant: a read samples it, a write or a
    send becomes visible there, an atomic does both. The node is the request's `destination`.
    """

    def __init__(self) -> None:
        #: Hears of each touch; set by the engine that runs with this memory.
        self.teller: Teller | None = None
        self._values: dict[tuple[int, int], int] = {}
        self._versions: dict[tuple[int, int], int] = {}

    def value(self, node: int, address: int) -> int:
        """The value of a word now."""
        return self._values.get((node, address // WORD_BYTES), 0)

    def version(self, node: int, address: int) -> int:
        """How often a word has been written."""
        return self._versions.get((node, address // WORD_BYTES), 0)

    def write(self, node: int, address: int, value: int) -> None:
        """A value becomes visible, modulo 2 ** 64."""
        word = (node, address // WORD_BYTES)
        self._values[word] = value & WORD_MASK
        self._versions[word] = self._versions.get(word, 0) + 1

    def touch(self, request: Request, now_ps: int) -> None:
        """Does what the request does to memory; what it finds becomes its `value`."""
        node, address, operation = request.destination, request.address, request.operation
        if operation in _WRITES:
            self._write(request, request.operand, now_ps)
            return
        found = request.value = self.value(node, address)
        if self.teller is not None:
            self.teller.touched(now_ps, Kind.SAMPLED, request, address, found)
        if operation is Operation.FETCH_AND_ADD:
            self._write(request, found + request.operand, now_ps)
        elif operation is Operation.COMPARE_AND_SWAP and found == request.compare:
            self._write(request, request.operand, now_ps)

    def _write(self, request: Request, value: int, now_ps: int) -> None:
        self.write(request.destination, request.address, value)
        if self.teller is not None:
            value = self.value(request.destination, request.address)
            self.teller.touched(now_ps, Kind.VISIBLE, request, request.address, value)
