"""The JSON Schema of a table file: it takes what the loader takes, and refuses plain mistakes."""

from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from emu.stage import Registry
from emu.table import table_names
from emu.table.catalog import shipped_directory
from emu.table.file_schema import file_schema
from emu.table.nodes import read_file
from tests.table.broken import HEAD, TITLE, write
from tests.table.everything import EVERYTHING
from tests.table.keepers import with_keepers
from tests.table.plain import Plain

SCHEMA = file_schema()
STAGE = "{stage: wire, latency: 5 ns, source: {text: a test, kind: assumed}}"


def plain(path: Path) -> Any:
    return read_file(path, "t.yaml")[0].plain()


def accepts(directory: Path, text: str) -> bool:
    value = plain(write(directory, "t.yaml", text))
    return bool(Draft202012Validator(SCHEMA).is_valid(value))


def with_numbers(value: Any) -> Any:
    """As an editor reads YAML, which takes 0.3 for a number."""
    if isinstance(value, dict):
        return {key: with_numbers(one) for key, one in value.items()}
    if isinstance(value, list):
        return [with_numbers(one) for one in value]
    return float(value) if isinstance(value, str) and value[:2] in ("0.", "1.") else value


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", table_names())
def test_it_takes_every_shipped_table(name: str) -> None:
    errors = Draft202012Validator(SCHEMA).iter_errors(plain(shipped_directory() / f"{name}.yaml"))
    assert [error.message for error in errors] == []


@pytest.mark.parametrize(
    "text",
    (
        HEAD + f"path: [{STAGE}]\n",
        HEAD + "clocks: {a: 1 GHz, b: {period: 3 ns, phase: 1 ns}}\n" + f"path: [{STAGE}]\n",
        HEAD + f"path: [{STAGE.replace('5 ns', '{read: 5 ns, other: 6 ns}')}]\n",
        HEAD + f"path: [{STAGE.replace('{text', '{latency: {text').replace('}}', '}}}')}]\n",
        TITLE + f"extends: pcie_nic\ninsert: [{{after: memory, stages: [{STAGE}]}}]\n",
        EVERYTHING,
    ),
)
def test_it_takes_what_is_right(tmp_path: Path, text: str) -> None:
    assert accepts(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    (
        HEAD,
        HEAD + "path: []\n",
        HEAD + f"path: [{STAGE}]\ndrop: [wire]\n",
        HEAD + f"path: [{STAGE}]\nclokcs: {{}}\n",
        HEAD + f"path: [{STAGE.replace('wire', 'wier')}]\n",
        HEAD + f"path: [{STAGE.replace('5 ns', '5')}]\n",
        HEAD + f"path: [{STAGE.replace('5 ns', '5 nss')}]\n",
        HEAD + f"path: [{STAGE.replace('latency', 'latncy')}]\n",
        HEAD + f"path: [{STAGE.replace('assumed', 'asumed')}]\n",
        HEAD + f"path: [{STAGE.replace('5 ns', '{raed: 5 ns}')}]\n",
        HEAD + f"path: [{STAGE.replace('latency: 5 ns', 'latency: 5 ns, depth: 0')}]\n",
        HEAD + f"path: [{STAGE.replace('latency: 5 ns', 'latency: 5 ns, line: 64 B')}]\n",
        TITLE + f"path: [{STAGE}]\nextends: pcie_nic\n",
        TITLE + f"extends: pcie_nic\ninsert: [{{stages: [{STAGE}]}}]\n",
        EVERYTHING.replace("kind: link", "kind: lnik"),
        EVERYTHING.replace("window: 16", "windw: 16"),
        EVERYTHING.replace("tags: 64", "tags: 0"),
        EVERYTHING.replace("per: initiator", "per: initatior"),
        EVERYTHING.replace("as: read", "as: reed"),
        EVERYTHING.replace("for: 100 ns", "fro: 100 ns"),
        EVERYTHING.replace("overflow: drop", "overflow: dorp"),
        EVERYTHING.replace("batch: 16", "batch: many"),
    ),
)
def test_it_refuses_plain_mistakes(tmp_path: Path, text: str) -> None:
    assert not accepts(tmp_path, text)


def test_a_broken_stage_disturbs_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [
        EntryPoint("broken", "tests.table.keepers:Undecorated", "emu.stages"),
        EntryPoint("wire", "stages.wire:Wire", "emu.stages"),
    ]
    monkeypatch.setattr("emu.table.file_schema.registry", lambda: Registry(points))
    assert file_schema()["$defs"]["stage"] == {"anyOf": [{"$ref": "#/$defs/stage_wire"}]}


@pytest.mark.parametrize(
    ("given", "fits"),
    (
        ("share: 0.3, exact: 1, ratio: 1/3, pair: [1, 0.5]", True),
        ("share: x", False),
        ("exact: x", False),
        ("ratio: 1.5", False),
        ("pair: [1]", False),
        ("pair: [x, 0.5]", False),
    ),
)
def test_parameters_of_plain_types(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, fits: bool
) -> None:
    monkeypatch.setattr("emu.table.file_schema.registry", lambda: {"plain": Plain})
    text = HEAD + f"path: [{STAGE.replace('wire', f'plain, {given}')}]\n"
    value = with_numbers(plain(write(tmp_path, "t.yaml", text)))
    assert bool(Draft202012Validator(file_schema()).is_valid(value)) is fits


def test_an_actor_has_only_its_own_timing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("emu.table.file_schema.registry", with_keepers)
    definitions = file_schema()["$defs"]
    assert list(definitions["stage_keeper"]["properties"]) == [
        "stage",
        "name",
        "at",
        "when",
        "arbitration",
        "source",
        "bandwidth",
        "mtu",
        "window",
    ]
    assert "stage_clash" not in definitions
