"""`emu compare` of one request alone: what is fastest, and why; what is changed or refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer import Typer
from typer.testing import CliRunner

from emu.cli import compare as command
from emu.errors import EmuError
from emu.table.errors import TableError

ROOT = Typer()
command.register(ROOT)
#: Alone on paper `aaa` is the faster, by a cycle of 100 ns; its clock lets a request wait longer.
CLOCKED = """\
schema: 1
name: {name}
title: A clock
clocks: {{nic: {clock}}}
defaults: {{queue: unlimited, depth: unlimited}}
messages:
  read: {{request: 64 B, response: payload}}
path:
  - {{stage: doorbell, latency: 50 ns, source: &made {{text: made up, kind: assumed}}}}
  - {{stage: nic_pipeline, clock: nic, latency: {latency}, interval: 1 cycle, source: *made}}
  - {{stage: memory, latency: 30 ns, source: *made}}
"""


def run(*arguments: str) -> str:
    result = CliRunner().invoke(ROOT, [*arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def words(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines()]


def as_json(*arguments: str) -> dict[str, dict[str, Any]]:
    found = json.loads(run(*arguments, "--json"))
    return {row["table"]: row for row in found["placements"]}


@pytest.fixture
def clocked(tmp_path: Path) -> tuple[str, str]:
    files = []
    for name, clock, latency in (("aaa", "1 MHz", "1 cycle"), ("bbb", "10 MHz", "11 cycles")):
        file = tmp_path / f"{name}.yaml"
        file.write_text(CLOCKED.format(name=name, clock=clock, latency=latency), encoding="utf-8")
        files.append(str(file))
    return files[0], files[1]


# -- which is fastest, and why --------------------------------------------------------------------


def test_of_two_the_slower_is_explained_up_to_the_difference_of_what_is_emulated(
    clocked: tuple[str, str],
) -> None:
    lines = words(run(*clocked))
    assert "ratio to the fastest 1.65 1.00" in lines
    at = lines.index("where aaa spends 800.000 ns more than bbb")
    assert lines[at + 1 :] == [
        "stage service alignment sum",
        "nic_pipeline -100.000 -100.000",
        "derived difference -100.000 -100.000",
        "+ beyond derived 900.000 900.000",
        "emulated difference -100.000 900.000 800.000",
    ]


def test_of_several_the_fastest_is_the_one_with_the_ratio_of_one(clocked: tuple[str, str]) -> None:
    lines = words(run(*clocked, "openurma_roce_bf"))
    ratios = next(line for line in lines if line.startswith("ratio"))
    assert ratios.split()[-3:-1] == ["1.65", "1.00"]
    at = lines.index("why bbb is fastest (emulated, ns; of the stages what is derived):")
    assert lines[at + 1] == (
        "aaa +800.000: nic_pipeline -100.000; beyond derived: alignment +900.000"
    )


def test_without_a_rest_there_is_nothing_said_of_one() -> None:
    text = run("openurma_urma", "openurma_loadstore")
    assert "emulated difference" in text
    assert "beyond derived" not in text
    assert "alignment" not in text


def test_a_rest_is_called_by_its_name() -> None:
    # A network with several ways draws one, so that the service is longer than on paper.
    lines = words(run("ub_ordered", "pcie_nic"))
    (heading,) = [line for line in lines if line.startswith("stage service")]
    (rest,) = [line for line in lines if line.startswith("+ beyond derived")]
    assert heading == "stage service alignment sum"
    assert len(rest.split()) == 3 + 3


def test_two_that_take_the_same_time_are_not_told_apart(clocked: tuple[str, str]) -> None:
    other = Path(clocked[0]).with_name("other.yaml")
    other.write_text(Path(clocked[0]).read_text().replace("name: aaa", "name: other"))
    lines = words(run(clocked[0], str(other)))
    assert lines[-1] == "aaa and other take the same time, stage by stage"


# -- one name, one table --------------------------------------------------------------------------


def test_two_tables_of_one_name_are_refused(tmp_path: Path, clocked: tuple[str, str]) -> None:
    copy = tmp_path / "copy.yaml"
    copy.write_text(Path(clocked[0]).read_text().replace("50 ns", "60 ns"))
    with pytest.raises(EmuError) as error:
        run(str(copy), clocked[0], clocked[1])
    assert str(error.value) == f"{clocked[0]}: there are two tables aaa; expected each once"


def test_one_file_twice_is_refused(
    tmp_path: Path, clocked: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(EmuError) as error:
        run("aaa.yaml", "./aaa.yaml")
    assert str(error.value) == "./aaa.yaml: there are two tables aaa; expected each once"


# -- --set ----------------------------------------------------------------------------------------


def test_a_setting_changes_the_tables_that_have_what_it_names(clocked: tuple[str, str]) -> None:
    settings = ("--set", "doorbell.latency=55 ns", "--set", "wire_out.latency=75 ns")
    plain = as_json(*clocked, "ub_load")
    found = as_json(*clocked, "ub_load", *settings)
    less = {name: found[name]["derived_ps"] - row["derived_ps"] for name, row in plain.items()}
    assert less == {"aaa": 5_000, "bbb": 5_000, "ub_load": -25_000}
    assert {name: row.get("set") for name, row in found.items()} == {
        "aaa": ["doorbell.latency=55 ns"],
        "bbb": ["doorbell.latency=55 ns"],
        "ub_load": ["wire_out.latency=75 ns"],
    }
    assert "changed here, whatever the source says: doorbell.latency=55 ns, in aaa, bbb" in words(
        run(*clocked, "ub_load", *settings)
    )


def test_a_setting_for_no_table_is_refused(clocked: tuple[str, str]) -> None:
    with pytest.raises(EmuError) as error:
        run(*clocked, "--set", "dorbell.latency=1 ns")
    assert str(error.value) == (
        "--set dorbell.latency=1 ns: no table here has 'dorbell.latency'; expected one of "
        "doorbell, nic_pipeline, memory, clocks, messages, resolution, defaults or resources; did "
        "you mean 'doorbell'?"
    )
    with pytest.raises(EmuError, match=r"no table here has 'clocks\.far'"):
        run(*clocked, "--set", "clocks.far=1 GHz")


def test_a_setting_of_a_parameter_that_a_stage_lacks_is_refused(clocked: tuple[str, str]) -> None:
    with pytest.raises(TableError, match="stage 'doorbell' has no parameter 'latncy'"):
        run(*clocked, "--set", "doorbell.latncy=1 ns")
    with pytest.raises(TableError, match="this names no parameter and value"):
        run(*clocked, "--set", "doorbell")


# -- other options --------------------------------------------------------------------------------


def test_a_size_in_k_is_in_kib() -> None:
    assert "one read of 65536 B" in run("ub_load", "--size", "64K")
    with pytest.raises(EmuError, match="--size 64Q: '64Q' has the unknown unit 'Q'"):
        run("ub_load", "--size", "64Q")


def test_a_phase_sweep_says_how_many_instants_it_tried(clocked: tuple[str, str]) -> None:
    slow = Path(clocked[0])
    slow.write_text(slow.read_text().replace("1 MHz", "500 GHz"))
    lines = words(run(str(slow), "--phase-sweep"))
    assert lines[-3:] == [
        "submitted at instants of a period of the slowest clock, 1 ps apart",
        "emulated total instants least mean most",
        "aaa 2 of 2 80.002 80.002 80.003",
    ]
