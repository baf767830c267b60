"""Test benches as a user writes them, with cocotbext-axi beside ours; see test_own_bench.py."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge

# It has no types.
from cocotbext.axi import (  # type: ignore[import-untyped]
    AxiStreamBus,
    AxiStreamMonitor,
    AxiStreamSink,
    AxiStreamSource,
)

from emu.cosim.binding import read_binding
from emu.cosim.lockstep import Lockstep
from emu.cosim.stimulus import Pauses, Stimulus, Willing
from emu.random import Random
from emu.table import load

FOLDER = Path(os.environ["OWN_BENCH"])


@cocotb.test()
async def lockstep_beside_a_monitor(dut: Any) -> None:
    """A monitor of cocotbext-axi sees what lockstep compares."""
    monitor = AxiStreamMonitor(AxiStreamBus.from_prefix(dut, "m"), dut.clk, dut.rst)
    bound = read_binding(FOLDER / "pipeline.yaml")
    run = Lockstep(dut, bound, load(FOLDER / "under_test.yaml"), Stimulus(requests=80, seed=3))
    result = await run.run()
    assert result.is_equal, "\n".join(result.lines())
    frames = [monitor.recv_nowait() for _ in range(80)]
    assert [int.from_bytes(frame.tdata[:2], "little") for frame in frames] == list(range(80))
    assert monitor.empty()


def pauses(willing: Willing) -> Iterator[bool]:
    """A pattern of ours as cocotbext-axi takes it: whether a cycle is a pause."""
    cycle = 0
    while True:
        yield willing.first(cycle) != cycle
        cycle += 1


@cocotb.test()
async def source_and_sink_of_their_own(dut: Any) -> None:
    """Source and sink of cocotbext-axi, paused by our patterns."""
    Clock(dut.clk, 3106, "ps").start()
    source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s"), dut.clk, dut.rst)
    sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m"), dut.clk, dut.rst)
    source.set_pause_generator(pauses(Willing(Pauses(70).runs(Random(1, "source")))))
    sink.set_pause_generator(pauses(Willing(Pauses(50).runs(Random(1, "sink")))))
    dut.rst.value = 1
    await ClockCycles(dut.clk, 4)
    dut.rst.value = 0
    await RisingEdge(dut.clk)
    sent = [number.to_bytes(4, "little") for number in range(40)]
    for data in sent:
        await source.send(data)
    got = [bytes((await sink.recv()).tdata) for _ in sent]
    assert got == sent
