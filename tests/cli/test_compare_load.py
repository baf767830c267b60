"""`emu compare` under load."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer import Typer
from typer.testing import CliRunner

from emu.cli import compare as command
from emu.errors import EmuError
from emu.path import Path as EmulatedPath
from emu.report import Report
from emu.run import run_on
from emu.workload.build import Described
from tests.foreign import PREVENTED, foreign_table

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
        "most used",
        "in use",
        "beyond service, most goes to",
        "engine",
    ]
    found = {row[0]: [cell.strip() for cell in row[1:] if cell.strip()] for row in rows}
    assert list(found) == ["pcie_nic", "nic_processor", "ub_async", "ub_load"]
    rates = [float(cells[0].removesuffix(" M/s")) for cells in found.values()]
    assert rates == pytest.approx([53.67, 53.67, 161, 322], rel=0.05)
    assert {cells[3] for cells in found.values()} == {"initiator_tx"}
    assert {cells[4] for cells in found.values()} == {"initiator_tx"}
    assert {cells[6] for cells in found.values()} == {"arbitration"}
    assert {cells[7] for cells in found.values()} == {"fast"}


def test_where_nothing_is_full_nothing_binds() -> None:
    more = ("pcie_nic", "--outstanding", "8", "--requests", "500", "--engine", "reference")
    lines = run(*more).splitlines()
    cells = [cell.strip() for cell in lines[-1].split("  ") if cell.strip()]
    assert [cells[0], *cells[4:6], cells[-1]] == [
        *("pcie_nic", "nothing is full", "initiator_tx", "reference")
    ]
    load = loads(*more)["pcie_nic"]
    assert load["binds"] is None
    assert (load["most_used"]["name"], load["most_used"]["kind"]) == ("initiator_tx", "stage")
    assert load["most_used"]["utilisation"] < 0.1


def loads(*arguments: str) -> dict[str, dict[str, Any]]:
    found = json.loads(run(*arguments, "--json"))
    return {row["table"]: row.get("load") for row in found["placements"]}


def test_json_under_load() -> None:
    load = loads("ub_async", "pcie_nic", "--outstanding", "64", "--requests", "2000")["pcie_nic"]
    assert list(load) == [
        "outstanding",
        "requests",
        "engine",
        "engine_prevented",
        "delivered",
        "rate_per_s",
        "latency_ps",
        "binds",
        "most_used",
        "waits_most_for",
    ]
    assert (load["outstanding"], load["requests"], load["delivered"]) == (64, 2000, 2000)
    assert (load["engine"], load["engine_prevented"]) == ("fast", None)
    # 64 in a round trip: fewer than the stage could take.
    assert load["rate_per_s"] == pytest.approx(64 / 2.2303e-6, rel=0.05)
    assert load["latency_ps"]["mean"] <= load["latency_ps"]["p99"]
    assert load["binds"] is None
    assert 0.4 < load["most_used"]["utilisation"] < 0.6


def test_what_is_full_binds() -> None:
    more = ("--outstanding", "1024", "--requests", "5000")
    load = loads("ub_async", *more)["ub_async"]
    assert load["binds"] == load["most_used"]
    assert load["binds"]["utilisation"] > 0.9
    assert load["waits_most_for"] == "arbitration"


# -- engines, and runs that fail ------------------------------------------------------------------


def test_what_prevents_the_fast_engine_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    foreign = str(foreign_table(tmp_path, monkeypatch))
    more = (foreign, "--outstanding", "2", "--requests", "50")
    lines = run(*more).splitlines()
    assert lines[-2].split()[-1] == "reference"
    assert lines[-1] == f"foreign is not on the fast engine: {PREVENTED}"
    assert loads(*more)["foreign"]["engine_prevented"] == PREVENTED


def test_a_table_that_the_fast_engine_cannot_run_is_named_where_it_must(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    foreign = str(foreign_table(tmp_path, monkeypatch))
    more = (foreign, "--outstanding", "2", "--requests", "50", "--engine", "fast")
    result = CliRunner().invoke(ROOT, [*more], catch_exceptions=False)
    assert result.exit_code == 1
    assert result.output.splitlines()[-1] == (
        f"foreign does not run under load: the fast engine can't run this: {PREVENTED}; expected "
        "--engine auto or reference"
    )


def test_a_run_that_fails_is_named_and_the_rest_is_told(tmp_path: Path) -> None:
    more = ["completion_queue", "request_slots", "--outstanding", "64", "--requests", "500"]
    more += ["--engine", "reference"]
    result = CliRunner().invoke(ROOT, more, catch_exceptions=False)
    assert result.exit_code == 1
    lines = result.output.splitlines()
    assert any(line.startswith("emulated total ") for line in lines)
    assert lines[-2].startswith("request_slots ")
    assert lines[-1] == (
        "completion_queue does not run under load: the queue of handling overflows at 37 us: all "
        "16 places are taken, and request 32 comes"
    )
    result = CliRunner().invoke(ROOT, [*more, "--json"], catch_exceptions=False)
    assert result.exit_code == 1
    failed, ran = json.loads(result.output)["placements"]
    assert failed["load"]["error"].startswith("the queue of handling overflows at 37 us: ")
    assert ran["load"]["delivered"] == 500


def test_what_was_run_before_an_interruption_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []

    def interrupted(engine: str, path: EmulatedPath, posted: Described, **more: Any) -> Report:
        report = run_on("reference", path, posted)
        ran.append(path.table.name)
        return replace(report, interrupted=len(ran) == 2)

    monkeypatch.setattr("emu.cli.compare_load.run_on", interrupted)
    more = ["pcie_nic", "ub_async", "ub_load", "--outstanding", "2", "--requests", "20"]
    result = CliRunner().invoke(ROOT, more, catch_exceptions=False)
    assert result.exit_code == 130
    assert ran == ["pcie_nic", "ub_async"]
    lines = result.output.splitlines()
    assert lines[-2].startswith("pcie_nic ")
    assert lines[-1] == "interrupted: this is what had been run by then"


def test_a_setting_holds_under_load_too() -> None:
    more = [*("ub_load", "pcie_nic", "--outstanding", "1", "--requests", "20")]
    more += ["--engine", "reference"]
    slower = loads(*more, "--set", "bus_out.latency=1030 ns")
    plain = loads(*more)
    differences = {
        name: slower[name]["latency_ps"]["mean"] - load["latency_ps"]["mean"]
        for name, load in plain.items()
    }
    assert differences["pcie_nic"] == 0
    assert differences["ub_load"] == pytest.approx(1_000_000, abs=5_000)


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


def test_an_engine_without_a_load_is_refused() -> None:
    with pytest.raises(EmuError) as error:
        run("ub_load", "--engine", "fast")
    assert str(error.value) == (
        "--engine fast without --outstanding; expected both, as one request alone runs on the "
        "reference engine"
    )


def test_what_service_has_beyond_the_derived_is_called_cut_edges_only_if_it_is_that() -> None:
    assert "+ service (edges on whole ps) " in run("pcie_nic", "ub_async")
    # A way of a network with several is drawn, and longer than the shortest.
    assert "(edges" not in run("pcie_nic", "ub_ordered")
