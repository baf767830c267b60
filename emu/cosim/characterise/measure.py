"""Characterise: drives a DUT that is there, in experiments, and finds its timing table."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import cocotb
from cocotb.handle import HierarchyObject

from emu.cosim.binding import Bound
from emu.cosim.characterise.batches import Batches
from emu.cosim.characterise.bench import Bench
from emu.cosim.characterise.check import (
    CHECKED_CYCLES,
    MOST_A_ROUND,
    check,
    rate,
    rated_beats,
    rated_cycles,
)
from emu.cosim.characterise.engine import Engine
from emu.cosim.characterise.findings import Findings
from emu.cosim.characterise.ordering import Ordering
from emu.cosim.characterise.plan import PATIENCE_CYCLES, REQUESTS, SEEDS
from emu.cosim.characterise.report import Characterised, Checked, Rate
from emu.cosim.characterise.scheduler import Scheduler
from emu.cosim.characterise.stream import Stream
from emu.cosim.characterise.table import table_text
from emu.cosim.characterise.writer import Measured
from emu.cosim.stimulus import NUMBER, Stimulus

#: Stages that tell requests apart.
TOLD = ("ordering_engine", "scheduler")


class Characterise:
    """Measures the DUT of a cocotb test; it drives clock, reset and all ports of the binding.

    `parameters` are named in the table that follows, and are those of the DUT as it is. Fields of
    requests are 0, but for those in `counting`, which are the number of the request, and where the
    DUT tells requests apart: there each is held to as many values as `limits` says. The table is
    checked in a run of so many `requests` for each of the `seeds`. `watch` is called now and then,
    as the simulation goes on.
    """

    def __init__(
        self,
        top: HierarchyObject,
        bound: Bound,
        *,
        parameters: Mapping[str, int | str] | None = None,
        counting: Sequence[str] = (NUMBER,),
        limits: Mapping[str, int] | None = None,
        patience_cycles: int = PATIENCE_CYCLES,
        requests: int = REQUESTS,
        seeds: Sequence[int] = tuple(range(1, SEEDS + 1)),
        watch: Callable[[], None] = lambda: None,
    ) -> None:
        self._bench = Bench(top, bound, counting, watch)
        self._limits = limits or {}
        self._patience_cycles = patience_cycles
        self._requests, self._seeds = requests, seeds
        self._measured = Measured(
            top=top._name,
            simulator=f"{cocotb.SIM_NAME} {cocotb.SIM_VERSION}",
            parameters=parameters or {},
            period_ps=bound.binding.clock.period,
            beat_bytes=self._bench.beat_bytes,
        )

    async def run(self) -> Characterised:
        """All experiments; `RunError` for a DUT that does not do what every one of them needs."""
        bench, findings = self._bench, Findings()
        try:
            self._stimulus(1, is_told=True).items(bench.widths)  # says what no limit can be
            stream = Stream(bench, findings, self._patience_cycles)
            await stream.begin()
            kind = await self._kind(stream, findings)
            if kind is None:
                await stream.measure()
            else:
                await kind.measure()
            if bench.roles.memory is not None:
                await Engine(bench, findings, stream.settle, stream.quiet).measure()
            found = await self._tabled(findings, stream.settle)
            if kind is None and bench.roles.memory is None:
                found = await self._together(stream, findings, found)
        finally:
            bench.stop()
        return replace(found, cycles=bench.cycles)

    async def _kind(self, stream: Stream, findings: Findings) -> Ordering | Scheduler | None:
        """The experiments with a DUT that tells requests apart; `None` for any other."""
        bench, fields = self._bench, self._bench.widths
        if bench.roles.memory is not None or "initiator" not in fields:
            return None
        is_answered = bench.roles.answers is not None
        kind = Ordering if is_answered and {"order", "service"} <= set(fields) else Scheduler
        made = kind(bench, findings, stream.settle, stream.quiet, self._limits)
        return made if is_answered or await made.overtakes() else None

    async def _together(
        self, stream: Stream, findings: Findings, plain: Characterised
    ) -> Characterised:
        """What is found of a DUT that takes several together, if it is one; else what was."""
        if plain.is_exact and stream.frees == 1:
            return plain
        together = deepcopy(findings)
        if await Batches(self._bench, together, stream.settle, stream.quiet).measure():
            found = await self._tabled(together, stream.settle)
            if found.is_exact:
                return found
        if stream.frees > 1:
            findings.notes.append(
                f"one output handshake of a full DUT frees {stream.frees} places; in a table it "
                "frees one"
            )
        return plain

    async def _tabled(self, findings: Findings, settle: int) -> Characterised:
        """The table that follows from findings, and how it does beside the DUT."""
        text = table_text(findings, self._measured)
        with tempfile.TemporaryDirectory(prefix="emu-cosim-") as folder:
            file = Path(folder) / f"{self._measured.name}.yaml"
            file.write_text(text, encoding="utf-8")
            checked = await self._check(file, settle, findings.values.get("stage") in TOLD)
            rates = await self._rates(file, settle, findings)
        return Characterised(findings, text, checked, rates, self._bench.cycles)

    async def _check(self, file: Path, settle: int, is_told: bool) -> list[Checked]:
        return [
            await check(
                self._bench,
                file,
                self._stimulus(seed, is_told=is_told),
                settle=settle,
                patience_cycles=self._patience_cycles,
                memory_cycles=cycles,
                is_told=is_told,
            )
            for seed, cycles in zip(self._seeds, cycle(CHECKED_CYCLES), strict=False)
        ]

    def _stimulus(self, seed: int, *, is_told: bool) -> Stimulus:
        limits = tuple(self._limits.items()) if is_told else ()
        return Stimulus(self._requests, seed, limits=limits)

    async def _rates(self, file: Path, settle: int, findings: Findings) -> list[Rate]:
        bench = self._bench
        inside = "depth" if bench.roles.memory is None else "outstanding"
        return [
            await rate(
                bench,
                file,
                settle=settle,
                patience_cycles=self._patience_cycles,
                memory_cycles=cycles,
                beats=beats,
                most=min(findings.number(inside) or MOST_A_ROUND, MOST_A_ROUND),
            )
            for beats in rated_beats(findings, bench.beat_bytes)
            for cycles in rated_cycles(bench)
        ]
