"""`emu stages`: the known stages and their parameters."""

import json

import pytest
from typer import Typer
from typer.testing import CliRunner

from emu.cli import stages
from emu.errors import EmuError
from emu.stage import registry

APP = Typer()
stages.register(APP)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(APP, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_all_are_listed_with_what_they_are() -> None:
    lines = run().splitlines()
    assert [line.split()[0] for line in lines[1:-1]] == list(registry())
    assert "rdma-path-emu (stages.wire:Wire)" in run()


def test_one_is_shown_in_full() -> None:
    lines = [" ".join(line.split()) for line in run("cpu_cache").splitlines()]
    assert "line bytes more than 0 bytes of a line" in lines
    assert "l1_hit time time of a hit in the first level" in lines
    assert "latency time or cycles, by operation acceptance to emission" in lines


def test_json_has_own_and_shared_parameters() -> None:
    shown = json.loads(run("cpu_cache", "--json"))
    (stage,) = shown["stages"]
    assert stage["has_latency"] is False
    assert stage["parameters"][1] == {
        "name": "line",
        "kind": "bytes",
        "bounds": "more than 0",
        "default": "",
        "description": "bytes of a line",
    }
    assert [one["name"] for one in shown["shared"]][:2] == ["stage", "name"]
    assert len(json.loads(run("--json"))["stages"]) == len(registry())


def test_an_unknown_one_is_told_the_near_one() -> None:
    with pytest.raises(EmuError, match="did you mean 'doorbell'"):
        run("dorbell")
