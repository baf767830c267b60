"""Buffers: what came into them, whether it was consumed, and what was written over it too early."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from emu.memory import WORD_BYTES, Memory
from emu.time import format_time
from emu.trace.events import Kind

if TYPE_CHECKING:
    from emu.request import Request


@dataclass(slots=True)
class Content:
    """What a request brought into a buffer, and until when it was used; -1 if it was not (yet)."""

    request: Request
    visible_ps: int
    consumed_ps: int = -1


@dataclass(frozen=True, slots=True)
class Reuse:
    """A buffer that was written again before its content was consumed."""

    node: int
    address: int
    request: Request
    at_ps: int
    lost: Content

    def __str__(self) -> str:
        lost = self.lost
        until = (
            f"consumed until {format_time(lost.consumed_ps)}"
            if lost.consumed_ps >= 0
            else "never consumed"
        )
        return (
            f"buffer at node {self.node}, address {self.address:#x} written again by request "
            f"{self.request.sequence} at {format_time(self.at_ps)}, before what request "
            f"{lost.request.sequence} brought was consumed (visible at "
            f"{format_time(lost.visible_ps)}, {until})"
        )


class Buffers:
    """Watches buffers, each named by its node and the address of its first word.

    That a send is done says that its own buffer is free; that it is visible says that the receiver
    can find it; and only that it is consumed says that the receiver's buffer may be written again.
    """

    def __init__(self, memory: Memory, places: Iterable[tuple[int, int]]) -> None:
        self.reuses: list[Reuse] = []
        self._memory = memory
        self._content: dict[tuple[int, int], Content | None] = {
            _word(node, address): None for node, address in places
        }
        memory.on_visible = self._visible

    def consumed(self, node: int, address: int, since_ps: int, now_ps: int) -> None:
        """The receiver has read a buffer since then, and is done with it now.

        It is called between two instants of the engine: the receiver has read what was visible
        before that picosecond, what was written over as it read among it.
        """
        place = _word(node, address)
        contents = [
            reuse.lost
            for reuse in self.reuses
            if _word(reuse.node, reuse.address) == place and reuse.at_ps >= since_ps
        ]
        content = self._content[place]
        if content is not None:
            contents.append(content)
        for one in contents:
            if one.consumed_ps < 0:
                one.consumed_ps = now_ps
                if self._memory.teller is not None:
                    self._memory.teller.note(now_ps, Kind.CONSUMED, one.request)

    def _visible(self, request: Request, address: int, now_ps: int) -> None:
        place = _word(request.destination, address)
        if place not in self._content:
            return
        before = self._content[place]
        if before is not None and before.consumed_ps < 0:
            self.reuses.append(Reuse(request.destination, address, request, now_ps, before))
        self._content[place] = Content(request, now_ps)


def _word(node: int, address: int) -> tuple[int, int]:
    return node, address // WORD_BYTES
