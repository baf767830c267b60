"""The emulator's own stages, beside what the models must do."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from emu.cosim.model import Model
from emu.cosim.stimulus import Items, Stimulus
from emu.random import Random
from emu.table.schema import Table
from stages.order.dispatcher import Dispatcher
from tests.build import StageDict, clocked, table
from tests.engine.resources import pool, use
from tests.hdl import stimuli
from tests.hdl.bench import Run
from tests.hdl.player import Event
from tests.hdl.stimuli import Parameters

#: As in the bindings.
PERIOD_PS = 3106
#: Of a run's random numbers.
RUN_SEED = 1
#: Of the stage that a model equals.
NAME = "x"
#: Bits of a beat that say something to the emulator, and how many.
FIELDS = {
    "id": (0, 16),
    "initiator": (16, 8),
    "order": (24, 2),
    "service": (26, 2),
    "fence": (28, 1),
    "is_read": (29, 1),
}


@dataclass(frozen=True)
class Recorded:
    """Willing in the cycles whose bit is set; the last bit, which is set, goes on for ever."""

    bits: tuple[int, ...]

    def runs(self, random: Random) -> Iterator[tuple[int, int]]:
        pause = length = 0
        for bit in self.bits:
            if bit:
                length += 1
            else:
                if length:
                    yield pause, length
                    pause = length = 0
                pause += 1
        yield pause, 1 << 40


class Beats(Items):
    """The items of a run, from their beats."""

    def __init__(self, beats: tuple[int, ...], fields: Mapping[str, int]) -> None:
        super().__init__(fields, Random(RUN_SEED, "items"))
        self._beats = beats

    def __getitem__(self, number: int) -> tuple[int, ...]:
        beat = self._beats[number]
        return tuple(beat >> low & ((1 << width) - 1) for low, width in FIELDS.values())

    def take(self, number: int) -> tuple[int, ...]:
        return self[number]


@dataclass(frozen=True)
class Played(Stimulus):
    """A run as the emulator's model takes it."""

    beats: tuple[int, ...] = ()

    def items(self, fields: Mapping[str, int]) -> Items:
        return Beats(self.beats, fields)


def played(run: Run) -> Played:
    beats = tuple(beat for beat, _ in run.sources["s"]["beats"])
    may_offer: Any = Recorded(tuple(run.sources["s"]["may_offer"]))
    is_ready: Any = Recorded(tuple(run.sinks["m"]))
    return Played(len(beats), RUN_SEED, offer=may_offer, ready=is_ready, beats=beats)


def events(source: Table, run: Run, answers: list[Event]) -> list[Event]:
    """Handshakes at `s` and `m`, of a path that is told of these answers."""
    stimulus = played(run)
    fields = {name: width for name, (_, width) in FIELDS.items()}
    model = Model(source, stimulus, fields, carry=lambda values: values[0], period_ps=PERIOD_PS)
    station = next(one for one in model.kernel.stations if one.name == NAME)
    for cycle, _, initiator in answers:
        assert isinstance(station.actor, Dispatcher)
        assert isinstance(initiator, int)
        told = partial(station.actor.answered, initiator, station.port)
        model.kernel.call_at(station, model.clock.edge(cycle), told)
    done = model.advance(run.cycles - 1)
    beats = stimulus.beats
    taken: list[Event] = [
        (cycle, "s", beat) for cycle, beat in zip(done.taken, beats, strict=False)
    ]
    given: list[Event] = [
        (cycle, "m", beats[item]) for cycle, item in zip(done.given, done.items, strict=True)
    ]
    return sorted(taken + given, key=lambda event: event[:2])


#: More than a run can have of anything: the emulator has no limit there.
MANY = 1 << 30
LONGEST_LATENCY = 30


@dataclass(frozen=True)
class Stages:
    """Parameters of a model, and the entries of a table that mean the same."""

    parameters: Parameters
    path: list[StageDict]
    resources: dict[str, Any]
    #: Cycles that the memory takes, where the model asks one.
    latency: int

    def document(self) -> dict[str, Any]:
        """The table, as a file has it."""
        source = {"text": "a test", "kind": "assumed"}
        return {
            "schema": 1,
            "name": "under_test",
            "title": "A model of HDL",
            "clocks": {"nic": "1 GHz"},
            "messages": {
                "read": {"request": "64 B", "response": "payload"},
                "write": {"request": "payload", "response": "8 B"},
            },
            "resources": self.resources,
            "path": [{"source": source, **stage} for stage in self.path],
        }


def drawn(model: str, rng: random.Random, room: int = MANY) -> Stages:
    """Random parameters; `room` is what there is of all that the emulator does not limit."""
    p = stimuli.STIMULI[model][0](rng)
    if model == "scheduler":
        p["OUTSTANDING"] = room
    elif model == "ordering_engine":
        p |= {"DEPTH": room, "OUTSTANDING": room, "WINDOW": room}
    elif model == "context_cache":
        p |= {"QUEUE": room, "BACKLOG": room, "SEED": Random(RUN_SEED, NAME).state}
    elif model == "descriptor_dma":
        # The emulator knows no other order, and no time after a request has left.
        p["IN_ORDER"] = 1
        if p["TAG_UNTIL_LEFT"]:
            p["TAG_RETURN"] = 0
    elif model == "completion_writer":
        p["BATCH"] = max(2, p["BATCH"])
    return stages_of(model, p, rng.randint(1, LONGEST_LATENCY))


def stages_of(model: str, p: Parameters, latency: int) -> Stages:
    """What equals a model with these parameters, before a memory that takes so many cycles."""
    made: dict[str, Callable[[], list[StageDict]]] = {
        "completion_writer": lambda: completion_writer(p),
        "context_cache": lambda: context_cache(p, latency),
        "descriptor_dma": lambda: descriptor_dma(p, latency),
        "ordering_engine": lambda: ordering_engine(p),
        "pipeline": lambda: pipeline(p),
        "scheduler": lambda: scheduler(p),
    }
    resources = descriptor_pools(p) if model == "descriptor_dma" else {}
    return Stages(p, made[model](), resources, latency)


def comparable(model: str, rng: random.Random) -> tuple[Table, Parameters, Run]:
    """A stage, parameters that mean the same to the reference, and a run for both."""
    stages = drawn(model, rng)
    p = stages.parameters
    # A request is one flit for the emulator.
    if model == "scheduler":
        run = stimuli.scheduler_run(rng, p, longest=1)
    elif model == "ordering_engine":
        run = stimuli.ordering_engine_run(rng, p, longest=1)
    else:
        run = stimuli.STIMULI[model][1](rng, p)
    for memory in run.memories:
        memory["delays"] = [stages.latency]
        run.sinks[memory["request"]] = [1]
    return table(stages.path, resources=stages.resources), p, run


def cycles(count: int) -> str:
    return f"{count} cycles"


def refill(p: Parameters) -> str:
    return "next_edge" if p["REFILL_NEXT_EDGE"] else "at_once"


def pipeline(p: Parameters) -> list[StageDict]:
    return [clocked(NAME, p["LATENCY"], p["INTERVAL"], depth=p["DEPTH"], refill=refill(p))]


def dispatcher(stage: str, p: Parameters, **more: Any) -> list[StageDict]:
    return [
        {
            "stage": stage,
            "name": NAME,
            "clock": "nic",
            "queues": p["QUEUES"],
            "latency": cycles(p["LATENCY"]),
            "interval": cycles(p.get("INTERVAL", 1)),
            **more,
        }
    ]


def scheduler(p: Parameters) -> list[StageDict]:
    pick = "round_robin" if p["PICK"] else "scan"
    return dispatcher("scheduler", p, pick=pick, depth=p["DEPTH"], overflow="hold")


def ordering_engine(p: Parameters) -> list[StageDict]:
    tracking = "sequence" if p["TRACKING"] else "count"
    return dispatcher(
        "ordering_engine", p, pick="scan", tracking=tracking, strict=bool(p["STRICT"])
    )


def context_cache(p: Parameters, latency: int) -> list[StageDict]:
    kind = ("jetty", "channel", "qp", "segment")[p["KIND"]]
    return [
        {
            "stage": "context_cache",
            "name": NAME,
            "clock": "nic",
            "records": {kind: "initiator"},
            "capacity": f"{p['SETS'] * p['WAYS']} entries",
            "ways": p["WAYS"],
            "replacement": ("lru", "random", "none")[p["REPLACEMENT"]],
            "latency": cycles(latency),
            "interval": cycles(p["INTERVAL"]),
            "depth": p["DEPTH"],
            "queue": "unlimited",
            "refill": refill(p),
        }
    ]


def completion_writer(p: Parameters) -> list[StageDict]:
    return [
        clocked("way_in", 1, depth=1),
        {
            "stage": "completion",
            "name": NAME,
            "clock": "nic",
            "latency": cycles(p["LATENCY"]),
            "interval": cycles(p["INTERVAL"]),
            "depth": p["DEPTH"],
            "queue": p["QUEUE"],
            "batch": p["BATCH"],
            "refill": refill(p),
        },
    ]


def descriptor_dma(p: Parameters, latency: int) -> list[StageDict]:
    """`latency` is that of the memory; how long a unit is held is a time, not cycles."""
    uses = []
    if p["TAG_UNTIL_LEFT"]:
        uses.append(use("tags"))
    else:
        uses.append(use("tags", for_=held_for(p["ISSUE"] + latency + p["TAG_RETURN"])))
    if p["CREDITS"]:
        uses.append(use("credits", for_=held_for(p["CREDIT_RETURN"])))
    return [
        {
            "stage": "descriptor_dma",
            "name": NAME,
            "clock": "nic",
            "latency": cycles(p["ISSUE"] + latency),
            "interval": cycles(p["INTERVAL"]),
            "depth": p["DEPTH"],
            "queue": "unlimited",
            "refill": refill(p),
            "uses": uses,
        }
    ]


def held_for(count: int) -> str:
    """So many cycles, as a time."""
    return f"{count * PERIOD_PS} ps"


def descriptor_pools(p: Parameters) -> dict[str, Any]:
    """The resources of its table."""
    pools = {"tags": pool(p["TAGS"])}
    return pools | ({"credits": pool(p["CREDITS"])} if p["CREDITS"] else {})
