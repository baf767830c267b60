"""Explanations: the emulator, run once more with a listener, on what an item waited for."""

from __future__ import annotations

from collections.abc import Callable

from emu.cosim.model import SINK, Handshakes, Model
from emu.cosim.report import Explanation, StageVisit
from emu.parts import BACKPRESSURE, SERVICE
from emu.time import Clock
from emu.trace.events import Event, Held, Kind, Left, Listener

#: The emulator is run on for so long after a difference, to see what becomes of the item.
ON_CYCLES = 2000
#: So many lines of what waits for what are shown.
SHOWN_WAITS = 12

MakeModel = Callable[[Listener | None], Model]


class Journey:
    """What the emulator tells of one item."""

    def __init__(self, item: int, clock: Clock) -> None:
        self.item = item
        self._clock = clock
        self._events: list[Event] = []

    def tell(self, event: Event) -> None:
        """One more event of the run."""
        if event.request == self.item:
            self._events.append(event)

    def at(self, cycle: int) -> Explanation:
        """Where the item was in a cycle, when the cycle was over."""
        visits = self._visits()
        return Explanation(self.item, self._waited(visits, cycle), visits)

    def _waited(self, visits: list[StageVisit], cycle: int) -> str:
        submitted = [e for e in self._events if e.kind is Kind.SUBMITTED]
        if not submitted:
            return "it had not been offered yet: the one before it had not been taken"
        offered = self._cycle(submitted[0].time_ps)
        if cycle < offered:
            return f"it was offered from cycle {offered} on, by the stimulus"
        for visit in visits:
            if -1 < visit.left < cycle:
                continue
            return self._waited_at(visit, cycle)
        left = max((visit.left for visit in visits), default=-1)
        return f"it had left at cycle {left}" if left >= 0 else "it had not come to any stage"

    def _waited_at(self, visit: StageVisit, cycle: int) -> str:
        stage = visit.stage
        if not -1 < visit.arrived <= cycle:
            return f"it waited for a place at {stage}"
        if not -1 < visit.accepted <= cycle:
            parts = [part for part in visit.parts if part not in (SERVICE, BACKPRESSURE)]
            what = " and ".join(parts) or "its turn"
            return f"it waited in front of {stage}: {what}" + self._behind(cycle)
        if visit.left == cycle:
            return f"it left {stage} in this cycle"
        if visit.accepted == cycle:
            return f"{stage} accepted it in this cycle"
        if not -1 < visit.emitted <= cycle:
            until = "" if visit.emitted == -1 else f", until cycle {visit.emitted}"
            return f"it was being served at {stage}{until}" + self._behind(cycle)
        until = "" if visit.left == -1 else f" until cycle {visit.left}"
        return f"it was finished at {stage}, and could not leave{until}"

    def _behind(self, cycle: int) -> str:
        held = [
            event.behind
            for event in self._events
            if isinstance(event, Held) and self._cycle(event.time_ps) <= cycle
        ]
        return f", behind item {held[-1]}" if held else ""

    def _visits(self) -> list[StageVisit]:
        times: dict[str, dict[Kind, int]] = {}
        parts: dict[str, dict[str, str]] = {}
        for event in self._events:
            if event.stage and event.stage != SINK:
                times.setdefault(event.stage, {})[event.kind] = self._cycle(event.time_ps)
            if isinstance(event, Left):
                parts[event.stage] = {part: self._length(ps) for part, ps in event.parts}
        return [
            StageVisit(
                stage,
                at.get(Kind.ARRIVED, -1),
                at.get(Kind.ACCEPTED, -1),
                at.get(Kind.EMITTED, -1),
                at.get(Kind.LEFT, -1),
                parts.get(stage, {}),
            )
            for stage, at in times.items()
        ]

    def _cycle(self, time_ps: int) -> int:
        return self._clock.edge_at_or_after(time_ps)

    def _length(self, time_ps: int) -> str:
        cycles, rest_ps = divmod(time_ps, int(self._clock.period_ps))
        return f"{time_ps} ps" if rest_ps else f"{cycles} cycles" if cycles != 1 else "1 cycle"


def explain(make_model: MakeModel, item_of: Callable[[Handshakes], int], cycle: int) -> Explanation:
    """What the emulator says of an item in a cycle; `item_of` tells it by the handshakes so far."""
    first = make_model(None)
    item = item_of(first.advance(cycle + ON_CYCLES))
    journey = Journey(item, first.clock)
    make_model(journey.tell).advance(cycle + ON_CYCLES)
    return journey.at(cycle)


def waits_at(make_model: MakeModel, cycle: int) -> list[str]:
    """Where the emulator's requests are in a cycle, and for what they wait."""
    model = make_model(None)
    model.advance(cycle)
    if model.is_over:
        return ["nothing is inside any more"]
    lines = model.waits().splitlines()
    more = len(lines) - SHOWN_WAITS
    return lines if more <= 0 else [*lines[:SHOWN_WAITS], f"  and {more} more"]
