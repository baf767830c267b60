"""Start: a workload in the compiled engine, as a line where it is one, else with events."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from emu.engines import Completed
from emu.fast import engine, line_run
from emu.fast.compiled import is_kept
from emu.fast.events import Events
from emu.fast.line import Line
from emu.fast.refusal import RefusalError
from emu.path import Path
from emu.workload import Workload


def start_fast(
    path: Path,
    workload: Workload,
    *,
    requests: int | None,
    until_ps: int | None,
    on_complete: Callable[[Completed], None] | None = None,
) -> Line | Events:
    """A run of a workload over a fresh path; `RefusalError` for what can't be compiled.

    Whoever listens to completions hears of several at once, in order.
    """
    if type(path) is not Path:
        raise RefusalError(
            f"the path is a {type(path).__name__}, which is not made of stages alone"
        )
    if path.shares_memory:
        raise RefusalError("the path has a memory whose values are looked at")
    run: Line | Events | None = None
    if on_complete is None:
        with suppress(RefusalError):  # then with events
            run = Line(path, workload, requests=requests, until_ps=until_ps)
    try:
        run = run or Events(
            path, workload, requests=requests, until_ps=until_ps, on_complete=on_complete
        )
    except OverflowError:
        raise RefusalError("the table has numbers of more than 63 bits") from None
    path.claim()
    return run


def is_compiled(run: Line | Events) -> bool:
    """Whether the run starts without compiling."""
    return is_kept(line_run.advance if isinstance(run, Line) else engine.advance)
