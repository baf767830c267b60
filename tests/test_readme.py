"""README tells the truth: its output is today's, and its examples run."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from emu.path import build
from emu.request import Operation
from emu.table import load
from emu.time import Picoseconds
from tests.documents import blocks, trimmed

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("command", "shown"), blocks(README, "output"), ids=lambda value: value[:40]
)
def test_shown_output_is_what_the_command_prints(command: str, shown: str) -> None:
    program, *arguments = command.split()
    assert program == "emu"
    run = subprocess.run(
        [sys.executable, "-m", "emu", *arguments], capture_output=True, text=True, check=True
    )
    assert trimmed(shown) == trimmed(run.stdout)


def test_the_first_commands_are_shown_first() -> None:
    assert README.index("make demo") < README.index("make test") < README.index("## ")


def test_the_python_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    ((_, example),) = blocks(README, "run")
    exec(compile(example, "README.md", "exec"), {})
    assert "'service'" in capsys.readouterr().out


def test_the_example_table_is_a_table(tmp_path: Path) -> None:
    ((name, text),) = blocks(README, "table")
    file = tmp_path / f"{name}.yaml"
    file.write_text(text, encoding="utf-8")
    # 9 cycles of 322.265625 MHz are 27927.27… ps.
    assert build(load(file)).derived_ps(Operation.READ, 64) == 807_927
    assert build(load(file)).derived_ps(Operation.WRITE, 64) == 557_927


def test_the_example_stage_serves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ((name, source),) = blocks(README, "stage")
    (tmp_path / f"{name}.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    stage = importlib.import_module(name).Refresh
    refresh = stage(stage.Parameters(period="7800 ns", stall="350 ns"))
    assert refresh.serve(None, 7_800_000).parts == (("service", Picoseconds(350_000)),)
    assert refresh.serve(None, 8_149_999).parts == (("service", Picoseconds(350_000)),)
    assert refresh.serve(None, 8_150_000) is None
