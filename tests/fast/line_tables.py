"""Strategies: tables that are lines, with limits and clocks of all kinds."""

from __future__ import annotations

from hypothesis import strategies as st

from emu.table.schema import Table
from tests.build import StageDict, clocked, delay, station, table
from tests.properties.random_paths import PHASES, clock_specs, stages

FREQUENCIES = ("322 MHz", "322.265625 MHz", "333.333333 MHz", "1 GHz", "1.3 GHz")


@st.composite
def line_tables(draw: st.DrawFn) -> Table:
    """Up to six stages that every request passes, one after another."""
    aligned = draw(st.integers(0, 4)) > 0
    count = draw(st.integers(1, 6))
    path = [draw(stages(f"s{n}", aligned=aligned, for_all=True)) for n in range(count)]
    clocks = {"a": draw(clock_specs(aligned=aligned)), "b": draw(clock_specs(aligned=aligned))}
    if aligned:
        period = {"period": "3.106 ns", "phase": draw(st.sampled_from(PHASES))}
        clocks["a"] = draw(st.sampled_from((clocks["a"], period)))
        clocks["b"]["frequency"] = draw(st.sampled_from(FREQUENCIES))
    return table(path, clocks=clocks)


@st.composite
def tight_tables(draw: st.DrawFn) -> Table:
    """Two to four stations with few places each, so that one holds up those before it."""
    few = st.integers(1, 3)
    path: list[StageDict] = []
    for n in range(draw(st.integers(2, 4))):
        limits: StageDict = {"queue": draw(few), "depth": draw(few)}
        if draw(st.booleans()):
            limits["channel"] = draw(st.sampled_from(("registered", "bypass")))
            limits["refill"] = draw(st.sampled_from(("next_edge", "at_once")))
            path.append(
                clocked(f"s{n}", draw(st.integers(0, 6)), draw(st.integers(0, 3)), **limits)
            )
        else:
            latency, interval = draw(st.tuples(*[st.integers(0, 20)] * 2))
            path.append(station(f"s{n}", f"{latency} ns", interval=f"{interval} ns", **limits))
        if draw(st.integers(0, 3)) == 0:
            path.append(delay(f"d{n}", f"{draw(st.integers(0, 20))} ns"))
    return table(path, clocks={"nic": draw(clock_specs(aligned=True))})
