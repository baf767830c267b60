"""Strategies: random tables whose requests always get through, and random loads for them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from emu.request import Operation, Request
from emu.stage import Served, Stage
from emu.table.schema import Table
from emu.time import Cycles, Picoseconds
from tests.build import Post, StageDict, table

FREQUENCIES = ("322 MHz", "322.265625 MHz", "1 GHz", "250 MHz")
PHASES = ("0 ps", "1 ps", "700 ps")
SIZES = (1, 64, 200, 5000)
SOURCE = {"text": "a test", "kind": "assumed"}


class MissInTime(Stage):
    """Adds time, or ends the request, by its address alone."""

    def serve(self, request: Request, now_ps: int) -> Served | None:
        """The same whenever it is asked."""
        return _served(request, Picoseconds(1700))


class MissInCycles(Stage):
    """The same, on a clock."""

    def serve(self, request: Request, now_ps: int) -> Served | None:
        """The same whenever it is asked."""
        return _served(request, Cycles(2))


def _served(request: Request, cost: Picoseconds | Cycles) -> Served | None:
    if request.address % 3 == 0:
        return None
    return Served((("cache_miss", cost),), ends=request.address % 3 == 2)


@st.composite
def clock_specs(draw: st.DrawFn, *, aligned: bool) -> dict[str, Any]:
    """A clock with edges at some phase, or one that is only a unit of time."""
    frequency = draw(st.sampled_from(FREQUENCIES))
    if not aligned:
        return {"frequency": frequency, "aligned": False}
    return {"frequency": frequency, "phase": draw(st.sampled_from(PHASES))}


def _times(draw: st.DrawFn, *, clock: bool, most: int) -> str:
    if clock:
        return f"{draw(st.integers(0, most))} cycles"
    return f"{draw(st.sampled_from((0, 1, 700, 1000, 3105, 9000)))} ps"


def _limits(draw: st.DrawFn, *, edges: bool) -> StageDict:
    few = st.sampled_from((1, 2, 3, "unlimited"))
    limits: StageDict = {"queue": draw(few), "depth": draw(few)}
    if edges:
        limits["channel"] = draw(st.sampled_from(("registered", "bypass")))
        if limits["depth"] != "unlimited":
            limits["refill"] = draw(st.sampled_from(("next_edge", "at_once")))
    return limits


@st.composite
def stages(draw: st.DrawFn, name: str, *, aligned: bool, for_all: bool) -> StageDict:
    """One stage entry: a plain delay, a station without a clock, or one with."""
    kind = draw(st.sampled_from(("plain", "time", "link", "a", "b", "a")))
    clock = kind in ("a", "b")
    made: StageDict = {"stage": "nic_pipeline" if clock else "wire", "name": name}
    made["latency"] = _times(draw, clock=clock, most=6)
    when = None if for_all else draw(st.sampled_from((None, None, ["read"], ["write"])))
    if when is not None:
        made["when"] = when
    elif draw(st.booleans()):
        other = _times(draw, clock=clock, most=6)
        made["latency"] = {"read": made["latency"], "write": other}
    if kind == "plain":
        return made
    if clock:
        made["clock"] = kind
    made["interval"] = _times(draw, clock=clock, most=3)
    if draw(st.booleans()):
        made["beat"] = {"bytes": "64 B", "cost": "1 cycle" if clock else "800 ps"}
    if kind == "link":
        made["bandwidth"] = draw(st.sampled_from(("50 GB/s", "7 GB/s")))
        made["cut_through"] = draw(st.sampled_from(("0 B", "64 B")))
        made["mtu"] = "1000 B"
        made["header"] = draw(st.sampled_from(("0 B", "30 B")))
    return {**made, **_limits(draw, edges=clock and aligned)}


@st.composite
def tables(draw: st.DrawFn, *, serving: bool = True) -> Table:
    """Up to six stages with merges, pools, limits and clocks of all kinds.

    A pool is taken at one stage only, so that no two requests can wait for one another.
    """
    aligned = draw(st.integers(0, 4)) > 0
    count = draw(st.integers(1, 6))
    path = [draw(stages(f"s{n}", aligned=aligned, for_all=n == count - 1)) for n in range(count)]
    resources = {}
    for pool in ("tag", "slot"):
        if draw(st.integers(0, 2)) == 0:
            start = draw(st.integers(0, count - 1))
            until = draw(st.integers(start, count - 1))
            stage = path[start]
            stage.setdefault("queue", "unlimited")
            stage.setdefault("depth", "unlimited")
            stage.setdefault("uses", []).append({"resource": pool, "until": f"s{until}"})
            capacity = draw(st.integers(1, 3))
            resources[pool] = {"kind": "pool", "capacity": capacity, "source": SOURCE}
    for index, stage in enumerate(path):
        if index and "queue" in stage and draw(st.integers(0, 3)) == 0:
            stage["arbitration"] = draw(st.permutations([f"s{n}" for n in range(index)]))
    behaviour = {}
    if serving:
        for stage in path:
            if draw(st.integers(0, 4)) == 0:
                cycles = aligned and "clock" in stage
                behaviour[stage["name"]] = MissInCycles if cycles else MissInTime
    head: dict[str, Any] = {}
    if not aligned and draw(st.booleans()):
        rounding = draw(st.sampled_from(("down", "up", "nearest")))
        head["resolution"] = {"step": "1 ns", "round": rounding}
    clocks = {name: draw(clock_specs(aligned=aligned)) for name in ("a", "b")}
    return table(path, clocks=clocks, resources=resources, behaviour=behaviour, **head)


@st.composite
def narrow_tables(draw: st.DrawFn) -> Table:
    """One clocked stage with all its limits, and one behind it that holds it up between edges."""
    x: StageDict = {
        "stage": "nic_pipeline",
        "name": "x",
        "clock": "a",
        "latency": _times(draw, clock=True, most=6),
        "interval": _times(draw, clock=True, most=4),
        **_limits(draw, edges=True),
    }
    y: StageDict = {
        "stage": "wire",
        "name": "y",
        "latency": _times(draw, clock=False, most=0),
        "interval": "0 ns",
        "queue": draw(st.integers(1, 2)),
        "depth": draw(st.integers(1, 2)),
    }
    z = {"stage": "wire", "name": "z", "latency": draw(st.sampled_from(("0 ns", "7.3 ns")))}
    resources = {}
    if draw(st.booleans()):
        x["uses"] = [{"resource": "tag", "until": draw(st.sampled_from(("x", "y", "z")))}]
        capacity = draw(st.integers(1, 3))
        resources["tag"] = {"kind": "pool", "capacity": capacity, "source": SOURCE}
    clocks = {"a": draw(clock_specs(aligned=True))}
    return table([x, y, z], clocks=clocks, resources=resources)


@st.composite
def bursts(draw: st.DrawFn) -> list[Post]:
    """A score of reads, some at once and some apart."""
    gaps = st.one_of(st.sampled_from((0, 400, 1100, 3105)), st.integers(0, 9000))
    at_ps = 0
    load = []
    for gap_ps in draw(st.lists(gaps, min_size=8, max_size=20)):
        at_ps += gap_ps
        load.append(Post(at_ps))
    return load


@st.composite
def loads(draw: st.DrawFn) -> list[Post]:
    """Up to a score of requests, many of them at the same instant, and some much later."""
    instants = st.one_of(st.sampled_from((0, 1000, 3105, 3106, 6211)), st.integers(0, 60_000))
    post = st.builds(
        Post,
        instants,
        st.sampled_from((Operation.READ, Operation.WRITE)),
        st.sampled_from(SIZES),
        st.integers(0, 5),
    )
    return draw(st.lists(post, min_size=1, max_size=20))
