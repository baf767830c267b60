"""The processor's cache, in front of its loads and stores to far memory."""

from __future__ import annotations

from collections import OrderedDict
from typing import Annotated, Literal

from pydantic import Field

from emu.request import Operation, Request
from emu.stage import Served, Stage, parameters
from emu.table.fields import BytesField, TimeField
from emu.time import Picoseconds


class LruCache:
    """A fully associative cache of line numbers that drops the one unused for longest."""

    def __init__(self, lines: int) -> None:
        self._capacity = lines
        self._lines: OrderedDict[int, None] = OrderedDict()

    def touch(self, line: int) -> bool:
        """Whether the line is there; if so it is now the one used last."""
        if line not in self._lines:
            return False
        self._lines.move_to_end(line)
        return True

    def fill(self, line: int) -> None:
        """Takes in a line that is not there, in place of the one unused for longest."""
        self._lines[line] = None
        if len(self._lines) > self._capacity:
            self._lines.popitem(last=False)


class CpuCache(Stage):
    """The processor's two cache levels: a hit ends the access, a miss costs time before it leaves.

    Both levels are fully associative with least-recently-used replacement, and are looked up by
    the line of the first address only, however long the access is. A miss fills both; a hit in
    the second level fills the first. An uncacheable access neither looks up nor fills, and
    costs as much as a miss. Written through, a store that hits pays for the lookup and still goes
    on to memory. Lines that are dropped cost nothing, written or not.
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
        self._l1 = LruCache(parameters.l1_lines)
        self._l2 = LruCache(parameters.l2_lines)
        self._l1_hit = (("service", Picoseconds(parameters.l1_hit)),)
        self._l2_hit = (("service", Picoseconds(parameters.l2_hit)),)
        self._miss = Served(parts=(("cache_miss", Picoseconds(parameters.miss)),))

    def serve(self, request: Request, now_ps: int) -> Served:
        """Looks the line up, moves it to the front, and says whether the access ends here."""
        if not self._cacheable:
            return self._miss
        line = request.address // self._line_bytes
        ends = not (self._stores_go_on and request.operation is Operation.STORE)
        if self._l1.touch(line):
            return Served(self._l1_hit, ends)
        if self._l2.touch(line):
            self._l1.fill(line)
            return Served(self._l2_hit, ends)
        self._l1.fill(line)
        self._l2.fill(line)
        return self._miss
