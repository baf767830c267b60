"""Kanata 0004: the log that the pipeline viewer Konata opens, in cycles of one clock.

A request is an instruction. Lane 0 has its time inside stages, lane 1 its waits: in front of a
stage (under the stage's name), to get out of one (`backpressure`), to get into the first
(`outside`), and for another request inside one (`ordering`). A wait that ends in the cycle in which
it began is not shown. The cycle after its completion is a stage of its own, `completed`, at whose
end the instruction retires; a dropped request is flushed.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from emu.parts import BACKPRESSURE, ORDERING
from emu.time import Clock, format_time
from emu.trace.events import Event, Held, Kind, Left, Submitted, Touched
from emu.trace.header import Header
from emu.trace.whole_file import WholeFile
from emu.where import OUTSIDE

COMPLETED = "completed"
#: Lanes: time inside stages, and waits.
INSIDE, WAIT = 0, 1


def open_kanata(path: Path, header: Header, clock: Clock) -> KanataWriter:
    """A writer of a Kanata log in cycles of `clock`."""
    return KanataWriter(path, clock)


@dataclass(slots=True)
class _Instruction:
    """A request in flight: its number in the file, and what is open on each lane."""

    number: int
    inside: str = ""
    wait: str = ""


class KanataWriter:
    """Writes as events come; keeps what is in flight, and what happened in the current cycle."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._file = WholeFile(path)
        self._file.write("Kanata\t0004\n")
        self._clock = clock
        self._cycle: int | None = None
        self._in_flight: dict[int, _Instruction] = {}
        self._started = self._retired = 0
        #: Waits that began in this cycle, by the instruction's number; and what completed in it.
        self._new_waits: dict[int, tuple[_Instruction, str]] = {}
        self._completed: list[_Instruction] = []

    def tell(self, event: Event) -> None:
        """Writes what starts and ends with this event."""
        known = self._in_flight.get(event.request)
        if event.kind is Kind.CONSUMED and known is None:
            return  # its instruction has retired, after which nothing may be said of it
        cycle = self._cycle_of(event.time_ps)
        if cycle != self._cycle:
            self._advance(cycle)
        instruction = known or self._start(event)
        kind, stage = event.kind, event.stage
        if kind is Kind.SUBMITTED:
            self._wait(instruction, OUTSIDE)
        elif kind is Kind.ARRIVED:
            self._end(instruction)
            self._wait(instruction, stage)
        elif kind is Kind.ACCEPTED:
            self._enter(instruction, stage)
        elif kind is Kind.EMITTED:
            # A stage with rules of its own, or a trace that begins here, tells no acceptance.
            if instruction.inside != stage:
                self._enter(instruction, stage)
            self._end_wait(instruction)
            self._wait(instruction, BACKPRESSURE)
        elif kind is Kind.LEFT:
            self._end(instruction)
        elif isinstance(event, Held):
            self._hold(instruction, event)
        elif kind is Kind.COMPLETED:
            del self._in_flight[event.request]
            self._enter(instruction, COMPLETED)
            self._completed.append(instruction)
        elif kind is Kind.DROPPED:
            del self._in_flight[event.request]
            self._end(instruction)
        text = _detail(event)
        if text:
            self._line("L", instruction.number, 1, f"{text}\\n")
        if kind is Kind.DROPPED:
            self._line("R", instruction.number, self._retired, 1)

    def close(self, end_ps: int = 0) -> None:
        """Ends what is open when the trace ends, so that the file is complete."""
        if self._cycle is not None and (self._completed or self._in_flight):
            self._advance(max(self._cycle + 1, self._cycle_of(end_ps)))
        for instruction in self._in_flight.values():
            self._end(instruction)
        self._file.close()

    # -- cycles -----------------------------------------------------------------------------

    def _cycle_of(self, time_ps: int) -> int:
        """The cycle in which a time is; what comes before the first edge is in cycle 0."""
        return max(self._clock.edge_after(time_ps) - 1, 0)

    def _advance(self, cycle: int) -> None:
        """Ends the current cycle and goes to a later one."""
        if self._cycle is None:
            self._line("C=", cycle)
            self._cycle = cycle
            return
        for instruction, name in self._new_waits.values():
            instruction.wait = name
            self._line("S", instruction.number, WAIT, name)
        self._new_waits.clear()
        if self._completed:
            self._line("C", 1)
            self._cycle += 1
            for instruction in self._completed:
                self._end(instruction)
                self._line("R", instruction.number, self._retired, 0)
                self._retired += 1
            self._completed.clear()
        if cycle > self._cycle:
            self._line("C", cycle - self._cycle)
        self._cycle = cycle

    # -- instructions -----------------------------------------------------------------------

    def _start(self, event: Event) -> _Instruction:
        instruction = _Instruction(self._started)
        self._started += 1
        self._in_flight[event.request] = instruction
        self._line("I", instruction.number, event.request, event.initiator)
        what = ""
        if isinstance(event, Submitted):
            what = f"{event.operation} {event.size_bytes} B, "
        text = f"{event.request}: {what}initiator {event.initiator}"
        self._line("L", instruction.number, 0, text)
        return instruction

    def _enter(self, instruction: _Instruction, stage: str) -> None:
        self._end(instruction)
        instruction.inside = stage
        self._line("S", instruction.number, INSIDE, stage)

    def _hold(self, instruction: _Instruction, event: Held) -> None:
        if not instruction.wait and instruction.number not in self._new_waits:
            self._wait(instruction, ORDERING)
        behind = self._in_flight.get(event.behind)
        if behind is not None:  # one that is not in the file cannot be named
            self._line("W", instruction.number, behind.number, 0)

    def _wait(self, instruction: _Instruction, name: str) -> None:
        self._new_waits[instruction.number] = instruction, name

    def _end(self, instruction: _Instruction) -> None:
        self._end_wait(instruction)
        if instruction.inside:
            self._line("E", instruction.number, INSIDE, instruction.inside)
            instruction.inside = ""

    def _end_wait(self, instruction: _Instruction) -> None:
        self._new_waits.pop(instruction.number, None)
        if instruction.wait:
            self._line("E", instruction.number, WAIT, instruction.wait)
            instruction.wait = ""

    def _line(self, *cells: str | int) -> None:
        self._file.write("\t".join(map(str, cells)) + "\n")


def _detail(event: Event) -> str:
    """What is shown under the mouse; empty where there is no more to say."""
    if isinstance(event, Submitted):
        where = f"address {event.address:#x}, to {event.destination}"
        return ", ".join([where, *event.marks])
    if isinstance(event, Held):
        return f"{event.stage}: waits behind request {event.behind}"
    if isinstance(event, Touched):
        return f"{event.stage}: {event.value} {event.kind.value} at {event.address:#x}"
    if isinstance(event, Left):
        parts = ", ".join(f"{part} {format_time(ps)}" for part, ps in event.parts if ps)
        return f"{event.stage}: {parts}" if parts else ""
    if event.kind is Kind.DROPPED and event.stage:
        return f"{event.stage}: dropped"
    return ""
