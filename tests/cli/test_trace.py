"""`emu trace` and `emu convert`: as a user runs them."""

import csv
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from typer import Typer
from typer.testing import CliRunner

from emu.cli import convert as convert_command
from emu.cli import trace as trace_command
from emu.errors import EmuError
from emu.trace import html
from emu.trace.events import Event, Kind, Touched
from emu.trace.filter import Filter
from emu.trace.header import Header
from emu.trace.jsonl import open_jsonl
from emu.trace.recording import Recording
from tests.cli.test_exit_codes import CIRCLE, MIX
from tests.trace.kanata_checker import read_kanata
from tests.trace.made import HEADER, export, many

ROOT = Typer()
trace_command.register(ROOT)
convert_command.register(ROOT)

LOAD = ("pcie_nic_link", "--op", "write", "--requests", "40", "--outstanding", "16")
#: Formats of which every byte is text.
TEXTS = ("jsonl", "csv", "kanata", "vcd")


def emu(*arguments: object) -> str:
    result = CliRunner().invoke(ROOT, [str(one) for one in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def read(file: Path) -> tuple[Header, list[Event]]:
    with Recording(file) as recording:
        return recording.header, list(recording)


def fails(*arguments: object) -> str:
    with pytest.raises(EmuError) as error:
        emu(*arguments)
    return str(error.value)


# -- what is written ------------------------------------------------------------------------


def test_all_files_of_one_run(tmp_path: Path) -> None:
    files = [tmp_path / f"t.{suffix}" for suffix in TEXTS]
    said = emu("trace", *LOAD, *(word for file in files for word in ("--out", file)))
    header, events = read(files[0])
    assert (header.table, header.seed) == ("pcie_nic_link", 1)
    assert header.workload == {"kind": "closed", "outstanding": 16}
    assert header.run == {"operation": "write", "bytes": 64, "requests": 40}
    assert header.filters == ()
    kinds = Counter(event.kind for event in events)
    assert kinds[Kind.SUBMITTED] == kinds[Kind.COMPLETED] == 40
    assert kinds[Kind.ARRIVED] == kinds[Kind.LEFT]
    assert said.splitlines() == [f"{file}: {len(events)} events of 40 requests" for file in files]
    with files[1].open(newline="") as stream:
        assert [row["event"] for row in csv.DictReader(stream)] == [one.kind for one in events]
    assert len(read_kanata(files[2].read_text()).instructions) == 40


def test_a_run_can_be_repeated_with_what_the_header_says(tmp_path: Path) -> None:
    first, second = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    emu(
        *("trace", "ub_ordered", "--requests", "3", "--outstanding", "2", "--op", "write"),
        *("--size", "128", "--set", "wire_out.latency='777 ns'", "--until", "900 ns"),
        *("--seed", "3", "--out", first),
    )
    header = read(first)[0]
    assert header.run == {
        "operation": "write",
        "bytes": 128,
        "requests": 3,
        "until_ps": 900_000,
        "set": ["wire_out.latency='777 ns'"],
    }
    run = header.run
    emu(
        *("trace", header.table, "--op", run["operation"], "--size", f"{run['bytes']} B"),
        *("--requests", run["requests"], "--outstanding", header.workload["outstanding"]),
        *("--until", f"{run['until_ps']} ps", "--set", *run["set"], "--seed", header.seed),
        *("--out", second),
    )
    assert first.read_bytes() == second.read_bytes()


def test_a_part_says_of_what_it_is(tmp_path: Path) -> None:
    whole, part, less = (tmp_path / f"{name}.jsonl" for name in ("whole", "part", "less"))
    emu("trace", *LOAD, "--out", whole)
    emu("convert", whole, part, "--from", "1 us", "--request", "3..9", "--stage", "wire_out")
    window = Filter(1_000_000, None, ((3, 9),), (), ("wire_out",))
    assert read(part)[0].filters == (window,)
    emu("convert", part, less, "--initiator", "0", "--to", "2 us")
    assert read(less)[0].filters == (window, Filter(0, 2_000_000, (), (0,)))
    assert read(less)[0].run == read(whole)[0].run


def test_a_workload_that_says_its_kinds_is_told_as_such(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    mix = "{kind: burst, mix: [{operation: read, bytes: 8 B}]}"
    emu("trace", "ub_async", "--workload", mix, "--requests", "2", "--out", file)
    assert read(file)[0].run == {"requests": 2}


def test_nothing_but_the_files_is_left(tmp_path: Path) -> None:
    emu("trace", "ub_async", "--requests", "2", "--out", tmp_path / "t.csv")
    assert [file.name for file in tmp_path.iterdir()] == ["t.csv"]


@pytest.mark.parametrize(
    "how",
    (
        (),
        ("--from", "1 us", "--to", "2 us"),
        ("--request", "3", "--request", "10..12"),
        ("--stage", "descriptor_dma", "--stage", "wire_out"),
        ("--initiator", "0", "--to", "1500 ns"),
        ("--from", "1 us", "--to", "1100 ns", "--stage", "wire_out", "--request", "2..20"),
        # A window in which nothing happens to one that is there.
        ("--from", "560 ns", "--to", "600 ns", "--request", "5"),
    ),
)
@pytest.mark.parametrize("suffix", (*TEXTS, "html", "json"))
def test_a_converted_trace_is_the_same(tmp_path: Path, suffix: str, how: tuple[str, ...]) -> None:
    record, direct, converted = (
        tmp_path / name for name in ("t.jsonl", f"a.{suffix}", f"b.{suffix}")
    )
    emu("trace", *LOAD, "--out", record)
    said = emu("trace", *LOAD, "--out", direct, *how)
    assert emu("convert", record, converted, *how) == said.replace("/a.", "/b.")
    assert converted.read_bytes() == direct.read_bytes()


def test_filters(tmp_path: Path) -> None:
    emu("trace", *LOAD, "--out", tmp_path / "all.jsonl")
    everything = read(tmp_path / "all.jsonl")[1]

    def filtered(*how: str) -> list[Event]:
        emu("trace", *LOAD, "--out", tmp_path / "some.jsonl", *how)
        return read(tmp_path / "some.jsonl")[1]

    window = [event for event in everything if 1_000_000 <= event.time_ps <= 2_000_000]
    told = filtered("--from", "1 us", "--to", "2 us")
    assert told[-len(window) :] == window
    # Who is there when it begins is told first.
    assert max(event.time_ps for event in told[: -len(window)]) < 1_000_000
    few = [event for event in everything if event.request in (3, 10, 11, 12)]
    assert filtered("--request", "3", "--request", "10..12") == few
    there = [event for event in everything if event.stage in ("", "wire_out")]
    assert filtered("--stage", "wire_out") == there


def test_a_run_ends_where_the_window_does(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    emu("trace", "ub_async", "--requests", "1000000000", "--to", "1 us", "--out", file)
    assert max(event.time_ps for event in read(file)[1]) <= 1_000_000


# -- what is printed ------------------------------------------------------------------------


def test_a_table_of_the_first_requests() -> None:
    lines = emu("trace", "ub_async", "--requests", "20").splitlines()
    assert lines[0] == "ub_async: when each request was where (ns)"
    assert lines[1].split() == [
        *("request", "stage", "besides", "service"),
        *("arrived", "accepted", "emitted", "left"),
    ]
    assert lines[2].split() == [
        *("0:", "read", "64", "B,", "initiator", "0", "verb_post"),
        *("0.000", "0.000", "50.000", "50.000"),
    ]
    assert sum("completed" in line for line in lines) == 8
    assert lines[-1] == (
        "these are the first 8 of 20 requests; --request A..B shows others, --out FILE writes all"
    )


def test_a_table_of_others() -> None:
    lines = emu("trace", "ub_async", "--requests", "20", "--request", "7..8").splitlines()
    titles = [line.split(":")[0] for line in lines[2:] if line[0] != " "]
    assert titles == ["7", "8"]
    assert "completed" in lines[-1]


@pytest.mark.parametrize("out", ((), ("--out", "t.jsonl"), ("--out", "t.html")))
def test_nothing_passes(
    out: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = fails("trace", "ub_async", "--requests", "2", "--initiator", "5", *out)
    assert said == "ub_async: no event passes the filter; expected at least one"
    emu("trace", "ub_async", "--requests", "2", "--out", "all.jsonl")
    said = fails("convert", "all.jsonl", "t.vcd", "--initiator", "5")
    assert said == "ub_async: no event passes the filter; expected at least one"
    # What there is of it is there.
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted(
        ["all.jsonl", "t.vcd", *out[1:]]
    )


def test_nothing_to_draw(tmp_path: Path) -> None:
    file = tmp_path / "t.png"
    said = fails("trace", "ub_async", "--requests", "2", "--initiator", "5", "--plot", file)
    assert said == f"{file}: no request is in this trace; expected at least one"


def test_marks_that_no_stage_keeps(tmp_path: Path) -> None:
    load = tmp_path / "w.csv"
    load.write_text("time_ns,operation,bytes,fence\n0,read,64,\n0,write,64,true\n", "utf-8")
    unkept = "1 with an order, a service mode or a fence, of which no stage of "
    for out in ((), ("--out", tmp_path / "t.jsonl")):
        said = emu("trace", "pcie_nic", "--workload", load, *out).splitlines()
        assert said[-1] == f"{unkept}pcie_nic knows: nothing waited for that"
        assert unkept not in emu("trace", "ub_ordered", "--workload", load, *out)


def test_values_of_a_replayed_file(tmp_path: Path) -> None:
    load, file = tmp_path / "w.csv", tmp_path / "t.jsonl"
    rows = "0,write,8,64,41", "1000,fetch_and_add,8,64,2", "3000,read,8,64,", "4000,read,8,72,"

    def touched(*columns: str, drop: int) -> list[tuple[int, str, int, int]]:
        lines = [",".join(columns), *(",".join(row.split(",")[:drop]) for row in rows)]
        load.write_text("\n".join(lines), "utf-8")
        emu("trace", "ub_ordered", "--workload", load, "--out", file)
        return [
            (event.request, event.kind.value, event.address, event.value)
            for event in read(file)[1]
            if isinstance(event, Touched)
        ]

    columns = ("time_ns", "operation", "bytes", "address", "value")
    assert touched(*columns, drop=5) == [
        (0, "visible", 64, 41),
        (1, "sampled", 64, 41),
        (1, "visible", 64, 43),
        (2, "sampled", 64, 43),
        (3, "sampled", 72, 0),
    ]
    assert touched(*columns[:-1], drop=4) == []


# -- what is wrong --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    (
        (("--out", "t.vdc"), "t.vdc: nothing is known of this format; expected a name that ends"),
        (("--out", "none/t.vcd"), "none/t.vcd: there is no folder 'none'; expected one that"),
        (
            ("--out", "t.png"),
            "t.png: a picture is drawn by another option; expected --plot t.png, or a name that",
        ),
        (("--plot", "t.vcd"), "t.vcd: not a picture; expected a name that ends in .png, .svg or"),
        (
            ("--stage", "wire_uot"),
            "--stage wire_uot: pcie_nic has no such stage; expected verb_post, descriptor_bui",
        ),
        (("--stage", "wire_uot"), "did you mean 'wire_out'?"),
        (("--request", "3-4"), "--request 3-4: this names no requests; expected a number or a"),
        (("--from", "5"), "--from 5: '5' has no unit; expected one of ps, ns, us,"),
        (("--from", "5 ns", "--to", "4 ns"), "--to 4 ns is before --from 5 ns; expected a window"),
        (
            ("--clock", "nic", "--out", "t.csv"),
            ("--clock nic, and no file counts cycles; expected a .kanata, .json or .pftrace file"),
        ),
        (
            ("--clock", "nci", "--out", "t.kanata"),
            "--clock nci: pcie_nic has no such clock; expected nic; did you mean 'nic'?",
        ),
    ),
)
def test_what_does_not_go(
    arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert message in fails("trace", "pcie_nic", "--requests", "2", *arguments)
    assert list(tmp_path.iterdir()) == []


def test_what_is_read_is_not_written_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "time_ns,operation,bytes\n0,read,64\n"
    Path("w.csv").write_text(rows, "utf-8")
    Path("w.yaml").write_text("{kind: replay, file: w.csv}", "utf-8")
    Path("link.jsonl").symlink_to("w.csv")
    for load in ("w.csv", "w.yaml", "{kind: replay, file: w.csv}"):
        for out in ("w.csv", "./w.csv", "link.jsonl"):
            said = fails("trace", "ub_ordered", "--workload", load, "--out", "t.vcd", "--out", out)
            where = out.removeprefix("./")
            assert said == f"{where}: this is the workload that is read; expected another file"
    assert Path("w.csv").read_text("utf-8") == rows
    assert not Path("t.vcd").exists()
    # A table has a name of its own, which no trace has; a link may stand for it.
    Path("c.yaml").write_text(CIRCLE, "utf-8")
    Path("c.csv").symlink_to("c.yaml")
    said = fails("trace", "./c.yaml", "--out", "c.csv")
    assert said == "c.csv: this is the table that is read; expected another file"


def test_more_requests_than_a_page_shows(tmp_path: Path) -> None:
    page, record = tmp_path / "t.html", tmp_path / "t.jsonl"
    outs = ("--out", page, "--out", record)
    said = fails("trace", "ub_async", "--requests", "5001", *outs)
    assert said.startswith(f"{page}: a page shows at most 5000 requests, and this trace has more;")
    # It is known before the run, so nothing was run.
    assert list(tmp_path.iterdir()) == []
    emu("trace", "ub_async", "--requests", "5001", *outs, "--request", "0..1")
    assert page.exists()


def test_more_requests_than_a_page_shows_as_the_run_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(html, "MOST_REQUESTS", 3)
    files = [tmp_path / name for name in ("t.html", "t.jsonl", "t.csv")]
    outs = [str(word) for file in files for word in ("--out", file)]
    load = ["trace", "ub_async", "--requests", "9", "--initiator", "0"]
    result = CliRunner().invoke(ROOT, [*load, *outs], catch_exceptions=False)
    assert result.exit_code == 2
    _, events = read(files[1])
    assert len({event.request for event in events}) == 9
    said = [f"{file}: {len(events)} events of 9 requests" for file in files[1:]]
    assert result.stdout.splitlines() == said
    assert result.stderr.startswith(f"{files[0]}: a page shows at most 3 requests, and")
    assert not files[0].exists()


def test_what_cannot_be_converted(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    emu("trace", "ub_load", "--requests", "2", "--out", file)
    assert "this is the trace that is read; expected another" in fails("convert", file, file)
    assert "nothing is known of this format" in fails("convert", file, tmp_path / "t.x")
    assert "cannot be read: No such file" in fails("convert", tmp_path / "no.jsonl", file)
    text = file.read_text()
    file.write_text(text[:-10])
    assert f"{file}:{text.count(chr(10))}:" in fails("convert", file, tmp_path / "cut.csv")
    # All that was whole is there.
    assert (tmp_path / "cut.csv").read_text().count("\n") == text.count("\n") - 1


def test_a_table_without_a_clock(tmp_path: Path) -> None:
    file = tmp_path / "t.yaml"
    source = "source: {text: a test, kind: assumed}"
    file.write_text(
        "schema: 1\nname: t\ntitle: No clock\nmessages:\n  read: {request: 64 B, response: payload}"
        f"\npath:\n  - {{stage: wire, latency: 10 ns, {source}}}\n"
    )
    message = fails("trace", file, "--out", tmp_path / "t.kanata")
    assert message == "t has no clock; expected one, whose cycles can be counted"


# -- how it ends ----------------------------------------------------------------------------


def ran(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "emu", *(str(one) for one in arguments)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_run_that_cannot_end_leaves_what_was_told(tmp_path: Path) -> None:
    table, file = tmp_path / "circle.yaml", tmp_path / "t.jsonl"
    table.write_text(CIRCLE, "utf-8")
    result = ran("trace", table, "--workload", MIX, "--requests", "20", "--out", file)
    assert result.returncode == 1
    assert "in a circle: " in result.stderr
    _, events = read(file)
    assert result.stdout == f"{file}: {len(events)} events of 20 requests\n"


@contextmanager
def started(*arguments: object) -> Iterator[subprocess.Popen[str]]:
    """A command that goes on while the test does."""
    command = [sys.executable, "-m", "emu", *(str(one) for one in arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def interrupt(process: subprocess.Popen[str], folder: Path) -> None:
    """Ctrl-C once its files have grown for a while."""
    while not any(part.stat().st_size > 10_000 for part in folder.glob(".*.part")):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)


def test_an_interrupt_leaves_complete_files(tmp_path: Path) -> None:
    files = [tmp_path / f"t.{suffix}" for suffix in ("jsonl", "kanata")]
    outs = [word for file in files for word in ("--out", file)]
    with started("trace", "ub_async", "--requests", 10**9, *outs) as process:
        interrupt(process, tmp_path)
        said, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    _, events = read(files[0])
    assert said.splitlines()[0].startswith(f"{files[0]}: {len(events)} events of ")
    assert said.splitlines()[2] == "interrupted: this is what had happened by then"
    log = read_kanata(files[1].read_text())
    assert len(log.instructions) == len({event.request for event in events})
    emu("convert", files[0], tmp_path / "again.kanata")
    assert (tmp_path / "again.kanata").read_bytes() == files[1].read_bytes()


def test_an_interrupted_conversion_leaves_a_complete_file(tmp_path: Path) -> None:
    whole = list(many(20_000))
    lines = export(open_jsonl, tmp_path / "t.jsonl", HEADER, whole).encode()
    pipe, file = tmp_path / "pipe", tmp_path / "part.jsonl"
    os.mkfifo(pipe)
    with started("convert", pipe, file) as process, pipe.open("wb", buffering=0) as stream:
        stream.write(lines[:60_000])
        interrupt(process, tmp_path)
        # It stops at the next event that it reads, and the pipe holds fewer than are left.
        with suppress(BrokenPipeError):
            stream.write(lines[60_000:])
        said, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said.splitlines()[1] == "interrupted: this is what had been read by then"
    part = read(file)[1]
    assert 0 < len(part) < len(whole)
    assert part == whole[: len(part)]


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    drawn = "{kind: open, rate: 40 M/s, arrivals: poisson, initiators: {count: 9, choose: uniform}}"
    load = ("pcie_nic_link", "--workload", drawn, "--requests", "60")
    for seed, hash_seed in (("1", "0"), ("1", "12345"), ("2", "0")):
        files = [tmp_path / f"{seed}-{hash_seed}.{suffix}" for suffix in TEXTS]
        outs = [word for file in files for word in ("--out", file)]
        result = ran("trace", *load, "--seed", seed, *outs, PYTHONHASHSEED=hash_seed)
        assert result.returncode == 0, result.stderr
    for suffix in TEXTS:
        first, second, other = (
            (tmp_path / f"{name}.{suffix}").read_bytes() for name in ("1-0", "1-12345", "2-0")
        )
        assert first == second
        assert first != other
