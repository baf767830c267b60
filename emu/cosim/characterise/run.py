"""Characterises a DUT: from a command line, or from pytest."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from emu.cosim.binding import read_binding
from emu.cosim.characterise.plan import PATIENCE_CYCLES, REQUESTS, SEEDS, Plan
from emu.cosim.characterise.ports import roles_of
from emu.cosim.characterise.report import Characterised, from_process
from emu.cosim.errors import CosimError
from emu.cosim.run import BUILDS, simulated
from emu.cosim.simulators import check_sources, find_simulator
from emu.cosim.stimulus import NUMBER
from emu.errors import did_you_mean, listed


def characterise(
    binding: Path | str,
    sources: Sequence[Path | str],
    top: str,
    *,
    simulator: str = "icarus",
    parameters: Mapping[str, int | str] | None = None,
    counting: Sequence[str] = (),
    limits: Mapping[str, int] | None = None,
    patience_cycles: int = PATIENCE_CYCLES,
    requests: int = REQUESTS,
    seeds: Sequence[int] = tuple(range(1, SEEDS + 1)),
    builds: Path = BUILDS,
) -> Characterised:
    """Builds and measures a DUT, and checks the table that follows.

    `parameters` go over those of the binding. Fields of requests are 0, but for `id` and those in
    `counting`, which are the number of the request, and where the DUT tells requests apart: there
    each is held to as many values as `limits` says. `EmuError` for what cannot be run, `RunError`
    for a DUT that does not do what every experiment needs: take requests, and give each once.
    """
    if not seeds:
        raise CosimError("no seeds; expected at least one")
    bound = read_binding(Path(binding))
    fields = bound.binding.ports[roles_of(bound).input].fields
    for name in counting:
        if name not in fields:
            near = did_you_mean(name, fields)
            raise CosimError(
                f"{bound.file}: field '{name}' cannot count requests; expected one of "
                f"{listed(fields)}" + (f"; {near}" if near else "")
            )
    found = find_simulator(simulator)
    paths = [Path(source) for source in sources]
    check_sources(found, paths)
    with tempfile.TemporaryDirectory(prefix="emu-cosim-") as folder:
        plan = Plan(
            binding=str(binding),
            sources=[str(path) for path in paths],
            top=top,
            simulator=simulator,
            parameters={**bound.binding.parameters, **(parameters or {})},
            here=str(Path.cwd()),
            builds=str(builds),
            folder=folder,
            waves=False,
            counting=[NUMBER, *counting],
            limits=dict(limits or {}),
            patience_cycles=patience_cycles,
            requests=requests,
            seeds=list(seeds),
        )
        (said,) = simulated(plan, found, bool)
    return from_process(said)
