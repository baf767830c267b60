"""Memory: the values that requests read and write, in all nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from emu.request import WRITES, Operation, Request
from emu.trace.events import Kind

if TYPE_CHECKING:
    from emu.trace.teller import Teller

WORD_BYTES = 8
WORD_MASK = (1 << 8 * WORD_BYTES) - 1


class Memory:
    """Words of 8 B by node and address; each is 0 before it is written.

    A request touches the word in which it starts, at one instant: a read samples it, a write or a
    send becomes visible there, an atomic does both. The node is the request's `destination`.
    """

    def __init__(self) -> None:
        #: Hears of each touch; set by the engine that runs with this memory.
        self.teller: Teller | None = None
        #: Called when what a request brought has become visible: request, address and time.
        self.on_visible: Callable[[Request, int, int], None] | None = None
        self._when_touched: dict[Request, Callable[[], None]] = {}
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
        address, operation = request.address, request.operation
        if operation in WRITES:
            self.bring(request, address, request.operand, now_ps)
        else:
            found = self.value(request.destination, address)
            request.version = self.version(request.destination, address)
            self.found(request, found, now_ps)
            if operation is Operation.FETCH_AND_ADD:
                self.bring(request, address, found + request.operand, now_ps)
            elif operation is Operation.COMPARE_AND_SWAP and found == request.compare:
                self.bring(request, address, request.operand, now_ps)
        if self._when_touched:
            action = self._when_touched.pop(request, None)
            if action is not None:
                action()

    def when_touched(self, request: Request, action: Callable[[], None]) -> None:
        """Calls `action` in the instant in which the request touches memory, once it has."""
        self._when_touched[request] = action

    def found(self, request: Request, value: int, now_ps: int) -> None:
        """A request has read a value."""
        request.value = value
        if self.teller is not None:
            self.teller.touched(now_ps, Kind.SAMPLED, request, request.address, value)

    def bring(self, request: Request, address: int, value: int, now_ps: int) -> None:
        """What a request brings becomes visible at its destination."""
        node = request.destination
        self.write(node, address, value)
        if self.teller is not None:
            value = self.value(node, address)
            self.teller.touched(now_ps, Kind.VISIBLE, request, address, value)
        if self.on_visible is not None:
            self.on_visible(request, address, now_ps)
