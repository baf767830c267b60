"""`emu run` on either engine, and its profile."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer import Typer
from typer.testing import CliRunner

from emu.cli import run as command
from emu.cli.options import OptionError
from emu.engines import EngineError
from tests.foreign import PREVENTED, foreign_table

ROOT = Typer()
command.register(ROOT)
UNDER_LOAD = ("pcie_nic", "--outstanding", "512", "--requests", "5000")


def run(*arguments: str) -> str:
    result = CliRunner().invoke(ROOT, [*arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def as_json(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*arguments, "--json"))
    return found


def test_the_fast_engine_runs_what_it_can() -> None:
    assert run(*UNDER_LOAD).startswith(
        "pcie_nic: 5000 x read of 64 B, 512 outstanding, fast engine\n\n"
    )
    found = as_json(*UNDER_LOAD)
    assert (found["engine"], found["engine_prevented"]) == ("fast", None)


@pytest.mark.parametrize(
    "more",
    (
        ("--until", "100 us", "--size", "4KiB", "--op", "write"),
        ("--workload", "{kind: open, rate: 40 M/s, arrivals: poisson}", "--requests", "3000"),
        ("--outstanding", "64", "--requests", "3000", "--profile"),
    ),
)
def test_both_say_the_same(more: tuple[str, ...]) -> None:
    reference = as_json("pcie_nic", *more, "--engine", "reference")
    fast = as_json("pcie_nic", *more, "--engine", "fast")
    assert (reference["engine"], fast["engine"]) == ("reference", "fast")
    for found in (reference, fast):
        del found["engine"], found["wall_s"]
    assert fast == reference
    shown = run("pcie_nic", *more, "--engine", "reference")
    assert "reference engine" in shown
    expected = shown.replace("reference engine", "fast engine")
    assert run("pcie_nic", *more, "--engine", "fast") == expected


def test_what_prevents_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = str(foreign_table(tmp_path, monkeypatch))
    heading, second, *_ = run(file, "--requests", "3").splitlines()
    assert heading == "foreign: 3 x read of 64 B, 1 outstanding, reference engine"
    assert second == f"not on the fast engine: {PREVENTED}"
    found = as_json(file)
    assert (found["engine"], found["engine_prevented"]) == ("reference", PREVENTED)


def test_a_reference_that_was_asked_for_was_not_prevented(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = str(foreign_table(tmp_path, monkeypatch))
    assert run(file, "--engine", "reference").splitlines()[1] == ""
    assert as_json(file, "--engine", "reference")["engine_prevented"] is None


def test_fast_where_it_can_not_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EngineError) as caught:
        run(str(foreign_table(tmp_path, monkeypatch)), "--engine", "fast")
    assert str(caught.value) == (
        f"the fast engine can't run this: {PREVENTED}; expected --engine auto or reference"
    )


def test_an_engine_that_is_none() -> None:
    with pytest.raises(OptionError) as caught:
        run("pcie_nic", "--engine", "fsat")
    assert str(caught.value) == (
        "--engine fsat: 'fsat' is no engine; expected auto, reference or fast; did you mean 'fast'?"
    )


def emu(cache: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "emu", *arguments],
        env={**os.environ, "XDG_CACHE_HOME": str(cache)},
        capture_output=True,
        text=True,
        check=True,
    )


def test_the_first_run_says_that_it_compiles_and_no_other(tmp_path: Path) -> None:
    said = "compiling the fast engine for such runs, once; the next one starts at once\n"
    sweep = ("sweep", "pcie_nic", "--vary", "size=8..64:x2", "--requests", "5", "--workers", "2")
    first = emu(tmp_path, *sweep, "--out", str(tmp_path / "first.csv"))
    # Not the workers as well.
    assert first.stderr == said
    assert emu(tmp_path, "run", "pcie_nic", "--requests", "5").stderr == ""
    assert emu(tmp_path, *sweep, "--out", str(tmp_path / "second.csv")).stderr == ""


def test_ctrl_c_while_it_compiles_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def run_on(*what: Any, **how: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("emu.cli.run.run_on", run_on)
    result = CliRunner().invoke(ROOT, ["pcie_nic"])
    assert (result.exit_code, result.output) == (130, "")


def test_a_profile_names_what_binds() -> None:
    text = run(*UNDER_LOAD, "--profile")
    assert "what limits it" not in text
    _, _, profile = text.partition("\nprofile\n")
    lines = profile.splitlines()
    assert lines[0].startswith("  binds: initiator_tx (stage), in use 9")
    assert [line.split(" (")[0] for line in lines[1:5]] == [
        "  full as well: target_rx",
        "  full as well: target_tx",
        "  full as well: initiator_rx",
        "  next: wire_out",
    ]
    assert lines[4].endswith("of the time; full at 14.6 times the rate of this run")
    assert lines[5].startswith("  beyond service, most time goes to arbitration: ")
    assert lines[8].split() == ["kind", "in", "use", "held", "on", "average", "full", "at"]
    table = [line.split() for line in lines[9:16]]
    assert [row[0] for row in table][:5] == [
        *("initiator_tx", "target_rx", "target_tx", "initiator_rx", "wire_out"),
    ]
    # 322 MHz in six cycles; 64 B of 50 GB/s.
    assert table[0][3:] == ["53.67", "M/s"]
    assert table[4][3:] == ["781.2", "M/s"]
    assert lines[16].startswith("with no limit that is counted: verb_post, descriptor_build, ")


def test_a_profile_of_a_run_with_room() -> None:
    lines = run("pcie_nic", "--profile").partition("\nprofile\n")[2].splitlines()
    assert lines[0] == (
        "  nothing counted is full: what is posted, and how long it takes, makes the rate"
    )
    assert lines[1].startswith("  most used: initiator_tx (stage), in use 0.8% of the time; ")


def test_a_profile_of_tags() -> None:
    arguments = ("kv_direct", "--outstanding", "400", "--requests", "2000")
    text = run(*arguments, "--profile", "--engine", "reference")
    assert "  binds: pcie.tags (pool), in use 9" in text
    assert " of 64  " in text
    assert "full at, of depths and pools: if they are held as long as in this run" in text


def test_a_profile_for_scripts() -> None:
    found = as_json(*UNDER_LOAD, "--profile")
    first, *others = found["profile"]
    assert (first["name"], first["kind"], first["binds"]) == ("initiator_tx", "stage", True)
    assert first["full_at_per_s"] == pytest.approx(322e6 / 6, rel=1e-4)
    assert not any(one["binds"] for one in others)
    used = [one["utilisation"] for one in found["profile"]]
    assert used == sorted(used, reverse=True)
    assert {one["name"]: one["utilisation"] for one in found["profile"]} == found["utilisation"]
    assert "profile" not in as_json(*UNDER_LOAD)
