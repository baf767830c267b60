"""The values that a processor's cache has of far memory, which may be stale."""

from __future__ import annotations

from functools import partial

from emu.memory import WORD_BYTES, Memory
from emu.request import Operation, Request

#: Destination and line number.
Line = tuple[int, int]


class CachedValues:
    """The words of the lines that one initiator's cache holds.

    A line has what memory had when the access that missed was there; what others write to memory
    from then on does not reach it. Until that access has been there, a load of the line finds what
    memory has now, as its time is that of a hit.
    """

    def __init__(self, memory: Memory, line_bytes: int) -> None:
        self._memory = memory
        self._line_bytes = line_bytes
        #: Word number to value.
        self._lines: dict[Line, dict[int, int]] = {}
        #: Word number to the store that wrote it, where memory does not have it yet.
        self._unwritten: dict[Line, dict[int, Request]] = {}

    def fill(self, line: Line, request: Request) -> None:
        """An access has missed, and will bring the line."""
        words = self._lines[line] = {}
        if request.operation is Operation.STORE:
            words[request.address // WORD_BYTES] = request.operand
        self._memory.when_touched(request, partial(self._take, line, words))

    def hit(self, line: Line, request: Request, now_ps: int, *, ends: bool) -> None:
        """An access has found its line; a store that ends here is not in memory yet."""
        word = request.address // WORD_BYTES
        words = self._lines[line]
        if request.operation is Operation.STORE:
            words[word] = request.operand
            if ends:
                self._unwritten.setdefault(line, {})[word] = request
            return
        found = words.get(word)
        if found is None:
            found = self._memory.value(request.destination, request.address)
        self._memory.found(request, found, now_ps)

    def drop(self, line: Line, now_ps: int) -> None:
        """The line is no longer held; what memory does not have of it becomes visible there."""
        words = self._lines.pop(line, {})
        for word, request in self._unwritten.pop(line, {}).items():
            self._memory.bring(request, word * WORD_BYTES, words[word], now_ps)

    def _take(self, line: Line, words: dict[int, int]) -> None:
        node, number = line
        first = number * self._line_bytes // WORD_BYTES
        for word in range(first, first + -(-self._line_bytes // WORD_BYTES)):
            # What has been stored in the meantime is newer.
            words.setdefault(word, self._memory.value(node, word * WORD_BYTES))
