"""`emu rtl`: the report of `emu run` and what the RTL changes, as JSON; and what cannot be."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.needs import needs

ROOT = Path(__file__).parents[2]
HDL = ROOT / "testbenches" / "hdl"
PIPELINE = (str(HDL / "bindings" / "pipeline.yaml"), "--hdl", str(HDL / "pipeline.sv"))


def emu(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "emu", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@needs("iverilog")
def test_json_says_what_the_rtl_changes(tmp_path: Path) -> None:
    arguments = ("--requests", "3", "--json")
    slower = ("--parameter", "LATENCY=12", "--parameter", "DEPTH=12")
    command = ("rtl", "pcie_nic", "target_rx", *PIPELINE, "--top", "pipeline", *slower, *arguments)
    done = emu(tmp_path, *command)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    run = json.loads(emu(tmp_path, "run", "pcie_nic", *arguments).stdout)
    assert said.keys() == run.keys() | {"rtl", "parts_beyond_emulated", "stages"}
    assert said["rtl"] == "target_rx"
    # Three times three cycles of 322 MHz more than the table's nine, from edge to edge.
    assert said["parts_beyond_emulated"]["target_rx"] == {"service": 27_950}
    more_ps = sum(
        time_ps for parts in said["parts_beyond_emulated"].values() for time_ps in parts.values()
    )
    assert sum(said["parts"].values()) - sum(run["parts"].values()) == more_ps


@pytest.mark.parametrize(
    ("table", "stage", "options", "what"),
    (
        ("pcie_nic", "target_rz", (), "did you mean 'target_rx'?"),
        ("pcie_nic", "memory", (), "stage 'memory' of pcie_nic has no clock with edges"),
        ("pcie_nic", "target_rx", ("--sim", "icarius"), "did you mean 'icarus'?"),
        ("pcie_nic", "target_rx", ("--op", "load"), "pcie_nic has no load"),
    ),
)
def test_what_cannot_be_is_told_before_anything_is_built(
    tmp_path: Path, table: str, stage: str, options: tuple[str, ...], what: str
) -> None:
    done = emu(tmp_path, "rtl", table, stage, *PIPELINE, "--top", "pipeline", *options)
    assert done.returncode == 2
    assert what in done.stderr
    assert list(tmp_path.iterdir()) == []


@needs("iverilog")
def test_another_period_than_the_tables_is_told(tmp_path: Path) -> None:
    slow = tmp_path / "slow.yaml"
    text = Path(PIPELINE[0]).read_text(encoding="utf-8")
    slow.write_text(text.replace("3106 ps", "4 ns"), encoding="utf-8")
    numbers = ("--parameter", "LATENCY=9", "--parameter", "DEPTH=9", "--requests", "2")
    said = []
    for binding in (PIPELINE[0], "slow.yaml"):
        command = ("rtl", "pcie_nic", "target_rx", binding, *PIPELINE[1:], "--top", "pipeline")
        done = emu(tmp_path, *command, *numbers)
        assert done.returncode == 0, done.stderr
        said.append((done.stdout, done.stderr))
    assert said[0] == (said[1][0], "")
    assert said[1][1] == (
        "slow.yaml: the clock's period is 4 ns, and that of the stages in the place of the DUT "
        "3.106 ns: the DUT was run at theirs\n"
    )


@needs("iverilog")
def test_a_dut_that_does_what_none_may_exits_with_1(tmp_path: Path) -> None:
    command = ("rtl", "pcie_nic", "target_rx", *PIPELINE, "--top", "pipeline", "--requests", "20")
    done = emu(tmp_path, *command, "--parameter", "FAULT=7", "--parameter", "FAULT_AT=5")
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(
        r"target_rx, cycle \d+, [\d.]+ us: port 'out': m_tdata\[15:0\] is \d+X where field 'id' is "
        r"valid; expected 0 and 1\n",
        done.stderr,
    )


@needs("iverilog")
def test_interrupted_it_says_what_had_been_delivered(tmp_path: Path) -> None:
    arguments = ("--requests", "100000", "--outstanding", "16")
    command = ("rtl", "pcie_nic", "target_rx", *PIPELINE, "--top", "pipeline", *arguments)
    parameters = ("--parameter", "LATENCY=9", "--parameter", "DEPTH=9")
    with subprocess.Popen(
        [sys.executable, "-m", "emu", *command, *parameters],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            # What is touched as cycles go by has been touched again.
            seen: set[int] = set()
            while len(seen) < 3:
                assert process.poll() is None
                seen.update(one.stat().st_mtime_ns for one in tmp_path.glob("emu-rtl-*/alive"))
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            said, _ = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130
    lines = said.splitlines()
    assert lines[0].startswith("target_rx is pipeline (")
    assert lines[2] == "interrupted: this is what had been delivered by then"
    sums = r"^posted (\d+) = delivered (\d+) \+ dropped 0 \+ in flight (\d+)$"
    counts = re.search(sums, said, re.MULTILINE)
    assert counts is not None
    posted, delivered, in_flight = map(int, counts.groups())
    assert 0 < delivered < 100_000
    assert posted == delivered + in_flight
    assert lines[-1] == (
        "emulated, 100000 of the same requests are delivered: means of others are not compared"
    )
    # Nothing is left of the simulation.
    assert list(tmp_path.glob("emu-rtl-*")) == []
