"""The processor's cache, in front of its loads and stores to far memory."""

from __future__ import annotations

from collections import OrderedDict
from typing import Annotated, Literal

from pydantic import Field

from emu.memory import Memory
from emu.request import Operation, Request
from emu.stage import Served, Stage, parameters
from emu.table.fields import BytesField, TimeField
from emu.time import Picoseconds
from stages.cache.values import CachedValues, Line


class LruCache:
    """A fully associative cache of lines that drops the one unused for longest."""

    def __init__(self, lines: int) -> None:
        self._capacity = lines
        self._lines: OrderedDict[Line, None] = OrderedDict()

    def __contains__(self, line: Line) -> bool:
        return line in self._lines

    def touch(self, line: Line) -> bool:
        """Whether the line is there; if so it is now the one used last."""
        if line not in self._lines:
            return False
        self._lines.move_to_end(line)
        return True

    def fill(self, line: Line) -> Line | None:
        """Takes in a line that is not there; returns the one that had to go for it."""
        self._lines[line] = None
        return self._lines.popitem(last=False)[0] if len(self._lines) > self._capacity else None

    def forget(self, line: Line) -> None:
        """Drops a line, if it is there."""
        self._lines.pop(line, None)


class Levels:
    """The two levels of one initiator, and on a path with values what they hold."""

    def __init__(self, l1_lines: int, l2_lines: int, values: CachedValues | None) -> None:
        self.values = values
        self._l1 = LruCache(l1_lines)
        self._l2 = LruCache(l2_lines)

    def look_up(self, line: Line, now_ps: int) -> int:
        """The level that has the line: 1, 2, or 0 for none; the first has it from now on."""
        if self._l1.touch(line):
            return 1
        level = 2 if self._l2.touch(line) else 0
        dropped = [self._l1.fill(line)]
        if not level:
            dropped.append(self._l2.fill(line))
        if self.values is not None:
            for one in dropped:
                if one is not None and one not in self._l1 and one not in self._l2:
                    self.values.drop(one, now_ps)
        return level

    def forget(self, line: Line, now_ps: int) -> None:
        """Drops a line from both."""
        self._l1.forget(line)
        self._l2.forget(line)
        if self.values is not None:
            self.values.drop(line, now_ps)


class CpuCache(Stage):
    """The processor's two cache levels: a hit ends the access, a miss costs time before it leaves.

    Each initiator has a processor of its own, whose cache holds lines of all nodes. Both levels
    are fully associative with least-recently-used replacement, and are looked up by the line of
    the first address only, however long the access is. A miss fills both; a hit in the second
    level fills the first. An uncacheable access neither looks up nor fills, and costs as much as
    a miss. Written through, a store that hits pays for the lookup and still goes on to memory.
    Lines that are dropped cost nothing, written or not.

    No cache hears of what others write: on a path with values a hit finds what memory had when
    the line was brought, or this initiator stored since. Reads, writes and atomics of the same
    initiator go by the cache.
    """

    @parameters
    class Parameters:
        """Sizes and times of the two levels."""

        policy: Annotated[
            Literal["write_back", "write_through", "uncacheable"],
            Field(description="whether lines are cached, and where a store that hits ends"),
        ]
        line: Annotated[BytesField, Field(gt=0, description="bytes of a line")]
        l1_lines: Annotated[int, Field(gt=0, strict=True, description="lines of the first level")]
        l2_lines: Annotated[int, Field(gt=0, strict=True, description="lines of the second level")]
        l1_hit: Annotated[TimeField, Field(description="time of a hit in the first level")]
        l2_hit: Annotated[TimeField, Field(description="time of a hit in the second level")]
        miss: Annotated[TimeField, Field(description="time of a miss, before the request leaves")]

    has_latency = False
    source = "OpenURMA (arXiv 2605.28717), two-node simulator: cache in front of loads and stores"

    def __init__(self, parameters: Parameters) -> None:
        super().__init__(parameters)
        self._line_bytes = parameters.line
        self._cacheable = parameters.policy != "uncacheable"
        self._stores_go_on = parameters.policy == "write_through"
        self._hits = {
            level: (("service", Picoseconds(time_ps)),)
            for level, time_ps in ((1, parameters.l1_hit), (2, parameters.l2_hit))
        }
        self._miss = Served(parts=(("cache_miss", Picoseconds(parameters.miss)),))
        self._sizes = (parameters.l1_lines, parameters.l2_lines)
        self._memory: Memory | None = None
        self._levels: dict[int, Levels] = {}

    def use_memory(self, memory: Memory) -> None:
        """From now on the lines have values."""
        self._memory = memory

    def applies(self, operation: Operation, size_bytes: int) -> bool:
        """Whether the processor itself makes the access."""
        return operation in (Operation.LOAD, Operation.STORE)

    def serve(self, request: Request, now_ps: int) -> Served:
        """Looks the line up, moves it to the front, and says whether the access ends here."""
        if not self._cacheable:
            return self._miss
        levels = self._of(request.initiator)
        line = (request.destination, request.address // self._line_bytes)
        level = levels.look_up(line, now_ps)
        if not level:
            if levels.values is not None:
                levels.values.fill(line, request)
            return self._miss
        ends = not (self._stores_go_on and request.operation is Operation.STORE)
        if levels.values is not None:
            levels.values.hit(line, request, now_ps, ends=ends)
        return Served(self._hits[level], ends)

    def flush(self, initiator: int, destination: int, address: int, now_ps: int) -> None:
        """Drops the line; that takes no time."""
        self._of(initiator).forget((destination, address // self._line_bytes), now_ps)

    def _of(self, initiator: int) -> Levels:
        levels = self._levels.get(initiator)
        if levels is None:
            memory, line_bytes = self._memory, self._line_bytes
            values = None if memory is None else CachedValues(memory, line_bytes)
            levels = self._levels[initiator] = Levels(*self._sizes, values)
        return levels
