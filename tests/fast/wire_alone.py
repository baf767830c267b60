"""A reliable wire with its port alone, without an engine: the reference's, and the compiled one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np

from emu.actor import Actor, Parts, Port
from emu.fast import blocks
from emu.fast.codes import FAILED, PARTS, RELIABLE_WIRE
from emu.fast.compiled import compiled
from emu.fast.layout import ALARM, ALARM_T, HOP, PLAN, REQUEST, STATION, WORLD, requests, stations
from emu.fast.make_wire import counts, make_wire
from emu.fast.memory import view, words
from emu.fast.random import RANDOM
from emu.fast.reliable_wire import wire_alarm, wire_arrive
from emu.fast.transport.layout import KINDS, WIRE
from emu.path import Path
from emu.random import Random
from emu.request import Request
from stages.reliable_wire import RetryLimitError
from tests.build import WRITE, Post
from tests.stages.reliable_link import link

WINDOW = "resource:link.window"
NAMES = (*PARTS, WINDOW)


@dataclass(frozen=True)
class Arrival:
    """A request that comes; a `late` one when what was due by then has been called once."""

    at_ps: int
    size_bytes: int
    initiator: int = 0
    destination: int = 0
    late: bool = False

    @property
    def post(self) -> Post:
        """The same of a path."""
        return Post(
            *(self.at_ps, WRITE, self.size_bytes),
            initiator=self.initiator,
            destination=self.destination,
        )


@dataclass(frozen=True)
class Outcome:
    """What a wire has done: all of it, or up to its failure."""

    failed: bool
    now_ps: int
    #: Request, time and parts, in order.
    emitted: list[tuple[int, int, Parts]]
    #: By request; -1 if it was not.
    accepted_ps: list[int]
    counts: dict[str, int]
    random_state: int


def wire_of(path: Path) -> Actor:
    """The one actor of a path."""
    (actor,) = [one.actor for one in path.stations if one.actor is not None]
    return actor


def in_order(load: Sequence[Arrival]) -> list[Arrival]:
    """As they come, the place of each being its number."""
    return sorted(load, key=lambda one: (one.at_ps, one.late))


# -- the reference ------------------------------------------------------------------------------


class Reference:
    """The reference's wire at work, which is that of the path."""

    def __init__(self, path: Path, load: Sequence[Arrival]) -> None:
        self._actor = wire_of(path)
        self._port = Port("link")
        self._coming = [
            (
                arrival,
                Request(
                    *(number, WRITE, arrival.size_bytes, 0, arrival.at_ps),
                    path.plan(WRITE, arrival.size_bytes),
                    initiator=arrival.initiator,
                    destination=arrival.destination,
                    hop=0,
                ),
            )
            for number, arrival in enumerate(in_order(load))
        ]
        self._emitted: list[tuple[int, int, Parts]] = []
        self._accepted_ps = [-1] * len(load)

    def outcome(self) -> Outcome:
        """Plays all, as far as it goes."""
        failed = False
        try:
            while self._coming or self._port.alarms:
                self._instant()
        except RetryLimitError:
            failed = True
        self._hear()
        actor: Any = self._actor
        return Outcome(
            failed,
            self._port.now_ps,
            self._emitted,
            self._accepted_ps,
            actor.counts(),
            actor._loss._random.state,
        )

    def _instant(self) -> None:
        port = self._port
        times_ps = [arrival.at_ps for arrival, _ in self._coming[:1]]
        times_ps += [alarm[0] for alarm in port.alarms[:1]]
        port.now_ps = min(times_ps)
        self._arrive(late=False)
        port.ring()
        self._arrive(late=True)
        while port.alarms and port.alarms[0][0] <= port.now_ps:
            port.ring()
        self._hear()

    def _arrive(self, *, late: bool) -> None:
        port = self._port
        while self._coming and self._coming[0][0].at_ps == port.now_ps:
            if self._coming[0][0].late != late:
                return
            _, request = self._coming.pop(0)
            port.came(request)
            self._actor.arrive(request, port)

    def _hear(self) -> None:
        port = self._port
        for request, behind in port.told:
            if behind is None:
                self._accepted_ps[request.sequence] = port.now_ps
        for request, parts in port.out:
            self._emitted.append((request.sequence, port.now_ps, parts))
        port.told, port.out = [], []


# -- the compiled one ---------------------------------------------------------------------------


class Building:
    """What a maker is offered, as far as a wire needs it."""

    def __init__(self, path: Path) -> None:
        self.stations = path.stations
        (self.actor,) = [one.index for one in path.stations if one.actor is not None]
        self.worlds = np.zeros(1, WORLD)

    def add(self, name: str, record: np.ndarray[Any, Any]) -> int:
        """The first record of a block."""
        blocks.fill(self.worlds[0][name], record)
        return 0

    def random(self, random: Random) -> int:
        """The first generator."""
        state = np.zeros(1, RANDOM)
        state["state"] = random.state
        return self.add("randoms", state)

    def part(self, name: str) -> int:
        """The code of a part."""
        return NAMES.index(name)


class Compiled:
    """The compiled wire at work, made from that of a fresh path."""

    def __init__(self, path: Path, load: Sequence[Arrival]) -> None:
        building = Building(path)
        assert make_wire(wire_of(path), building) == (RELIABLE_WIRE, 0)
        self._load = in_order(load)
        self._worlds = building.worlds
        building.add("stations", np.zeros(1, STATION))
        plans, hops, all_ = (np.zeros(len(load), kind) for kind in (PLAN, HOP, REQUEST))
        plans["first_hop"] = all_["plan"] = range(len(load))
        hops["message_bytes"] = [one.size_bytes for one in self._load]
        all_["initiator"] = [one.initiator for one in self._load]
        all_["destination"] = [one.destination for one in self._load]
        all_["accepted_ps"] = -1
        for name, records in (("plans", plans), ("hops", hops), ("requests", all_)):
            building.add(name, records)

    def play(self) -> None:
        """Plays all, as far as it goes."""
        coming = np.array([(one.at_ps, one.late) for one in self._load], np.int64)
        _play(self._worlds, coming)

    def outcome(self) -> Outcome:
        """What it has done."""
        world = self._worlds[0]
        (station,) = blocks.contents(world["stations"], STATION)
        all_ = blocks.contents(world["requests"], REQUEST)
        return Outcome(
            bool(world["status"] == FAILED),
            int(world["now_ps"]),
            [_emission(int(number), all_[number]) for number in blocks.contents(station["out"])],
            all_["accepted_ps"].tolist(),
            counts(self.wire()),
            int(blocks.contents(world["randoms"], RANDOM)["state"][0]),
        )

    def wire(self) -> Any:
        """The wire's record."""
        return blocks.contents(self._worlds[0]["wires"], WIRE)[0]

    def rooms(self) -> dict[str, int]:
        """For how many records there is room in each block, and each ring, of the wire."""
        wire = self.wire()
        found = {
            name: wire[name]["room"] for name in wire.dtype.names if "room" in _inside(wire[name])
        }
        rings = {name: wire[name]["block"]["room"] for name in ("turns", "answers")}
        return {name: int(room) for name, room in (found | rings).items()}

    def give_back(self) -> None:
        """Gives all memory back."""
        kinds = KINDS | {"requests": REQUEST, "stations": STATION, "alarms": ALARM}
        blocks.give_back(self._worlds, kinds)


def _inside(field: Any) -> tuple[str, ...]:
    return field.dtype.names or ()


def _emission(number: int, request: Any) -> tuple[int, int, Parts]:
    charges = blocks.contents(request["charges"]).reshape(-1, 3).tolist()
    parts = tuple((NAMES[part], time_ps) for _, part, time_ps in charges)
    return number, int(request["emitted_ps"]), parts


@numba.njit  # type: ignore[untyped-decorator]  # numba has no types
def _play(worlds: Any, coming: Any) -> None:
    world = worlds[0]
    station = stations(world)[0]
    begun = 0
    while world.status != FAILED and (begun < len(coming) or station.alarms.count > 0):
        world.now_ps = _next_ps(world, coming, begun)
        begun = _arrive(world, coming, begun, 0)
        _ring(world)
        begun = _arrive(world, coming, begun, 1)
        while _due(world, station.alarms_set) >= 0 and world.status != FAILED:
            _ring(world)


@compiled
def _next_ps(world: Any, coming: Any, begun: int) -> int:
    alarms = stations(world)[0].alarms
    next_ps = coming[begun, 0] if begun < len(coming) else 1 << 62
    for place in range(alarms.count):
        next_ps = min(next_ps, view(alarms, ALARM_T)[place].time_ps)
    return next_ps


@compiled
def _arrive(world: Any, coming: Any, begun: int, late: int) -> int:
    while begun < len(coming) and coming[begun, 0] == world.now_ps and coming[begun, 1] == late:
        wire_arrive(world, 0, begun)
        begun += 1
    return begun


@compiled
def _ring(world: Any) -> None:
    station = stations(world)[0]
    heard = station.out.count
    until = station.alarms_set
    place = _due(world, until)
    while place >= 0 and world.status != FAILED:
        heap = view(station.alarms, ALARM_T)
        what, first, second = heap[place].what, heap[place].first, heap[place].second
        station.alarms.count -= 1
        heap[place] = heap[station.alarms.count]
        wire_alarm(world, 0, what, first, second)
        place = _due(world, until)
    for place in range(heard, station.out.count):
        requests(world)[words(station.out)[place]].emitted_ps = world.now_ps


@compiled
def _due(world: Any, until: int) -> int:
    """The first alarm that is due, of those set as the first `until`; -1 if there is none."""
    alarms = stations(world)[0].alarms
    heap = view(alarms, ALARM_T)
    found = -1
    for place in range(alarms.count):
        one = heap[place]
        if (
            one.time_ps <= world.now_ps
            and one.tie < until
            and (found < 0 or (one.time_ps, one.tie) < (heap[found].time_ps, heap[found].tie))
        ):
            found = place
    return found


def checked(load: Sequence[Arrival], **how: Any) -> Outcome:
    """What the compiled wire does, as the reference does it; it gives all slots back."""
    path = Path(link(**how))
    compiled = Compiled(path, load)
    compiled.play()
    outcome = compiled.outcome()
    if not outcome.failed:
        check_all_is_free(compiled.wire())
    compiled.give_back()
    assert outcome == Reference(path, load).outcome()
    return outcome


def check_all_is_free(wire: Any) -> None:
    """Nothing is on its way, so every slot is free, once."""
    for slots, free in (("wire_packets", "free_packets"), ("wire_messages", "free_messages")):
        assert sorted(blocks.contents(wire[free])) == list(range(wire[slots]["count"]))
    assert wire["turns"]["count"] == wire["answers"]["count"] == wire["asks"]["count"] == 0
    for channel in blocks.contents(wire["wire_channels"], KINDS["wire_channels"]):
        assert channel["first"] == channel["last"] == channel["first_waiting"] == -1
        assert channel["outstanding"] == channel["held"] == 0
        assert channel["again"]["count"] == channel["refused"]["count"] == 0
