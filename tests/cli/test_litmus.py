"""`emu litmus`: what it prints, and how it exits."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from emu.cli import litmus
from emu.cli.options import OptionError
from emu.litmus.catalog import litmus_names
from emu.litmus.count import TASK
from tests.litmus.files import document, made

#: The read is there at 100 ns, as the write is; which of them is first, the start decides.
RACE: dict[str, Any] = {
    "a": [{"post": "write", "at": "x", "value": 1, "as": "w"}],
    "b": [{"post": "read", "at": "x", "as": "seen"}],
}
OUTCOMES = {"new": {"seen": 1}, "old": {"seen": 0}}


def run(*arguments: object) -> Result:
    app = typer.Typer()
    litmus.register(app)
    return CliRunner().invoke(app, [str(one) for one in arguments])


def race(directory: Path, outcomes: Any = OUTCOMES, **mode: Any) -> Path:
    """A race whose mode says something else than that both outcomes are allowed."""
    said = {"title": "who is first", "tables": ["./delays.yaml"], "allowed": ["new", "old"], **mode}
    return made(directory, document(RACE, outcomes, modes={"m": said}, start="1 us")).file


def test_counts_the_outcomes_and_says_what_the_mode_says_of_them(tmp_path: Path) -> None:
    result = run(race(tmp_path), "--schedules", 100)
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert lines[0] == "under_test, m: who is first (on delays)"
    rows = [line.split() for line in lines[2:4]]
    assert [row[:2] + row[3:] for row in rows] == [
        ["new", "seen=1", "allowed"],
        ["old", "seen=0", "allowed"],
    ]
    assert sum(int(row[2]) for row in rows) == 100
    assert lines[-1] == "100 schedules of 1 mode: all hold"


def test_a_forbidden_outcome_fails_and_prints_the_trace_of_its_first_schedule(
    tmp_path: Path,
) -> None:
    file = race(tmp_path, allowed=["new"], forbidden=["old"])
    result = run(file, "--schedules", 100)
    assert result.exit_code == 1
    marked = re.search(
        r"^old +seen=0 +\d+ +FORBIDDEN, first in schedule (\d+)", result.output, re.M
    )
    assert marked
    command = f"emu litmus {file} --mode m --seed 1 --trace {marked[1]}"
    shown = result.output[result.output.index(command) :].splitlines()
    assert shown[1] == "on delays"
    assert shown[2].split() == ["ns", "who", "stage"]
    told = [line.split()[1:] for line in shown[3:9]]
    assert ["b.seen", "memory", "finds", "x", "=", "0"] in told
    assert ["a.w", "memory", "makes", "visible", "x", "=", "1"] in told
    assert shown[9] == "old: seen=0"
    assert result.output.splitlines()[-1] == "100 schedules of 1 mode: 1 does not hold"
    # The command that it names prints the same.
    again = run(*command.split()[2:])
    assert again.exit_code == 0
    assert again.output.splitlines() == shown[:10]


def test_an_outcome_that_no_one_has_named_fails(tmp_path: Path) -> None:
    file = race(tmp_path, {"new": {"seen": 1}}, allowed=["new"])
    result = run(file, "--schedules", 100)
    assert result.exit_code == 1
    assert "FORBIDDEN (the test does not name it): seen=0" in result.output


def test_an_allowed_outcome_that_never_came_fails(tmp_path: Path) -> None:
    outcomes = {**OUTCOMES, "odd": {"seen": 7}}
    file = race(tmp_path, outcomes, allowed=["new", "old", "odd"])
    result = run(file, "--schedules", 300)
    assert result.exit_code == 1
    assert re.search(r"^odd +0 +allowed, NOT SEEN$", result.output, re.M)
    few = run(file, "--schedules", 299)
    assert few.exit_code == 0
    assert "allowed, not seen: 299 schedules are too few to tell" in few.output


def test_an_outcome_that_this_machine_cannot_give_is_listed_with_the_reason(tmp_path: Path) -> None:
    outcomes = {**OUTCOMES, "odd": {"seen": 7}}
    result = run(race(tmp_path, outcomes, not_here={"odd": "nobody writes it"}))
    assert result.exit_code == 0
    assert re.search(r"^odd +0 +not here: nobody writes it$", result.output, re.M)
    wrong = run(race(tmp_path, allowed=["new"], not_here={"old": "nobody is so early"}))
    assert wrong.exit_code == 1
    assert "NOT EXPECTED HERE: seen=0" in wrong.output


def test_json_says_the_same(tmp_path: Path) -> None:
    file = race(tmp_path, allowed=["new"], forbidden=["old"])
    result = run(file, "--schedules", 100, "--json")
    assert result.exit_code == 1
    (mode,) = json.loads(result.output)["modes"]
    assert (mode["test"], mode["mode"], mode["schedules"]) == ("under_test", "m", 100)
    assert (mode["ok"], mode["tables"], mode["seed"]) == (False, ["./delays.yaml"], 1)
    assert [(one["name"], one["values"], one["verdict"]) for one in mode["outcomes"]] == [
        ("new", {"seen": 1}, "allowed"),
        ("old", {"seen": 0}, "forbidden"),
    ]
    assert sum(one["count"] for one in mode["outcomes"]) == 100
    assert mode["not_seen"] == {"allowed": [], "forbidden": []}
    first = mode["outcomes"][1]["first_schedule"]
    traced = run(file, "--trace", first, "--trace", 0, "--json")
    one, other = json.loads(traced.output)
    assert (one["schedule"], one["table"], one["timings"]) == (first, "delays", [])
    assert one["outcome"] == {"name": "old", "values": {"seen": 0}}
    assert {"who": "b.seen", "stage": "memory", "what": "finds x = 0"} in [
        {key: line[key] for key in ("who", "stage", "what")} for line in one["trace"]
    ]
    assert other["schedule"] == 0


def test_the_tests_that_are_shipped_are_found_without_a_file() -> None:
    result = run("--list")
    assert result.exit_code == 0
    assert list(dict.fromkeys(line.split()[0] for line in result.output.splitlines())) == (
        litmus_names()
    )
    assert "stale_read fence: the read of the data waits for the read of the flag" in result.output


def test_a_mode_can_be_run_alone() -> None:
    result = run("stale_read", "write_read", "--mode", "early", "--schedules", 16)
    heads = [line.split(":")[0] for line in result.output.splitlines() if ", early" in line]
    assert heads == ["stale_read, early", "write_read, early"]


def test_the_list_as_json() -> None:
    result = run("stale_read", "two_adds", "--mode", "fence", "--list", "--json")
    assert json.loads(result.output) == [
        {
            "test": "stale_read",
            "mode": "fence",
            "title": "the read of the data waits for the read of the flag",
        }
    ]


@pytest.mark.parametrize(
    ("options", "error"),
    (
        (("--trace", 3, "--schedules", 7), "--schedules beside --trace; expected --trace without"),
        (("--trace", 3, "--workers", 1), "--workers beside --trace; expected --trace without"),
        (("--list", "--trace", 3), "--trace beside --list; expected --list without"),
        (("--list", "--workers", 1), "--workers beside --list; expected --list without"),
        (
            ("--list", "--seed", 1, "--schedules", 7),
            "--schedules and --seed beside --list; expected --list without",
        ),
    ),
)
def test_options_that_would_do_nothing_are_refused(options: tuple[object, ...], error: str) -> None:
    result = run("stale_read", "--mode", "early", *options)
    assert isinstance(result.exception, OptionError)
    assert str(result.exception) == error


def test_marks_that_no_stage_knows_of_are_told(tmp_path: Path) -> None:
    tables = ["ub_ordered", "./delays.yaml"]
    file = race(tmp_path, tables=tables, marks={"all": {"order": "NO"}, "seen": {"fence": True}})
    told = (
        "w, seen: with an order, a service mode or a fence, of which no stage of delays knows: "
        "nothing waits for that"
    )
    result = run(file, "--schedules", 20)
    assert [line for line in result.output.splitlines() if "nothing waits" in line] == [told]
    traced = run(file, "--trace", 0, "--trace", 1)
    assert [line for line in traced.output.splitlines() if "nothing waits" in line] == [told]
    unkept = {"./delays.yaml": ["w", "seen"]}
    (mode,) = json.loads(run(file, "--schedules", 20, "--json").output)["modes"]
    assert mode["unkept_marks"] == unkept
    (one,) = json.loads(run(file, "--trace", 0, "--json").output)
    assert one["unkept_marks"] == unkept
    # Where all are known, and where there are none.
    assert "nothing waits" not in run(race(tmp_path), "--schedules", 20).output


def test_options_that_do_not_fit_are_refused() -> None:
    result = run("stale_read", "--mode", "earl")
    assert isinstance(result.exception, OptionError)
    assert str(result.exception).startswith(
        "--mode earl: no test has that mode; expected unordered"
    )
    assert str(result.exception).endswith("did you mean 'early'?")
    result = run("stale_read", "--trace", 3)
    assert isinstance(result.exception, OptionError)
    assert "one mode" in str(result.exception)
    # Schedules are numbered from 0 on.
    result = run("stale_read", "--mode", "early", "--trace", -1)
    assert result.exit_code == 2
    assert "Invalid value for '--trace'" in result.output


def emu(*arguments: str, **environment: str) -> str:
    command = [sys.executable, "-m", "emu", "litmus", *arguments]
    done = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.parametrize("more", (("--schedules", "40"), ("--mode", "unordered", "--trace", "20")))
def test_the_same_seed_prints_the_same_whatever_python_hashes(more: tuple[str, ...]) -> None:
    arguments = ("two_readers", "--json", *more)
    assert emu(*arguments, PYTHONHASHSEED="1") == emu(*arguments, PYTHONHASHSEED="2")


def test_processes_make_no_difference() -> None:
    arguments = ("two_swaps", "--schedules", "200")
    assert emu(*arguments, "--workers", "2") == emu(*arguments, "--workers", "1")


@pytest.mark.parametrize("workers", ("1", "2"))
def test_interrupted_it_prints_what_was_counted(workers: str) -> None:
    command = [sys.executable, "-m", "emu", "litmus", "two_adds", "--workers", workers]
    command += ["--schedules", "1600"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        # The first of four modes has been counted.
        assert process.stdout.readline().startswith("two_adds, unordered:")
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=120)
    assert error == ""
    assert process.returncode == 130
    assert "interrupted: this is what had been counted by then" in out
    counted = re.search(r"^(\d+) schedules of (?:1 mode|[23] modes), of 4: all hold$", out, re.M)
    assert counted
    assert 1600 <= int(counted[1]) < 6400
    assert int(counted[1]) % TASK == 0
