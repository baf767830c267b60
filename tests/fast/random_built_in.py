"""Strategies: random tables of built-in stages with all that the compiled engine takes."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from emu.random import Random
from emu.request import Operation
from emu.table.schema import Table
from emu.workload import Chain, Closed, Stream, Workload
from emu.workload.choice import Constant, Uniform
from emu.workload.stream import Slots
from tests.build import Post, StageDict, table
from tests.engine.random_tables import FEW, POOLS, RESOURCES, _take, stages
from tests.properties import random_paths

READ, WRITE = Operation.READ, Operation.WRITE
LOAD, STORE = Operation.LOAD, Operation.STORE
MESSAGES = {
    "read": {"request": "64 B", "response": "payload"},
    "write": {"request": "payload", "response": "8 B"},
    "load": {"request": "64 B", "response": "payload"},
    "store": {"request": "payload", "response": "8 B"},
}
OWNERS = st.sampled_from(("initiator", "destination", "pair", "all"))
KINDS = ("jetty", "channel", "qp", "segment")


@st.composite
def context_caches(draw: st.DrawFn, made: StageDict) -> StageDict:
    """The entry with a cache of connection records in place of its stage."""
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=2, unique=True))
    made |= {
        "stage": "context_cache",
        "records": {kind: draw(OWNERS) for kind in kinds},
        "replacement": draw(st.sampled_from(("lru", "random", "none"))),
    }
    if draw(st.booleans()):
        return made | {"capacity": "600 B", "ways": "full"}
    ways = draw(st.sampled_from((1, 2, "full")))
    return made | {"capacity": "2 entries", "ways": ways}


def cpu_cache(draw: st.DrawFn, name: str) -> StageDict:
    """A processor's cache of a few lines."""
    return {
        "stage": "cpu_cache",
        "name": name,
        "policy": draw(st.sampled_from(("write_back", "write_through", "uncacheable"))),
        "line": "64 B",
        "l1_lines": draw(st.sampled_from((1, 2))),
        "l2_lines": draw(st.sampled_from((1, 3))),
        "l1_hit": draw(st.sampled_from(("0 ns", "1 ns"))),
        "l2_hit": "4 ns",
        "miss": "9 ns",
    }


def constant(draw: st.DrawFn, name: str) -> StageDict:
    """A stage that costs a constant, for some or all."""
    if draw(st.booleans()):
        return {"stage": "strict_order", "name": name, "percent": 3, "cost": "2 ns"}
    return {"stage": "channel_sharing", "name": name, "jetties": 3, "cost": "1.5 ns"}


def _dispatch(draw: st.DrawFn, made: StageDict, until: list[str]) -> StageDict:
    clock = draw(st.booleans())
    if clock:
        made["clock"] = "nic"
    pick = draw(st.sampled_from(("scan", "round_robin"))) if clock else "round_robin"
    unit = "cycle" if clock else "ns"
    interval = 1 if pick == "scan" else draw(st.sampled_from((0, 1, 3)))
    made |= {
        "pick": pick,
        "queues": draw(st.sampled_from((1, 2, 3))) if pick == "scan" else "unlimited",
        "latency": f"{draw(st.sampled_from((0, 1, 4)))} {unit}s".replace("nss", "ns"),
        "interval": f"{interval} {unit}" + ("s" if clock and interval != 1 else ""),
    }
    if draw(st.booleans()):
        made["flit"] = draw(st.sampled_from(("32 B", "100 B")))
    made["until"] = draw(st.sampled_from(until))
    return made


def scheduler(draw: st.DrawFn, name: str, until: list[str]) -> StageDict:
    """A scheduler, with some room or endless."""
    made = _dispatch(draw, {"stage": "scheduler", "name": name}, until)
    made["depth"] = draw(st.sampled_from((1, 2, "unlimited")))
    made["overflow"] = draw(st.sampled_from(("hold", "hold", "drop")))
    return made


def engine(draw: st.DrawFn, name: str, until: list[str]) -> StageDict:
    """An ordering engine."""
    made = _dispatch(draw, {"stage": "ordering_engine", "name": name}, until)
    made["tracking"] = draw(st.sampled_from(("count", "sequence")))
    made["strict"] = draw(st.booleans())
    return made


def reliable_wire(draw: st.DrawFn, name: str) -> StageDict:
    """A wire that loses packets."""
    return {
        "stage": "reliable_wire",
        "name": name,
        "bandwidth": "7 GB/s",
        "latency": "20 ns",
        "acknowledgement": "5 ns",
        "mtu": draw(st.sampled_from(("60 B", "1000 B"))),
        "header": draw(st.sampled_from(("0 B", "5 B"))),
        "sharing": draw(st.sampled_from(("private", "shared"))),
        "window": draw(st.sampled_from((*FEW, "unlimited"))),
        "recovery": draw(st.sampled_from(("go_back_n", "selective_repeat"))),
        "receive_buffer": draw(st.sampled_from((1, "unlimited"))),
        "timeout": "60 ns",
        "retries": 40,
        "loss": draw(st.sampled_from((0, 0.2, [0, 2, 3]))),
    }


def multi_path(draw: st.DrawFn, name: str) -> StageDict:
    """Ways of different length."""
    spread = draw(st.sampled_from(("0 ns", "30 ns")))
    return {"stage": "multi_path", "name": name, "latency": "3 ns", "spread": spread}


def _ordering(draw: st.DrawFn, path: list[StageDict]) -> None:
    """An engine in front, ways that overtake each other, and what keeps order behind them."""
    names = [stage["name"] for stage in path]
    head = [engine(draw, "engine", ["engine", *names])]
    if draw(st.booleans()):
        head.append(multi_path(draw, "ways"))
    last = path[-1]["name"]
    if draw(st.booleans()):
        head.append(
            {
                "stage": "target_order",
                "name": "target",
                "since": "engine",
                "until": last,
                "latency": draw(st.sampled_from(("0 ns", "2 ns"))),
                "early_reads": False,
            }
        )
    if draw(st.booleans()):
        path.append({"stage": "channel_order", "name": "channel", "since": "engine"})
    if draw(st.booleans()):
        path.append({"stage": "completion_order", "name": "completions", "since": "engine"})
    path[:0] = head


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Up to five stages with all that they can share, caches among them, and actors."""
    count = draw(st.integers(1, 5))
    path = [draw(stages(f"s{n}", for_all=n == count - 1)) for n in range(count)]
    for name in POOLS:
        if draw(st.booleans()):
            _take(draw, path, name, circles=draw(st.integers(0, 5)) == 0)
    for index, stage in enumerate(path):
        if index and "queue" in stage and draw(st.integers(0, 3)) == 0:
            stage["arbitration"] = draw(st.permutations([f"s{n}" for n in range(index)]))
    for index, stage in enumerate(path):
        if draw(st.integers(0, 3)) == 0:
            path[index] = draw(context_caches(stage))
    resources = {
        use["resource"]: draw(RESOURCES[use["resource"]])
        for stage in path
        for use in stage.get("uses", ())
    }
    for name, make in (
        ("cost", constant),
        ("cpu", cpu_cache),
        ("link", reliable_wire),
        ("way", multi_path),
    ):
        if draw(st.integers(0, 4)) == 0:
            path.insert(draw(st.integers(0, len(path))), make(draw, name))
    if draw(st.integers(0, 2)) == 0:
        _ordering(draw, path)
    if draw(st.integers(0, 2)) == 0:
        path.insert(0, scheduler(draw, "scheduler", [stage["name"] for stage in path]))
    phase = draw(st.sampled_from(("0 ps", "300 ps")))
    frequency = draw(st.sampled_from(("1 GHz", "322 MHz", "322.265625 MHz")))
    clocks = {"nic": {"frequency": frequency, "phase": phase}}
    return table(path, clocks=clocks, resources=resources, messages=MESSAGES)


@st.composite
def loads(draw: st.DrawFn) -> list[Post]:
    """Up to two dozen requests of few initiators and destinations, many at the same instant."""
    instants = st.one_of(st.sampled_from((0, 300, 1000, 1300, 10_000)), st.integers(0, 60_000))
    post = st.builds(
        Post,
        instants,
        st.sampled_from((READ, WRITE, LOAD, STORE)),
        st.sampled_from((1, 64, 200)),
        st.integers(0, 5).map(lambda line: line * 40),
        st.integers(0, 2),
        st.integers(0, 1),
        st.sampled_from(("", "NO", "RO", "SO", "SO")),
        st.sampled_from(("ROI", "ROT", "ROL", "UNO")),
        st.sampled_from((False, False, True)),
    )
    return draw(st.lists(post, min_size=1, max_size=24))


def plain_tables() -> st.SearchStrategy[Table]:
    """Tables with limits, merges and clocks of all kinds, without actors."""
    return st.one_of(random_paths.tables(serving=False), random_paths.narrow_tables())


@st.composite
def workloads(draw: st.DrawFn) -> Callable[[], Workload]:
    """What makes a workload in which an answer lets the next request be posted."""
    operation = draw(st.sampled_from((READ, WRITE, LOAD, STORE)))
    outstanding = draw(st.integers(1, 6))
    initiators = draw(st.integers(1, 3))
    kinds = [(operation, 64), (READ, 1), (WRITE, 200)][: draw(st.integers(1, 3))]
    seed = draw(st.integers(0, 99))

    def chains() -> Workload:
        random = Random(seed, "chain")
        return Chain(operation, 64, random, chains=outstanding, nodes=4, initiators=initiators)

    def closed() -> Workload:
        which = Uniform(len(kinds), Random(seed, "mix"))
        addresses = Slots(Uniform(5, Random(seed, "addresses")), 40)
        destinations = Uniform(2, Random(seed, "destinations"))
        streams = [
            Stream(kinds, which, addresses, Constant(initiator), destinations)
            for initiator in range(initiators)
        ]
        return Closed(streams, outstanding)

    return draw(st.sampled_from((chains, closed)))
