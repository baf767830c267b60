"""`emu cosim`: what it prints, and how it exits."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from emu.cli import cosim
from emu.cosim.run import Beside, run_lockstep
from emu.errors import EmuError
from tests.cosim.bound import HDL, PIPELINE, TABLE, simulators


def emu(folder: Path, *words: str) -> tuple[int, str, str]:
    """Exit code, output and errors of a command in a folder with a binding and a table."""
    (folder / "pipeline.yaml").write_text(PIPELINE, encoding="utf-8")
    (folder / "mine.yaml").write_text(TABLE, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "emu", "cosim", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


PIPE = ("pipeline.yaml", "--hdl", str(HDL / "pipeline.sv"), "--top", "pipeline")
FEW = ("--requests", "40", "--offer", "always", "--ready", "always")


@pytest.mark.parametrize("simulator", simulators("icarus"))
def test_equal_and_different_runs(tmp_path: Path, simulator: str) -> None:
    said = emu(tmp_path, *PIPE, *FEW, "--table", "mine.yaml", "--sim", simulator)
    assert said == (
        0,
        (
            "seed 1: equal in 512 cycles (exact; offered always, ready always); agreed: 40 at "
            "'in', 40 at 'out'\n"
        ),
        "",
    )
    code, out, err = emu(
        tmp_path,
        *(*PIPE, *FEW, "--table", "mine.yaml", "--set", "pipeline.latency=5 cycles"),
        *("--seeds", "3", "--json"),
    )
    assert (code, err) == (1, "")
    (result,) = json.loads(out)
    difference = result["difference"]
    assert (result["equal"], result["seed"]) == (False, 1)
    assert (difference["port"], difference["cycle"]) == ("out", 4)
    assert difference["dut"] == {
        "number": 0,
        "cycle": 4,
        "fields": {"id": 0, "initiator": difference["dut"]["fields"]["initiator"]},
    }
    assert difference["emulator"] is None
    assert difference["explanation"]["waited"] == "it was being served at pipeline, until cycle 5"
    # Builds are kept, and nothing else.
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "build",
        "mine.yaml",
        "pipeline.yaml",
    ]
    assert len(list((tmp_path / "build" / "cosim").iterdir())) == 1


@pytest.mark.parametrize("simulator", simulators("icarus"))
def test_without_a_table_everything_is_to_come_out_in_order(tmp_path: Path, simulator: str) -> None:
    code, out, _ = emu(tmp_path, *PIPE, *FEW, "--sim", simulator)
    assert (code, out.split("(")[1].split(";")[0]) == (0, "order")
    swapped = ("--parameter", "FAULT=4", "--parameter", "FAULT_AT=20", "--parameter", "DEPTH=8")
    code, out, _ = emu(tmp_path, *PIPE, *FEW, *swapped, "--sim", simulator)
    assert code == 1
    assert "port 'out' (m_tvalid, m_tready, m_tdata): handshake 20 carries other values" in out


@pytest.mark.parametrize(
    ("words", "said"),
    (
        (
            ("--sim", "icarsu"),
            (
                "simulator 'icarsu' is not known; expected icarus, verilator or ghdl; did you mean "
                "'icarus'?"
            ),
        ),
        (
            ("--mode", "bound"),
            (
                "mode 'bound' is not known; expected exact, bounded or order; did you mean "
                "'bounded'?"
            ),
        ),
        (("--mode", "exact"), "mode exact without a table; expected order"),
        (
            ("--beats", "4"),
            (
                "requests of up to 4 beats without a table; expected one whose first stage says "
                "with 'beat' or 'flit' what a beat carries"
            ),
        ),
        (
            ("--mode", "bounded", "--table", "mine.yaml"),
            "mode bounded without a skew; expected 1 cycle or more",
        ),
        (
            ("--offer", "often"),
            (
                "'often' is no pattern; expected always, pauses(PERCENT) or "
                "bursts(OPEN_CYCLES, CLOSED_CYCLES)"
            ),
        ),
        (("--limit", "id"), "--limit id: cannot be read; expected NAME=VALUE, each name once"),
        (("--left-over", "few"), "--left-over few: expected a number from 0 on, or 'any'"),
        (("--answers", "5.."), "--answers 5..: expected cycles, as in '20' or '1..40'"),
        (
            ("--table", "mine.yaml", "--stage", "pipelin"),
            "under_test has no stage 'pipelin'; expected pipeline; did you mean 'pipeline'?",
        ),
        (("other.sv",), "other.sv: there is no such file; expected HDL"),
        (
            ("mine.yaml",),
            "2 bindings: pipeline.yaml or mine.yaml; expected one file that ends in .yaml or .yml",
        ),
        (
            ("--sim", "ghdl"),
            f"{HDL / 'pipeline.sv'}: ghdl reads no .sv; expected files that end in .vhd or .vhdl",
        ),
    ),
)
def test_what_cannot_be_run_is_told(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    assert emu(tmp_path, *PIPE, *words) == (2, "", f"{said}\n")


@pytest.mark.parametrize("simulator", simulators("icarus"))
def test_interrupted_it_reports_the_seeds_that_had_run(tmp_path: Path, simulator: str) -> None:
    (tmp_path / "pipeline.yaml").write_text(PIPELINE, encoding="utf-8")
    (tmp_path / "tmp").mkdir()
    many = ("--requests", "300", "--seeds", "100000", "--events", "events.jsonl", "--json")
    with subprocess.Popen(
        [sys.executable, "-m", "emu", "cosim", *PIPE, *many, "--sim", simulator],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path / "tmp")},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            ran = 0
            while ran < 2:
                assert process.poll() is None
                files = (tmp_path / "tmp").glob("emu-cosim-*/results.jsonl")
                ran = sum(file.read_text(encoding="utf-8").count("\n") for file in files)
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=120)
        finally:
            process.kill()
    assert process.returncode == 130
    results = json.loads(out)
    assert [one["seed"] for one in results] == list(range(1, len(results) + 1))
    *whole, last = results
    assert len(whole) >= 2
    for result in whole:
        assert (result["equal"], result["interrupted"]) == (True, False)
        assert result["matched"] == {"in": 300, "out": 300}
    assert last["interrupted"]
    # All handshakes of each seed, and of the last those that had been compared.
    lines = (tmp_path / "events.jsonl").read_text(encoding="utf-8").splitlines()
    events = [json.loads(line) for line in lines]
    for result in results:
        for port, count in result["matched"].items():
            seen = [one for one in events if (one["seed"], one["port"]) == (result["seed"], port)]
            assert len(seen) >= count if result is last else len(seen) == count
    assert list((tmp_path / "tmp").glob("emu-cosim-*")) == []


def test_a_pipe_is_told_now_and_then_how_far_a_run_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now_s = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now_s)
    with cosim._progress() as progress:
        for after_s, done in ((1, 0), (58, 3), (2, 4), (30, 5), (31, 6)):
            now_s += after_s
            progress(done, 9)
    assert capsys.readouterr().err == "4 of 9 seeds have run\n6 of 9 seeds have run\n"


def test_no_seeds_are_no_run(tmp_path: Path) -> None:
    with pytest.raises(EmuError, match=r"^no seeds; expected at least one$"):
        run_lockstep(tmp_path / "none.yaml", [], "none", Beside(seeds=[]))
