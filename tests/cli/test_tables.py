"""`emu tables`: list, show, check and schema."""

import json
from pathlib import Path

import pytest
from typer import Typer
from typer.testing import CliRunner

from emu.cli import tables
from emu.table import TableError, table_names
from tests.table.broken import HEAD, write
from tests.table.everything import EVERYTHING
from tests.table.keepers import with_keepers

ROOT = Typer()
tables.register(ROOT)
WIRE = "path: [{stage: wire, latency: 5 ns, source: {text: a test, kind: assumed}}]\n"


def run(*arguments: str) -> str:
    result = CliRunner().invoke(ROOT, ["tables", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_list_names_every_table() -> None:
    lines = run("list").splitlines()
    assert [line.split()[0] for line in lines[1:]] == table_names()
    rows = json.loads(run("list", "--json"))
    titles = {row["name"]: row["title"] for row in rows}
    assert titles["ub_load"] == "UB load/store unit"


def test_show_resolves_and_says_what_limits() -> None:
    text = run("show", "ub_async")
    assert "latency 25 cycles, interval 2 cycles" in text
    assert "plain delay: takes any number of requests at once" in text
    assert "322 MHz, period 3105.590 ps, edge 0 at 0 ps" in text
    assert "assumed: interconnect chapter" in text


def test_show_takes_values_over_the_table() -> None:
    text = run("show", "ub_async", "--set", "wire_out.latency=75 ns")
    assert "latency 75 ns" in text
    assert text.endswith("changed here, whatever the source says: wire_out.latency=75 ns\n")


def test_show_as_json_has_all_with_units() -> None:
    shown = json.loads(run("show", "pcie_nic", "--json"))
    stage = {one["name"]: one for one in shown["path"]}["wire_out"]
    assert stage["timing"] == {
        "latency": "100 ns",
        "bandwidth": "50 GB/s",
        "cut_through": "64 B",
        "mtu": "4096 B",
    }
    assert (stage["depth"], stage["queue"], stage["plain_delay"]) == (
        "unlimited",
        "unlimited",
        False,
    )
    assert stage["source"]["*"]["kind"] == "assumed"
    assert shown["messages"][0] == {"operation": "read", "request": "64 B", "response": "payload"}


def test_show_of_a_wrong_name_is_an_error() -> None:
    with pytest.raises(TableError, match="did you mean 'pcie_nic'"):
        run("show", "pcie_nik")


def test_check_says_ok(tmp_path: Path) -> None:
    path = write(tmp_path, "t.yaml", HEAD + WIRE)
    assert run("check", str(path)) == f"{path}: ok\n"


def test_check_tells_all_of_all_files(tmp_path: Path) -> None:
    good = write(tmp_path, "a.yaml", HEAD + WIRE)
    bad = write(tmp_path, "b.yaml", HEAD + WIRE.replace("5 ns", "5"))
    result = CliRunner().invoke(ROOT, ["tables", "check", str(bad), str(good), "nothing.yaml"])
    assert result.exit_code == 2
    assert f"{bad}:5:31: path[0] wire.latency: '5' has no unit" in result.stderr
    assert "nothing.yaml: there is no such file" in result.stderr
    assert result.stdout == f"{good}: ok\n"


def test_schema_is_json() -> None:
    assert json.loads(run("schema"))["title"] == "Timing table"


def test_show_tells_all_of_resources_and_uses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    lines = run("show", str(write(tmp_path, "t.yaml", EVERYTHING))).splitlines()
    cells = {line.split()[0]: [cell.strip() for cell in line.split("  ")] for line in lines if line}
    assert "4, in batches of 16" in cells["descriptor_build"]
    assert "8, error" in cells["descriptor_build"]
    assert "4, in batches of unlimited" in cells["nic_pipeline"]
    assert "link of 50 GB/s, packets of 4096 B, header 26 B" in cells["fibre"]
    assert "transport channels, groups (4), window 16" in cells["window"]
    assert (
        "latency 50 ns, uses slots until completion, uses window for 100 ns (write)"
        in cells["verb_post"]
    )
    assert cells["pcie"][-1] == (
        "generation, lanes measured: a test; payload, read_request, completion_boundary, header, "
        "tags, nonposted_credits, credit_return assumed: a guess"
    )


def test_show_tells_what_kind_of_stage_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.setattr("emu.table.parse.registry", with_keepers)
    source = "source: {text: a test, kind: assumed}"
    keeper = f"{{stage: keeper, bandwidth: 50 GB/s, {source}}}"
    finder = f"{{stage: finder, latency: 5 ns, depth: 4, queue: 8, {source}}}"
    text = HEAD + f"path: [{keeper}, {finder}]\n"
    shown = run("show", str(write(tmp_path, "t.yaml", text)))
    assert "own time: keeps requests by rules of its own" in shown
    assert "4 misses" in shown
    assert "misses: the timing is that of a miss" in shown
    assert "plain delay" not in shown
