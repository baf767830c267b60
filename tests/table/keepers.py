"""Stages for tests of entries: an actor, one that looks up, and two that break the interface."""

from typing import Annotated

from pydantic import Field

from emu.actor import Actor
from emu.stage import Stage, parameters, registry
from emu.table.fields import BandwidthField, BytesField, CountField


class Keeper(Actor):
    """Keeps requests, and has a bandwidth of its own."""

    @parameters
    class Parameters:
        """What other stages have as timing."""

        bandwidth: Annotated[BandwidthField, Field(description="of its link")]
        mtu: Annotated[BytesField, Field(description="largest packet")] = 4096
        window: Annotated[CountField, Field(description="packets under way")] = None


class Finder(Stage):
    """Looks up."""

    looks_up = True


class Clash(Stage):
    """Has a parameter with the name of a key that every entry has."""

    @parameters
    class Parameters:
        """Not allowed."""

        depth: int


class ActorClash(Actor):
    """Has a parameter with the name of a key that an actor's entry has too."""

    @parameters
    class Parameters:
        """Not allowed."""

        name: str


def with_keepers() -> dict[str, type[Stage]]:
    """The registered stages that tests use, and those of this file."""
    known = {name: registry()[name] for name in ("wire", "memory", "completion")}
    ours = {"keeper": Keeper, "finder": Finder, "clash": Clash, "actor_clash": ActorClash}
    return {**known, **ours}
