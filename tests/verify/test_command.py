"""`emu verify`: what it prints, and how it exits."""

import json
import os
from functools import partial
from pathlib import Path
from shutil import copy
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from emu.cli import verify
from emu.errors import EmuError
from emu.figures.model import Figure, Point
from emu.verify import figures as verify_figures_module
from emu.verify import shipped
from emu.verify.openurma.cycles import cycles_verification
from emu.verify.openurma.rows import shipped_addresses
from emu.verify.published import verify_published
from tests.verify.openurma_rule import ROW, csv_text

SHIPPED = shipped_addresses().parent


def run(*arguments: str) -> Result:
    app = typer.Typer()
    verify.register(app)
    return CliRunner().invoke(app, arguments)


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Four rows: two that hold, one that is off, one that is not comparable."""
    file = tmp_path / "mine.csv"
    off: dict[str, Any] = {**ROW, "mean_ns": 760}
    file.write_text(csv_text([ROW, off, {**ROW, "conc": 16}, ROW]))
    return file


def test_counts_and_failures_for_scripts(rows: Path) -> None:
    result = run("--openurma-rows", str(rows), "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout) == {
        "checked": 3,
        "matched": 2,
        "not_comparable": 1,
        "failures": [
            {
                "file": "mine.csv",
                "name": "line 3: ub_urma bulk_read read",
                "source": "OpenURMA two-node simulator (arXiv 2605.28717), mean_ns",
                "expected_ps": 760_000,
                "got_ps": 757_000,
                "difference_ps": -3_000,
                "tolerance_ps": 500,
            }
        ],
    }


def test_prints_a_line_a_file_then_what_is_off_and_what_is_not_comparable(rows: Path) -> None:
    result = run("--openurma-rows", str(rows))
    assert result.exit_code == 1
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert "mine.csv 4 2 1 1 3.000" in lines
    (off,) = [line for line in lines if line.startswith("line 3:")]
    assert off.endswith("mean_ns 760.000 757.000 -3.000 0.500 ns off")
    reason = next(index for index, line in enumerate(lines) if "not comparable, more" in line)
    assert lines[reason + 1] == "line 4: ub_urma bulk_read read"
    assert lines[-1] == "2 of 3 hold, 1 are off"


def test_rows_of_which_none_can_be_compared_verify_nothing(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text(csv_text([{**ROW, "conc": 8}, {**ROW, "conc": 8}]))
    result = run("--openurma-rows", str(file))
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-2:] == [
        "0 of 0 hold",
        "mine.csv: nothing was compared, so that nothing is verified",
    ]
    assert run("--openurma-rows", str(file), "--json").exit_code == 1


def test_rows_that_hold_exit_with_0() -> None:
    result = run("--openurma-rows", str(SHIPPED / "twonode_m2n.csv"))
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == "22 of 22 hold"


def test_addresses_alone_are_refused() -> None:
    result = run("--addresses", str(shipped_addresses()))
    assert isinstance(result.exception, EmuError)
    assert str(result.exception) == (
        "--addresses without --openurma-rows; expected the rows that drew them"
    )


def test_a_broken_file_is_an_error_that_is_complete_as_it_stands(tmp_path: Path) -> None:
    file = tmp_path / "empty.csv"
    file.write_text("")
    result = run("--openurma-rows", str(file))
    assert isinstance(result.exception, EmuError)
    assert str(result.exception).startswith(f"{file}:1:1: heading: the file is empty; expected ")


def here_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is compiled, and no other process begins: it would not know what is changed here."""
    monkeypatch.setattr(shipped, "compile_engine", lambda say: None)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)


@pytest.fixture
def scenarios(tmp_path: Path) -> Path:
    """Three scenarios, the second with a cycle changed."""
    lines = (SHIPPED / "ub_tx_cycle_scenarios.jsonl").read_text().splitlines()[:3]
    assert lines[1].count("[60, 1]") == 1
    lines[1] = lines[1].replace("[60, 1]", "[61, 1]")
    file = tmp_path / "mine.jsonl"
    file.write_text("\n".join(lines))
    return file


def test_scenarios_are_counted_and_the_first_difference_of_each_is_told(scenarios: Path) -> None:
    result = run("--openurma-cycles", str(scenarios), "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout) == {
        "checked": 3,
        "matched": 2,
        "failures": [
            {
                "scenario": "single_request_posted_at_49",
                "line": 2,
                "stage": "cwnd",
                "departure": 1,
                "expected": [61, 1],
                "got": [60, 1],
            }
        ],
    }


def test_prints_the_scenarios_that_differ(scenarios: Path) -> None:
    result = run("--openurma-cycles", str(scenarios))
    assert result.exit_code == 1
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert "2 single_request_posted_at_49 cwnd 1 cycle 61, request 1 cycle 60, request 1" in lines
    assert lines[-2:] == ["29 of 30 departures are in their cycle", "2 of 3 scenarios match"]


def test_scenarios_that_match_exit_with_0() -> None:
    result = run("--openurma-cycles", str(SHIPPED / "ub_tx_cycle_scenarios.jsonl"))
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "8962 of 8962 departures are in their cycle",
        "82 of 82 scenarios match",
    ]


def test_scenarios_and_rows_at_once_are_refused(scenarios: Path, rows: Path) -> None:
    result = run("--openurma-cycles", str(scenarios), "--openurma-rows", str(rows))
    assert isinstance(result.exception, EmuError)
    assert str(result.exception) == ("--openurma-cycles with rows or addresses; expected it alone")


def test_scenarios_among_what_is_shipped_are_a_line_a_file(
    monkeypatch: pytest.MonkeyPatch, scenarios: Path
) -> None:
    here_alone(monkeypatch)
    monkeypatch.setattr(shipped, "verify_published", lambda: [cycles_verification(scenarios)])
    monkeypatch.setattr(shipped, "FIGURES", {})
    result = run()
    assert result.exit_code == 1
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert "mine.jsonl 3 2 1 30" in lines
    (off,) = [line for line in lines if line.startswith("line 2:")]
    assert off.endswith("10 9 -1 0 departures off")
    assert lines[-1] == "2 of 3 hold, 1 are off"


def test_two_processes_say_what_one_does(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    copy(SHIPPED.parent / "openurma_sender.yaml", tmp_path)
    (tmp_path / "openurma").mkdir()
    copy(SHIPPED / "ub_tx_cycle_scenarios.jsonl", tmp_path / "openurma")
    here_alone(monkeypatch)
    monkeypatch.setattr(shipped, "verify_published", partial(verify_published, tmp_path))
    monkeypatch.setattr(shipped, "FIGURES", ["phase", "loss"])
    one = run()
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    two = run()
    assert (one.exit_code, two.exit_code) == (0, 0)
    assert one.stdout == two.stdout
    starts = ("ub_sender read", "phase: most", "loss: one packet", "ub_tx_cycle_scenarios.jsonl")
    lines = one.stdout.splitlines()
    first = [next(n for n, line in enumerate(lines) if line.startswith(start)) for start in starts]
    assert first == sorted(first)


def figure(measured: float) -> Figure:
    point = Point("a rate", "M/s", 161.0, measured, 0.5, "a test")
    return Figure("made-up", "A figure", (point,), (), "x", "y")


def with_one_figure(monkeypatch: pytest.MonkeyPatch, measured: float) -> None:
    here_alone(monkeypatch)
    monkeypatch.setattr(shipped, "verify_published", list)
    monkeypatch.setattr(shipped, "FIGURES", {"made-up": None})
    monkeypatch.setattr(verify_figures_module, "reproduce", lambda name, engine: figure(measured))


def test_each_point_of_a_figure_is_a_check_in_its_own_unit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with_one_figure(monkeypatch, 161.4)
    result = run()
    assert result.exit_code == 0
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert "made-up: a rate a test 161 161.4 0.4 0.5 M/s" in lines
    assert lines[-1] == "1 of 1 hold"


def test_a_point_that_is_off_fails_with_its_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    with_one_figure(monkeypatch, 162.0)
    result = run("--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout) == {
        "checked": 1,
        "matched": 0,
        "not_comparable": 0,
        "failures": [
            {
                "file": "made-up",
                "name": "made-up: a rate",
                "source": "a test",
                "unit": "M/s",
                "expected": 161.0,
                "got": 162.0,
                "difference": 1.0,
                "tolerance": 0.5,
            }
        ],
    }
