"""Broken results and address files: each error with its place, all at once."""

from pathlib import Path
from typing import Any

import pytest

from emu.errors import EmuError
from emu.verify import verify_openurma_rows
from tests.verify.openurma_rule import COLUMNS, ROW, csv_text

ALL = (
    "stack,workload,verb,cache_policy,locality_pct,active_connections_n,remote_jetties,n_ops,conc,"
    "payload_bytes,link_ns,membus_ns,pcie_mmio_ns,pcie_dma_read_ns,pcie_dma_write_ns,"
    "wqe_construct_ns,cqe_poll_host_ns,cqe_poll_onchip_ns,remote_dram_ns,mean_ns"
)
NATURAL = "expected a whole number from 1 on"


def error_of(file: Path, addresses: Path | None = None) -> list[str]:
    """The lines of the error, without the directory of the file."""
    with pytest.raises(EmuError) as caught:
        verify_openurma_rows(file, addresses)
    return [line.replace(f"{file.parent}/", "") for line in str(caught.value).splitlines()]


def errors_of_row(directory: Path, **changes: Any) -> list[str]:
    file = directory / "rows.csv"
    file.write_text(csv_text([{**ROW, **changes}]))
    return error_of(file)


def test_optional_columns_are_read_as_strictly(tmp_path: Path) -> None:
    change = {"strict_order_pct": 101, "jetties_per_channel": 0, "oprate_Mops": "fast"}
    file = tmp_path / "rows.csv"
    file.write_text(csv_text([{**ROW, **change}], [*change, *COLUMNS]))
    assert error_of(file) == [
        "rows.csv:2:1: strict_order_pct: '101' does not fit; expected a whole number from 0 to 100",
        f"rows.csv:2:5: jetties_per_channel: '0' does not fit; {NATURAL}",
        "rows.csv:2:7: oprate_Mops: 'fast' is no number; expected one of zero or more",
    ]


@pytest.mark.parametrize(
    ("change", "error"),
    (
        (
            {"stack": "ub_urna"},
            (
                "rows.csv:2:1: stack: 'ub_urna' is not known; expected roce_dma, roce_bf, ub_urma "
                "or ub_loadstore; did you mean 'ub_urma'?"
            ),
        ),
        (
            {"workload": "bulk-read"},
            (
                "rows.csv:2:9: workload: 'bulk-read' is not known; expected ptr_chase, graph_bfs, "
                "bulk_read, bulk_write, mixed_order, send_recv, dist_barrier, cas_lock or "
                "cas_lock_contention; did you mean 'bulk_read'?"
            ),
        ),
        (
            {"verb": "swap"},
            (
                "rows.csv:2:19: verb: 'swap' is not known; expected load, store, read, write, "
                "send, faa or cas"
            ),
        ),
        (
            {"cache_policy": ""},
            "rows.csv:2:24: cache_policy: '' is not known; expected wb, wt or uc",
        ),
        (
            {"locality_pct": 101},
            (
                "rows.csv:2:27: locality_pct: '101' does not fit; expected a whole "
                "number from 0 to 100"
            ),
        ),
        (
            {"active_connections_n": 0},
            f"rows.csv:2:29: active_connections_n: '0' does not fit; {NATURAL}",
        ),
        ({"n_ops": 2.5}, f"rows.csv:2:33: n_ops: '2.5' does not fit; {NATURAL}"),
        ({"conc": -1}, f"rows.csv:2:36: conc: '-1' does not fit; {NATURAL}"),
        (
            {"link_ns": "fast"},
            "rows.csv:2:38: link_ns: 'fast' is no time; expected nanoseconds, zero or more",
        ),
        (
            {"link_ns": " -5"},
            "rows.csv:2:39: link_ns: '-5' is no time; expected nanoseconds, zero or more",
        ),
        (
            {"link_ns": "0.0001"},
            (
                "rows.csv:2:38: link_ns: '0.0001' is no whole number of picoseconds; expected "
                "steps of 0.001"
            ),
        ),
        (
            {"mean_ns": "nan"},
            "rows.csv:2:71: mean_ns: 'nan' is no time; expected nanoseconds, zero or more",
        ),
        (
            {"payload_bytes": 9 * "9999"},
            f"rows.csv:2:42: payload_bytes: '{9 * '9999'}' does not fit; {NATURAL}",
        ),
    ),
)
def test_a_cell_that_cannot_be_read(tmp_path: Path, change: dict[str, Any], error: str) -> None:
    assert errors_of_row(tmp_path, **change) == [error]


def test_all_errors_of_a_file_come_at_once(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text(
        csv_text([{**ROW, "stack": "x", "conc": "y"}, ROW, {**ROW, "verb": "z"}]) + "1,2\n"
    )
    places = [line.split(": ")[0] for line in error_of(file)]
    assert places == ["rows.csv:2:1", "rows.csv:2:30", "rows.csv:4:19", "rows.csv:5:1"]


@pytest.mark.parametrize(
    ("text", "errors"),
    (
        ("", [f"rows.csv:1:1: heading: the file is empty; expected {ALL}"]),
        (" \n\n", [f"rows.csv:1:1: heading: the file is empty; expected {ALL}"]),
        (
            csv_text([]),
            ["rows.csv:2:1: row: there is none; expected at least one"],
        ),
        (
            csv_text([ROW], [column for column in COLUMNS if column not in ("conc", "mean_ns")]),
            [f"rows.csv:1:1: heading: without conc, mean_ns; expected {ALL}"],
        ),
        (
            csv_text([ROW], [*COLUMNS, "stack"]),
            ["rows.csv:1:250: heading: column 'stack' is there twice; expected it once"],
        ),
        (
            csv_text([ROW]) + "ub_urma,bulk_read\n",
            ["rows.csv:3:1: row: 2 cells under 20 columns; expected one under each"],
        ),
    ),
)
def test_a_file_that_is_no_table(tmp_path: Path, text: str, errors: list[str]) -> None:
    file = tmp_path / "rows.csv"
    file.write_text(text)
    assert error_of(file) == errors


def test_a_column_whose_name_is_nearly_right_is_no_column_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text(csv_text([{**ROW, "strict_order_pc": 5}], ["strict_order_pc", *COLUMNS]))
    assert error_of(file) == [
        (
            "rows.csv:1:1: heading: column 'strict_order_pc' is not known; expected one of p50_ns, "
            "p99_ns, max_ns, oprate_Mops, strict_order_pct, service_mode or jetties_per_channel; "
            "did you mean 'strict_order_pct'?"
        )
    ]
    file.write_text(csv_text([ROW]).replace("conc", "cnc", 1))
    assert [line for line in error_of(file) if "did you mean" in line] == [
        (
            "rows.csv:1:89: heading: column 'cnc' is not known; expected one of conc, p50_ns, "
            "p99_ns, max_ns, oprate_Mops, strict_order_pct, service_mode or jetties_per_channel; "
            "did you mean 'conc'?"
        )
    ]


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    missing = tmp_path / "rows.csv"
    assert error_of(missing) == [
        "rows.csv: cannot be read: No such file or directory; expected a CSV file"
    ]
    missing.write_bytes(b"stack\xff")
    assert error_of(missing) == ["rows.csv: this is not UTF-8; expected a CSV file"]


def test_a_spreadsheets_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    text = csv_text([ROW]).replace(",", " , ").replace("\n", "\r\n")
    file.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert len(verify_openurma_rows(file).checks) == 1


HEADING = "workload,locality_pct,index,operation,address,bytes\n"


@pytest.mark.parametrize(
    ("text", "error"),
    (
        ("", f"drawn.csv:1:1: heading: the file is empty; expected {HEADING.strip()}"),
        (
            HEADING + "ptr_chase,0,1,load,4096,64\n",
            "drawn.csv:2:13: index: '1' is out of order; expected 0",
        ),
        (
            HEADING + "bulk_read,0,0,load,4096,64\n",
            "drawn.csv:2:1: workload: 'bulk_read' is not known; expected ptr_chase or graph_bfs",
        ),
        (
            HEADING + "ptr_chase,0,0,load,0x1000,64\n",
            "drawn.csv:2:20: address: '0x1000' does not fit; expected a whole number from 0 on",
        ),
        (
            HEADING + "ptr_chase,0,0,laod,4096,64\n",
            (
                "drawn.csv:2:15: operation: 'laod' is not known; expected load, store, read, "
                "write, send, faa or cas; did you mean 'load'?"
            ),
        ),
    ),
)
def test_an_address_file_that_cannot_be_read(tmp_path: Path, text: str, error: str) -> None:
    file, drawn = tmp_path / "rows.csv", tmp_path / "drawn.csv"
    file.write_text(csv_text([ROW]))
    drawn.write_text(text)
    assert error_of(file, drawn) == [error]
