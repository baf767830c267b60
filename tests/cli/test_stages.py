"""`emu stages`: the known stages and their parameters."""

import json
from importlib.metadata import EntryPoint

import pytest
from typer import Typer
from typer.testing import CliRunner

from emu.cli import stages
from emu.errors import EmuError
from emu.stage import Registry, registry

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
    assert "line bytes more than 0 B bytes of a line" in lines
    assert "l1_hit time time of a hit in the first level" in lines
    assert "latency time or cycles, by operation acceptance to emission" in lines


def test_json_has_own_and_shared_parameters() -> None:
    shown = json.loads(run("cpu_cache", "--json"))
    (stage,) = shown["stages"]
    assert stage["has_latency"] is False
    assert stage["parameters"][1] == {
        "name": "line",
        "kind": "bytes",
        "bounds": "more than 0 B",
        "default": "",
        "description": "bytes of a line",
    }
    assert [one["name"] for one in shown["shared"]][:2] == ["stage", "name"]
    assert len(json.loads(run("--json"))["stages"]) == len(registry())


def test_what_is_plain_has_its_type_its_bounds_and_its_default(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    point = EntryPoint("plain", "tests.table.plain:Plain", "emu.stages")
    monkeypatch.setattr("emu.cli.stages.registry", lambda: Registry([point]))
    (stage,) = json.loads(run("--json"))["stages"]
    shown = {
        one["name"]: (one["kind"], one["bounds"], one["default"]) for one in stage["parameters"]
    }
    assert shown == {
        "share": ("number", "at least 0, at most 1", "0.5"),
        "exact": ("number", "", "0.5"),
        "ratio": ("number or fraction such as 1/3", "less than 1", "1/3"),
        "pair": ("list of 2 values", "", "[1, 0.5]"),
        "rest": ("list", "", "[]"),
        "levels": ("mapping", "", ""),
        "either": ("number or text", "", "x"),
        "gap": ("time", "more than 0 ps, at most 1 ns", "1 ps"),
        "speed": ("bandwidth", "at most 50 GB/s", "25 GB/s"),
        "period": ("time", "less than 7/2 ps", "5/2 ps"),
        "wait": ("time or cycles", "", "2 cycles"),
    }


def test_a_broken_one_hides_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [
        EntryPoint("broken", "tests.table.keepers:Undecorated", "emu.stages"),
        EntryPoint("wire", "stages.wire:Wire", "emu.stages"),
    ]
    monkeypatch.setattr("emu.cli.stages.registry", lambda: Registry(points))
    problem = (
        "stage 'broken' of an unknown distribution (tests.table.keepers:Undecorated) has "
        "Parameters without @parameters of emu.stage"
    )
    assert problem in " ".join(run().split())
    broken, wire = json.loads(run("--json"))["stages"]
    assert broken == {
        "name": "broken",
        "problem": problem,
        "origin": "an unknown distribution (tests.table.keepers:Undecorated)",
    }
    assert wire["name"] == "wire"
    with pytest.raises(EmuError, match="has Parameters without @parameters"):
        run("broken", "--json")


def test_an_unknown_one_is_told_the_near_one() -> None:
    with pytest.raises(EmuError, match="did you mean 'doorbell'"):
        run("dorbell")
