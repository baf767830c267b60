"""Compiling: before a first run, once, whoever else begins at the same time."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from emu.engines import Engine, Started, start
from emu.errors import RunError
from emu.workload import Workload
from emu.workload.build import Described

if TYPE_CHECKING:
    from emu.path import Path


def compile_before(
    engine: Engine, path: Path, described: Described, say: Callable[[], None] | None = None
) -> None:
    """Compiles what a run of such a workload over such a path needs, unless that is there already.

    `say` is called before. `EngineError` as `emu.engines.start`; where it is not known how to make
    the workload again, the run compiles by itself.
    """
    again = described.again
    if again is None or _one(engine, path, again).is_compiled:
        return
    from emu.fast.compiled import alone  # numba is slow to import

    if say is not None:
        say()
    with alone():
        started = _one(engine, path, again)
        if not started.is_compiled:  # nobody else has done it meanwhile
            with suppress(RunError):  # the run itself says so
                started.go()


def _one(engine: Engine, path: Path, again: Callable[[], Workload]) -> Started:
    """A run of one request at most, over before it begins: all it takes long for is to compile."""
    fresh = type(path)(path.table, path.seed)
    return start(fresh, again(), engine=engine, requests=1, until_ps=0)
