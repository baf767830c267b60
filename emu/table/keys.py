"""Which keys the entry of a stage may have: those of every stage, and the stage's own."""

from __future__ import annotations

from dataclasses import fields

from emu.actor import Actor
from emu.stage import Stage, StageError
from emu.table.schema import StageTiming

#: What an entry says of any stage, whatever it does.
_OF_ALL = ("stage", "name", "at", "when", "arbitration", "source")


def own_keys(stage: type[Stage]) -> tuple[str, ...]:
    """The keys of a stage's own parameters."""
    return tuple(one.name for one in fields(stage.Parameters))


def timing_keys(stage: type[Stage] | None = None) -> tuple[str, ...]:
    """The keys that every stage entry may have; with a stage, those that count there.

    An actor keeps its own time, so what limits other stages is of no use to it.
    """
    if stage is None or not issubclass(stage, Actor):
        return tuple(StageTiming.model_fields)
    clock = ("clock",) if stage.clocked else ()
    overflow = ("overflow",) if stage.bounded else ()
    return (*_OF_ALL, *clock, *overflow)


def check_interface(name: str, stage: type[Stage]) -> None:
    """`StageError` where a stage calls a parameter of its own as a key of its entry is called."""
    taken = [key for key in own_keys(stage) if key in timing_keys(stage)]
    if taken:
        names = " and ".join(f"'{key}'" for key in taken)
        raise StageError(f"stage '{name}' has its own {names}, but every entry has such a key")
