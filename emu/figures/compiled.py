"""The compiled engine as figures need it: there before they are measured."""

from __future__ import annotations

from collections.abc import Callable

from emu.compiling import compile_before
from emu.path import build
from emu.request import Operation
from emu.table import load
from emu.workload.build import closed_loop

#: Equal requests go along a line through the one, and make events in the other.
LINE, EVENTS = "ub_async", "kv_direct"


def compile_engine(say: Callable[[], None] | None = None) -> None:
    """Compiles all of it that is not there yet; `say` is called before, once."""
    said = False

    def say_once() -> None:
        nonlocal said
        if say is not None and not said:
            say()
        said = True

    for table in (LINE, EVENTS):
        alone = closed_loop((Operation.READ, 64), 1, 1)
        compile_before("auto", build(load(table)), alone, say_once)
