"""`emu tables`: list, show, check and schema."""

import json
from pathlib import Path

import pytest
from typer import Typer
from typer.testing import CliRunner

from emu.cli import tables
from emu.table import TableError, table_names
from tests.table.broken import HEAD, write

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
    assert {"name": "ub_load", "title": "UB load/store unit"}.items() <= rows[-1].items()


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
