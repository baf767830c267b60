"""Runs inside a simulator: a DUT in lockstep, and driven by cocotb alone with the same accesses."""

from __future__ import annotations

import json
import multiprocessing
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge

from emu.cosim.binding import read_binding
from emu.cosim.lockstep import Lockstep
from emu.cosim.plan import Simulation
from emu.cosim.stimulus import Always, Stimulus, read_pattern
from emu.table import load

LOCKSTEP, BARE = "lockstep", "cocotb alone"
#: Into so many parts a watched run is cut.
PARTS = 10


@dataclass(frozen=True, kw_only=True)
class BenchPlan(Simulation):
    """A DUT beside a table, and what that is measured against, by turns.

    `valid` is what tells that something is given. With `watched` the lockstep run alone is made,
    of so many requests, and looked at as it goes on.
    """

    module: str = "testbenches.bench.cosim_inside"
    table: str
    overrides: list[str]
    valid: str
    offer: str
    requests: int
    rounds: int
    watched: bool

    @property
    def stimulus(self) -> Stimulus:
        """What is offered, to a sink that is always ready."""
        limits = (("initiator", 16),)
        return Stimulus(
            requests=self.requests, offer=read_pattern(self.offer), ready=Always(), limits=limits
        )


@cocotb.test()
async def measure(dut: Any) -> None:
    """Writes cycles and seconds of each run, or time and memory of parts of one."""
    plan = BenchPlan.inside()
    with plan.results.open("w", encoding="utf-8") as out:

        def write(said: dict[str, object]) -> None:
            out.write(json.dumps(said) + "\n")
            out.flush()

        if plan.watched:
            cocotb.start_soon(watch(dut, plan.requests // PARTS, write))
            await in_lockstep(dut, plan)
            return
        for _ in range(plan.rounds):
            for name, run in ((LOCKSTEP, in_lockstep), (BARE, alone)):
                started_s = time.perf_counter()
                cycles = await run(dut, plan)
                wall_s = time.perf_counter() - started_s
                write({"name": name, "cycles": cycles, "wall_s": wall_s})


async def watch(dut: Any, cycles: int, write: Callable[[dict[str, object]], None]) -> None:
    """Writes, each time so many cycles are over, how long they took, and the memory in use."""
    while True:
        started_s = time.perf_counter()
        await ClockCycles(dut.clk, cycles)
        wall_s = time.perf_counter() - started_s
        processes = [os.getpid(), *(one.pid for one in multiprocessing.active_children())]
        write({"wall_s": wall_s, "cycles": cycles, "bytes": [used_bytes(one) for one in processes]})


def used_bytes(process: int | None) -> int:
    """Memory of a process that is not shared with files."""
    pages = Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()
    return (int(pages[1]) - int(pages[2])) * os.sysconf("SC_PAGE_SIZE")


async def in_lockstep(dut: Any, plan: BenchPlan) -> int:
    """Cycles of a run beside the table."""
    bound = read_binding(Path(plan.binding))
    table = load(plan.table, overrides=plan.overrides)
    result = await Lockstep(dut, bound, table, plan.stimulus).run()
    assert result.is_equal, "\n".join(result.lines())
    return result.cycles


async def alone(dut: Any, plan: BenchPlan) -> int:
    """Cycles of a run in which nothing is compared, and signals are read and written as often."""
    binding = read_binding(Path(plan.binding)).binding
    period_ps = binding.clock.period
    clock = Clock(dut.clk, period_ps, "ps", period_high=period_ps // 2)
    clock.start(start_high=False)
    edge = RisingEdge(dut.clk)
    for name, value in binding.tie.items():
        getattr(dut, name).value = value
    if hasattr(dut, "s_tlast"):
        dut.s_tlast.value = 1
    dut.rst.value = 1
    dut.s_tvalid.value = 0
    dut.m_tready.value = 1
    await ClockCycles(dut.clk, 4)
    dut.rst.value = 0
    valid, ready, data = dut.s_tvalid, dut.s_tready, dut.s_tdata
    out_valid, out_data = getattr(dut, plan.valid), dut.m_tdata
    willing = plan.stimulus.may_offer()
    is_offering = False
    sent = given = cycle = 0
    while given < plan.requests:
        await edge
        if is_offering:
            if int(ready.value) == 1:
                sent += 1
                if willing.first(cycle + 1) == cycle + 1:
                    data.value = (sent & 15) << 16 | sent & 0xFFFF
                else:
                    is_offering = False
                    valid.value = 0
        elif willing.first(cycle + 1) == cycle + 1:
            is_offering = True
            valid.value = 1
            data.value = (sent & 15) << 16 | sent & 0xFFFF
        if int(out_valid.value) == 1:
            int(out_data.value)
            given += 1
        cycle += 1
    clock.stop()
    return cycle
