"""A sweep's file: what is in it, whoever computes it, and what refuses to be one."""

import csv
import json
import os
import socket
import warnings
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from emu import build, load
from emu.cli import sweep as command
from emu.cli.options import OptionError
from emu.path import Path as TablePath
from emu.request import Operation
from emu.sweep import Axis, Sweep, SweepError, read_axes, sweep
from emu.sweep.lock import locked
from emu.workload.build import Described
from tests.foreign import PREVENTED, foreign_table
from tests.sweep.own_table import TABLE

HEADER = (
    "table,size,outstanding,op,rate_per_s,mean_ps,p50_ps,p99_ps,p999_ps,max_ps,posted,delivered,"
    "dropped,in_flight,parts_ps"
)
POINTS = Sweep(
    ("pcie_nic", "ub_load"),
    read_axes(["size=8..4K:x8", "outstanding=1,4", "op=read,write"]),
    requests=20,
)


class AtOnce(Executor):
    """The simplest executor there is: it runs a task when it is submitted."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def run(*arguments: str, catch: bool = True) -> Result:
    app = typer.Typer()
    command.register(app)
    return CliRunner().invoke(app, arguments, catch_exceptions=catch)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    out = tmp_path_factory.mktemp("expected") / "out.csv"
    sweep(POINTS, out, executor=AtOnce(), workers=1)
    return out.read_bytes()


def test_the_rows_are_the_points_in_order_and_say_what_a_run_says(expected: bytes) -> None:
    header, *lines = expected.decode().splitlines()
    assert header == HEADER
    rows = list(csv.DictReader([header, *lines]))
    keys = [(row["table"], row["size"], row["outstanding"], row["op"]) for row in rows]
    assert keys == [
        (table, size, outstanding, op)
        for table in ("pcie_nic", "ub_load")
        for size in ("8", "64", "512", "4096")
        for outstanding in ("1", "4")
        for op in ("read", "write")
    ]
    row = rows[keys.index(("pcie_nic", "512", "4", "write"))]
    report = build(load("pcie_nic")).run(
        operation=load("pcie_nic").operations[1], size_bytes=512, requests=20, outstanding=4
    )
    assert float(row["rate_per_s"]) == report.rate_per_s
    for name, value in report.latencies_ps().items():
        assert float(row[f"{name}_ps"]) == value
    counts = [int(row[name]) for name in ("posted", "delivered", "dropped", "in_flight")]
    assert counts == [20, 20, 0, 0]
    assert json.loads(row["parts_ps"]) == report.parts


@pytest.mark.parametrize("workers", (1, 2, 3))
def test_the_same_bytes_from_any_number_of_processes(
    tmp_path: Path, expected: bytes, workers: int
) -> None:
    told: list[tuple[int, int]] = []
    sweep(POINTS, tmp_path / "out.csv", workers=workers, progress=lambda *it: told.append(it))
    assert (tmp_path / "out.csv").read_bytes() == expected
    assert sorted(told) == told
    assert [told[0], told[-1]] == [(0, 32), (32, 32)]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["out.csv", "out.csv.sweep.json"]


def test_the_same_bytes_from_threads(tmp_path: Path, expected: bytes) -> None:
    with ThreadPoolExecutor(3) as executor:
        sweep(POINTS, tmp_path / "out.csv", executor=executor, workers=3)
    assert (tmp_path / "out.csv").read_bytes() == expected


def test_the_same_bytes_from_a_dask_cluster(tmp_path: Path, expected: bytes) -> None:
    out = tmp_path / "out.csv"
    with warnings.catch_warnings():
        # Dask's own, about ports in use and files left open at its end.
        warnings.simplefilter("ignore")
        from distributed import LocalCluster

        cluster: Any = LocalCluster  # it has no types
        with cluster(
            n_workers=2,
            threads_per_worker=1,
            processes=False,
            protocol="tcp",
            dashboard_address=None,
        ) as local:
            result = run(
                *("pcie_nic", "ub_load", "--vary", "size=8..4K:x8", "--vary", "outstanding=1,4"),
                *("--vary", "op=read,write", "--requests", "20", "--out", str(out)),
                *("--dask", local.scheduler_address),
            )
    assert result.stdout == f"{out}: 32 rows\n"
    assert out.read_bytes() == expected


def test_the_same_bytes_from_either_engine(tmp_path: Path, expected: bytes) -> None:
    out = tmp_path / "out.csv"
    sweep(POINTS, out, executor=AtOnce(), engine="fast")
    assert out.read_bytes() == expected
    # Which one it was is no part of what was swept.
    assert sweep(POINTS, out, executor=AtOnce(), engine="reference").found == 32


def test_a_sweep_goes_on_with_the_other_engine(tmp_path: Path) -> None:
    table, out = tmp_path / "mine.yaml", tmp_path / "out.csv"
    table.write_text(TABLE.replace("    overflow: error\n", ""))
    points = Sweep((table,), read_axes(["size=8,16,24,32"]), (), 9)
    sweep(points, tmp_path / "through.csv", executor=AtOnce())
    part = tmp_path / "out.csv.part"

    class Stopping(AtOnce):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            if part.exists() and part.read_bytes():
                raise KeyboardInterrupt
            return super().submit(fn, *args, **kwargs)

    with pytest.raises(KeyboardInterrupt):
        sweep(points, out, executor=Stopping(), workers=1, engine="reference")
    found = sweep(points, out, executor=AtOnce(), workers=1, engine="fast").found
    assert 0 < found < 4
    assert out.read_bytes() == (tmp_path / "through.csv").read_bytes()


def test_a_row_that_the_fast_engine_can_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = foreign_table(tmp_path, monkeypatch)
    points = Sweep((table,), read_axes(["size=64,128"]), (), 4)
    expected, out = tmp_path / "expected.csv", tmp_path / "out.csv"
    assert sweep(points, expected, executor=AtOnce()).prevented == {}
    found = sweep(points, out, executor=AtOnce(), engine="auto")
    assert found.prevented == {f"foreign: {PREVENTED}": 2}
    assert out.read_bytes() == expected.read_bytes()
    with pytest.raises(SweepError) as caught:
        sweep(points, tmp_path / "fast.csv", executor=AtOnce(), engine="fast")
    assert str(caught.value) == (
        f"foreign, size=64: the fast engine can't run this: {PREVENTED}; expected --engine "
        "auto or reference"
    )


def test_the_command_says_what_prevented_the_fast_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = partial(sweep, executor=AtOnce())
    # Other processes do not know the stage.
    monkeypatch.setattr(command, "run_sweep", at_once)
    out = tmp_path / "out.csv"
    arguments = (str(foreign_table(tmp_path, monkeypatch)), "--requests", "1", "--out", str(out))
    assert run(*arguments).stdout.splitlines() == [
        f"{out}: 1 rows",
        f"1 row not on the fast engine: foreign: {PREVENTED}",
    ]


def test_it_is_compiled_for_each_table_and_operation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = []

    def compile_before(
        engine: str, path: TablePath, described: Described, say: Callable[[], None]
    ) -> None:
        compiled.append((engine, path.table.name, described.kind))
        say()

    monkeypatch.setattr("emu.sweep.worker.compile_before", compile_before)
    said: list[int] = []
    sweep(
        POINTS,
        tmp_path / "out.csv",
        workers=1,
        engine="auto",
        compiling=lambda: said.append(len(compiled)),
    )
    read, write = Operation.READ, Operation.WRITE
    load, store = Operation.LOAD, Operation.STORE
    assert compiled == [
        ("auto", "pcie_nic", (read, 8)),
        ("auto", "pcie_nic", (write, 8)),
        ("auto", "ub_load", (load, 8)),
        ("auto", "ub_load", (store, 8)),
    ]
    assert said == [1, 2, 3, 4]


def test_an_engine_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"^--engine none: 'none' is no engine; "):
        run("pcie_nic", "--out", str(tmp_path / "out.csv"), "--engine", "none", catch=False)


def test_parameters_of_tables_are_varied_and_set(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    axes = read_axes(["wire.latency=100 ns..300 ns:+100 ns", "seed=1,2"])
    sweep(Sweep(("pcie_nic",), axes, ("doorbell.latency=1 us",), 1), out, executor=AtOnce())
    rows = list(csv.DictReader(out.read_text().splitlines()))
    assert [(row["wire.latency"], row["seed"]) for row in rows] == [
        (latency, seed) for latency in ("100 ns", "200 ns", "300 ns") for seed in ("1", "2")
    ]
    for row in rows:
        overrides = ["doorbell.latency=1 us", f"wire.latency={row['wire.latency']}"]
        report = build(load("pcie_nic", overrides=overrides)).run(requests=1)
        assert row["rate_per_s"] == ""  # one request has none
        assert int(row["max_ps"]) == report.latencies_ps()["max"]


def test_a_table_of_ones_own_is_found_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.yaml").write_text(TABLE)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    sweep(Sweep(("../mine.yaml",), read_axes(["size=64,128"]), (), 2), Path("out.csv"), workers=1)
    rows = list(csv.DictReader(Path("out.csv").read_text().splitlines()))
    assert [(row["table"], row["size"]) for row in rows] == [("mine", "64"), ("mine", "128")]


def test_all_that_is_wrong_is_said_before_anything_runs(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    axes = read_axes(["doorbell.latncy=1 ns,2 ns", "wire_out.latency=1 ns,1 nss", "op=read,send"])
    with pytest.raises(SweepError) as caught:
        sweep(Sweep(("pcie_nic", "pcie_nik"), axes), out)
    lines = str(caught.value).splitlines()
    assert len(lines) == 3
    assert lines[0].startswith(
        "pcie_nic: --vary doorbell.latncy=1 ns: stage 'doorbell' has no parameter 'latncy'; "
    )
    assert lines[0].endswith("did you mean 'latency'?")
    assert lines[1].startswith("pcie_nic: --vary wire_out.latency=1 nss: ")
    assert "'1 nss' has the unknown unit 'nss'" in lines[1]
    assert lines[2].startswith("pcie_nik: there is no such table; ")
    assert list(tmp_path.iterdir()) == []


def test_an_operation_that_a_table_lacks_is_named_with_it(tmp_path: Path) -> None:
    axes = read_axes(["op=read,load"])
    with pytest.raises(SweepError) as caught:
        sweep(Sweep(("pcie_nic", "ub_load"), axes), tmp_path / "out.csv")
    assert str(caught.value).startswith("--vary op=load: pcie_nic has no load; expected read, ")


@pytest.mark.parametrize(
    ("points", "problem"),
    (
        (Sweep((), ()), "there is no table to sweep; expected one or more"),
        (
            Sweep(("pcie_nic",), (), (), 0),
            "--requests 0: nothing would run; expected 1 or more",
        ),
        (
            Sweep(("pcie_nic",), (Axis("size", (1,)), Axis("size", (2,)))),
            "--vary size: it is varied twice; expected each axis once",
        ),
        (
            Sweep(("pcie_nic",), (Axis("size", ("1",)),)),
            "--vary size: its values are not all whole numbers; expected those",
        ),
        (
            Sweep(("pcie_nic",), (Axis("size", ()),)),
            "--vary size: it has no values; expected one or more",
        ),
        (
            Sweep(("pcie_nic",), (Axis("wire.latency", ("1 ns",)),), ("wire.latency=2 ns",)),
            "--vary wire.latency: it is also given by --set; expected one of the two",
        ),
        (
            Sweep(("pcie_nic", "pcie_nic"), ()),
            "pcie_nic: there are two tables pcie_nic; expected each once",
        ),
        (
            Sweep(("pcie_nic",), (Axis("seed", tuple(range(10**5))),) * 2),
            (
                "--vary seed: it is varied twice; expected each axis once\n"
                "the sweep has 10000000000 rows; expected at most 100000000"
            ),
        ),
    ),
)
def test_a_sweep_that_is_none(tmp_path: Path, points: Sweep, problem: str) -> None:
    with pytest.raises(SweepError) as caught:
        sweep(points, tmp_path / "out.csv")
    assert str(caught.value) == problem


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    out = tmp_path / "no" / "out.csv"
    with pytest.raises(SweepError, match=f"^{out}: there is no folder '{out.parent}'; expected "):
        sweep(POINTS, out)


def test_a_complete_file_is_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    arguments = ("pcie_nic", "--vary", "size=8,16", "--requests", "1", "--out", str(out))
    assert run(*arguments, "--workers", "1").stdout == f"{out}: 2 rows\n"
    before = out.stat()
    again = run(*arguments)
    assert again.stdout == f"{out}: complete already, with 2 rows; nothing to do\n"
    assert (out.stat().st_ino, out.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_complete_file_that_lost_rows_is_not_called_complete(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    sweep(POINTS, out, executor=AtOnce())
    out.write_text("".join(out.read_text().splitlines(keepends=True)[:-2]))
    with pytest.raises(SweepError) as caught:
        sweep(POINTS, out)
    assert str(caught.value) == (
        f"{out}: it was complete and now has 30 of 32 rows; expected all; delete it to sweep again"
    )


@pytest.mark.parametrize(
    ("other", "difference"),
    (
        ({"requests": 21}, "--requests was 20, and is 21"),
        ({"settings": ("wire.latency=1 ns",)}, "--set was nothing, and is wire.latency=1 ns"),
        ({"tables": ("pcie_nic",)}, "what is swept was pcie_nic,ub_load, and is pcie_nic"),
        (
            {"axes": read_axes(["size=8..4K:x8", "outstanding=1,5", "op=read,write"])},
            "outstanding was 1,4, and is 1,5",
        ),
        (
            {"axes": read_axes(["size=1..7:+1", "outstanding=1,4", "op=read,write"])},
            "size was 8,64,512,4096, and is 1,2,3,4,5,6, … (7 values)",
        ),
        (
            {"axes": read_axes(["outstanding=1,4", "size=8..4K:x8", "op=read,write"])},
            "what is varied was size,outstanding,op, and is outstanding,size,op",
        ),
    ),
)
def test_a_file_of_another_sweep_is_refused(
    tmp_path: Path, other: dict[str, Any], difference: str
) -> None:
    out = tmp_path / "out.csv"
    sweep(POINTS, out, executor=AtOnce())
    fields = {name: getattr(POINTS, name) for name in ("tables", "axes", "settings", "requests")}
    with pytest.raises(SweepError) as caught:
        sweep(Sweep(**(fields | other)), out)
    assert str(caught.value) == (
        f"{out}: it is of another sweep: {difference}; expected the same, or another file"
    )
    out.unlink()
    assert sweep(Sweep(**(fields | other)), out, executor=AtOnce()).found == 0


def test_a_table_that_changed_is_another_sweep(tmp_path: Path) -> None:
    table, out = tmp_path / "mine.yaml", tmp_path / "out.csv"
    table.write_text(TABLE)
    sweep(Sweep((table,), (), (), 1), out, executor=AtOnce())
    table.write_text(TABLE.replace("200 ns", "300 ns"))
    with pytest.raises(SweepError, match="of another sweep: mine said something else then; "):
        sweep(Sweep((table,), (), (), 1), out)


def test_a_file_that_no_sweep_wrote_is_kept(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    out.write_text("precious\n")
    with pytest.raises(SweepError) as caught:
        sweep(POINTS, out)
    assert str(caught.value) == (
        f"{out}: it is of another sweep: out.csv.sweep.json, which says of which, is not there or "
        "not readable; expected the same, or another file"
    )
    assert out.read_text() == "precious\n"


def test_a_file_that_is_being_swept_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    with locked(out), pytest.raises(SweepError) as caught:
        sweep(POINTS, out)
    assert str(caught.value) == (
        f"{out}: process {os.getpid()} on {socket.gethostname()} is sweeping into it; expected to "
        "wait for its end, or another file"
    )
    assert list(tmp_path.iterdir()) == []


def test_the_lock_of_a_process_that_is_gone_locks_nothing(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    (tmp_path / "out.csv.lock").write_text("process 1 on elsewhere\n")
    with locked(out):
        assert (tmp_path / "out.csv.lock").read_text().startswith(f"process {os.getpid()} on ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("executor", (AtOnce(), None))
def test_a_point_that_fails_is_named_and_the_rows_before_it_are_kept(
    tmp_path: Path, executor: Executor | None
) -> None:
    table, out = tmp_path / "mine.yaml", tmp_path / "out.csv"
    table.write_text(TABLE)
    points = Sweep((table,), read_axes(["outstanding=1,2,64,1000"]), (), 1000)
    for found in (0, 2):
        with pytest.raises(SweepError) as caught:
            sweep(points, out, executor=executor, workers=1)
        assert str(caught.value).startswith(
            "mine, outstanding=64: the queue of nic_pipeline overflows at "
        )
        assert (tmp_path / "out.csv.part").read_bytes().count(b"\n") == 2, found


def test_a_task_that_the_executor_fails_is_named_by_its_points(tmp_path: Path) -> None:
    class Failing(AtOnce):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            future: Future[Any] = Future()
            future.set_exception(ConnectionError("the cluster is gone"))
            return future

    points = Sweep(("pcie_nic",), read_axes(["seed=1..32:+1"]))
    with pytest.raises(SweepError) as caught:
        sweep(points, tmp_path / "out.csv", executor=Failing(), workers=1)
    assert str(caught.value) == (
        "ConnectionError at 'pcie_nic, seed=1' to 'pcie_nic, seed=8': the cluster is gone"
    )
