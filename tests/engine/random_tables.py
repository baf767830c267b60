"""Strategies: random tables with links, windows, batches and losses, and random loads for them."""

from __future__ import annotations

from functools import partial
from typing import Any

from hypothesis import strategies as st

from emu.actor import Actor, Port
from emu.request import Operation, Request
from emu.stage import Served, Stage
from emu.table.schema import Table
from tests.build import Post, StageDict, table
from tests.engine.resources import channels, link, pcie, pool
from tests.engine.shelf import Shelf

#: More than any of these tables takes for any of these loads, if it gets through at all.
HORIZON_PS = 10**8


class Ends(Stage):
    """Ends what has an address that 3 divides."""

    def serve(self, request: Request, now_ps: int) -> Served | None:
        """The same whenever it is asked."""
        return None if request.address % 3 else Served(ends=True)


class Knows(Stage):
    """Finds even addresses."""

    looks_up = True

    def serve(self, request: Request, now_ps: int) -> Served | None:
        """The same whenever it is asked."""
        return None if request.address % 2 else Served(skips=True)


class Remembers(Stage):
    """Finds what it has been asked for before: who comes first makes a difference."""

    looks_up = True

    def __init__(self, parameters: Any) -> None:
        super().__init__(parameters)
        self._known: set[int] = set()

    def serve(self, request: Request, now_ps: int) -> Served | None:
        """Found or not, and known from now on."""
        found = request.address in self._known
        self._known.add(request.address)
        return Served(skips=True) if found else None


class Lingers(Actor):
    """Keeps a request for its address in nanoseconds, and gives that of 5 up."""

    def arrive(self, request: Request, port: Port) -> None:
        """An alarm for each."""
        port.call_at(port.now_ps + request.address * 1000, partial(self._go, request, port))

    def _go(self, request: Request, port: Port) -> None:
        if request.address == 5:
            port.drop(request)
        else:
            port.emit(request, (("ordering", port.now_ps - request.arrived_ps),))

    def on_paper(self, request: Request) -> dict[str, int]:
        """Its address in nanoseconds."""
        return {"ordering": request.address * 1000}


FEW = (1, 2, 3)
EACH = st.sampled_from(("initiator", "destination"))
TIMES = st.sampled_from(("0 ns", "1 ns", "7.7 ns"))
RESOURCES = {
    "bus": st.builds(link, header=st.sampled_from(("0 B", "5 B"))),
    "pcie": st.builds(
        pcie,
        tags=st.sampled_from((*FEW, "unlimited")),
        nonposted_credits=st.sampled_from((*FEW, "unlimited")),
        posted_credits=st.sampled_from((*FEW, "unlimited")),
        credit_return=st.sampled_from(("1 ns", "100 ns", "700 ns")),
        completion_boundary=st.sampled_from(("64 B", "128 B")),
    ),
    "slots": st.builds(pool, st.sampled_from(FEW)),
    "each": st.builds(pool, st.sampled_from(FEW), per=EACH),
    "window": st.one_of(
        st.builds(channels, st.sampled_from(("private", "shared")), st.sampled_from(FEW)),
        st.builds(
            channels,
            st.just("groups"),
            st.sampled_from(FEW),
            groups=st.sampled_from((1, 2)),
        ),
    ),
}
POOLS = ("slots", "each", "window")


@st.composite
def stages(draw: st.DrawFn, name: str, *, for_all: bool) -> StageDict:
    """One stage entry, without its pools."""
    kind = draw(st.sampled_from(("plain", "time", "clocked", "bus", "read", "write")))
    clock = kind == "clocked" or (kind in ("bus", "read", "write") and draw(st.booleans()))
    made: StageDict = {"stage": "nic_pipeline" if clock else "wire", "name": name}
    made["latency"] = f"{draw(st.integers(0, 9))} cycles" if clock else draw(TIMES)
    when = None if for_all else draw(st.sampled_from((None, None, ["read"], ["write"])))
    if when is not None:
        made["when"] = when
    if kind == "plain":
        return made
    if clock:
        made["clock"] = "nic"
        made["interval"] = draw(st.sampled_from(("0 cycles", "1 cycle", "30 cycles")))
    else:
        made["interval"] = draw(st.sampled_from(("0 ns", "2.5 ns", "30 ns")))
    made["queue"] = draw(st.sampled_from((1, 2, "unlimited", "unlimited")))
    made["depth"] = draw(st.sampled_from((1, 2, "unlimited", "unlimited")))
    if clock:
        made["channel"] = draw(st.sampled_from(("registered", "bypass")))
        if made["depth"] != "unlimited" and kind == "clocked":
            made["refill"] = draw(st.sampled_from(("next_edge", "at_once")))
    if made["queue"] != "unlimited":
        made["overflow"] = draw(st.sampled_from(("hold", "drop")))
    batch = draw(st.sampled_from((None, None, 2, "unlimited")))
    if batch is not None:
        made["batch"] = batch
    carried: dict[str, Any] | None = {
        "bus": {"resource": "bus"},
        "read": {"resource": "pcie", "as": "read", "to": draw(st.sampled_from(("host", "device")))},
        "write": {
            "resource": "pcie",
            "as": "write",
            "to": draw(st.sampled_from(("host", "device"))),
        },
    }.get(kind)
    if carried is not None:
        if draw(st.booleans()):
            carried["bytes"] = "8 B"
        if kind == "read" and draw(st.booleans()):
            carried["relaxed_ordering"] = True
        made["uses"] = [carried]
        if draw(st.booleans()):
            made["cut_through"] = "64 B"
    return made


@st.composite
def shelves(draw: st.DrawFn, name: str, later: list[str]) -> StageDict:
    """An actor's entry, of which `later` are the stages that it may watch, itself included."""
    clock = draw(st.booleans())
    times = ("0 cycles", "1 cycle", "3 cycles") if clock else ("0 ns", "1 ns", "7.7 ns")
    made: StageDict = {"stage": "shelf", "name": name, "latency": draw(st.sampled_from(times))}
    if clock:
        made["clock"] = "nic"
    if draw(st.booleans()):
        made["places"] = draw(st.sampled_from(FEW))
        made["overflow"] = draw(st.sampled_from(("hold", "hold", "drop")))
    if draw(st.integers(0, 3)):
        made["until"] = draw(st.sampled_from(later))
        made["window"] = draw(st.sampled_from(FEW))
    when = draw(st.sampled_from((None, None, ["read"], ["write"])))
    if when is not None:
        made["when"] = when
    return made


@st.composite
def loaded_tables(draw: st.DrawFn, *, circles: bool = False, shelved: bool = False) -> Table:
    """Up to five stages with all that they can share.

    A pool is taken at one stage only, so that no two requests can wait for one another; with
    `circles` reads and writes may take it at different stages, and they can. With `shelved` one
    or two actors are among them.
    """
    count = draw(st.integers(1, 5))
    path = [draw(stages(f"s{n}", for_all=n == count - 1)) for n in range(count)]
    for name in POOLS:
        if draw(st.booleans()):
            _take(draw, path, name, circles=circles)
    for index, stage in enumerate(path):
        if index and "queue" in stage and draw(st.integers(0, 3)) == 0:
            stage["arbitration"] = draw(st.permutations([f"s{n}" for n in range(index)]))
    behaviour: dict[str, type[Stage]] = {}
    for stage in path:
        if draw(st.integers(0, 3)) == 0:
            kinds: tuple[type[Stage], ...] = (Ends, Knows, Remembers)
            if "queue" not in stage and stage["latency"] == "0 ns":
                kinds = (*kinds, Lingers)
            behaviour[stage["name"]] = draw(st.sampled_from(kinds))
    resources = {
        use["resource"]: draw(RESOURCES[use["resource"]])
        for stage in path
        for use in stage.get("uses", ())
    }
    if shelved:
        for name in draw(st.sampled_from((("x",), ("x", "y")))):
            at = draw(st.integers(0, len(path)))
            later = [name, *(stage["name"] for stage in path[at:])]
            path.insert(at, draw(shelves(name, later)))
    phase = draw(st.sampled_from(("0 ps", "300 ps")))
    clocks = {"nic": {"frequency": "1 GHz", "phase": phase}}
    return table(
        path,
        clocks=clocks,
        resources=resources,
        behaviour=behaviour,
        stages={"shelf": Shelf},
    )


def _take(draw: st.DrawFn, path: list[StageDict], name: str, *, circles: bool) -> None:
    """Lets a stage take a pool, or with `circles` one stage for reads and another for writes."""
    split = circles and draw(st.booleans())
    for words in (["read"], ["write"]) if split else (None,):
        at = draw(st.integers(0, len(path) - 1))
        stage = path[at]
        when = stage.get("when")
        if words is not None and when is not None and when != words:
            continue
        use: dict[str, Any] = {"resource": name}
        if words is not None and when is None:
            use["when"] = words
        if not circles and draw(st.integers(0, 2)) == 0:
            use["for"] = draw(st.sampled_from(("1 ns", "40 ns")))
        else:
            use["until"] = f"s{draw(st.integers(at, len(path) - 1))}"
        stage.setdefault("queue", "unlimited")
        stage.setdefault("depth", "unlimited")
        stage.setdefault("uses", []).append(use)


@st.composite
def loaded_loads(draw: st.DrawFn) -> list[Post]:
    """Up to two dozen requests of few initiators and destinations, many at the same instant."""
    instants = st.one_of(st.sampled_from((0, 300, 1000, 1300, 10_000)), st.integers(0, 60_000))
    post = st.builds(
        Post,
        instants,
        st.sampled_from((Operation.READ, Operation.WRITE)),
        st.sampled_from((1, 64, 200)),
        st.integers(0, 5),
        st.integers(0, 2),
        st.integers(0, 1),
    )
    return draw(st.lists(post, min_size=1, max_size=24))
