"""Builds a model and plays runs into it."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from cocotb_tools.runner import get_runner

from emu.cosim.simulators import find_simulator
from tests.hdl.player import Event

HDL = Path(__file__).parents[2] / "testbenches" / "hdl"
#: What each model is compiled from.
FILES = {
    "channel": ("channel",),
    "completion_writer": ("pipeline", "completion_writer"),
    "context_cache": ("channel", "context_cache"),
    "descriptor_dma": ("channel", "pipeline", "descriptor_dma"),
    "framer": ("pipeline", "framer"),
    "ordering_engine": ("channel", "pipeline", "ordering_engine"),
    "pipeline": ("pipeline",),
    "scheduler": ("pipeline", "scheduler"),
    "sender": ("channel", "pipeline", "scheduler", "ordering_engine", "framer", "sender"),
}
#: Those that are there in VHDL as well.
IN_VHDL = ("pipeline", "scheduler")
#: How Verilator's C++ is compiled: soon, and not to run fast.
SOON_BUILT = " OPT_GLOBAL=-O0 OPT_FAST=-O1 OPT_SLOW=-O0"


@dataclass
class Run:
    """What is played into a DUT, for so many cycles.

    A source has `beats`, each with the cycle from which on it may be offered, and `may_offer`; a
    sink the pattern of cycles in which it takes. A memory answers what comes from port `request`
    at port `answer`, each after its own of `delays`. `inside` names modules whose output is
    watched. A `strict` run notes in every cycle what a port must not do, taken or not.
    """

    cycles: int
    sources: dict[str, dict[str, Any]] = field(default_factory=dict)
    sinks: dict[str, list[int]] = field(default_factory=dict)
    memories: list[dict[str, Any]] = field(default_factory=list)
    inside: dict[str, str] = field(default_factory=dict)
    strict: bool = False


def files(top: str, suffix: str = "sv") -> list[Path]:
    return [HDL / f"{name}.{suffix}" for name in FILES[top]]


def for_simulators(parameters: Mapping[str, int]) -> dict[str, int | str]:
    """Parameters as simulators read them: a number without a width is one of 32 bits."""
    return {
        name: f"64'd{value}" if value >= 1 << 31 else value for name, value in parameters.items()
    }


def play(
    top: str,
    simulator: str,
    runs: list[Run],
    folder: Path,
    parameters: Mapping[str, int],
) -> list[list[Event]]:
    """What the ports of the model did in each run."""
    is_vhdl = simulator == "ghdl"
    given = for_simulators(parameters)
    (folder / "play.json").write_text(json.dumps([asdict(run) for run in runs]))
    changes = find_simulator(simulator).environment()
    changes["MAKEFLAGS"] += SOON_BUILT
    with patch.dict(os.environ, changes):
        runner = get_runner(simulator)
        runner.build(
            sources=files(top, "vhd" if is_vhdl else "sv"),
            hdl_toplevel=top,
            parameters={} if is_vhdl else given,
            build_args=["--std=08"] if is_vhdl else [],
            build_dir=folder,
            timescale=None if is_vhdl else ("1ns", "1ps"),
            log_file=folder / "build.log",
        )
        runner.test(
            test_module="tests.hdl.player",
            hdl_toplevel=top,
            hdl_toplevel_lang="vhdl" if is_vhdl else "verilog",
            parameters=given if is_vhdl else None,
            test_args=["--std=08"] if is_vhdl else [],
            extra_env={
                "PLAY": str(folder / "play.json"),
                "PLAYED": str(folder / "played.json"),
            },
            build_dir=folder,
            test_dir=folder,
            results_xml=str(folder / "results.xml"),
            log_file=folder / "test.log",
        )
    played = json.loads((folder / "played.json").read_text())
    return [[(cycle, port, beat) for cycle, port, beat in events] for events in played]


def pattern(rng: random.Random, length: int) -> list[int]:
    """Zeros and ones, in stretches or not, dense or not; the last is a one."""
    density = rng.choice((0.15, 0.5, 0.85, 1.0))
    stretch = rng.choice((1, 1, 4, 20))
    bits: list[int] = []
    while len(bits) < length:
        bits += [int(rng.random() < density)] * rng.randint(1, stretch)
    return [*bits[:length], 1]
