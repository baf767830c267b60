"""Runs inside a simulator: plays stimuli into a DUT, and writes down what its ports did.

The file that `PLAY` names holds the runs; what they gave goes, as JSON, into the file `PLAYED`.
Each run starts with a reset. Cycle 0 is the first rising edge after it, and what a signal is in a
cycle is what it is just before that edge. A beat is its tdata with the other PARTS that there are
in the bits above; `X` stands for what is not known.
"""

from __future__ import annotations

import json
import os
from heapq import heappop, heappush
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

RESET_CYCLES = 2
UNKNOWN = "X"
UNSTABLE = "changed"
#: Of a beat, from the lowest bits on.
PARTS = ("tdata", "tlast", "tid", "tuser", "tkeep")
#: A cycle, a port, and the beat that was handed over there.
Event = tuple[int, str, int | str]


class Lines:
    """The signals of an AXI-Stream port; without tready it is always ready."""

    def __init__(self, module: Any, port: str) -> None:
        self.port = port
        self.valid = getattr(module, f"{port}_tvalid")
        self.ready: Any = getattr(module, f"{port}_tready", None)
        signals = [getattr(module, f"{port}_{part}", None) for part in PARTS]
        self.parts = [signal for signal in signals if signal is not None]

    def put(self, beat: int | None) -> None:
        self.valid.value = beat is not None
        rest = beat or 0
        for part in self.parts:
            part.value = rest & ((1 << len(part)) - 1)
            rest >>= len(part)

    def get(self) -> int | str:
        beat = 0
        for part in reversed(self.parts):
            value = known(part)
            if isinstance(value, str):
                return UNKNOWN
            beat = beat << len(part) | value
        return beat


class Source:
    """Gives beats to a port of the DUT; once raised, valid stays until the beat is taken."""

    def __init__(self, dut: Any, port: str, may_offer: list[int]) -> None:
        self.port = port
        self._lines = Lines(dut, port)
        self._may_offer = may_offer
        #: From which cycle on each beat may be given, and the beats in that order.
        self._waiting: list[tuple[int, int, int]] = []
        self._count = 0
        self._offered: int | None = None
        self._lines.put(None)

    def add(self, beat: int, cycle: int = 0) -> None:
        heappush(self._waiting, (cycle, self._count, beat))
        self._count += 1

    def sample(self) -> int | str | None:
        if self._offered is None:
            return None
        ready = 1 if self._lines.ready is None else known(self._lines.ready)
        if ready == 0:
            return None
        beat, self._offered = self._offered, None
        return UNKNOWN if ready == UNKNOWN else beat

    def drive(self, cycle: int) -> None:
        if self._offered is None:
            if self._waiting and self._waiting[0][0] <= cycle and at(self._may_offer, cycle):
                self._offered = heappop(self._waiting)[2]
            self._lines.put(self._offered)


class Sink:
    """Takes beats from a port of the DUT."""

    def __init__(self, dut: Any, port: str, is_ready: list[int]) -> None:
        self.port = port
        self._lines = Lines(dut, port)
        self._is_ready = is_ready
        self._takes = 0

    def sample(self) -> int | str | None:
        if not self._takes:
            return None
        valid = known(self._lines.valid)
        if valid == 0:
            return None
        return UNKNOWN if valid == UNKNOWN else self._lines.get()

    def drive(self, cycle: int) -> None:
        self._takes = at(self._is_ready, cycle)
        self._lines.ready.value = self._takes


class Manners:
    """What each port of the DUT must keep to in every cycle.

    All that it says is known, and what it offers stays as it is until it is taken.
    """

    def __init__(self, dut: Any, sources: list[str], sinks: list[str]) -> None:
        self._sources = [Lines(dut, port) for port in sources]
        self._sinks = [Lines(dut, port) for port in sinks]
        self._offered: dict[str, int | str] = {}

    def broken(self) -> list[tuple[str, str]]:
        """The ports that do not, and what is wrong."""
        found = [
            (lines.port, UNKNOWN)
            for lines in self._sources
            if lines.ready is not None and known(lines.ready) == UNKNOWN
        ]
        for lines in self._sinks:
            beat, valid = lines.get(), known(lines.valid)
            before = self._offered.pop(lines.port, None)
            if UNKNOWN in (beat, valid):
                found.append((lines.port, UNKNOWN))
            elif before is not None and not (valid and beat == before):
                found.append((lines.port, UNSTABLE))
            if valid == 1 and not known(lines.ready):
                self._offered[lines.port] = beat
        return found


class Watch:
    """Watches handshakes at the output of a module in the DUT."""

    def __init__(self, dut: Any, port: str, path: str) -> None:
        self.port = port
        module = dut
        for name in path.split("."):
            module = module[int(name)] if name.isdigit() else getattr(module, name)
        self._lines = Lines(module, "m")

    def sample(self) -> int | str | None:
        valid = known(self._lines.valid)
        if valid == 0:
            return None
        ready = known(self._lines.ready)
        if ready == 0:
            return None
        return UNKNOWN if UNKNOWN in (valid, ready) else self._lines.get()


def at(pattern: list[int], cycle: int) -> int:
    """The pattern's value in a cycle; its last goes on for ever."""
    return pattern[cycle if cycle < len(pattern) else -1]


def known(signal: Any) -> int | str:
    value = signal.value
    return int(value) if value.is_resolvable else UNKNOWN


async def play_run(dut: Any, run: dict[str, Any]) -> list[Event]:
    """One run: so many `cycles`, with sources, sinks, and memories, which answer what they get."""
    sources = {port: Source(dut, port, way["may_offer"]) for port, way in run["sources"].items()}
    sinks = [Sink(dut, port, is_ready) for port, is_ready in run["sinks"].items()]
    watches = [Watch(dut, port, path) for port, path in run["inside"].items()]
    dut.rst.value = 1
    for _ in range(RESET_CYCLES):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    for port, way in run["sources"].items():
        for beat, cycle in way["beats"]:
            sources[port].add(beat, cycle)
    memories = {memory["request"]: memory for memory in run["memories"]}
    asked = dict.fromkeys(memories, 0)
    events: list[Event] = []
    driven: list[Source | Sink] = [*sources.values(), *sinks]
    manners = Manners(dut, list(sources), list(run["sinks"])) if run["strict"] else None
    seen: list[Source | Sink | Watch] = [*driven, *watches]
    for cycle in range(run["cycles"]):
        for one in driven:
            one.drive(cycle)
        await RisingEdge(dut.clk)
        if manners is not None:
            events += [(cycle, port, wrong) for port, wrong in manners.broken()]
        for port in seen:
            beat = port.sample()
            if beat is None:
                continue
            events.append((cycle, port.port, beat))
            if port.port in memories and isinstance(beat, int):
                memory = memories[port.port]
                delay = at(memory["delays"], asked[port.port])
                asked[port.port] += 1
                sources[memory["answer"]].add(beat, cycle + delay)
    return events


@cocotb.test()
async def play(dut: Any) -> None:
    Clock(dut.clk, 2, unit="ns").start()
    runs = json.loads(Path(os.environ["PLAY"]).read_text())
    played = [await play_run(dut, run) for run in runs]
    Path(os.environ["PLAYED"]).write_text(json.dumps(played))
