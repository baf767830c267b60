"""The log: when which request was where, written down on request; see `emu.trace.events`."""

from __future__ import annotations

from typing import Any

from emu.fast.compiled import compiled
from emu.fast.layout import hop_of
from emu.fast.memory import WORD_BYTES, extend, words

#: Kinds of lines. A line is six words; those of `CHARGED` follow a request's end.
SUBMITTED, ARRIVED, ACCEPTED, EMITTED, LEFT, COMPLETED, DROPPED, CHARGED = range(8)
LINE_WORDS = 6
#: What is written down: nothing, a line for each request that is complete, or all.
NOTHING, COMPLETIONS, ALL = range(3)


@compiled
def log(world: Any, time_ps: int, kind: int, request: Any) -> None:
    """Writes a line for a request: time, kind, its number, and the entry at which it is."""
    if world.logs == ALL:
        entry = hop_of(world, request).entry if request.hop >= 0 else -1
        write(world, time_ps, kind, request.sequence, entry, request.initiator, request.operation)


@compiled
def log_completion(world: Any, request: Any) -> None:
    """Writes a line for a request that is complete: in place of its entry, when it was posted."""
    if world.logs != NOTHING:
        number, submitted_ps = request.sequence, request.submitted_ps
        initiator, operation = request.initiator, request.operation
        write(world, world.now_ps, COMPLETED, number, submitted_ps, initiator, operation)


@compiled
def log_charges(world: Any, request: Any) -> None:
    """Writes a line for each charge of a request."""
    if world.logs == ALL:
        charges = words(request.charges)
        for place in range(0, request.charges.count, 3):
            hop, part, time_ps = charges[place], charges[place + 1], charges[place + 2]
            write(world, time_ps, CHARGED, request.sequence, hop, part, request.plan)


@compiled
def write(
    world: Any, first: int, second: int, third: int, fourth: int, fifth: int, sixth: int
) -> None:
    """Writes a line of six words."""
    place = extend(world.log, LINE_WORDS, WORD_BYTES)
    numbers = words(world.log)
    numbers[place] = first
    numbers[place + 1] = second
    numbers[place + 2] = third
    numbers[place + 3] = fourth
    numbers[place + 4] = fifth
    numbers[place + 5] = sixth
