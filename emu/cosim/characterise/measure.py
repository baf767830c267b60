"""Characterise: drives a DUT that is there, in experiments, and finds its timing table."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from pathlib import Path

import cocotb
from cocotb.handle import HierarchyObject

from emu.cosim.binding import Bound
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
from emu.cosim.characterise.plan import PATIENCE_CYCLES, REQUESTS, SEEDS
from emu.cosim.characterise.report import Characterised, Checked, Rate
from emu.cosim.characterise.stream import Stream
from emu.cosim.characterise.table import Measured, table_text
from emu.cosim.stimulus import NUMBER, Stimulus


class Characterise:
    """Measures the DUT of a cocotb test; it drives clock, reset and all ports of the binding.

    `parameters` are named in the table that follows, and are those of the DUT as it is. Fields of
    requests are 0, but for those in `counting`, which are the number of the request. The table is
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
        patience_cycles: int = PATIENCE_CYCLES,
        requests: int = REQUESTS,
        seeds: Sequence[int] = tuple(range(1, SEEDS + 1)),
        watch: Callable[[], None] = lambda: None,
    ) -> None:
        self._bench = Bench(top, bound, counting, watch)
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
            stream = Stream(bench, findings, self._patience_cycles)
            await stream.measure()
            if bench.roles.memory is not None:
                await Engine(bench, findings, stream.settle, stream.quiet).measure()
            text = table_text(findings, self._measured)
            with tempfile.TemporaryDirectory(prefix="emu-cosim-") as folder:
                file = Path(folder) / f"{self._measured.name}.yaml"
                file.write_text(text, encoding="utf-8")
                checked = await self._check(file, stream.settle)
                rates = await self._rates(file, stream.settle, findings)
        finally:
            bench.stop()
        return Characterised(findings, text, checked, rates, bench.cycles)

    async def _check(self, file: Path, settle: int) -> list[Checked]:
        return [
            await check(
                self._bench,
                file,
                Stimulus(self._requests, seed),
                settle=settle,
                patience_cycles=self._patience_cycles,
                memory_cycles=cycles,
            )
            for seed, cycles in zip(self._seeds, cycle(CHECKED_CYCLES), strict=False)
        ]

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
