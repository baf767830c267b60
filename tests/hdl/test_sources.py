"""The sources of the models: no linter complains, and each becomes hardware."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from emu.cosim.simulators import find_simulator
from tests.hdl.bench import FILES, HDL, IN_VHDL, files
from tests.needs import builds, needs

#: Parameters, beside those that a file has by itself, with which other parts of it are built.
VARIANTS: dict[str, list[dict[str, int]]] = {
    "channel": [{"QUEUE": 1}],
    "pipeline": [{"LATENCY": 1, "DEPTH": 1}, {"INTERVAL": 3, "REFILL_NEXT_EDGE": 1, "FAULT": 4}],
    "scheduler": [{"PICK": 1, "INITIATORS": 16, "INTERVAL": 2}, {"QUEUES": 1, "DEPTH": 1}],
    "ordering_engine": [{"TRACKING": 1, "INITIATORS": 16}, {"STRICT": 1, "LATENCY": 3}],
    "framer": [{"FAULT": 11}, {"SHORT_BYTES": 16, "CHUNK_BYTES": 64}],
    "sender": [{"FAULT": 1, "FAULT_STAGE": 4}],
    "context_cache": [
        {"SETS": 4, "WAYS": 2},
        {"REPLACEMENT": 1},
        {"REPLACEMENT": 2, "SETS": 3},
        {"WAYS": 1, "DEPTH": 1, "INTERVAL": 2},
    ],
    "descriptor_dma": [
        {"CREDITS": 3, "CREDIT_RETURN": 5, "TAG_RETURN": 2, "TAG_UNTIL_LEFT": 1},
        {"IN_ORDER": 0},
        {"TAGS": 1, "DEPTH": 1},
    ],
    "completion_writer": [{"QUEUE": 1, "BATCH": 1, "DEPTH": 1, "REFILL_NEXT_EDGE": 1}],
}
#: Small ones, so that synthesis takes seconds: what grows with them is memory.
SMALL = {
    "scheduler": {"INITIATORS": 8, "QUEUES": 4, "DEPTH": 4},
    "ordering_engine": {"INITIATORS": 8, "QUEUES": 4, "DEPTH": 4, "WINDOW": 8},
    "sender": {"INITIATORS": 8, "QUEUES": 4, "DEPTH": 4, "HELD_DEPTH": 4, "WIRE_QUEUE": 4},
    "context_cache": {"QUEUE": 4, "BACKLOG": 4},
}
#: Of the VHDL.
GENERICS = {
    "pipeline": {"LATENCY": 3},
    "scheduler": {"INITIATORS": 8, "QUEUES": 4, "DEPTH": 4},
}

CASES = [(top, change) for top in FILES for change in ({}, *VARIANTS[top])]
IDS = [
    f"{top}-{'-'.join(f'{k}={v}' for k, v in change.items()) or 'as_is'}" for top, change in CASES
]


def said_by(command: list[str], folder: Path, **environment: str) -> str:
    """What a command says, which must end well."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment or None,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert not done.returncode, done.stdout
    return done.stdout


@builds("verilator")
def test_verilator_has_nothing_to_say(tmp_path: Path) -> None:
    """It is made into C++, as a simulation is: only then are loops of signals looked for."""
    environment = find_simulator("verilator").environment()
    for number, (top, change) in enumerate(CASES):
        sources = [str(file) for file in files(top)]
        given = [f"-G{name}={value}" for name, value in change.items()]
        made = ["--cc", "--public-flat-rw", "-Mdir", str(number)]
        command = ["verilator", *made, "-Wall", "--quiet", "--top", top, *given, *sources]
        assert said_by(command, tmp_path, **environment) == "", (top, change)


@needs("iverilog")
def test_icarus_has_nothing_to_say(tmp_path: Path) -> None:
    for top, change in CASES:
        sources = [str(file) for file in files(top)]
        given = [f"-P{top}.{name}={value}" for name, value in change.items()]
        command = ["iverilog", "-g2012", "-Wall", *given, "-s", top, "-o", "out", *sources]
        assert said_by(command, tmp_path) == "", (top, change)


@needs("ghdl")
def test_ghdl_has_nothing_to_say(tmp_path: Path) -> None:
    for top in IN_VHDL:
        for file in files(top, "vhd"):
            assert said_by(["ghdl", "-a", "--std=08", "-Werror", str(file)], tmp_path) == ""


REFUSED = [
    ("pipeline", {"DEPTH": 0}),
    ("pipeline", {"LATENCY": 0}),
    ("pipeline", {"INTERVAL": 0}),
    ("ordering_engine", {"WINDOW": 12}),
]


@pytest.mark.parametrize(("top", "change"), REFUSED)
@needs("iverilog")
@builds("verilator")
def test_what_cannot_be_built_is_refused(top: str, change: dict[str, int], tmp_path: Path) -> None:
    sources = [str(file) for file in files(top)]
    ((name, value),) = change.items()
    icarus = ["iverilog", "-g2012", f"-P{top}.{name}={value}", "-s", top, "-o", "out", *sources]
    verilator = ["verilator", "--lint-only", f"-G{name}={value}", "--top", top, *sources]
    environment = find_simulator("verilator").environment()
    for command in (icarus, verilator):
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode
        assert "zero" in done.stderr


def synthesised(top: str, change: dict[str, int], folder: Path) -> dict[str, int]:
    """The cells that Yosys makes of a model, by kind; none of it may be a latch or in doubt."""
    changes = "".join(f"chparam -set {name} {value} {top}; " for name, value in change.items())
    sources = " ".join(str(file) for file in files(top))
    script = (
        f"read_verilog -sv {sources}; {changes}hierarchy -check -top {top}; "
        "synth -noabc -flatten; check -assert; tee -o cells.json stat -json"
    )
    said = said_by(["yosys", "-p", script], folder)
    assert not re.search(r"(?im)^warning|latch inferred for", said.replace("No latch inferred", ""))
    counted = json.loads((folder / "cells.json").read_text())["design"]["num_cells_by_type"]
    cells: dict[str, int] = counted
    return cells


@pytest.mark.parametrize("top", FILES)
@needs("yosys")
def test_yosys_makes_hardware_of_it(top: str, tmp_path: Path) -> None:
    cells = synthesised(top, SMALL.get(top, {}), tmp_path)
    assert not [kind for kind in cells if "LATCH" in kind.upper()]
    assert sum(count for kind, count in cells.items() if "DFF" in kind) > 4


@pytest.mark.long
@pytest.mark.parametrize(("top", "change"), CASES, ids=IDS)
@needs("yosys")
def test_yosys_makes_hardware_of_every_variant(
    top: str, change: dict[str, int], tmp_path: Path
) -> None:
    cells = synthesised(top, SMALL.get(top, {}) | change, tmp_path)
    assert not [kind for kind in cells if "LATCH" in kind.upper()]


@needs("yosys")
def test_nothing_of_a_fault_is_left_without_one(tmp_path: Path) -> None:
    plain = synthesised("pipeline", {}, tmp_path)
    assert synthesised("pipeline", {"FAULT_AT": 5}, tmp_path) == plain
    faulty = synthesised("pipeline", {"FAULT": 2, "FAULT_AT": 5}, tmp_path)
    assert sum(faulty.values()) > sum(plain.values())


@pytest.mark.parametrize("top", IN_VHDL)
@needs("ghdl")
def test_ghdl_makes_hardware_of_it(top: str, tmp_path: Path) -> None:
    for file in files(top, "vhd"):
        said_by(["ghdl", "-a", "--std=08", str(file)], tmp_path)
    given = [f"-g{name}={value}" for name, value in GENERICS[top].items()]
    netlist = said_by(["ghdl", "--synth", "--std=08", *given, top], tmp_path)
    assert f"entity {top} is" in netlist
    assert "rising_edge" in netlist


def test_every_source_is_tried() -> None:
    assert sorted(FILES) == sorted(file.stem for file in HDL.glob("*.sv"))
    assert sorted(IN_VHDL) == sorted(file.stem for file in HDL.glob("*.vhd"))
