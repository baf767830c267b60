"""`emu run` under load: workloads, stops, and what limits a run."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer import Typer
from typer.testing import CliRunner

from emu.cli import run as command
from emu.errors import EmuError
from emu.path import build
from emu.table import load

ROOT = Typer()
command.register(ROOT)


def run(*arguments: str) -> str:
    # What either engine says is the same, and no test here is about that.
    reference = (*arguments, "--engine", "reference")
    result = CliRunner().invoke(ROOT, [*reference], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def as_json(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*arguments, "--json"))
    assert found["posted"] == found["delivered"] + found["dropped"] + found["in_flight"]
    assert found["in_flight"] == sum(found["in_flight_at"].values())
    return found


@pytest.mark.parametrize(
    ("table", "size", "rate"),
    (
        ("ub_async", "64", 161e6),
        ("pcie_nic", "64", 53.7e6),
        ("ub_async", "4KiB", 12.2e6),
        ("pcie_nic", "4KiB", 12.2e6),
    ),
)
def test_rates(table: str, size: str, rate: float) -> None:
    requests = "20000" if size == "64" else "10000"
    found = as_json(table, "--size", size, "--outstanding", "1024", "--requests", requests)
    assert abs(found["rate_per_s"] / rate - 1) < 0.005
    binds = found["binds"]
    assert binds["name"] == ("initiator_tx" if size == "64" else "wire_back")
    assert binds["utilisation"] > 0.97
    mean = found["latency_ps"]["mean"]
    assert found["in_flight_mean"] * found["window_ps"] == pytest.approx(mean * found["delivered"])
    assert sum(found["parts"].values()) == round(mean * found["delivered"])


def test_what_a_plain_run_says() -> None:
    found = as_json("pcie_nic")
    assert (found["requests"], found["outstanding"], found["seed"]) == (1000, 1, 1)
    assert found["workload"] == {"kind": "closed", "outstanding": 1}
    assert found["in_flight_mean"] == 1


def test_an_open_loop() -> None:
    found = as_json("ub_async", "--workload", "{kind: open, rate: 1 M/s}", "--requests", "50")
    assert found["workload"] == {"kind": "open", "rate": "1 M/s"}
    assert (found["operation"], found["bytes"], found["outstanding"]) == ("read", 64, None)
    assert found["rate_per_s"] == pytest.approx(1e6, rel=1e-4)


def test_until_posts_without_a_limit() -> None:
    workload = "{kind: open, rate: 10 M/s}"
    found = as_json("ub_async", "--workload", workload, "--until", "500 us")
    assert (found["posted"], found["requests"]) == (5001, None)
    assert found["in_flight"] == 8
    assert next(iter(found["in_flight_at"])) == "verb_post"


def test_until_and_a_limit() -> None:
    found = as_json("ub_async", "--until", "5 us", "--requests", "3")
    assert (found["posted"], found["delivered"], found["requests"]) == (3, 3, 3)


def test_a_burst_has_a_limit_all_the_same() -> None:
    found = as_json("ub_async", "--workload", "{kind: burst}", "--until", "1 us")
    assert found["posted"] == 1000
    assert found["in_flight"] > 900


def test_a_stopped_run_says_what_is_inside() -> None:
    text = run("ub_async", "--outstanding", "8", "--until", "1 us")
    assert "stopped at 1 us" in text
    assert "posted 16 = delivered 8 + dropped 0 + in flight 8" in text
    assert "still inside: 8 at " in text


def test_what_limits_it() -> None:
    text = run("pcie_nic", "--outstanding", "512", "--requests", "3000")
    assert "what limits it\n  initiator_tx is in use 9" in text
    assert "beyond service, most time goes to arbitration: " in text
    assert "in flight on average: " in text


def test_a_mix() -> None:
    mix = "mix: [{operation: read, bytes: 64 B, weight: 3}, {operation: write, bytes: 4 KiB}]"
    found = as_json("pcie_nic", "--workload", f"{{kind: closed, outstanding: 16, {mix}}}")
    assert (found["operation"], found["bytes"], found["delivered"]) == (None, None, 1000)
    assert found["outstanding"] == 16
    assert "1000 x a mix" in run("pcie_nic", "--workload", f"{{kind: burst, {mix}}}")


def test_a_mix_of_one_kind_is_named() -> None:
    workload = "{kind: burst, mix: [{operation: write, bytes: 128 B}]}"
    found = as_json("pcie_nic", "--workload", workload, "--requests", "5")
    assert (found["operation"], found["bytes"]) == ("write", 128)


def test_a_chain_is_one_at_a_time() -> None:
    found = as_json("ub_async", "--workload", "{kind: chain}", "--requests", "8")
    assert found["in_flight_mean"] == 1
    assert found["window_ps"] == sum(found["parts"].values())


def test_a_load_where_the_processor_loads() -> None:
    found = as_json("ub_load", "--workload", "{kind: burst}", "--requests", "5")
    assert found["operation"] == "load"


def test_a_replay_posts_all_that_is_in_the_file(tmp_path: Path) -> None:
    file = tmp_path / "trace.csv"
    rows = [f"{n},read,64" for n in range(1500)]
    file.write_text("\n".join(["time_ns,operation,bytes", *rows]), encoding="utf-8")
    found = as_json("ub_async", "--workload", str(file))
    assert (found["posted"], found["operation"], found["bytes"]) == (1500, "read", 64)
    assert as_json("ub_async", "--workload", str(file), "--requests", "3")["posted"] == 3


MIX = "{kind: burst, mix: [{operation: read, bytes: 64 B}]}"


@pytest.mark.parametrize(
    ("arguments", "message"),
    (
        (
            ("--workload", "{kind: burst}", "--outstanding", "3"),
            "--outstanding beside --workload; expected one of the two",
        ),
        (
            ("--workload", MIX, "--op", "write"),
            "--op beside a workload that says so itself; expected one of both",
        ),
        (
            ("--workload", MIX, "--size", "64"),
            "--size beside a workload that says so itself; expected one of both",
        ),
        (
            ("--until", "5"),
            ("--until 5: '5' has no unit; expected one of ps, ns, us, µs, ms or s, as in '150 ns'"),
        ),
        (
            ("--workload", "{kind: opne}"),
            (
                "--workload {kind: opne}: workload.kind: 'opne' is no kind of workload; expected "
                "closed, open, burst, chain or replay; did you mean 'open'?"
            ),
        ),
        (
            ("--workload", "{kind: burst, mix: [{operation: load, bytes: 64 B}]}"),
            "pcie_nic has no load; expected",
        ),
    ),
)
def test_what_does_not_go(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(EmuError) as error:
        run("pcie_nic", *arguments)
    assert str(error.value).startswith(message)


ALL_DRAWN = (
    "{kind: open, rate: 40 M/s, arrivals: poisson, initiators: {count: 9, choose: uniform}, "
    "destinations: {count: 9, choose: zipf, exponent: 0.99}, addresses: {count: 99, choose: "
    "uniform}, mix: [{operation: read, bytes: 64 B}, {operation: write, bytes: 1 KiB}]}"
)


def output(hash_seed: str, seed: str) -> bytes:
    return subprocess.run(
        [
            *(sys.executable, "-m", "emu", "run", "pcie_nic", "--workload", ALL_DRAWN),
            *("--seed", seed, "--engine", "reference"),
        ],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        check=True,
    ).stdout


def test_the_same_seed_gives_the_same_bytes() -> None:
    first = output("0", "1")
    assert output("12345", "1") == first
    assert output("0", "2") != first


@pytest.mark.parametrize(("table", "unkept"), (("pcie_nic", 3), ("ub_ordered", 0)))
def test_says_so_if_no_stage_keeps_the_marks(tmp_path: Path, table: str, unkept: int) -> None:
    file = tmp_path / "marked.csv"
    file.write_text(
        "time_ns,operation,bytes,address,order,service,fence\n"
        "0,write,64,0,RO,,\n0,write,64,64,,ROT,\n0,read,64,128,,,1\n0,read,64,192,,,\n"
    )
    assert as_json(table, "--workload", str(file))["unkept_marks"] == unkept
    said = "3 with an order, a service mode or a fence, of which no stage of pcie_nic knows: "
    assert (said in run(table, "--workload", str(file))) == bool(unkept)


@pytest.mark.parametrize(
    "table", ("ub_ordered", "ub_ordered_early", "rc_ordered", "ub_sender", "openurma_tx")
)
def test_tables_with_an_order_keep_marks(table: str) -> None:
    assert build(load(table)).keeps_marks
    assert not build(load("pcie_ordered")).keeps_marks
