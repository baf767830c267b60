import csv
from pathlib import Path

import pytest

import emu.path
from emu.kernel import Kernel
from emu.path import build
from emu.request import Operation
from emu.table import load
from testbenches.bench import simpy_model
from testbenches.bench.__main__ import COLUMNS, DisagreementError, agree, save
from testbenches.bench.untraced import untraced


@pytest.mark.parametrize("every_resource", (True, False))
def test_the_simpy_model_takes_the_derived_time_alone(every_resource: bool) -> None:
    table = load("pcie_nic")
    path = simpy_model.steps(table, Operation.READ, 64)
    alone = simpy_model.run(path, requests=3, outstanding=1, every_resource=every_resource)
    assert alone.mean_ps == build(table).derived_ps(Operation.READ, 64) == 2_221_800


def test_engine_and_simpy_agree_but_for_the_alignment() -> None:
    table = load("pcie_nic")
    path = simpy_model.steps(table, Operation.READ, 64)
    report = build(table).run(operation=Operation.READ, size_bytes=64, requests=50, outstanding=1)
    agree(report, simpy_model.run(path, requests=50, outstanding=1, every_resource=True), path)

    shorter = simpy_model.run(path[1:], requests=50, outstanding=1, every_resource=True)
    with pytest.raises(DisagreementError, match=r"expected .* ps of alignment between them"):
        agree(report, shorter, path)


@pytest.mark.parametrize("every_resource", (True, False))
def test_a_full_resource_limits_the_rate(every_resource: bool) -> None:
    path = [simpy_model.Step(interval_ps=10, rest_ps=5)]
    # Four at a time, one every 10 ps: they take 15, 25, 35 and 45 ps.
    result = simpy_model.run(path, requests=4, outstanding=4, every_resource=every_resource)
    assert result.latency_sum_ps == 15 + 25 + 35 + 45


def test_the_tables_are_saved(tmp_path: Path) -> None:
    folder = tmp_path / "build" / "bench"
    save(folder, "bench", "title", COLUMNS, [("emu", "1", "100", "")])
    assert (folder / "bench.md").read_text().splitlines()[-1] == "| emu | 1 | 100 |  |"
    with (folder / "bench.csv").open(newline="") as file:
        assert list(csv.reader(file)) == [list(COLUMNS), ["emu", "1", "100", ""]]


def test_the_engine_without_checks_for_a_listener_runs_the_same() -> None:
    usual = build(load("pcie_nic")).run(requests=200, outstanding=8)
    with untraced():
        made = build(load("pcie_nic")).run(requests=200, outstanding=8)
        assert vars(emu.path)["Kernel"] is not Kernel
    assert vars(emu.path)["Kernel"] is Kernel
    assert (made.parts, made.last_completion_ps) == (usual.parts, usual.last_completion_ps)
