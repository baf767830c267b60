"""Who passes whom in a NIC that fetches payloads: what the README says is not kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from emu.litmus.count import Count
from tests.litmus.files import document, made

SCHEDULES = 32


def outcomes(directory: Path, table: str, data_bytes: int, flag: dict[str, Any]) -> set[int]:
    """What the second of two operations finds or leaves behind, the first being a write of 1."""
    data = {"post": "write", "at": "x", "value": 1, "bytes": f"{data_bytes} B", "as": "first"}
    second = {"at": "x", "as": "second", **flag}
    key = "second" if flag["post"] == "read" else "x"
    mode = {"title": "a mode", "tables": [table], "allowed": ["any"]}
    said = document({"a": [data, second]}, {"any": {key: [0, 1, 2]}}, modes={"m": mode})
    test = made(directory, {**said, "start": "1 us", "gap": "100 ns"})
    (counted,) = Count([(test, "m")], 1, SCHEDULES).run(1)
    return {values[0] for values in counted.seen if values[0] is not None}


def write(size_bytes: int) -> dict[str, Any]:
    return {"post": "write", "value": 2, "bytes": f"{size_bytes} B"}


READ = {"post": "read"}


@pytest.mark.parametrize("table", ("pcie_nic_link", "pcie_nic_inline", "pcie_ordered"))
def test_what_fetches_nothing_passes_what_fetches(tmp_path: Path, table: str) -> None:
    # The write is last although it was posted first, and the read does not see it.
    assert 1 in outcomes(tmp_path, table, 65, write(64))
    assert 0 in outcomes(tmp_path, table, 65, READ)


@pytest.mark.parametrize("table", ("pcie_nic_link", "pcie_nic_inline", "pcie_ordered"))
@pytest.mark.parametrize(("first", "second"), ((64, 64), (65, 65), (65536, 65)))
def test_fetches_keep_their_order(tmp_path: Path, table: str, first: int, second: int) -> None:
    assert outcomes(tmp_path, table, first, write(second)) == {2}


@pytest.mark.parametrize("first", (65, 65536))
def test_a_strict_connection_keeps_the_order(tmp_path: Path, first: int) -> None:
    assert outcomes(tmp_path, "rc_ordered", first, write(8)) == {2}
    assert outcomes(tmp_path, "rc_ordered", first, READ) == {1}
