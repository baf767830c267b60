"""The Stage interface, and the registry through which tables find stages."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, dataclass_transform

import pydantic
from pydantic.dataclasses import dataclass as pydantic_dataclass
from pydantic.dataclasses import is_pydantic_dataclass

from emu.errors import EmuError
from emu.random import Random
from emu.request import Operation, Request
from emu.time import Duration

if TYPE_CHECKING:
    from emu.memory import Memory

ENTRY_POINT_GROUP = "emu.stages"
T = TypeVar("T")


class StageError(EmuError):
    """A stage that is not registered, cannot be loaded, or breaks the interface."""


@dataclass_transform(frozen_default=True)
def parameters(cls: type[T]) -> type[T]:
    """Class decorator for a stage's `Parameters`: a frozen dataclass that refuses unknown keys.

    Fields are annotated with the types of `emu.table.fields` (`TimeField`, `BytesField`, ...) or
    with plain types under `typing.Annotated[..., pydantic.Field(ge=..., description=...)]`: `bool`,
    `int`, `float`, `Decimal`, `Fraction`, `str`, `Literal`, and `list`, `tuple` and `dict` of them.
    A `Decimal` or a `Fraction` is exactly the number that is written; `1/3` is a `Fraction` too.
    """
    config = pydantic.ConfigDict(extra="forbid", strict=True, arbitrary_types_allowed=True)
    made: Any = pydantic_dataclass(frozen=True, config=config)(cls)
    decorated: type[T] = made
    return decorated


@parameters
class NoParameters:
    """The parameters of a stage that has none of its own."""


@dataclass(frozen=True, slots=True)
class Served:
    """What a stage found when it accepted a request.

    `parts` is the time that this adds to the stage's own, each with the part of the breakdown
    that it belongs to; `ends` says that the request is complete when it leaves this stage; `skips`
    that a stage with `looks_up` found what it looked for, and the request goes on at once.
    """

    parts: tuple[tuple[str, Duration], ...] = ()
    ends: bool = False
    skips: bool = False


class Stage:
    """One step of a path: what it does to a request. When it does so, its timing says.

    A subclass has a docstring whose first line describes it, and may replace `Parameters`,
    `applies` and `serve`. It keeps no time and no queue: the kernel does, from the table.
    """

    Parameters: ClassVar[type] = NoParameters
    #: The operation takes effect here: from the next stage on its response travels.
    turns: ClassVar[bool] = False
    #: The table must give a `latency`; a stage that sets this to False times itself in `serve`.
    has_latency: ClassVar[bool] = True
    #: The stage is asked first, and its timing is that of a miss: what `skips` passes it by.
    looks_up: ClassVar[bool] = False
    #: The request reads or writes memory when it is accepted here, if the path has values.
    touches_memory: ClassVar[bool] = False
    #: It makes requests wait for the order, or the fence, that they ask for by their marks.
    keeps_marks: ClassVar[bool] = False
    #: Its rules depend on values: a path with it always has them.
    needs_memory: ClassVar[bool] = False
    #: Where the behaviour (not the numbers of a table) comes from.
    source: ClassVar[str] = ""

    def __init__(self, parameters: Any) -> None:
        self.parameters = parameters

    def start(self, random: Random) -> None:
        """Called once, before a path runs, with the stage's own source of random numbers."""

    def use_memory(self, memory: Memory) -> None:
        """Called once, before a path with values runs, with the memory of all its nodes."""

    def flush(self, initiator: int, destination: int, address: int, now_ps: int) -> None:
        """Forgets what it keeps of far memory there, for an initiator that asks for it."""

    def applies(self, operation: Operation, size_bytes: int) -> bool:
        """Whether such a request passes this stage at all; asked once for each kind of request."""
        return True

    def serve(self, request: Request, now_ps: int) -> Served | None:
        """Called once for each request, at the instant at which the stage accepts it."""
        return None


class Registry(Mapping[str, type[Stage]]):
    """The stages that installed distributions register, by the name that tables use.

    A stage is imported when it is asked for, so a broken third party's stage disturbs nobody
    who does not use it. `StageError` where it cannot be imported, is no `Stage` or only a part
    of one, or has `Parameters` that are not made by `parameters`.
    """

    def __init__(self, points: list[EntryPoint]) -> None:
        self._points: dict[str, EntryPoint] = {}
        for point in sorted(points, key=lambda point: (point.name, point.value)):
            known = self._points.setdefault(point.name, point)
            if known.value != point.value:
                raise StageError(
                    f"two distributions register a stage '{point.name}': {_origin(known)} and "
                    f"{_origin(point)}; expected one"
                )

    def __getitem__(self, name: str) -> type[Stage]:
        point = self._points[name]
        try:
            stage = point.load()
        except Exception as error:
            raise StageError(
                f"stage '{name}' of {_origin(point)} cannot be loaded: "
                f"{type(error).__name__}: {error}"
            ) from error
        if not (isinstance(stage, type) and issubclass(stage, Stage)):
            raise StageError(
                f"stage '{name}' of {_origin(point)} is not a subclass of emu.stage.Stage"
            )
        missing = sorted(stage.__abstractmethods__) if isinstance(stage, ABCMeta) else []
        if missing:
            raise StageError(
                f"stage '{name}' of {_origin(point)} is only a part of one: it lacks "
                f"{', '.join(missing)}"
            )
        if not is_pydantic_dataclass(stage.Parameters):
            raise StageError(
                f"stage '{name}' of {_origin(point)} has Parameters without @parameters of "
                "emu.stage"
            )
        return stage

    def __iter__(self) -> Any:
        return iter(self._points)

    def __len__(self) -> int:
        return len(self._points)

    def __contains__(self, name: object) -> bool:
        # Mapping's own would import the stage to see whether it is there.
        return name in self._points

    def origin(self, name: str) -> str:
        """The distribution and object that a stage comes from."""
        return _origin(self._points[name])


def _origin(point: EntryPoint) -> str:
    distribution = point.dist.name if point.dist is not None else "an unknown distribution"
    return f"{distribution} ({point.value})"


@cache
def registry() -> Registry:
    """The stages of all installed distributions; read once a process."""
    return Registry(list(entry_points(group=ENTRY_POINT_GROUP)))
