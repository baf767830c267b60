"""`emu compare` under load."""

import json
from typing import Any

import pytest
from typer import Typer
from typer.testing import CliRunner

from emu.cli import compare as command
from emu.errors import EmuError

ROOT = Typer()
command.register(ROOT)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(ROOT, [*arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_the_table_under_load() -> None:
    lines = run("--outstanding", "1024", "--requests", "5000").splitlines()
    at = lines.index("5000 requests, 1024 outstanding; times in ns")
    heading, *rows = (line.split("  ") for line in lines[at + 1 : at + 6])
    assert [cell.strip() for cell in heading if cell] == [
        "under load",
        "rate",
        "mean",
        "99th",
        "binds",
        "in use",
        "beyond service, most goes to",
    ]
    found = {row[0]: [cell.strip() for cell in row[1:] if cell.strip()] for row in rows}
    assert {name: cells[0] for name, cells in found.items()} == {
        "pcie_nic": "53.67 M/s",
        "nic_processor": "53.67 M/s",
        "ub_async": "161 M/s",
        "ub_load": "322 M/s",
    }
    assert {cells[3] for cells in found.values()} == {"initiator_tx"}
    assert {cells[5] for cells in found.values()} == {"arbitration"}


def loads(*arguments: str) -> dict[str, dict[str, Any]]:
    found = json.loads(run(*arguments, "--json"))
    return {row["table"]: row.get("load") for row in found["placements"]}


def test_json_under_load() -> None:
    load = loads("ub_async", "pcie_nic", "--outstanding", "64", "--requests", "2000")["pcie_nic"]
    assert list(load) == [
        "outstanding",
        "requests",
        "delivered",
        "rate_per_s",
        "latency_ps",
        "binds",
    ]
    assert (load["outstanding"], load["requests"], load["delivered"]) == (64, 2000, 2000)
    # 64 in a round trip: fewer than the stage could take.
    assert load["rate_per_s"] == pytest.approx(64 / 2.2303e-6, rel=0.02)
    assert load["latency_ps"]["mean"] <= load["latency_ps"]["p99"]
    assert load["binds"]["name"] == "initiator_tx"
    assert 0.4 < load["binds"]["utilisation"] < 0.6


def test_a_read_is_a_load_where_the_processor_loads() -> None:
    assert loads("ub_load", "--outstanding", "4")["ub_load"]["delivered"] == 10_000


def test_without_outstanding_all_is_as_it_was() -> None:
    assert loads("ub_async", "pcie_nic") == {"ub_async": None, "pcie_nic": None}
    assert "under load" not in run("ub_async", "pcie_nic")


def test_requests_alone_are_refused() -> None:
    with pytest.raises(EmuError) as error:
        run("--requests", "50")
    assert str(error.value) == (
        "--requests without --outstanding; expected both, or --outstanding alone"
    )


def test_what_service_has_beyond_the_derived_is_called_cut_edges_only_if_it_is_that() -> None:
    assert "+ service (edges on whole ps) " in run("pcie_nic", "ub_async")
    # A way of a network with several is drawn, and longer than the shortest.
    assert "(edges" not in run("pcie_nic", "ub_ordered")
