"""What every stage of the project says of itself."""

import dataclasses
import inspect
from pathlib import Path

import pydantic
import pytest

import stages
from emu.stage import Stage, registry

OURS = sorted(name for name in registry() if registry().origin(name).startswith("rdma-path-emu"))


def test_each_file_is_one_registered_stage() -> None:
    files = {path.stem for path in Path(str(stages.__file__)).parent.glob("*.py")}
    assert files - {"__init__"} == set(OURS)


@pytest.mark.parametrize("name", OURS)
def test_says_what_it_stands_for_and_where_that_comes_from(name: str) -> None:
    stage = registry()[name]
    text = inspect.getdoc(stage)
    assert text is not None
    assert text != inspect.getdoc(Stage)
    first, _, rest = text.partition("\n")
    assert first.endswith(".")
    assert rest.strip()
    assert stage.source


@pytest.mark.parametrize("name", OURS)
def test_describes_every_parameter(name: str) -> None:
    kind = registry()[name].Parameters
    described = pydantic.TypeAdapter(kind).json_schema().get("properties", {})
    for field in dataclasses.fields(kind):
        assert described[field.name].get("description"), field.name
