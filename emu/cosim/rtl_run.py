"""Runs a path with RTL in it: from a command line, or from pytest."""

from __future__ import annotations

import base64
import pickle
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from emu.breakdown import ordered
from emu.cosim.binding import Bound, read_binding
from emu.cosim.place import PATIENCE_CYCLES, Place, place_in, ports_in
from emu.cosim.rtl_plan import RtlPlan
from emu.cosim.run import BUILDS, simulated
from emu.cosim.simulators import check_sources, find_simulator
from emu.report import Report
from emu.table import load
from emu.time import format_time
from emu.trace.events import Event


@dataclass(frozen=True)
class Posting:
    """What is posted, in the words of `emu run`."""

    op: str | None = None
    size: str | None = None
    requests: int | None = None
    outstanding: int | None = None
    workload: str | None = None
    until: str | None = None


@dataclass(frozen=True)
class RtlRun:
    """What a run with a DUT in a place gave; its events only if they were asked for."""

    place: Place
    report: Report
    events: Sequence[Event]
    #: What else to know of it, for people.
    notes: Sequence[str] = ()


def run_with_rtl(
    table: Path | str,
    stages: str,
    binding: Path | str,
    sources: Sequence[Path | str],
    top: str,
    posting: Posting,
    *,
    seed: int = 1,
    overrides: Sequence[str] = (),
    simulator: str = "icarus",
    parameters: Mapping[str, int | str] | None = None,
    patience_cycles: int = PATIENCE_CYCLES,
    is_traced: bool = False,
    builds: Path = BUILDS,
) -> RtlRun:
    """Builds a DUT and runs a workload through a table with it in the place of `stages`.

    These are a stage's name, or `FIRST..LAST`. `parameters` go over those of the binding.
    `EmuError` for what cannot be run, `RunError` for what did not come to an end. After Ctrl-C the
    report is of what has been delivered by then; while it is still built, `KeyboardInterrupt`.
    """
    bound = read_binding(Path(binding))
    place = place_in(load(table, overrides=list(overrides)), stages)
    ports_in(place, bound)
    found = find_simulator(simulator)
    paths = [Path(source) for source in sources]
    check_sources(found, paths)
    with tempfile.TemporaryDirectory(prefix="emu-rtl-") as folder:
        plan = RtlPlan(
            binding=str(binding),
            sources=[str(path) for path in paths],
            top=top,
            simulator=simulator,
            parameters={**bound.binding.parameters, **(parameters or {})},
            here=str(Path.cwd()),
            builds=str(builds),
            folder=folder,
            waves=False,
            table=str(table),
            overrides=list(overrides),
            stages=stages,
            posting=asdict(posting),
            seed=seed,
            patience_cycles=patience_cycles,
            is_traced=is_traced,
        )
        (said,) = simulated(plan, found, lambda results: len(results) == 1, can_stop=True)
    report, events = pickle.loads(base64.b64decode(said["run"]))
    return RtlRun(place, report, events, _notes(place, bound))


def _notes(place: Place, bound: Bound) -> list[str]:
    """The DUT runs at the table's clock, and its binding may say another."""
    given_ps, clock = bound.binding.clock.period, place.clock
    # A binding's period is whole picoseconds.
    if abs(given_ps - clock.period_ps) < 1:
        return []
    said = (
        f"{bound.file}: the clock's period is {format_time(given_ps)}, and that of the stages in "
        f"the place of the DUT {format_time(round(clock.period_ps))}: the DUT was run at theirs"
    )
    return [said]


def beyond_emulated(
    place: Place, rtl: Report, emulated: Report
) -> dict[str, dict[str, tuple[int, int]]]:
    """Stage to part to sums over all requests with the DUT and without; what is equal is left out.

    The stages in whose place the DUT is are one, under its name.
    """
    inside = [entry.name for entry in place.entries]
    sides = []
    for report in (rtl, emulated):
        stages: dict[str, dict[str, int]] = {}
        for name, parts in report.stages.items():
            row = stages.setdefault(place.name if name in inside else name, {})
            for part, time_ps in parts.items():
                row[part] = row.get(part, 0) + time_ps
        sides.append(stages)
    found: dict[str, dict[str, tuple[int, int]]] = {}
    for name in {**sides[0], **sides[1]}:
        one, other = (side.get(name, {}) for side in sides)
        parts = ordered(dict.fromkeys((*one, *other), 1))
        pairs = {part: (one.get(part, 0), other.get(part, 0)) for part in parts}
        differs = {part: pair for part, pair in pairs.items() if pair[0] != pair[1]}
        if differs:
            found[name] = differs
    return found
