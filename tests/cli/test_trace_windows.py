"""`emu trace` and `emu convert` with a window: who is there at its beginning and at its end."""

import json
import re
from pathlib import Path
from typing import Any

import pywellen  # type: ignore[import-untyped]

from emu.trace.events import Event, Kind
from emu.trace.recording import Recording
from tests.cli.test_exit_codes import CIRCLE, MIX
from tests.cli.test_trace import emu, ran
from tests.trace.kanata_checker import read_kanata
from tests.trace.timelines import read_chrome_json, read_pftrace

#: One request, which is in `descriptor_dma` from 230 ns on for as long.
ONE = ("trace", "pcie_nic", "--requests", "1")


def read(file: Path) -> tuple[list[Event], int | None]:
    with Recording(file) as recording:
        return list(recording), recording.end_ps


def page(file: Path) -> Any:
    found = re.search(r'id="trace">(.*?)</script>', file.read_text("utf-8"), re.S)
    assert found
    return json.loads(found[1])


def check_all(folder: Path, from_ps: int, end_ps: int) -> None:
    """Every format has request 0 in `descriptor_dma` from 230 ns to the end."""
    events, told_ps = read(folder / "t.jsonl")
    assert told_ps == end_ps
    assert (events[-1].kind, events[-1].time_ps) == (Kind.ACCEPTED, 230_000)
    shown = page(folder / "t.html")
    (lane,) = shown["requests"]
    last = lane["stays"][-1]
    assert shown["stages"][last["s"]]["name"] == "descriptor_dma"
    assert (last["from"], last["to"], last["open"]) == (230_000, end_ps, True)
    assert (shown["from"], shown["to"]) == (from_ps, end_ps)
    for timeline in (read_pftrace(folder / "t.pftrace"), read_chrome_json(folder / "t.json")):
        (stay,) = [one for one in timeline.slices if one.args.get("stage") == "descriptor_dma"]
        assert (stay.start, stay.end) == (230_000, end_ps)
    waves = pywellen.Waveform(str(folder / "t.vcd"))
    inside = waves["pcie_nic.descriptor_dma.inside"].signal
    assert [inside.value_at(ps) for ps in (max(from_ps, 230_000), end_ps)] == [1, 1]
    assert (folder / "t.vcd").read_text("utf-8").endswith(f"#{end_ps}\n")
    (instruction,) = read_kanata((folder / "t.kanata").read_text("utf-8")).instructions
    # A cycle is 500 / 161 ns.
    assert instruction.spans[-1].stage == "descriptor_dma"
    assert instruction.spans[-1].end == end_ps * 161 // 500_000


def outs(folder: Path) -> list[str]:
    formats = ("jsonl", "csv", "vcd", "kanata", "pftrace", "json", "html")
    return [word for suffix in formats for word in ("--out", str(folder / f"t.{suffix}"))]


def test_who_is_there_at_the_end_of_the_window_stays_until_then(tmp_path: Path) -> None:
    emu(*ONE, "--to", "700 ns", *outs(tmp_path))
    check_all(tmp_path, 0, 700_000)


def test_and_at_the_end_of_the_run(tmp_path: Path) -> None:
    emu(*ONE, "--until", "650 ns", *outs(tmp_path))
    check_all(tmp_path, 0, 650_000)


def test_who_is_there_all_of_the_window(tmp_path: Path) -> None:
    emu(*ONE, "--from", "300 ns", "--to", "700 ns", *outs(tmp_path))
    check_all(tmp_path, 300_000, 700_000)
    assert [event.kind for event in read(tmp_path / "t.jsonl")[0]] == [
        *(Kind.SUBMITTED, Kind.ARRIVED, Kind.ACCEPTED)
    ]
    said = emu(*ONE, "--from", "300 ns", "--to", "700 ns")
    assert "descriptor_dma" in said


def test_a_run_that_is_over_ends_with_its_last_event(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    emu(*ONE, "--out", file)
    events, end_ps = read(file)
    assert end_ps == events[-1].time_ps
    emu(*ONE, "--to", "1 s", "--out", file)
    assert read(file) == (events, end_ps)


def test_one_that_cannot_end_ends_with_its_last_event(tmp_path: Path) -> None:
    table, file, part = tmp_path / "c.yaml", tmp_path / "t.jsonl", tmp_path / "part.jsonl"
    table.write_text(CIRCLE, "utf-8")
    load = ("trace", table, "--workload", MIX, "--requests", "20")
    assert ran(*load, "--out", file).returncode == 1
    events, end_ps = read(file)
    assert end_ps == events[-1].time_ps
    assert ran(*load, "--to", "1 s", "--request", "0..3", "--out", part).returncode == 1
    emu("convert", file, tmp_path / "same.jsonl", "--to", "1 s", "--request", "0..3")
    assert (tmp_path / "same.jsonl").read_bytes() == part.read_bytes()
    assert read(part)[1] == end_ps


def test_a_record_of_a_killed_process_ends_with_its_last_event(tmp_path: Path) -> None:
    file, page_file = tmp_path / "t.jsonl", tmp_path / "t.html"
    emu(*ONE, "--to", "700 ns", "--out", file)
    file.write_text("".join(file.read_text("utf-8").splitlines(keepends=True)[:-1]), "utf-8")
    emu("convert", file, page_file)
    assert page(page_file)["to"] == 230_000
    emu("convert", file, tmp_path / "again.jsonl", "--to", "1 us")
    assert read(tmp_path / "again.jsonl")[1] == 230_000


def test_counters_of_a_window_are_those_of_the_whole(tmp_path: Path) -> None:
    load = ("trace", "pcie_nic", "--outstanding", "64", "--requests", "100")
    whole, part = tmp_path / "whole.vcd", tmp_path / "part.vcd"
    emu(*load, "--out", whole)
    emu(*load, "--from", "2 us", "--to", "2500 ns", "--out", part)
    text = part.read_text("utf-8")
    times_ps = [int(line[1:]) for line in text.splitlines() if re.fullmatch(r"#\d+", line)]
    assert (times_ps[0], times_ps[-1]) == (2_000_000, 2_500_000)
    stages = re.findall(r"^\$scope module (\w+) \$end$", text, re.M)[1:]
    found, expected = pywellen.Waveform(str(part)), pywellen.Waveform(str(whole))
    seen = 0
    for stage in stages:
        for name in ("inside", "finished", "waiting", "valid", "ready", "first"):
            one, other = (waves[f"pcie_nic.{stage}.{name}"].signal for waves in (found, expected))
            values = [one.value_at(ps) for ps in times_ps[:-1]]
            assert values == [other.value_at(ps) for ps in times_ps[:-1]], (stage, name)
            seen = max([seen, *(value for value in values if isinstance(value, int))])
    assert seen > 10
