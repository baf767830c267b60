"""The engine that figures are measured on, and what prevents the compiled one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from emu.engines import Engine, EngineError, cannot_run

#: What compiled code does not tell.
SINGLE_PARTS = "the figure asks where the time of single requests went"
EDGES = "the figure posts and answers at edges of the clock, from outside of the path"


@dataclass
class Measuring:
    """The engine that is asked for, and the first thing that prevented the compiled one, if any."""

    engine: Engine
    compiling: Callable[[], None] | None = None
    prevented: str | None = None

    @property
    def ran(self) -> str:
        """By which engine all was measured; `reference` where something of it was."""
        return "fast" if self.engine != "reference" and self.prevented is None else "reference"


_MEASURING: ContextVar[Measuring] = ContextVar("measuring")


@contextmanager
def measuring(engine: Engine, compiling: Callable[[], None] | None = None) -> Iterator[Measuring]:
    """All that is measured meanwhile runs on this engine; without it, on the reference.

    `EngineError` from what can't be compiled if `fast` is asked for. `compiling` is called before a
    first run, which compiles.
    """
    now = Measuring(engine, compiling)
    before = _MEASURING.set(now)
    try:
        yield now
    finally:
        _MEASURING.reset(before)


def needs_reference(why: str) -> None:
    """Notes that what follows is measured on the reference, and why; `EngineError` as above."""
    now = now_measuring()
    if now.engine == "fast":
        raise EngineError(cannot_run(why))
    if now.engine == "auto" and now.prevented is None:
        now.prevented = why


def now_measuring() -> Measuring:
    """The engine that is asked for now."""
    return _MEASURING.get(Measuring("reference"))
