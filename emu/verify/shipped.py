"""All that the project ships to be verified: published figures, and those of `emu figure`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from emu.figures.compiled import compile_engine
from emu.figures.each import each
from emu.figures.registry import FIGURES
from emu.verify.check import Verification
from emu.verify.figures import verify_figure
from emu.verify.published import verify_published

#: Verifies something of it.
Part = Callable[[], list[Verification]]


def verify_shipped(compiling: Callable[[], None] | None = None) -> list[Verification]:
    """Verifies it by a process a core: the published figures, then the others as they are listed.

    `compiling` is called before a first run of the compiled engine, which compiles.
    """
    compile_engine(compiling)
    parts: list[Part] = [verify_published, *(partial(_of_figure, name) for name in FIGURES)]
    return [one for found in each(_verified, parts) for one in found]


def _of_figure(name: str) -> list[Verification]:
    return [verify_figure(name)]


def _verified(part: Part) -> list[Verification]:
    return part()
