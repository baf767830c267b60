"""docs/workloads.md names every key of a workload, and its examples run."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
import typer
from pydantic import BaseModel
from typer.testing import CliRunner

from emu.cli import run, trace
from emu.workload.schema import WORKLOADS, DestinationPick, Item
from tests.documents import blocks

TEXT = (Path(__file__).parents[2] / "docs" / "workloads.md").read_text(encoding="utf-8")


def literals(kind: Any) -> Iterator[str]:
    """The words that a type counts out."""
    for one in get_args(kind):
        if isinstance(one, str):
            yield one
        else:
            yield from literals(one)


def words(model: type[BaseModel]) -> set[str]:
    """The keys of a model, and the words that their values can be."""
    fields = model.model_fields
    return {*fields, *(word for field in fields.values() for word in literals(field.annotation))}


@pytest.mark.parametrize("model", (*WORKLOADS.values(), Item, DestinationPick))
def test_every_key_and_word_is_explained(model: type[BaseModel]) -> None:
    explained = words(model) - {"kind"}
    assert [word for word in sorted(explained) if f"`{word}`" not in TEXT] == []


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    app = typer.Typer()
    run.register(app)
    trace.register(app)
    for name, text in blocks(TEXT, "file"):
        Path(name).write_text(text, encoding="utf-8")
    ((_, commands),) = blocks(TEXT, "commands")
    for line in commands.splitlines():
        program, *arguments = shlex.split(line)
        assert program == "emu"
        result = CliRunner().invoke(
            app, [*arguments, "--engine", "reference"] if arguments[0] == "run" else arguments
        )
        assert result.exit_code == 0, f"{line}\n{result.output}{result.exception}"
    assert Path("posts.vcd").exists()
