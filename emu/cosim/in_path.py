"""RTL in the path: stages of a table replaced by a DUT, and the rest emulated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from cocotb.handle import HierarchyObject

from emu.breakdown import total
from emu.cosim.awaiting import run_awaiting
from emu.cosim.binding import Bound
from emu.cosim.model import beat_bytes_of
from emu.cosim.place import PATIENCE_CYCLES, Place, Ports, ports_in
from emu.cosim.rtl_stage import RtlParameters, RtlStage
from emu.cosim.steps import Steps
from emu.kernel import Kernel
from emu.path import Path
from emu.report import Report
from emu.request import Operation, Request
from emu.run import run_workload
from emu.table.schema import StageTiming, Table
from emu.trace.events import Listener
from emu.workload.build import Described


async def run_in_path(
    top: HierarchyObject,
    bound: Bound,
    place: Place,
    described: Described,
    *,
    seed: int = 1,
    until_ps: int | None = None,
    patience_cycles: int = PATIENCE_CYCLES,
    listener: Listener | None = None,
    watch: Callable[[], None] = lambda: None,
) -> Report:
    """Runs a workload through a path in which a DUT is in a place; its clock is driven here.

    `watch` is called now and then, as the simulation goes on. `StallError` where nothing moves any
    more.
    """
    ports = ports_in(place, bound)
    steps = Steps(top, bound, ports.sink, ports.source, tuple(ports.answers), watch)
    await steps.reset()
    path = RtlPath(with_rtl(place, steps, ports, patience_cycles), place, seed)
    return await run_awaiting(
        lambda: run_workload(path, described, until_ps=until_ps, listener=listener)
    )


class RtlPath(Path):
    """A path with a DUT in it."""

    def __init__(self, table: Table, place: Place, seed: int) -> None:
        super().__init__(table, seed)
        self._place = place

    def kernel(self, *given: Any, **named: Any) -> Kernel:
        """The engine, at whose time the DUT is."""
        kernel = super().kernel(*given, **named)
        station = self.actor(self._place.name)
        assert isinstance(station.actor, RtlStage)  # made so
        station.actor.open(kernel, station, self._place.clock)
        return kernel


def with_rtl(place: Place, steps: Steps, ports: Ports, patience_cycles: int) -> Table:
    """The table with the DUT in that place."""
    first = place.entries[0]
    parameters = RtlParameters(
        steps=steps,
        queue=first.queue,
        beat_bytes=beat_bytes_of(first),
        on_paper=_paper(place),
        answers=ports.answers,
        until=ports.until,
        patience_cycles=patience_cycles,
    )
    timing = StageTiming(
        stage="rtl",
        at=first.timing.at,
        when=first.timing.when,
        clock=first.timing.clock,
        arbitration=first.timing.arbitration,
        source=first.timing.source,
    )
    entry = replace(
        first,
        name=place.name,
        stage=RtlStage,
        timing=timing,
        parameters=parameters,
        depth=first.depth if len(place.entries) == 1 else None,
    )
    entries = place.table.entries
    return replace(
        place.table, entries=(*entries[: place.first], entry, *entries[place.last + 1 :])
    )


def _paper(place: Place) -> Callable[[Request], dict[str, int]]:
    """What a request takes there on paper, straight from the table."""
    known: dict[tuple[Operation, int], dict[str, int]] = {}
    inside = range(place.first, place.last + 1)

    def on_paper(request: Request) -> dict[str, int]:
        kind = (request.operation, request.size_bytes)
        if kind not in known:
            derived = Path(place.table).derived(*kind)
            known[kind] = total(parts for hop, parts in derived if hop.entry in inside)
        return known[kind]

    return on_paper
