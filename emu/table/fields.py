"""Types of table values: text with a unit in YAML, an exact quantity in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, PlainValidator, WithJsonSchema

from emu.errors import UnitError, did_you_mean, listed
from emu.request import OPERATION_GROUPS, Operation
from emu.time import Duration
from emu.units import (
    BANDWIDTH_UNITS_BYTES_PER_S,
    BYTE_UNITS,
    CYCLE_UNITS,
    FREQUENCY_UNITS_HZ,
    TIME_UNITS_PS,
    parse_bandwidth,
    parse_bytes,
    parse_duration,
    parse_frequency,
    parse_period,
    parse_time,
)

#: The key of a by-operation mapping that stands for all operations not named.
OTHER = "other"
#: The word for a capacity or depth without a limit; `None` in Python.
UNLIMITED = "unlimited"


def _quantity(parse: Callable[[object], Any], units: Any, example: str) -> tuple[Any, Any]:
    pattern = rf"^\d+(\.\d+)?\s*({'|'.join(units)})$"
    return (
        PlainValidator(parse),
        WithJsonSchema({"type": "string", "pattern": pattern, "examples": [example]}),
    )


def _parse_count(value: object) -> int | None:
    if value == UNLIMITED:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise UnitError(
            f"{value!r} is no count; expected a whole number from 1 on, or '{UNLIMITED}'"
        )
    return value


def _parse_message_bytes(value: object) -> int | None:
    return None if value == "payload" else parse_bytes(value)


def parse_operation_word(value: object) -> str:
    """A word of `OPERATION_GROUPS`; `UnitError` names the nearest one."""
    if isinstance(value, str) and value in OPERATION_GROUPS:
        return value
    near = did_you_mean(str(value), OPERATION_GROUPS)
    raise UnitError(
        f"'{value}' is no operation; expected {listed(OPERATION_GROUPS)}"
        + (f"; {near}" if near else "")
    )


def _parse_operation_key(value: object) -> str:
    return OTHER if value == OTHER else parse_operation_word(value)


def _as_mapping(value: object) -> object:
    return value if isinstance(value, dict) else {OTHER: value}


_TIME = _quantity(parse_time, TIME_UNITS_PS, "150 ns")
_PERIOD = _quantity(parse_period, TIME_UNITS_PS, "3.106 ns")
_DURATION = _quantity(parse_duration, [*TIME_UNITS_PS, *CYCLE_UNITS], "9 cycles")
_FREQUENCY = _quantity(parse_frequency, FREQUENCY_UNITS_HZ, "322 MHz")
_BYTES = _quantity(parse_bytes, BYTE_UNITS, "64 B")
_BANDWIDTH = _quantity(parse_bandwidth, BANDWIDTH_UNITS_BYTES_PER_S, "50 GB/s")
_OPERATION = WithJsonSchema({"type": "string", "enum": list(OPERATION_GROUPS)})

#: Whole picoseconds, from `150 ns`.
TimeField = Annotated[int, _TIME[0], _TIME[1]]
#: Exact picoseconds of a clock period, from `3.106 ns`.
PeriodField = Annotated[Fraction, _PERIOD[0], _PERIOD[1]]
#: `Picoseconds` or `Cycles`, from `150 ns` or `9 cycles`.
DurationField = Annotated[Duration, _DURATION[0], _DURATION[1]]
#: Hertz, exact, from `322 MHz`.
FrequencyField = Annotated[Fraction, _FREQUENCY[0], _FREQUENCY[1]]
#: Whole bytes, from `64 B`.
BytesField = Annotated[int, _BYTES[0], _BYTES[1]]
#: Whole bytes, at least one.
PositiveBytesField = Annotated[BytesField, Field(gt=0)]
#: Bytes a picosecond, exact, from `50 GB/s`.
BandwidthField = Annotated[Fraction, _BANDWIDTH[0], _BANDWIDTH[1]]
#: A whole number from 1 on, or `None` for `unlimited`.
CountField = Annotated[
    int | None,
    PlainValidator(_parse_count),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 1}, {"const": UNLIMITED}]}),
]
#: Whole bytes, or `None` for `payload`: as many as the operation moves.
MessageBytesField = Annotated[
    int | None,
    PlainValidator(_parse_message_bytes),
    WithJsonSchema({"anyOf": [{"const": "payload"}, _BYTES[1].json_schema]}),
]
#: One word of `OPERATION_GROUPS`.
OperationField = Annotated[str, PlainValidator(parse_operation_word), _OPERATION]
_OperationKey = Annotated[str, PlainValidator(_parse_operation_key)]
#: A duration, or one for each operation: words of `OPERATION_GROUPS`, and `other` for the rest.
ByOperationField = Annotated[
    dict[_OperationKey, DurationField],
    BeforeValidator(_as_mapping),
    WithJsonSchema(
        {
            "anyOf": [
                _DURATION[1].json_schema,
                {
                    "type": "object",
                    "propertyNames": {"enum": [*OPERATION_GROUPS, OTHER]},
                    "additionalProperties": _DURATION[1].json_schema,
                },
            ]
        }
    ),
]
#: A name that can stand before a dot in `NAME.PARAMETER`.
NameField = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", strict=True)]
TextField = Annotated[str, Field(min_length=1, strict=True)]
EvidenceKind = Literal["measured", "derived", "assumed"]


def by_operation(values: dict[str, Duration], operation: Operation) -> Duration | None:
    """The duration for one operation: its own word first, then its group's, then `other`."""
    key = operation_key(values, operation)
    return None if key is None else values[key]


def operation_key(values: Iterable[str], operation: Operation) -> str | None:
    """The key that holds for one operation, most specific first; `None` if there is none."""
    known = set(values)
    for word in (operation.value, *_groups_of(operation), OTHER):
        if word in known:
            return word
    return None


def _groups_of(operation: Operation) -> list[str]:
    return [
        word
        for word, members in OPERATION_GROUPS.items()
        if operation in members and word != operation.value
    ]
