"""Places: stages of a table in whose place a DUT can be, and what its ports stand for there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from emu.cosim.binding import Bound, Port
from emu.cosim.errors import CosimError
from emu.cosim.model import ORDERS, SERVICES, TakesAnswers
from emu.errors import did_you_mean, listed
from emu.request import RETURNING, Operation, Request
from emu.stage import Stage
from emu.table.schema import Entry, Table
from emu.time import Clock

#: After so many cycles in which nothing moves, neither at the DUT nor elsewhere, a run ends.
PATIENCE_CYCLES = 10_000
#: Between the names of the first and the last of several stages.
TO = ".."
#: The field by which what comes out is known.
ID = "id"
#: What a field of a request is made of.
FIELDS: dict[str, Callable[[Request], int]] = {
    "initiator": lambda request: request.initiator,
    "destination": lambda request: request.destination,
    "address": lambda request: request.address,
    "size_bytes": lambda request: request.size_bytes,
    "order": lambda request: ORDERS.index(request.order) if request.order else 0,
    "service": lambda request: SERVICES.index(request.service) if request.service else 0,
    "fence": lambda request: int(request.fence),
    "is_read": lambda request: int(request.operation in RETURNING),
}


@dataclass(frozen=True)
class Place:
    """Stages of a table in a row, in whose place a DUT can be."""

    table: Table
    first: int
    last: int

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The stages."""
        return self.table.entries[self.first : self.last + 1]

    @property
    def name(self) -> str:
        """The name of the one stage that is in their place: their own, or `FIRST..LAST`."""
        names = [entry.name for entry in self.entries]
        return names[0] if len(names) == 1 else f"{names[0]}{TO}{names[-1]}"

    @property
    def clock(self) -> Clock:
        """The clock that they all have."""
        name = self.entries[0].timing.clock
        assert name is not None  # checked when it was found
        return self.table.clocks[name]


@dataclass(frozen=True)
class Ports:
    """Which ports of a binding stand for what in a path.

    `answers` are those that take answers, each with the stage of the table that waits for them.
    """

    sink: str
    source: str
    answers: dict[str, TakesAnswers]
    until: str


def place_in(table: Table, stages: str) -> Place:
    """The place of a stage, or of `FIRST..LAST`; `CosimError` where no DUT can be there."""
    first, _, last = stages.partition(TO)
    names = [entry.name for entry in table.entries]
    at = [_index(table, name, names) for name in (first, last or first)]
    if at[1] < at[0]:
        raise CosimError(f"{stages}: {last} comes before {first}; expected {last}{TO}{first}")
    place = Place(table, at[0], at[1])
    for entry in place.entries:
        what = _unfit(place, entry)
        if what:
            raise CosimError(f"stage '{entry.name}' of {table.name} {what}")
    inside = names[at[0] : at[1] + 1]
    for entry in table.entries:
        if entry not in place.entries:
            _check_references(place, entry, inside)
    return place


def ports_in(place: Place, bound: Bound) -> Ports:
    """What a binding's ports are in a path; `CosimError` where they do not fit."""
    binding, file = bound.binding, bound.file
    pairs = binding.memory
    source = bound.end("source")
    stages: dict[str, object] = {one.name: one.stage(one.parameters) for one in place.entries}
    waiting = {name: one for name, one in stages.items() if isinstance(one, TakesAnswers)}
    answers: dict[str, TakesAnswers] = {}
    for name, pair in pairs.items():
        if pair.request != source:
            raise CosimError(
                f"{file}: a memory answers the DUT at '{pair.answer}'; expected no memory of its "
                "own in a path, where the stages that follow have one"
            )
        stage = waiting.get(name) or (next(iter(waiting.values())) if len(waiting) == 1 else None)
        if stage is None:
            near = did_you_mean(name, waiting)
            raise CosimError(
                f"{file}: memory '{name}' is no stage in the place of the DUT that takes answers; "
                f"expected {listed(waiting)}" + (f"; {near}" if near else "")
            )
        answers[pair.answer] = stage
    sink = bound.end("sink", list(answers))
    for name in binding.ports:
        if name not in (sink, source, *answers):
            raise CosimError(
                f"{file}: port '{name}' has no counterpart in a path; expected it left out"
            )
    for name in (sink, source, *answers):
        _check_fields(bound, name, binding.ports[name], has_id=name in (sink, source))
    given = binding.ports[sink].fields
    for field in binding.ports[source].fields:
        if field not in given:
            raise CosimError(
                f"{file}: field '{field}' of port '{source}' is none of port '{sink}'; expected "
                f"one of {listed(given)}, which the DUT is to pass on"
            )
    return Ports(sink, source, answers, _until(place, answers))


# -- what fits ------------------------------------------------------------------------------


def _index(table: Table, name: str, names: list[str]) -> int:
    if name in names:
        return names.index(name)
    near = did_you_mean(name, names)
    raise CosimError(
        f"{table.name} has no stage '{name}'; expected {listed(names)}"
        + (f"; {near}" if near else "")
    )


def _unfit(place: Place, entry: Entry) -> str:
    """Why no DUT can be in the place of a stage; nothing if one can."""
    timing, first = entry.timing, place.entries[0]
    clock = place.table.clocks.get(timing.clock or "")
    if clock is None or not clock.aligned:
        return "has no clock with edges; expected one, which is the DUT's"
    if timing.clock != first.timing.clock:
        return f"is on clock {timing.clock}; expected {first.timing.clock}, as '{first.name}' is"
    if _operations(entry) != _operations(first):
        return f"is not for the operations of '{first.name}'; expected the same"
    if timing.uses:
        return f"uses {timing.uses[0].resource}; expected a stage without shared resources"
    if entry.channel == "registered":
        return "has a registered channel; expected bypass, as the DUT has registers of its own"
    if entry.batch != 1:
        return "accepts requests in batches; expected one at a time"
    stage = entry.stage
    if stage.turns or stage.touches_memory or stage.needs_memory:
        return "works on memory; expected a stage on the way"
    return ""


def _operations(entry: Entry) -> list[Operation]:
    return [one for one in Operation if entry.passes(one)]


def _check_references(place: Place, entry: Entry, inside: list[str]) -> None:
    """What another stage knows of those in the place of the DUT must hold of the DUT as well."""
    timing = entry.timing
    stage: Stage = entry.stage(entry.parameters)
    announced: str = getattr(stage, "announced", "")
    if announced in inside:
        raise CosimError(
            f"stage '{entry.name}' of {place.table.name} goes by what '{announced}' numbers; "
            "expected another stage in the place of the DUT, which numbers nothing"
        )
    names = [use.until for use in timing.uses or []] + list(timing.arbitration or [])
    names.append(getattr(stage, "watched", ""))
    known = [name for name in names if name in inside]
    if known and place.name not in known:
        raise CosimError(
            f"stage '{entry.name}' of {place.table.name} refers to '{known[0]}', one of "
            f"{place.name}; expected a DUT in the place of that stage alone"
        )


def _check_fields(bound: Bound, name: str, port: Port, *, has_id: bool) -> None:
    fields = list(port.fields)
    if has_id and ID not in fields:
        raise CosimError(
            f"{bound.file}: port '{name}' has no field '{ID}'; expected one, by which requests are "
            "known"
        )
    for field in fields:
        if field not in FIELDS and not (has_id and field == ID):
            near = did_you_mean(field, FIELDS)
            raise CosimError(
                f"{bound.file}: field '{field}' of port '{name}' is nothing that a request has; "
                f"expected {listed(FIELDS)}" + (f"; {near}" if near else "")
            )


def _until(place: Place, answers: dict[str, TakesAnswers]) -> str:
    """The stage that a request has left when it is answered."""
    names = {getattr(stage, "watched", ""): None for stage in answers.values()}
    names.pop("", None)
    if len(names) > 1:
        raise CosimError(
            f"the stages in the place of the DUT wait until {listed(names)} have been left; "
            "expected one for all"
        )
    until = next(iter(names), "")
    return place.name if until in [entry.name for entry in place.entries] else until
