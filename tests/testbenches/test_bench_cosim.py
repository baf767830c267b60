"""The bench beside HDL measures what it says: each way does the same work."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from testbenches.bench import cosim
from testbenches.bench.cosim_inside import BARE, LOCKSTEP, PARTS
from tests.needs import needs


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Builds go to where the test is, and modules are found from where it started."""
    root = str(Path(cosim.__file__).parents[2])
    monkeypatch.setenv("PYTHONPATH", root)
    monkeypatch.syspath_prepend(root)
    monkeypatch.chdir(tmp_path)


@needs("iverilog")
@pytest.mark.parametrize("case", (cosim.ONE_STAGE, cosim.SENDER), ids=lambda case: case.top)
def test_each_way_runs_as_many_cycles(case: cosim.Case) -> None:
    short = replace(case, requests={"icarus": 200})
    runs = cosim.measured(short, "icarus", rounds=1)
    cycles = {one["name"]: one["cycles"] for one in runs}
    # Lockstep compares in chunks, and looks a while longer whether more comes.
    assert cycles[BARE] < cycles[LOCKSTEP] <= cycles[BARE] + 1024
    assert cosim.without_python(short, "icarus", cycles[BARE], rounds=1) > 0


def part(cycles: int, wall_s: float, *used_bytes: int) -> dict[str, object]:
    return {"cycles": cycles, "wall_s": wall_s, "bytes": list(used_bytes)}


@pytest.mark.parametrize(
    ("last", "holds"),
    (
        (part(100, 1.1, 50 << 20, 50 << 20), True),
        (part(100, 1.3, 50 << 20, 50 << 20), False),
        (part(100, 1.0, 50 << 20, 56 << 20), False),
    ),
)
def test_a_run_that_slows_down_or_grows_is_told(last: dict[str, object], holds: bool) -> None:
    start = part(100, 9.0, 1 << 20, 1 << 20)
    second = part(100, 1.0, 50 << 20, 50 << 20)
    assert cosim.holds([start, second, last])[0] is holds


@pytest.mark.long
@needs("make", "g++")
def test_two_million_cycles_hold_their_memory() -> None:
    parts = cosim.long_run("verilator")
    assert len(parts) >= PARTS - 1
    used = [sum(part["bytes"]) for part in parts]
    assert max(used[2:]) - used[1] < cosim.MORE_BYTES
