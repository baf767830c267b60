"""The trace of one schedule, as lines for people."""

from __future__ import annotations

from dataclasses import dataclass

from emu.litmus.draw import Group, draw, draw_group, group_of
from emu.litmus.machine import Machine
from emu.litmus.model import LitmusTest, Outcome
from emu.trace.events import Event, Held, Kind, Submitted, Touched

#: What is told of a request's way besides where it is held.
_TOLD = (Kind.COMPLETED, Kind.CONSUMED, Kind.DROPPED)


@dataclass(frozen=True)
class Line:
    """Something that happened: when, to whom, where, and what."""

    time_ps: int
    who: str
    stage: str
    what: str


@dataclass
class Trace:
    """A schedule that was run again; `reuses` says what became of buffers."""

    group: Group
    outcome: Outcome
    lines: list[Line]
    reuses: list[str]


def trace(test: LitmusTest, mode: str, seed: int, number: int) -> Trace:
    """Runs a schedule, and those before it on its path, and tells what happened in it.

    That is what each thread did, where its requests were held and why, and which values they met.
    Times are counted from its start.
    """
    lines: list[Line] = []
    held: set[int] = set()

    def note(time_ps: int, thread: str, what: str) -> None:
        lines.append(Line(time_ps - machine.start_ps, thread, "", what))

    def hear(event: Event) -> None:
        what = _what(event, machine)
        if event.kind is Kind.HELD:
            held.add(event.request)
        elif event.kind is Kind.ACCEPTED and event.request in held:
            held.remove(event.request)
            what = "waits no more"
        if what:
            time_ps, name = event.time_ps - machine.start_ps, machine.names[event.request]
            lines.append(Line(time_ps, name, event.stage, what))

    group = draw_group(test, mode, seed, number)
    machine = Machine(test, mode, group, listener=hear, notes=note)
    for one in group_of(number):
        lines.clear()
        outcome = machine.run(draw(test, mode, seed, one))
    return Trace(group, outcome, lines, [str(reuse) for reuse in machine.reuses])


def _what(event: Event, machine: Machine) -> str:
    if isinstance(event, Submitted):
        marks = [event.order, event.service, "fence" if event.fence else ""]
        place = machine.location(event.address)
        said = " ".join(mark for mark in marks if mark)
        return f"posts {event.operation} of {place}" + (f" ({said})" if said else "")
    if isinstance(event, Held):
        return f"waits behind {machine.names[event.behind]}"
    if isinstance(event, Touched):
        verb = "finds" if event.kind is Kind.SAMPLED else "makes visible"
        return f"{verb} {machine.location(event.address)} = {event.value}"
    return event.kind.value if event.kind in _TOLD else ""
