"""The JSON Schema of a table file, for editors: `extends:` and all registered stages included."""

from __future__ import annotations

from typing import Any

from emu.actor import Actor
from emu.stage import StageError, registry
from emu.table.keys import check_interface, timing_keys
from emu.table.schema import StageTiming, TableHead
from emu.table.shape import schema_of

_NAME = {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"}


def file_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a timing table as it is written in a file."""
    head = _clean(schema_of(TableHead))
    timing = _clean(schema_of(StageTiming))
    definitions = {**head.get("$defs", {}), **timing.get("$defs", {})}
    stages = []
    for name in registry():
        entry = _entry(name, timing, definitions)
        if entry is not None:
            definitions[f"stage_{name}"] = entry
            stages.append({"$ref": f"#/$defs/stage_{name}"})
    definitions["stage"] = {"anyOf": stages}
    stage = {"$ref": "#/$defs/stage"}
    path = {"type": "array", "minItems": 1, "items": stage}
    insertion = {
        "type": "object",
        "properties": {"before": _NAME, "after": _NAME, "stages": path},
        "required": ["stages"],
        "oneOf": [{"required": ["before"]}, {"required": ["after"]}],
        "additionalProperties": False,
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Timing table",
        "type": "object",
        "properties": {
            **head["properties"],
            "path": {**path, "description": "the stages, in the order in which requests pass"},
            "extends": {
                "type": "string",
                "description": "a shipped table's name, or a file seen from this one's directory",
            },
            "drop": {"type": "array", "items": _NAME, "description": "stages to leave out"},
            "replace": {
                "type": "object",
                "additionalProperties": stage,
                "description": "stages to replace, by name",
            },
            "insert": {
                "type": "array",
                "items": insertion,
                "description": "stages to add beside a named one",
            },
        },
        "required": ["schema", "name", "title"],
        "oneOf": [
            {
                "required": ["path", "messages"],
                "not": {
                    "anyOf": [
                        {"required": [key]} for key in ("extends", "drop", "replace", "insert")
                    ]
                },
            },
            {"required": ["extends"], "not": {"required": ["path"]}},
        ],
        "additionalProperties": False,
        "$defs": definitions,
    }


def _entry(name: str, timing: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any] | None:
    """The schema of an entry for one stage; `None` where the stage cannot be loaded."""
    try:
        stage = registry()[name]
        check_interface(name, stage)
    except StageError:
        return None
    own = _clean(schema_of(stage.Parameters))
    definitions.update(own.get("$defs", {}))
    shared = {key: timing["properties"][key] for key in timing_keys(stage)}
    properties = {**shared, **own.get("properties", {}), "stage": {"const": name}}
    required = [*timing["required"], *own.get("required", [])]
    if stage.has_latency:
        required.append("latency")
    elif not issubclass(stage, Actor):
        del properties["latency"]
    return {
        "type": "object",
        "description": (stage.__doc__ or "").partition("\n")[0],
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _clean(schema: Any) -> Any:
    """The schema without pydantic's `null` alternatives and titles: a table leaves a key out."""
    if isinstance(schema, list):
        return [_clean(one) for one in schema if one != {"type": "null"}]
    if not isinstance(schema, dict):
        return schema
    cleaned = {
        key: (
            {name: _clean(one) for name, one in value.items()}
            if key in ("properties", "$defs")
            else _clean(value)
        )
        for key, value in schema.items()
        if not (key == "title" and isinstance(value, str)) and key != "default"
    }
    if len(cleaned.get("anyOf", [])) == 1:
        cleaned.update(cleaned.pop("anyOf")[0])
    return cleaned
