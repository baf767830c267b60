"""What a workload may say, as `--workload` reads it."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, PlainValidator, WithJsonSchema, model_validator

from emu.errors import UnitError
from emu.table.fields import BytesField, OperationField, TextField
from emu.table.schema import Strict
from emu.units import RATE_UNITS_PER_S, parse_rate


def _parse_exponent(value: object) -> float:
    # Numbers with a point come as the text that they are in the file.
    try:
        exponent = float(str(value))
    except ValueError:
        exponent = -1.0
    if not 0 <= exponent <= 10:
        raise UnitError(f"'{value}' is no exponent; expected a number from 0 to 10, as in '0.99'")
    return exponent


def _counted(value: object) -> object:
    return {"count": value} if isinstance(value, int | str) else value


#: Requests a second, exact, from `10 M/s`.
RateField = Annotated[
    Fraction,
    PlainValidator(parse_rate),
    WithJsonSchema(
        {
            "type": "string",
            "pattern": rf"^\d+(\.\d+)?\s*({'|'.join(RATE_UNITS_PER_S)})$",
            "examples": ["10 M/s"],
        }
    ),
]
ExponentField = Annotated[
    float,
    PlainValidator(_parse_exponent),
    WithJsonSchema({"type": "number", "minimum": 0, "maximum": 10}),
]
#: A whole number from 1 on, of things that are kept one by one.
NumberField = Annotated[int, Field(strict=True, ge=1, le=10**6)]
#: Weights, and records of chains, that are kept as one list.
MOST_LISTED = 10**7


class Pick(Strict):
    """How one of so many is chosen for each request."""

    count: Annotated[int, Field(strict=True, ge=1, le=10**9)]
    choose: Literal["in_turn", "uniform", "zipf"] = "in_turn"
    exponent: ExponentField | None = None

    @model_validator(mode="after")
    def _exponent_of_zipf(self) -> Self:
        if self.choose == "zipf" and self.count > MOST_LISTED:
            raise UnitError(f"chosen zipf of {self.count}; expected at most {MOST_LISTED}")
        if (self.choose == "zipf") != (self.exponent is not None):
            what = "without an exponent" if self.choose == "zipf" else "with an exponent"
            raise UnitError(
                f"chosen {self.choose} {what}; expected for example "
                "'{count: 8, choose: zipf, exponent: 0.99}'"
            )
        return self


class DestinationPick(Pick):
    """The same, and `by_round`: the next one when each initiator has had its turn."""

    choose: Literal["in_turn", "by_round", "uniform", "zipf"] = "in_turn"  # type: ignore[assignment]  # one word more


#: A number alone is short for so many in turn.
PickField = Annotated[Pick, BeforeValidator(_counted, json_schema_input_type=int | Pick)]
DestinationField = Annotated[
    DestinationPick, BeforeValidator(_counted, json_schema_input_type=int | DestinationPick)
]


class Item(Strict):
    """One kind of request in a mix."""

    operation: OperationField
    bytes: BytesField
    weight: NumberField = 1


class Posting(Strict):
    """What is posted: drawn from a mix, or as `--op` and `--size` say."""

    mix: Annotated[list[Item], Field(min_length=1)] | None = None
    initiators: PickField = Pick(count=1)
    destinations: DestinationField = DestinationPick(count=1)
    #: So many places, each as large as the largest of the mix; without it, ever onwards.
    addresses: PickField | None = None


class ClosedSpec(Posting):
    """So many requests open at all times, of each initiator by itself or of all together."""

    kind: Literal["closed"]
    outstanding: NumberField
    per: Literal["initiator", "all"] = "initiator"

    @model_validator(mode="after")
    def _choice_of_all(self) -> Self:
        if self.per == "initiator" and self.initiators.choose != "in_turn":
            raise UnitError(
                f"initiators chosen {self.initiators.choose}, and each keeps its own requests "
                "open; expected 'per: all' beside it"
            )
        if self.per == "initiator" and self.initiators.count > 10**6:
            raise UnitError(
                f"{self.initiators.count} initiators that each keep requests open; expected at "
                "most 1000000, or 'per: all'"
            )
        return self


class OpenSpec(Posting):
    """Requests at a rate, whatever comes back."""

    kind: Literal["open"]
    rate: RateField
    arrivals: Literal["fixed", "poisson"] = "fixed"


class BurstSpec(Posting):
    """All at time 0."""

    kind: Literal["burst"]


class ChainSpec(Strict):
    """Pointer chases: each address is known when the access before it has been answered."""

    kind: Literal["chain"]
    chains: NumberField = 1
    nodes: NumberField = 1024
    initiators: NumberField = 1

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.chains * self.nodes > MOST_LISTED:
            raise UnitError(
                f"{self.chains} chains of {self.nodes} records; expected at most {MOST_LISTED} "
                "records in all"
            )
        return self


class ReplaySpec(Strict):
    """The requests in a file of comma-separated values or JSON lines."""

    kind: Literal["replay"]
    file: TextField


Spec = ClosedSpec | OpenSpec | BurstSpec | ChainSpec | ReplaySpec
WORKLOADS: dict[str, Any] = {
    "closed": ClosedSpec,
    "open": OpenSpec,
    "burst": BurstSpec,
    "chain": ChainSpec,
    "replay": ReplaySpec,
}
