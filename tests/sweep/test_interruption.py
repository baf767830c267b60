"""Sweeps that are stopped, killed and damaged: the file is the same in the end."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from emu.sweep import Sweep, read_axes, sweep
from emu.sweep.journal import Journal

EMU = (sys.executable, "-m", "emu")
#: Nothing here takes as long on any machine; a test that waits in vain ends with an error.
PATIENCE_S = 300
#: So many requests take days on any engine.
ENDLESS = 10**13


def command(out: Path, rows: int, requests: int) -> list[str]:
    axes = ("--vary", "size=8..1K:x2", "--vary", f"seed=1..{rows // 8}:+1")
    return [
        *(*EMU, "sweep", "pcie_nic", *axes, "--requests", str(requests)),
        *("--workers", "2", "--engine", "reference", "--out", str(out)),
    ]


def points(rows: int, requests: int) -> Sweep:
    axes = read_axes(["size=8..1K:x2", f"seed=1..{rows // 8}:+1"])
    return Sweep(("pcie_nic",), axes, (), requests)


def swept(out: Path, rows: int, requests: int) -> bytes:
    sweep(points(rows, requests), out)
    return out.read_bytes()


@contextmanager
def started(arguments: list[str], **how: Any) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(arguments, text=True, **how)
    with process:
        try:
            yield process
        finally:
            process.kill()


def until(holds: Callable[[], bool]) -> None:
    end_s = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end_s, "waited in vain"
        time.sleep(0.002)


def length(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def rows_in(part: Path) -> int:
    return part.read_bytes().count(b"\n") if part.exists() else 0


def kill_and_finish(out: Path, rows: int, requests: int, kills: int) -> None:
    """Kills a sweep over and over, each time at a random moment after it wrote more rows."""
    part = out.with_name(f"{out.name}.part")
    moments = random.Random(3)
    for _ in range(kills):
        before = length(part)
        # Messages of helpers that outlive the killed process are nobody's business here.
        with started(command(out, rows, requests), stderr=subprocess.DEVNULL) as process:
            until(lambda: length(part) > before or process.poll() is not None)  # noqa: B023
            time.sleep(moments.uniform(0, 0.3))
        assert process.returncode in (0, -signal.SIGKILL)
        assert not out.exists() or out.read_bytes().endswith(b"\n")
    subprocess.run(command(out, rows, requests), check=True, timeout=PATIENCE_S)


def children(pid: int) -> Iterator[int]:
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it ended meanwhile
        if int(fields[1]) == pid:
            yield int(stat.parent.name)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_sweep_killed_at_random_moments_ends_with_the_same_file(tmp_path: Path) -> None:
    expected = swept(tmp_path / "through.csv", 320, 30)
    kill_and_finish(tmp_path / "killed.csv", 320, 30, kills=5)
    assert (tmp_path / "killed.csv").read_bytes() == expected
    assert sorted(file.name for file in tmp_path.glob("killed*")) == [
        "killed.csv",
        "killed.csv.sweep.json",
    ]


@pytest.mark.long
def test_a_million_requests_killed_ten_times(tmp_path: Path) -> None:
    expected = swept(tmp_path / "through.csv", 1000, 1000)
    kill_and_finish(tmp_path / "killed.csv", 1000, 1000, kills=10)
    assert (tmp_path / "killed.csv").read_bytes() == expected


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")


@needs_proc
def test_workers_end_with_their_parent(tmp_path: Path) -> None:
    part = tmp_path / "out.csv.part"
    # The second row takes so long that both workers are in the middle of one when they must end.
    axis = f"requests=1,{ENDLESS},{ENDLESS + 1}"
    arguments = ["--vary", axis, "--workers", "2", "--engine", "reference"]
    with started(
        [*EMU, "sweep", "pcie_nic", *arguments, "--out", str(tmp_path / "out.csv")],
        stderr=subprocess.DEVNULL,
    ) as process:
        until(lambda: length(part) > 0 or process.poll() is not None)
        workers = list(children(process.pid))
        assert len(workers) >= 2
    until(lambda: not any(map(is_running, workers)))


@needs_proc
def test_a_worker_that_is_killed_ends_the_sweep_with_an_error(tmp_path: Path) -> None:
    out, part = tmp_path / "out.csv", tmp_path / "out.csv.part"
    axis = f"requests=1,{ENDLESS}"
    arguments = ["--vary", axis, "--workers", "1", "--engine", "reference", "--out", str(out)]
    with started([*EMU, "sweep", "pcie_nic", *arguments], stderr=subprocess.PIPE) as process:
        until(lambda: rows_in(part) == 1 or process.poll() is not None)
        # What it was started with tells a worker from the process that looks after semaphores.
        (worker,) = [
            pid
            for pid in children(process.pid)
            if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
        ]
        os.kill(worker, signal.SIGKILL)
        _, said = process.communicate(timeout=PATIENCE_S)
    assert said == (
        "a worker was ended from outside, perhaps for want of memory; under way were "
        f"'pcie_nic, requests={ENDLESS}'\n"
    )
    assert process.returncode == 2
    assert rows_in(part) == 1


@pytest.mark.parametrize("engine", ("reference", "fast"))
def test_ctrl_c_ends_at_once_and_the_same_command_goes_on(tmp_path: Path, engine: str) -> None:
    out, part = tmp_path / "out.csv", tmp_path / "out.csv.part"
    axis = f"requests=1,2,{ENDLESS}"
    arguments = ["--vary", axis, "--workers", "2", "--engine", engine, "--out", str(out)]
    with started(
        [*EMU, "sweep", "pcie_nic", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        until(lambda: rows_in(part) == 2 or process.poll() is not None)
        # To all of them, as a terminal does.
        os.killpg(process.pid, signal.SIGINT)
        printed, said = process.communicate(timeout=PATIENCE_S)
    assert printed == ""
    # Before, a first run says that it compiles.
    assert said.splitlines()[-1] == f"{out}: stopped; the same command goes on from there"
    assert process.returncode == 130
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "out.csv.part",
        "out.csv.sweep.json",
    ]


def test_a_journal_cut_off_anywhere_is_gone_on_with(tmp_path: Path) -> None:
    expected = swept(tmp_path / "through.csv", 16, 1)
    header, *rows = expected.decode().splitlines()
    order = list(enumerate(rows))
    random.Random(5).shuffle(order)
    whole = tmp_path / "whole"
    with Journal(whole, 16) as journal:
        for index, row in order:
            journal.add(index, [row])
    content = whole.read_bytes()
    out = tmp_path / "out.csv"
    with ThreadPoolExecutor(1) as executor:
        for cut in [*random.Random(7).sample(range(len(content)), 12), len(content)]:
            sweep_json = tmp_path / "through.csv.sweep.json"
            (tmp_path / "out.csv.sweep.json").write_bytes(sweep_json.read_bytes())
            (tmp_path / "out.csv.part").write_bytes(content[:cut])
            out.unlink(missing_ok=True)
            outcome = sweep(points(16, 1), out, executor=executor, workers=1)
            assert outcome.found == content[:cut].count(b"\n")
            assert out.read_bytes() == expected
    assert header.startswith("table,size,seed,")


def test_a_damaged_line_of_the_journal_counts_as_not_there(tmp_path: Path) -> None:
    file = tmp_path / "journal"
    with Journal(file, 3) as journal:
        journal.add(0, ["zero", "one"])
        journal.add(2, ["two"])
    content = file.read_bytes()
    file.write_bytes(content.replace(b" one", b" 0ne") + b"garbage\n\n" + content[:9])
    with Journal(file, 3) as journal:
        assert [index in journal for index in range(3)] == [True, False, True]
        journal.add(1, ["uno"])
        journal.write_ordered("header", tmp_path / "out")
    assert (tmp_path / "out").read_text() == "header\nzero\nuno\ntwo\n"
