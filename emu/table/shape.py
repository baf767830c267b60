"""What a schema expects at a place: the keys it knows there, and how a value looks.

Read from the JSON Schema that pydantic makes, so that errors and editors say the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import pydantic
from pydantic.errors import PydanticInvalidForJsonSchema
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema

from emu.errors import listed

#: How a key with a structure of its own is written.
EXAMPLES = {
    "schema": "schema: 1",
    "name": "name: pcie_nic",
    "title": "title: RDMA NIC behind PCIe",
    "messages": "messages: {read: {request: 64 B, response: payload}}",
    "request": "request: 64 B",
    "response": "response: payload",
    "path": "path: [{stage: wire, latency: 100 ns, source: …}]",
    "stage": "stage: wire",
    "latency": "latency: 150 ns",
    "interval": "interval: 2 cycles",
    "source": "source: {text: data sheet p. 3, kind: measured}",
    "text": "text: data sheet p. 3",
    "kind": "kind: measured",
    "step": "step: 1 ns",
    "round": "round: down",
    "capacity": "capacity: 64",
    "resource": "resource: tags",
    "generation": "generation: 3",
    "lanes": "lanes: 8",
    "read_request": "read_request: 512 B",
    "tags": "tags: 64",
    "nonposted_credits": "nonposted_credits: 84",
    "posted_credits": "posted_credits: 88",
    "credit_return": "credit_return: 500 ns",
    "bytes": "bytes: 32 B",
    "cost": "cost: 1 cycle",
    "queue": "queue: 4",
    "depth": "depth: 9",
}


def schema_of(kind: Any) -> dict[str, Any]:
    """JSON Schema of a type as a table states it; `{}` where a third party's type has none."""
    return _schema_of(kind)


class _Schema(GenerateJsonSchema):
    """As pydantic makes it, but that a decimal is written as a number."""

    def decimal_schema(self, schema: Any) -> dict[str, Any]:
        number: dict[str, Any] = super().decimal_schema(schema)["anyOf"][0]
        return number


@cache
def _schema_of(kind: Any) -> dict[str, Any]:
    try:
        return pydantic.TypeAdapter(kind).json_schema(schema_generator=_Schema)
    except PydanticInvalidForJsonSchema:
        return {}


def fields_of(kind: Any) -> Mapping[str, FieldInfo]:
    """The fields of a model or dataclass of pydantic, by name; none of another type."""
    fields: Mapping[str, FieldInfo] | None = getattr(kind, "model_fields", None)
    return fields or getattr(kind, "__pydantic_fields__", {})


class Shape:
    """One place in a JSON Schema; `field` is the key that leads there.

    `fields` are those of a model that stands here; `limits` bounds that JSON Schema has not.
    """

    def __init__(
        self,
        schemas: list[dict[str, Any]],
        definitions: dict[str, Any],
        field: str = "",
        *,
        fields: Mapping[str, FieldInfo] | None = None,
        limits: Sequence[Any] = (),
    ) -> None:
        self._definitions = definitions
        self._schemas = schemas
        self._field = field
        self._fields = fields or {}
        self._limits = limits

    @classmethod
    def of(cls, kind: Any) -> Shape:
        """The shape of a model or dataclass."""
        schema = schema_of(kind)
        return cls([schema], schema.get("$defs", {}), fields=fields_of(kind))

    def at(self, path: Sequence[str | int]) -> Shape:
        """The shape of what stands at a path below."""
        shape = self
        for step in path:
            shape = shape._child(step)
        return shape

    @property
    def keys(self) -> list[str]:
        """The keys that a mapping here may have."""
        return list(dict.fromkeys(key for one in self._all() for key in one.get("properties", {})))

    @property
    def words(self) -> list[str]:
        """The words that a value here may be, where they are counted out."""
        counted = [one.get("enum", [one["const"]] if "const" in one else []) for one in self._all()]
        return [word for words in counted for word in words if isinstance(word, str)]

    @property
    def expected(self) -> str:
        """A sentence part on what stands here, with an example where there is one."""
        for one in self._all():
            if "enum" in one:
                return f"expected {listed(_plain(word) for word in one['enum'])}"
            if "const" in one and len(list(self._all())) == 1:
                return f"expected {_plain(one['const'])}"
        if self._field in EXAMPLES:
            return f"expected for example '{EXAMPLES[self._field]}'"
        for one in self._all():
            if "examples" in one:
                return f"expected for example '{self._field}: {one['examples'][0]}'"
        for one in self._all():
            if "prefixItems" in one:
                return f"expected a list of {len(one['prefixItems'])} values"
            if one.get("type") in _KINDS:
                return f"expected {_KINDS[one['type']]}"
        return "expected another value"

    def limit(self, key: str, said: object) -> object:
        """The bound `key` here; as `said`, where it is not one of a field by itself."""
        return next((getattr(one, key) for one in self._limits if hasattr(one, key)), said)

    @property
    def alternatives(self) -> list[dict[str, Any]]:
        """The JSON Schemas of what can stand here."""
        return list(self._all())

    def _all(self) -> Iterator[dict[str, Any]]:
        """The alternatives here, references and unions taken apart."""
        waiting = list(self._schemas)
        while waiting:
            one = waiting.pop(0)
            if "$ref" in one:
                waiting.insert(0, self._definitions[one["$ref"].rpartition("/")[2]])
            elif "anyOf" in one or "oneOf" in one:
                waiting[:0] = [*one.get("anyOf", []), *one.get("oneOf", [])]
            elif one.get("type") != "null":
                yield one

    def _child(self, step: str | int) -> Shape:
        found = []
        for one in self._all():
            if isinstance(step, int):
                # Of a tuple each item has its own.
                each = one.get("prefixItems", ())
                found.append(each[step] if step < len(each) else one.get("items", {}))
            elif step in one.get("properties", {}):
                found.append(one["properties"][step])
            else:
                # Any key: pydantic states a dict's keys by their pattern, where they have one.
                found += one.get("patternProperties", {}).values()
                if isinstance(one.get("additionalProperties"), dict):
                    found.append(one["additionalProperties"])
        if isinstance(step, int):
            return Shape(found, self._definitions, self._field)
        limits = self._fields[step].metadata if step in self._fields else ()
        return Shape(found, self._definitions, step, limits=limits)


_KINDS = {
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "string": "text",
    "array": "a list",
    "object": "a mapping",
}


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
