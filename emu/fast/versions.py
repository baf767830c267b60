"""Versions: whether a word has been written since it was sampled; see `emu.memory`.

Only a read that a check still awaits asks that. So the words of such reads alone are watched, and
a run keeps no more of memory than that. Values are not kept: what is written is always 0 here, so
every compare-and-swap finds what it compares with.
"""

from __future__ import annotations

from typing import Any

from emu.fast.codes import LOAD, READ, ROT, SO, TOUCHES_MEMORY
from emu.fast.compiled import compiled
from emu.fast.hash_map import find, insert, remove
from emu.fast.layout import WATCHED, requests, watched
from emu.fast.memory import new_slot, push
from emu.fast.refusal import RefusalError
from emu.memory import WORD_BYTES, Memory

_WATCHED_BYTES = WATCHED.itemsize


@compiled
def can_be_early(request: Any) -> bool:
    """Whether it can sample before its turn and be checked later; the request itself."""
    if request.order != SO or request.service != ROT:
        return False
    return bool(request.operation in (READ, LOAD))


@compiled
def word_of(request: Any) -> int:
    """The word in which the request starts, at its destination."""
    return int(request.address // WORD_BYTES)


@compiled
def watch(world: Any, request: Any) -> None:
    """A check awaits the read from now on."""
    place = find(world.watched_words, request.destination, word_of(request))
    if place < 0:
        place = new_slot(world.watched, world.free_watched, _WATCHED_BYTES)
        insert(world.watched_words, request.destination, word_of(request), place)
    watched(world)[place].checks += 1


@compiled
def unwatch(world: Any, request: Any) -> None:
    """A check awaits the read no more."""
    place = find(world.watched_words, request.destination, word_of(request))
    word = watched(world)[place]
    word.checks -= 1
    if word.checks == 0:
        remove(world.watched_words, request.destination, word_of(request))
        push(world.free_watched, place)


@compiled
def version_now(world: Any, request: Any) -> int:
    """What rises with each write of the request's word as long as that is watched."""
    place = find(world.watched_words, request.destination, word_of(request))
    return 0 if place < 0 else int(watched(world)[place].version)


@compiled
def touch(world: Any, r: int) -> None:
    """Does what the request does to memory, as far as versions go."""
    request = requests(world)[r]
    if can_be_early(request):
        request.version = version_now(world, request)
    elif request.operation not in (READ, LOAD):
        place = find(world.watched_words, request.destination, word_of(request))
        if place >= 0:
            watched(world)[place].version += 1


@compiled
def touch_serve(world: Any, r: int, served: int) -> None:
    """What a stage that touches memory does as it accepts; it adds no time."""
    touch(world, r)


def make_touch(memory: Memory, building: Any) -> tuple[int, int]:
    """The code of a stage that touches memory; it has no record of its own."""
    if memory.on_visible is not None:
        raise RefusalError("what becomes visible in memory is watched from outside")
    return TOUCHES_MEMORY, -1
