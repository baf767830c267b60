"""What was compiled is kept for the sources as they are, wherever they lie."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from emu.figures.compiled import compile_engine

ROOT = Path(__file__).parents[2]
#: A run along a line, and of how many functions numba found a copy, or did not.
RUN = """
import json
import emu
from emu.compiling import compile_before
from emu.fast import line_run
from emu.fast.compiled import is_kept
from emu.workload.build import closed_loop

before = is_kept(line_run.advance)
said = []
path = emu.build(emu.load("ub_async"))
compile_before("fast", path, closed_loop((emu.Operation.READ, 64), 1, 5), lambda: said.append(1))
report = path.run(operation=emu.Operation.READ, size_bytes=64, requests=5, engine="fast")
print(json.dumps({
    "file": emu.__file__, "before": before, "said": len(said), "delivered": report.delivered,
    "hits": sum(line_run.advance.stats.cache_hits.values()),
    "misses": sum(line_run.advance.stats.cache_misses.values()),
}))
"""


def run(folder: Path, **environment: str) -> dict[str, Any]:
    """One run of the sources in a folder, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        env=os.environ | {"PYTHONPATH": str(folder)} | environment,
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    assert found.pop("file") == str(folder / "emu" / "__init__.py")
    assert found.pop("delivered") == 5
    return found


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The sources, in another place and as if they had just been written."""
    for package in ("emu", "stages", "timing_tables"):
        shutil.copytree(ROOT / package, tmp_path / package, copy_function=shutil.copy)
    return tmp_path


def test_a_copy_of_the_same_sources_starts_at_once(copy: Path) -> None:
    compile_engine()
    assert run(copy) == {"before": True, "said": 0, "hits": 1, "misses": 0}


def test_after_any_change_of_the_sources_it_is_compiled_and_said(copy: Path) -> None:
    compile_engine()
    with (copy / "emu" / "fast" / "memory.py").open("a") as changed:
        changed.write("# changed\n")
    cache = str(copy / "cache")
    assert run(copy, XDG_CACHE_HOME=cache) == {"before": False, "said": 1, "hits": 0, "misses": 1}
    assert run(copy, XDG_CACHE_HOME=cache) == {"before": True, "said": 0, "hits": 1, "misses": 0}


def test_where_nothing_can_be_kept_it_is_compiled_each_time(copy: Path) -> None:
    (copy / "file").write_text("no folder")
    found = run(copy, XDG_CACHE_HOME=str(copy / "file"))
    assert (found["before"], found["said"], found["hits"]) == (False, 1, 0)
