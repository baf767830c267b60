"""`emu characterise`: what it prints and writes, and how it exits."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from emu.table import load
from tests.cosim.bound import HDL, PIPELINE, simulators


def emu(folder: Path, *words: str) -> tuple[int, str, str]:
    """Exit code, output and errors of a command in a folder with a binding."""
    (folder / "pipeline.yaml").write_text(PIPELINE, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "emu", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


MEASURE = ("characterise", "pipeline.yaml", "--hdl", str(HDL / "pipeline.sv"), "--top", "pipeline")


@pytest.mark.parametrize("simulator", simulators("icarus"))
def test_it_says_what_it_found_and_writes_a_table_that_runs(tmp_path: Path, simulator: str) -> None:
    code, out, err = emu(
        tmp_path,
        *(*MEASURE, "--sim", simulator, "--parameter", "LATENCY=7", "--parameter", "DEPTH=5"),
        *("--seeds", "1", "--requests", "100", "--out", "mine.yaml"),
    )
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert [line.split()[:2] for line in lines[:4]] == [
        ["latency_cycles", "7"],
        ["interval_cycles", "1"],
        ["depth", "5"],
        ["refill", "at_once"],
    ]
    assert lines[2].endswith("  are accepted with the output blocked, and none in 64 cycles more")
    assert "the table matches the DUT exactly" in lines
    assert lines[-1] == "written: mine.yaml"
    (entry,) = load(tmp_path / "mine.yaml").entries
    assert (entry.name, entry.depth, entry.refill) == ("pipeline", 5, "at_once")
    source = entry.timing.source["latency"]
    assert source.kind == "measured"
    assert source.text.startswith("pipeline (W=32, LATENCY=7, DEPTH=5) in Icarus Verilog")
    arguments = ("--requests", "10", "--engine", "reference", "--json")
    code, out, err = emu(tmp_path, "run", "mine.yaml", *arguments)
    assert (code, err) == (0, "")


@pytest.mark.parametrize("simulator", simulators("icarus"))
def test_json_has_every_number_and_null_where_it_is_unknown(tmp_path: Path, simulator: str) -> None:
    code, out, err = emu(
        tmp_path,
        *(*MEASURE, "--sim", simulator, "--parameter", "DEPTH=1", "--json"),
        *("--seeds", "2", "--requests", "50"),
    )
    assert (code, err) == (0, "")
    said = json.loads(out)
    keys = ("latency_cycles", "interval_cycles", "depth", "refill", "outstanding", "hold_from")
    assert [said[key] for key in keys] == [4, None, 1, "at_once", None, None]
    assert said["exact"] is True
    assert [one["seed"] for one in said["checked"]] == [1, 2]
    assert list(said["could_not_tell"]) == ["interval_cycles"]
    assert not (tmp_path / "mine.yaml").exists()


def test_what_cannot_be_done_is_told_before_anything_is_built(tmp_path: Path) -> None:
    said = emu(tmp_path, *MEASURE, "--out", "none/mine.yaml")
    assert said == (
        2,
        "",
        "none/mine.yaml: there is no folder 'none'; expected one that exists\n",
    )
    said = emu(tmp_path, *MEASURE, "--out", "mine.txt")
    assert said == (2, "", "--out mine.txt: expected a name that ends in .yaml or .yml\n")
    said = emu(tmp_path, *MEASURE, "--sim", "icarsu")
    assert said == (
        2,
        "",
        (
            "simulator 'icarsu' is not known; expected icarus, verilator or ghdl; did you mean "
            "'icarus'?\n"
        ),
    )
    assert not (tmp_path / "build").exists()


@pytest.mark.parametrize("simulator", simulators("icarus"))
def test_a_dut_that_cannot_be_measured_exits_with_1(tmp_path: Path, simulator: str) -> None:
    code, out, err = emu(
        tmp_path,
        *(*MEASURE, "--sim", simulator, "--parameter", "FAULT=6", "--patience", "50"),
    )
    assert (code, out) == (1, "")
    assert err == (
        "port 'in': ready stayed 0 within 50 cycles after valid of request 0 at cycle 0; expected "
        "1 of an idle DUT (is 'rst' high in reset, or must some input be tied?)\n"
    )
