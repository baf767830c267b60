"""Values for parameters of plain types: YAML has text for a number with a point, and no tuples."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from math import inf
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BeforeValidator, PlainValidator, WrapValidator

from emu.table.shape import fields_of

#: As JSON has numbers, with so few digits in the exponent that the exact value stays small.
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d{1,3})?")
_FRACTION = re.compile(r"[+-]?\d+/0*[1-9]\d*")
#: Whoever reads a value by rules of his own gets it as it is written.
_READERS = (BeforeValidator, PlainValidator, WrapValidator)


def as_typed(kind: Any, value: Any) -> Any:
    """The value as a strict field of that type takes it; as it is, where it does not fit.

    The number that is written becomes a `float`, or exactly that `Decimal` or `Fraction`; a list
    becomes a `tuple`; and so in all that a list, a tuple, a mapping or a dataclass holds.
    """
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _unless_read(arguments[0], arguments[1:], value)
    if kind in (float, Decimal, Fraction):
        return _number(kind, value)
    if origin in (Union, UnionType):
        return _one_of(arguments, value)
    if isinstance(value, list):
        return _items(kind if origin is None else origin, arguments, value)
    if isinstance(value, dict) and origin is dict:
        return {key: as_typed(arguments[1], one) for key, one in value.items()}
    fields = fields_of(kind)
    if isinstance(value, dict) and fields:
        return {
            key: _unless_read(fields[key].annotation, fields[key].metadata, one)
            if key in fields
            else one
            for key, one in value.items()
        }
    return value


def _unless_read(kind: Any, metadata: Any, value: Any) -> Any:
    return value if any(isinstance(one, _READERS) for one in metadata) else as_typed(kind, value)


def _number(kind: Any, value: Any) -> Any:
    if isinstance(value, str):
        if not (_NUMBER.fullmatch(value) or (kind is Fraction and _FRACTION.fullmatch(value))):
            return value
    elif type(value) is not int:
        return value
    made = kind(value)
    return value if abs(made) == inf else made


def _one_of(kinds: tuple[Any, ...], value: Any) -> Any:
    """As the first of the types that makes something of it, unless it is of one of them already."""
    if type(value) in kinds:
        return value
    made = (as_typed(kind, value) for kind in kinds)
    return next((one for one in made if one is not value), value)


def _items(kind: Any, arguments: tuple[Any, ...], values: list[Any]) -> Any:
    if kind is list:
        return [as_typed(arguments[0], one) for one in values] if arguments else values
    if kind is not tuple:
        return values
    if len(arguments) == 2 and arguments[1] is ...:
        return tuple(as_typed(arguments[0], one) for one in values)
    # More values than types, or fewer: told by who checks them.
    kinds = (*arguments, *([Any] * (len(values) - len(arguments))))
    return tuple(as_typed(kind, one) for kind, one in zip(kinds, values, strict=False))
