"""Builds: a DUT made ready to simulate, once for the same sources, parameters and simulator."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cocotb_tools.runner import get_runner

from emu.cosim.errors import CosimError
from emu.cosim.made_from import files_read, forget, is_as_it_was, note
from emu.cosim.plan import Simulation
from emu.cosim.said import said_in, told
from emu.cosim.simulators import Simulator, find_simulator
from emu.table.catalog import shown

#: Time unit and precision of every simulation: the emulator's.
TIMESCALE = ("1ps", "1ps")
#: What Icarus says of a parameter that there is not, and of a value that it cannot read: it goes on
#: without.
_UNKNOWN_PARAMETER = re.compile(r"parameter (\w+) not found")
_BAD_VALUE = re.compile(r"error: .* specified for defparam: .*\.(\w+)$", re.MULTILINE)
#: What a parameter is given.
VALUES = "a number such as 5 or 8'h5, or text in double quotes"


def built(plan: Simulation) -> Path:
    """The folder of the plan's build, which is made if there is none; `CosimError` if it fails.

    It is also made again where a file has changed that the compiler had read.
    """
    simulator = find_simulator(plan.simulator)
    if simulator.name != "ghdl":
        _check_values(plan)
    folder = Path(plan.builds).resolve() / f"{plan.top}-{_key(plan, simulator)}"
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder):
        if not is_as_it_was(folder):
            forget(folder)
            since_ns = time.time_ns()
            _build(plan, simulator, folder)
            read = files_read(simulator.name, folder, _files(plan))
            note(folder, read, _folders(plan), since_ns)
    return folder


def _check_values(plan: Simulation) -> None:
    """In Verilog there is no empty value."""
    for name, value in plan.parameters.items():
        if value == "":
            raise CosimError(f"parameter '{name}' has no value; expected {VALUES}")


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
        lines = "\n".join(told(said_in(log)))
        raise CosimError(
            f"{simulator.name} does not build; it said:\n{lines}\nall of it is in {shown(log)}"
        ) from None
    if simulator.name == "icarus":
        _check_taken(plan, "\n".join(said_in(log)))


def _check_taken(plan: Simulation, said: str) -> None:
    """Icarus only warns of parameters that it does not take."""
    if unknown := _UNKNOWN_PARAMETER.search(said):
        raise CosimError(f"{plan.top} has no parameter '{unknown[1]}'")
    if bad := _BAD_VALUE.search(said):
        name = bad[1]
        raise CosimError(
            f"parameter '{name}': icarus cannot read the value '{plan.parameters[name]}'; expected "
            f"{VALUES}"
        )


def _folders(plan: Simulation) -> list[Path]:
    """Where the headers are looked for that they include: beside them, and in these folders."""
    paths = [Path(source).resolve() for source in plan.sources]
    return list(dict.fromkeys(path if path.is_dir() else path.parent for path in paths))


def _files(plan: Simulation) -> list[Path]:
    """The sources without the folders."""
    return [path for path in map(Path, plan.sources) if not path.is_dir()]


def _key(plan: Simulation, simulator: Simulator) -> str:
    """A hash of all that a build is asked for; what it reads besides is not known before."""
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
    digest.update("".join(f"{folder}\n" for folder in _folders(plan)).encode())
    for source in _files(plan):
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
