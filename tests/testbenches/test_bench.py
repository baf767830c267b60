import csv
import os
import platform
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

import emu.path
from emu.kernel import Kernel
from emu.path import build
from emu.request import Operation
from emu.run import run_workload
from emu.table import load
from emu.workload.build import closed_loop
from testbenches.bench import fast, simpy_model
from testbenches.bench.__main__ import COLUMNS, save
from testbenches.bench.agreement import DisagreementError, agree, same
from testbenches.bench.machine import machine
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


def test_two_engines_agree_where_reports_are_the_same() -> None:
    read = closed_loop((Operation.READ, 64), 8, 100)
    report = run_workload(build(load("pcie_nic")), read)
    same(fast.LINE.run("fast", 100), fast.LINE.run("reference", 100))
    with pytest.raises(DisagreementError, match="the reference and the fast engine differ in work"):
        same(report, fast.LINE.run("fast", 100))


def test_of_a_million_pairs_every_request_may_have_another() -> None:
    accesses = islice((access for _, access in fast.PAIRS.described(64).workload.posts()), 64)
    pairs = {(access.initiator, access.destination) for access in accesses}
    assert len(pairs) == 64
    assert max(max(pair) for pair in pairs) > 900
    same(fast.PAIRS.run("fast", 500), fast.PAIRS.run("reference", 500))


def test_a_line_is_measured_beside_all_models() -> None:
    case = replace(fast.LINE, requests=(2000, 4000))
    rates = fast.measure(case, 50, 1)
    assert list(rates) == [
        *((fast.REFERENCE, 50), (fast.FAST, 2000), (fast.FAST, 4000), (fast.SIMPY, 50)),
    ]
    assert all(rate > 0 for rate in rates.values())


LINE_RATES = {
    (fast.REFERENCE, 5): 60_000.0,
    (fast.FAST, 10): 6_000_000.0,
    (fast.FAST, 1000): 6_000_000.0,
    (fast.SIMPY, 5): 10_000.0,
}
ORDERED_RATES = {(fast.REFERENCE, 5): 20_000.0, (fast.FAST, 1000): 600_000.0}


def test_rows_say_how_many_times_as_fast() -> None:
    rows = fast.rows(fast.LINE, LINE_RATES)
    assert rows[0][2:5] == ("5", "0.00", "60000")
    ratios = [row[5:] for row in rows]
    assert ratios == [
        ("6.00", "1.00"),
        ("600.00", "100.00"),
        ("600.00", "100.00"),
        ("1.00", "0.17"),
    ]
    ratios = [row[5:] for row in fast.rows(fast.ORDERED, ORDERED_RATES)]
    assert ratios == [("", "1.00"), ("", "30.00")]


@pytest.mark.parametrize(
    ("line", "ordered", "missed"),
    (
        ({}, {}, []),
        ({(fast.FAST, 10): 1_900_000.0}, {}, ["requests/s", "SimPy"]),
        ({(fast.SIMPY, 5): 31_000.0}, {}, ["SimPy"]),
        ({(fast.FAST, 1000): 5_700_000.0}, {}, ["run"]),
        ({}, {(fast.FAST, 1000): 400_000.0}, ["engine"]),
    ),
)
def test_what_is_missed_is_told(line: fast.Rates, ordered: fast.Rates, missed: list[str]) -> None:
    told = fast.verdicts(LINE_RATES | line, ORDERED_RATES | ordered)
    assert [what.split()[-1] for what, holds, _ in told if not holds] == missed


def test_the_machine_is_named_with_what_runs_on_it() -> None:
    assert f"{os.cpu_count()} cores, CPython {platform.python_version()}, numba" in machine()
