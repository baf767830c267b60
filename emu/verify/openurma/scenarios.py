"""Scenarios of OpenURMA's sender: what was posted and answered when, and when what left where."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import pydantic
from pydantic import BeforeValidator, Field, model_validator

from emu.errors import did_you_mean, listed
from emu.table.errors import Location, Problem, TableError, problem
from emu.table.fields import TextField
from emu.table.nodes import Node, read_line
from emu.table.schema import Strict
from emu.table.shape import Shape
from emu.table.translate import dotted, real_path, translate

_OBJECT = "expected a scenario as an object"
#: A number of cycles, or of an initiator: far more than any run has.
NumberField = Annotated[int, Field(strict=True, ge=0, le=10**12)]


def _of_two(value: object) -> object:
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError(
            f"{value!r} does not fit; expected a cycle and the id of a request, as in [49, 1]"
        )
    return value


#: A cycle and the id of a request.
DepartureField = Annotated[tuple[NumberField, NumberField], BeforeValidator(_of_two)]
DeparturesField = tuple[DepartureField, ...]


class RequestEvent(Strict):
    """A request is posted."""

    kind: Literal["request"]
    cycle: NumberField
    service: Literal["ROI", "ROT", "ROL", "UNO"]
    order: Literal["NO", "RO", "SO"]
    fence: Annotated[bool, Field(strict=True)]
    op: Literal["read", "write"]
    id: NumberField
    initiator: NumberField
    flits: Annotated[int, Field(strict=True, ge=1, le=2)]


class AnswerEvent(Strict):
    """An answer for an initiator reaches the scheduler, or the ordering engine."""

    kind: Literal["fence_release", "order_release"]
    cycle: NumberField
    initiator: NumberField


KINDS = ("request", "fence_release", "order_release")


def _of_known_kind(value: object) -> object:
    if isinstance(value, dict):
        kind = value.get("kind")
        expected = f"expected {listed(KINDS)}"
        if kind is None:
            raise ValueError(f"'kind' is missing; {expected}")
        if kind not in KINDS:
            near = did_you_mean(str(kind), KINDS)
            raise ValueError(f"the kind '{kind}' is not known; {expected}{near and f'; {near}'}")
    return value


EventField = Annotated[
    RequestEvent | AnswerEvent, Field(discriminator="kind"), BeforeValidator(_of_known_kind)
]


class Expected(Strict):
    """For each stage the cycle and the request of each header that leaves it, in order."""

    doorbell: DeparturesField = ()
    jsched: DeparturesField = ()
    ord_ini: DeparturesField = ()
    btah_b: DeparturesField = ()
    tpc_tx: DeparturesField = ()
    cwnd: DeparturesField = ()
    retrans: DeparturesField = ()
    rtph_b: DeparturesField = ()
    nth_b: DeparturesField = ()


class Scenario(Strict):
    """One run: what happens to the sender, and what is expected of it."""

    name: TextField
    events: list[EventField]
    expect: Expected
    wire_first_flit: list[NumberField]

    @model_validator(mode="after")
    def _has_a_request(self) -> Self:
        ids = [event.id for event in self.events if isinstance(event, RequestEvent)]
        if not ids:
            raise ValueError("no request is posted; expected at least one")
        twice = next((one for index, one in enumerate(ids) if one in ids[:index]), None)
        if twice is not None:
            raise ValueError(f"request {twice} is posted twice; expected each once")
        return self


def read_scenarios(path: Path, shown: str) -> list[tuple[int, Scenario]]:
    """Line and scenario of each line of a file; `TableError` with all that is wrong with it."""
    expected = "expected scenarios, an object a line"
    whole = Location(shown)
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        what = f"cannot be read: {error.strerror}"
        raise TableError([problem(whole, "", what, expected)]) from None
    except UnicodeDecodeError:
        raise TableError([problem(whole, "", "this is not UTF-8", expected)]) from None
    problems: list[Problem] = []
    scenarios = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            scenario = _read(line, Location(shown, number, 1), problems)
            if scenario is not None:
                scenarios.append((number, scenario))
    if not scenarios and not problems:
        problems.append(problem(Location(shown, 1, 1), "", "the file is empty", expected))
    if problems:
        raise TableError(problems)
    return scenarios


class _TwiceError(ValueError):
    """A key that an object has twice."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _TwiceError
    return found


def _read(line: str, at: Location, problems: list[Problem]) -> Scenario | None:
    try:
        return Scenario.model_validate(json.loads(line, object_pairs_hook=_once))
    except json.JSONDecodeError as error:
        there = Location(at.file, at.line, error.colno)
        problems.append(problem(there, "", f"this is no JSON: {error.msg}", _OBJECT))
    except pydantic.ValidationError as error:
        problems += _translated(error, line, at)
    except _TwiceError:
        problems += _node(line, at)[1]
    except (RecursionError, ValueError):
        problems.append(problem(at, "", "this is too large", _OBJECT))
    return None


def _translated(error: pydantic.ValidationError, line: str, at: Location) -> list[Problem]:
    # Only now is it worth while to know where everything stands.
    node, problems = _node(line, at)
    shape = Shape.of(Scenario)
    if not node.mapping:
        return problems or [problem(at, "", "this is no object", _OBJECT)]
    told = translate(error, node, shape, "")
    empty = [path for path, one in node.walk() if one.value is None]
    return [
        # What concerns the whole line needs no name.
        *(replace(one, where="") if one.where == dotted("", ()) else one for one in told),
        *(
            problem(
                real_path(path, node)[1].at, dotted("", path), "is null", shape.at(path).expected
            )
            for path in empty
        ),
    ]


def _node(line: str, at: Location) -> tuple[Node, list[Problem]]:
    try:
        return read_line(line, at)
    except TableError as error:
        return Node(None, at, at), list(error.problems)
