"""What a litmus test may say. `docs/litmus.md` explains it to who writes one."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, PlainValidator, WithJsonSchema, model_validator

from emu.errors import UnitError
from emu.request import OPERATION_GROUPS, READS, Operation
from emu.table.fields import (
    BytesField,
    DurationField,
    NameField,
    OperationField,
    TextField,
    TimeField,
)
from emu.table.schema import Strict

#: What an outcome has for an instruction that found nothing: it never came to its end.
NONE = "none"
#: The observable that counts buffers that were written again too early.
REUSED = "reused"
#: The label that stands for all that a thread has posted, and in marks for all labels.
ALL = "all"
#: The outcome of all that no other outcome describes.
OTHERWISE = "otherwise"
#: Words that label nothing.
RESERVED = (NONE, REUSED, ALL)

WordField = Annotated[int, Field(strict=True, ge=0, lt=2**64)]
#: Node and initiator numbers.
SmallField = Annotated[int, Field(strict=True, ge=0, le=1000)]


def _parse_condition(value: object) -> tuple[int | None, ...]:
    """The values that an observable may have: one, or a list of them."""
    values: list[Any] = value if isinstance(value, list) else [value]
    if not values or not all(_is_value(one) for one in values):
        raise UnitError(
            f"{value!r} is no value; expected a whole number from 0 on, '{NONE}' where nothing "
            "was found, or a list of them"
        )
    return tuple(None if one == NONE else one for one in values)


def _is_value(value: object) -> bool:
    return value == NONE or (
        isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**64
    )


ConditionField = Annotated[
    tuple[int | None, ...],
    PlainValidator(_parse_condition),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 0},
                {"const": NONE},
                {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"const": NONE}]}},
            ]
        }
    ),
]


Conditions = Annotated[dict[NameField, ConditionField], Field(min_length=1)]


def _as_alternatives(value: object) -> object:
    if value == OTHERWISE:
        return []
    return value if isinstance(value, list) else [value]


#: Conditions that all hold, or several such of which one does; none for what is left over.
OutcomeField = Annotated[
    list[Conditions],
    BeforeValidator(
        _as_alternatives,
        json_schema_input_type=Literal["otherwise"] | Conditions | list[Conditions],
    ),
]


class Location(Strict):
    """A word at an address of its own, far from all others, in the memory of one node."""

    node: SmallField
    value: WordField = 0


#: What a request moves unless its instruction says otherwise.
SIZE_BYTES = 8
COMPARES = (Operation.COMPARE_AND_SWAP,)
BRINGS = {"value": "brings", "compare": "compares with"}


# -- instructions: each is a mapping, and one of its keys says which it is ------------------------
#
# A label (`as`) is what waits, marks and outcomes name an instruction by.


class Post(Strict):
    """Posts a request, and goes on without waiting for it."""

    post: OperationField
    at: NameField
    label: NameField = Field(alias="as")
    #: What a write or an atomic brings, and what a compare-and-swap compares with.
    value: WordField | None = None
    compare: WordField | None = None
    bytes: BytesField = SIZE_BYTES
    only: list[NameField] | None = None

    @property
    def operation(self) -> Operation:
        """What it posts."""
        return OPERATION_GROUPS[self.post][0]

    @model_validator(mode="after")
    def _fits_the_operation(self) -> Self:
        operation = self.operation
        has = {"value": operation not in READS, "compare": operation in COMPARES}
        for key, needed in has.items():
            if needed != (getattr(self, key) is not None):
                raise UnitError(
                    f"a {operation} {'without' if needed else 'with'} a '{key}'; expected "
                    + (f"what it {BRINGS[key]}" if needed else "it left out")
                )
        return self


class Wait(Strict):
    """Waits until a labelled request is complete; with `all`, all of this thread so far."""

    wait: NameField
    only: list[NameField] | None = None


class Poll(Strict):
    """Reads a location again and again until it has a value; a thread that never sees it ends.

    At the thread's own node it looks into memory; elsewhere it posts `by`, and waits for each.
    """

    poll: NameField
    until: WordField
    label: NameField = Field(alias="as")
    every: TimeField
    tries: Annotated[int, Field(strict=True, ge=1, le=10_000)] = 200
    by: Literal["read", "load"] = "read"
    only: list[NameField] | None = None

    @property
    def operation(self) -> Operation:
        """What it posts where the location is elsewhere."""
        return Operation(self.by)


class Local(Strict):
    """Reads or writes the memory of the thread's own node, at once."""

    local: Literal["read", "write"]
    at: NameField
    value: WordField | None = None
    label: NameField | None = Field(None, alias="as")
    only: list[NameField] | None = None

    @model_validator(mode="after")
    def _reads_or_writes(self) -> Self:
        is_read = self.local == "read"
        if is_read != (self.label is not None) or is_read != (self.value is None):
            raise UnitError(
                "a local read finds a value, and a local write brings one; expected "
                "'{local: read, at: data, as: seen}' or '{local: write, at: data, value: 1}'"
            )
        return self


class Consume(Strict):
    """Reads a buffer of the thread's own node for a time, and then is done with it.

    What it has read is what stands there at the end.
    """

    consume: NameField
    time: TimeField = Field(alias="for")
    label: NameField = Field(alias="as")
    only: list[NameField] | None = None


class Compute(Strict):
    """Does something else for a time."""

    compute: TimeField
    only: list[NameField] | None = None


class Flush(Strict):
    """Forgets what the processor's cache of this initiator has of a location."""

    flush: NameField
    only: list[NameField] | None = None


Instruction = Post | Wait | Poll | Local | Consume | Compute | Flush
INSTRUCTIONS: dict[str, type[Instruction]] = {
    "post": Post,
    "wait": Wait,
    "poll": Poll,
    "local": Local,
    "consume": Consume,
    "compute": Compute,
    "flush": Flush,
}


# -- the test -------------------------------------------------------------------------------------


class Thread(Strict):
    """A program that one initiator runs, on one node."""

    node: SmallField
    initiator: SmallField
    #: Each is validated by the model of its first word.
    program: Annotated[list[Any], Field(min_length=1)]


class Marks(Strict):
    """How requests are to be ordered: see `emu run --workload` for the words."""

    order: Literal["NO", "RO", "SO"] | None = None
    service: Literal["ROI", "ROT", "ROL", "UNO"] | None = None
    fence: Annotated[bool, Field(strict=True)] = False

    @property
    def is_any(self) -> bool:
        """Whether there is any."""
        return bool(self.order or self.service or self.fence)


class Range(Strict):
    """From which a timing is drawn, both ends included."""

    from_: DurationField = Field(alias="from")
    to: DurationField

    @model_validator(mode="after")
    def _goes_up(self) -> Self:
        if type(self.from_) is not type(self.to) or self.from_.count > self.to.count:
            raise UnitError(
                f"{self.from_} to {self.to} is no range; expected two times or two numbers of "
                "cycles, the smaller first"
            )
        return self


class Mode(Strict):
    """Under which rules the programs run, and what may come of it."""

    title: TextField
    tables: Annotated[list[TextField], Field(min_length=1)]
    set: list[TextField] = Field(default_factory=list)
    vary: dict[TextField, Range] = Field(default_factory=dict)
    marks: dict[NameField, Marks] = Field(default_factory=dict)
    allowed: list[NameField] = Field(default_factory=list)
    forbidden: list[NameField] = Field(default_factory=list)
    #: Allowed outcomes that this machine can't give, each with the reason.
    not_here: dict[NameField, TextField] = Field(default_factory=dict)

    @property
    def lowest(self) -> tuple[str, ...]:
        """Each timing that is drawn at its lowest, as `--set` would put it over a table."""
        return tuple(f"{key}={one.from_}" for key, one in self.vary.items())


class LitmusSpec(Strict):
    """A litmus test: programs, what may come out of them, and the modes to run them in."""

    schema_: Literal[1] = Field(alias="schema")
    name: NameField
    title: TextField
    description: TextField | None = None
    #: So many schedules of each mode show every outcome that can be had.
    schedules: Annotated[int, Field(strict=True, ge=1, le=10**6)] = 300
    locations: Annotated[dict[NameField, Location], Field(min_length=1)]
    threads: Annotated[dict[NameField, Thread], Field(min_length=1, max_length=8)]
    #: Each thread starts at a time from 0 to `start`, and takes up to `gap` from one instruction
    #: to the next.
    start: TimeField
    gap: TimeField
    outcomes: Annotated[dict[NameField, OutcomeField], Field(min_length=1)]
    modes: Annotated[dict[NameField, Mode], Field(min_length=1)]
