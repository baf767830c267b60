"""Each: the same for many, by several processes, with what comes out in order."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from emu.sweep.pool import process_pool

T = TypeVar("T")
Result = TypeVar("Result")


def each(function: Callable[[T], Result], items: Sequence[T]) -> Iterator[Result]:
    """What a function gives for each item, in the order of these, by a process a core.

    All of it must be picklable. The first item that raises ends it.
    """
    workers = min(os.cpu_count() or 1, len(items))
    if workers <= 1:
        yield from map(function, items)
        return
    with process_pool(workers) as pool:
        yield from pool.map(function, items)
