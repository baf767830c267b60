"""docs/beside-hdl.md tells the truth: its commands run in order, and print what it shows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.documents import all_blocks, trimmed
from tests.needs import needs

TEXT = (Path(__file__).parents[2] / "docs" / "beside-hdl.md").read_text(encoding="utf-8")


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command], cwd=folder, capture_output=True, text=True, check=False
    )


@needs("iverilog")
def test_the_tutorial_runs_from_its_first_line_to_its_last(tmp_path: Path) -> None:
    kinds = []
    for kind, name, text in all_blocks(TEXT):
        kinds.append(kind)
        if kind == "file":
            (tmp_path / name).write_text(text, encoding="utf-8")
        elif kind == "run":
            done = run(tmp_path, "-c", text)
            assert done.returncode == 0, done.stdout + done.stderr
        else:
            program, *arguments = name.split()
            assert program == "emu"
            done = run(tmp_path, "-m", program, *arguments)
            assert done.returncode == (1 if kind == "fails" else 0), done.stderr
            assert trimmed(done.stdout) == trimmed(text)
    assert {kind: kinds.count(kind) for kind in kinds} == {
        "file": 5,
        "output": 6,
        "fails": 1,
        "run": 2,
    }
