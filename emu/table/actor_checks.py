"""Cross checks of an actor's entry: its clock, its units, the stages it hears of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields

from emu.actor import Actor
from emu.errors import did_you_mean, listed
from emu.stage import StageError
from emu.stage_errors import asking
from emu.table.errors import Location, Problem, problem
from emu.table.parse import Draft, Parsed
from emu.time import Clock, Cycles, Picoseconds


def check_actor(
    parsed: Parsed, draft: Draft, clocks: Mapping[str, Clock], places: Mapping[str, int]
) -> Iterator[Problem]:
    """The problems of one entry; none if it is of another stage or could not be read."""
    if draft.stage is None or not issubclass(draft.stage, Actor) or draft.timing is None:
        return
    yield from _clock(draft, clocks)
    if draft.parameters is not None:
        yield from _units(draft)
        try:
            with asking(str(draft.name), "__init__"):
                actor = draft.stage(draft.parameters)
            with asking(str(draft.name), "watched"):
                watched = actor.watched
            with asking(str(draft.name), "announced"):
                announced = actor.announced
        except StageError as error:
            yield problem(draft.at("stage"), draft.where, str(error), "")
            return
        yield from _watched(draft, watched, places)
        yield from _announced(parsed, draft, actor, announced, places)


def _clock(draft: Draft, clocks: Mapping[str, Clock]) -> Iterator[Problem]:
    assert draft.timing is not None  # asked by the caller
    name = draft.timing.clock
    if name is not None and name in clocks and not clocks[name].aligned:
        what = f"clock '{name}' has no edges, and this stage decides on edges"
        expected = "expected a clock without 'aligned: false'"
        yield problem(draft.at("clock"), f"{draft.where}.clock", what, expected)


def _units(draft: Draft) -> Iterator[Problem]:
    """With a clock it counts cycles, without one time."""
    assert draft.timing is not None  # asked by the caller
    has_clock = draft.timing.clock is not None
    if "clock" in draft.broken:
        return
    for one in fields(draft.parameters):
        value = getattr(draft.parameters, one.name)
        where, at = f"{draft.where}.{one.name}", draft.at(one.name)
        if isinstance(value, Cycles) and not has_clock:
            what = f"{value} of which clock?"
            yield problem(at, where, what, "expected a 'clock', or a time such as '28 ns'")
        elif isinstance(value, Picoseconds) and has_clock:
            what = f"'{value}' is no number of cycles, but the stage has a clock"
            yield problem(at, where, what, "expected for example '9 cycles', or no 'clock'")


def _watched(draft: Draft, name: str, places: Mapping[str, int]) -> Iterator[Problem]:
    if not name:
        return
    where, at = _named(draft, name)
    if name not in places:
        yield _unknown(at, where, name, places)
    elif places[name] < draft.index:
        what = f"stage '{name}' comes before this one"
        yield problem(at, where, what, "expected this stage or a later one")


def _announced(
    parsed: Parsed, draft: Draft, actor: Actor, name: str, places: Mapping[str, int]
) -> Iterator[Problem]:
    if not name:
        return
    where, at = _named(draft, name)
    if name not in places:
        yield _unknown(at, where, name, places)
        return
    stage = parsed.drafts[places[name]].stage
    if places[name] >= draft.index:
        what = f"stage '{name}' does not come before this one"
        yield problem(at, where, what, "expected an earlier stage")
    elif stage is not None and not issubclass(stage, Actor):
        what = f"stage '{name}' has no rules of its own, and announces nothing"
        names = [one.name for one, _ in _actors(parsed.drafts[: draft.index]) if one.name]
        expected = f"one of {listed(names)}" if names else "an actor before this one"
        yield problem(at, where, what, f"expected {expected}")
    elif actor.needs_numbers:
        yield from _numbered(parsed, draft, name, places)


def _numbered(
    parsed: Parsed, draft: Draft, name: str, places: Mapping[str, int]
) -> Iterator[Problem]:
    """Requests must have their numbers where they are announced."""
    until = parsed.drafts[: places[name] + 1]
    # What could not be read may number them.
    if any(one.stage is None for one in until) or any(stage.numbers for _, stage in _actors(until)):
        return
    where, at = _named(draft, name)
    what = f"stage '{name}' gives requests no numbers, and no stage before it does"
    earlier = _actors(parsed.drafts[: draft.index])
    names = [one.name for one, stage in earlier if stage.numbers and one.name]
    expected = f"one of {listed(names)}" if names else "a stage that gives them, before this one"
    yield problem(at, where, what, f"expected {expected}")


def _actors(drafts: Iterable[Draft]) -> Iterator[tuple[Draft, type[Actor]]]:
    for draft in drafts:
        if draft.stage is not None and issubclass(draft.stage, Actor):
            yield draft, draft.stage


def _named(draft: Draft, name: str) -> tuple[str, Location]:
    """The parameter with the name of a stage, as errors name it, and its place.

    Of a stage that always watches the same one there is none, and it is the entry's own.
    """
    values = ((one.name, getattr(draft.parameters, one.name)) for one in fields(draft.parameters))
    key = next((key for key, value in values if value == name), "stage")
    return f"{draft.where}.{key}", draft.at(key)


def _unknown(at: Location, where: str, name: str, places: Mapping[str, int]) -> Problem:
    hint = did_you_mean(name, places)
    return problem(
        at, where, f"there is no stage '{name}'", f"expected one of {listed(places)}", hint
    )
