"""The keys of a stage entry for people: kind, bounds, description, and values with their unit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pydantic_core import PydanticUndefined

from emu.errors import listed
from emu.table.fields import (
    UNLIMITED,
    BandwidthField,
    ByOperationField,
    BytesField,
    CountField,
    DurationField,
    FrequencyField,
    TimeField,
)
from emu.table.shape import fields_of, schema_of
from emu.time import format_time


@dataclass(frozen=True)
class Parameter:
    """One key of a stage entry: `kind` is its unit or type; `default` is empty if it has none."""

    name: str
    kind: str
    bounds: str
    default: str
    description: str


def format_number(value: Fraction | int) -> str:
    """A number for people; exact where six digits after the point are enough."""
    return (
        str(int(value)) if Fraction(value).denominator == 1 else f"{float(value):.6f}".rstrip("0")
    )


def format_bandwidth(bytes_per_ps: Fraction) -> str:
    """A bandwidth for people, in GB/s."""
    return f"{format_number(bytes_per_ps * 1000)} GB/s"


def format_frequency(hertz: Fraction) -> str:
    """A frequency for people, in MHz."""
    return f"{format_number(hertz / 10**6)} MHz"


def format_count(value: int | None) -> str:
    """A capacity or depth for people; `None` is endless."""
    return UNLIMITED if value is None else str(value)


#: The field types of tables: what they are called, and how their values are written.
_FIELDS: tuple[tuple[Any, str, Callable[[Any], str]], ...] = (
    # A period looks the same, and need not be whole.
    (TimeField, "time", lambda ps: format_time(ps) if isinstance(ps, int) else f"{ps} ps"),
    (DurationField, "time or cycles", str),
    (ByOperationField, "time or cycles, by operation", str),
    (BytesField, "bytes", lambda count: f"{count} B"),
    (BandwidthField, "bandwidth", format_bandwidth),
    (FrequencyField, "frequency", format_frequency),
    (CountField, f"whole number or '{UNLIMITED}'", format_count),
)
#: Bounds as `annotated_types` names them, which hold before a unit hides them from JSON Schema.
_BOUNDS = (
    ("ge", "at least"),
    ("gt", "more than"),
    ("le", "at most"),
    ("lt", "less than"),
    ("multiple_of", "a multiple of"),
)
_TYPES = {
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "string": "text",
    "array": "list",
    "object": "mapping",
}


def parameters_of(kind: Any) -> Iterator[Parameter]:
    """The keys that a model or a stage's `Parameters` has, in the order in which it states them."""
    schema = schema_of(kind)
    fields = fields_of(kind)
    for name, field in schema.get("properties", {}).items():
        inner = _resolved(field, schema.get("$defs", {}))
        found = _field(inner)
        info = fields.get(name)
        default = None if info is None or info.default is PydanticUndefined else info.default
        yield Parameter(
            name=name,
            kind=found[1] if found else _kind(inner),
            bounds=_bounds(() if info is None else info.metadata, inner),
            default="" if default is None else (found[2] if found else _plain)(default),
            description=field.get("description", ""),
        )


def format_values(parameters: Any) -> dict[str, str]:
    """The values of a stage's own parameters, each with its unit."""
    schema = schema_of(type(parameters))
    definitions = schema.get("$defs", {})
    shown = {}
    for name, field in schema.get("properties", {}).items():
        found = _field(_resolved(field, definitions))
        value = getattr(parameters, name)
        if value is None and not (found and found[0] is CountField):
            shown[name] = "none"
        else:
            shown[name] = (found[2] if found else _plain)(value)
    return shown


def format_bound(bound: object, schemas: Iterable[dict[str, Any]]) -> str:
    """A bound of a value that has one of these JSON Schemas, with the unit of such values."""
    found = next(filter(None, map(_field, schemas)), None)
    # Pydantic tells of a bound in a list, if that is no plain number, by text.
    return _plain(bound) if found is None or isinstance(bound, str) else found[2](bound)


def _plain(value: object) -> str:
    """A value as YAML has it."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {_plain(one)}' for key, one in value.items())}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_plain(one) for one in value)}]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _resolved(field: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """A field's schema without the alternative that it is not given."""
    if "$ref" in field:
        definition: dict[str, Any] = definitions[field["$ref"].rpartition("/")[2]]
        return definition
    if "anyOf" not in field:
        return field
    given = [one for one in field["anyOf"] if one.get("type") != "null"]
    return _resolved(given[0], definitions) if len(given) == 1 else {**field, "anyOf": given}


def _field(schema: dict[str, Any]) -> tuple[Any, str, Callable[[Any], str]] | None:
    for found in _FIELDS:
        known = schema_of(found[0])
        if all(schema.get(key) == known.get(key) for key in ("pattern", "anyOf")) and (
            "pattern" in known or "anyOf" in known
        ):
            return found
    return None


def _kind(schema: dict[str, Any]) -> str:
    if "properties" in schema:
        return f"mapping of {', '.join(schema['properties'])}"
    if "enum" in schema:
        return listed(str(word) for word in schema["enum"])
    if schema.get("format") == "fraction":
        return "fraction such as 1/3"
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_kind(one) for one in schema["anyOf"]))
    if "const" in schema:
        return str(schema["const"])
    if "prefixItems" in schema:
        return f"list of {len(schema['prefixItems'])} values"
    return _TYPES.get(schema.get("type", ""), "value")


def _bounds(limits: Iterable[Any], schema: dict[str, Any]) -> str:
    return ", ".join(
        f"{said} {format_bound(getattr(one, key), [schema])}"
        for one in limits
        for key, said in _BOUNDS
        if hasattr(one, key)
    )
