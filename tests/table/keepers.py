"""Stages for tests of entries: actors, one that looks up, and two that break the interface."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from emu.actor import Actor, Port
from emu.request import Request
from emu.stage import Stage, parameters, registry
from emu.table.fields import BandwidthField, BytesField, CountField, DurationField, TimeField


class Idle(Actor):
    """Does nothing with what comes."""

    def arrive(self, request: Request, port: Port) -> None:
        """It stays."""


class Keeper(Idle):
    """Keeps requests, and has a bandwidth of its own."""

    @parameters
    class Parameters:
        """What other stages have as timing."""

        bandwidth: Annotated[BandwidthField, Field(description="of its link")]
        mtu: Annotated[BytesField, Field(description="largest packet")] = 4096
        window: Annotated[CountField, Field(description="packets under way")] = None


class Watcher(Idle):
    """Works on edges, may be full, watches, and hears what is announced."""

    @parameters
    class Parameters:
        """A duration of each kind, and names of stages."""

        latency: Annotated[DurationField, Field(description="from choice to emission")]
        delay: Annotated[TimeField, Field(description="time in any case")] = 0
        until: Annotated[str, Field(description="the stage it watches")] = ""
        after: Annotated[str, Field(description="the actor that announces")] = ""

    clocked = True
    bounded = True
    parameters: Watcher.Parameters

    @property
    def watched(self) -> str:
        """As the table says."""
        return self.parameters.until

    @property
    def announced(self) -> str:
        """As the table says."""
        return self.parameters.after


class Numbers(Watcher):
    """Gives requests their numbers."""

    numbers = True


class NeedsNumbers(Watcher):
    """Goes by numbers."""

    needs_numbers = True


class WatchesMemory(Idle):
    """Watches one stage, whatever the table says."""

    @property
    def watched(self) -> str:
        """Always."""
        return "memory"


class Finder(Stage):
    """Looks up."""

    looks_up = True


class Clash(Stage):
    """Has a parameter with the name of a key that every entry has."""

    @parameters
    class Parameters:
        """Not allowed."""

        depth: int


class ActorClash(Idle):
    """Has a parameter with the name of a key that an actor's entry has too."""

    @parameters
    class Parameters:
        """Not allowed."""

        name: str


class Undecorated(Stage):
    """Has parameters that nobody checks."""

    class Parameters:
        """Not decorated."""

        delay: TimeField = 5


def with_keepers() -> dict[str, type[Stage]]:
    """The registered stages that tests use, and those of this file."""
    known = {name: registry()[name] for name in ("wire", "memory", "completion")}
    ours = {
        "keeper": Keeper,
        "watcher": Watcher,
        "numbers": Numbers,
        "needs_numbers": NeedsNumbers,
        "watches_memory": WatchesMemory,
        "finder": Finder,
        "clash": Clash,
        "actor_clash": ActorClash,
    }
    return {**known, **ours}
