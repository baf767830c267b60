"""The figures by name; each is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module

from emu.engines import Engine, EngineError
from emu.errors import EmuError, did_you_mean, listed
from emu.figures.engine import measuring
from emu.figures.model import Figure


def _make(module: str) -> Figure:
    figure: Figure = import_module(f"emu.figures.{module}").figure()
    return figure


#: What makes a figure, by its name, in the order in which they are listed.
FIGURES: dict[str, Callable[[], Figure]] = {
    "read-paths": partial(_make, "read_paths"),
    "request-rate": partial(_make, "request_rate"),
    "in-flight": partial(_make, "in_flight"),
    "pcie-tags": partial(_make, "pcie_tags"),
    "pcie-asymmetry": partial(_make, "pcie_asymmetry"),
    "slots": partial(_make, "slots"),
    "context-cache": partial(_make, "context_cache"),
    "connectx4": partial(_make, "connectx4"),
    "shared-channel": partial(_make, "shared_channel"),
    "dependent-reads": partial(_make, "dependent_reads"),
    "fetch-or-read": partial(_make, "fetch_or_read"),
    "loss": partial(_make, "loss"),
    "phase": partial(_make, "phase"),
    "ordering": partial(_make, "ordering"),
    "dependencies": partial(_make, "dependencies"),
    "buffer-reuse": partial(_make, "buffer_reuse"),
}


def reproduce(
    name: str, engine: Engine = "reference", compiling: Callable[[], None] | None = None
) -> Figure:
    """The figure of that name, measured now, the same on every engine.

    `EmuError` where there is none; `EngineError` if `fast` is asked for what it can't run.
    `compiling` is called before a first run of the fast engine, which compiles.
    """
    if name not in FIGURES:
        near = did_you_mean(name, FIGURES)
        raise EmuError(
            f"there is no figure '{name}'; expected {listed(FIGURES)}"
            + (f"; {near}" if near else "")
        )
    with measuring(engine, compiling) as used:
        try:
            made = FIGURES[name]()
        except EngineError as error:
            raise EngineError(f"figure {name}: {error}") from None
    return replace(made, engine=used.ran, prevented=used.prevented)
