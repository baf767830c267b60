"""Builds: a DUT made ready to simulate, once for the same sources, parameters and simulator."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cocotb_tools.runner import get_runner

from emu.cosim.errors import CosimError
from emu.cosim.plan import Simulation
from emu.cosim.simulators import Simulator, find_simulator

#: Time unit and precision of every simulation: the emulator's.
TIMESCALE = ("1ps", "1ps")
HEADERS = (".vh", ".svh")
_UNKNOWN_PARAMETER = re.compile(r"parameter (\w+) not found")
#: So many lines of a failed build are shown.
SHOWN_LINES = 20


def built(plan: Simulation) -> Path:
    """The folder of the plan's build, which is made if there is none; `CosimError` if it fails."""
    simulator = find_simulator(plan.simulator)
    folder = Path(plan.builds).resolve() / f"{plan.top}-{_key(plan, simulator)}"
    done = folder / "built"
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder):
        if not done.exists():
            _build(plan, simulator, folder)
            done.touch()
    return folder


def _build(plan: Simulation, simulator: Simulator, folder: Path) -> None:
    log = folder / "build.log"
    runner = get_runner(simulator.name)
    verilog = simulator.name != "ghdl"
    try:
        runner.build(
            sources=_files(plan),
            includes=_folders(plan) if verilog else [],
            hdl_toplevel=plan.top,
            parameters=plan.parameters,
            build_args=list(simulator.build_args),
            build_dir=folder,
            timescale=TIMESCALE,
            waves=plan.waves and verilog,
            always=True,
            log_file=log,
        )
    except RuntimeError:
        raise failed(f"{simulator.name} does not build", log) from None
    said = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    # Icarus only warns of a parameter that there is not.
    if simulator.name == "icarus" and (unknown := _UNKNOWN_PARAMETER.search(said)):
        raise CosimError(f"{plan.top} has no parameter '{unknown[1]}'")


def failed(what: str, log: Path) -> CosimError:
    """The error of a command, with what it said last; `log` holds all of it."""
    said = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    last = [f"  {line}" for line in said.splitlines()[-SHOWN_LINES:]]
    return CosimError("\n".join((f"{what}; it said:", *last)))


def _folders(plan: Simulation) -> list[Path]:
    """Where the headers are looked for that they include: beside them, and in these folders."""
    paths = [Path(source).resolve() for source in plan.sources]
    return list(dict.fromkeys(path if path.is_dir() else path.parent for path in paths))


def _files(plan: Simulation) -> list[Path]:
    """The sources without the folders."""
    return [path for path in map(Path, plan.sources) if not path.is_dir()]


def _key(plan: Simulation, simulator: Simulator) -> str:
    """A hash of all that a build is made from."""
    said = subprocess.run([simulator.command, "--version"], capture_output=True, check=False)
    digest = hashlib.sha256(said.stdout)
    digest.update(
        json.dumps(
            [
                plan.simulator,
                simulator.build_args,
                plan.top,
                plan.parameters,
                plan.waves,
                TIMESCALE,
            ],
        ).encode()
    )
    headers = [
        file
        for folder in _folders(plan)
        for file in sorted(folder.iterdir())
        if file.suffix in HEADERS
    ]
    digest.update("".join(f"{folder}\n" for folder in _folders(plan)).encode())
    for source in [*_files(plan), *headers]:
        digest.update(f"{source.resolve()}\n".encode())
        digest.update(hashlib.sha256(source.read_bytes()).digest())
    return digest.hexdigest()[:20]


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Only one process at a time is here with a folder; the system frees it of one that is gone."""
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
