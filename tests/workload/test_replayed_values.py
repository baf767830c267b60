"""A replayed file with values: what a read sees of them, and which engine runs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from emu.driver import Driver
from emu.engines import EngineError
from emu.memory import Memory
from emu.path import Path as EmulatedPath
from emu.request import Request
from emu.run import run_on
from emu.table import load
from emu.workload.build import Described, described
from emu.workload.read import read_workload
from tests.build import READ

HEADING = "time_ns,operation,bytes,address,value,compare\n"
#: Each long after the one before.
ROWS = (
    "0,write,8,64,5,\n"
    "10000,read,8,64,,\n"
    "20000,fetch_and_add,8,64,18446744073709551615,\n"
    "30000,compare_and_swap,8,64,7,3\n"
    "40000,compare_and_swap,8,64,9,4\n"
    "50000,read,8,64,,\n"
)
REFUSED = "the workload brings values to memory"


def replayed(tmp_path: Path, rows: str) -> Described:
    file = tmp_path / "a.csv"
    file.write_text(HEADING + rows, encoding="utf-8")
    return described(*read_workload(str(file)), (READ, 64), 1, None)


def test_reads_and_atomics_find_what_was_brought(tmp_path: Path) -> None:
    made = replayed(tmp_path, ROWS)
    assert made.brings_values
    done: list[Request] = []
    path = EmulatedPath(load("pcie_nic"), memory=Memory())
    Driver(path, made.workload, on_complete=done.append).run()
    # 5 and 2 ** 64 - 1 are 4: the first comparison fails.
    assert [request.value for request in done] == [None, 5, 5, 4, 4, 9]


@pytest.mark.parametrize("name", ("pcie_nic", "ub_ordered_early"))
def test_the_fast_engine_says_why_it_does_not_run_it(tmp_path: Path, name: str) -> None:
    made = replayed(tmp_path, ROWS)
    with pytest.raises(EngineError, match=REFUSED):
        run_on("fast", EmulatedPath(load(name)), made)
    report = run_on("auto", EmulatedPath(load(name)), made)
    assert (report.engine, report.prevented, report.delivered) == ("reference", REFUSED, 6)


def test_without_values_nothing_is_brought(tmp_path: Path) -> None:
    assert not replayed(tmp_path, "0,write,8,64,,\n0,read,8,64,,\n").brings_values
    for text in ("{kind: burst}", "{kind: chain}"):
        assert not described(*read_workload(text), (READ, 64), 1, 10).brings_values
