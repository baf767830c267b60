"""Strategies: random tables with PCIe, a shared wire, batches, slots and windows."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from emu.table.schema import Table
from tests.build import NIC, StageDict, clocked, table

SOURCE = {"text": "a test", "kind": "assumed"}
FEW = st.sampled_from((1, 2, 3, "unlimited"))
TIMES = st.sampled_from(("0 ns", "1 ps", "30 ns", "150 ns"))


@st.composite
def pcie(draw: st.DrawFn) -> dict[str, Any]:
    """A PCIe link that is short of everything."""
    return {
        "kind": "pcie",
        "generation": draw(st.integers(1, 4)),
        "lanes": draw(st.sampled_from((1, 8))),
        "payload": draw(st.sampled_from(("128 B", "256 B"))),
        "read_request": draw(st.sampled_from(("128 B", "512 B"))),
        "completion_boundary": "64 B",
        "header": draw(st.sampled_from(("0 B", "26 B"))),
        "tags": draw(FEW),
        "nonposted_credits": draw(FEW),
        "posted_credits": draw(FEW),
        "credit_return": draw(TIMES),
        "source": SOURCE,
    }


@st.composite
def channels(draw: st.DrawFn) -> dict[str, Any]:
    """Transport channels with a window."""
    sharing = draw(st.sampled_from(("private", "shared", "groups")))
    groups = {"groups": draw(st.integers(1, 3))} if sharing == "groups" else {}
    return {
        "kind": "channels",
        "sharing": sharing,
        **groups,
        "window": draw(FEW),
        "source": SOURCE,
    }


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """A NIC behind PCIe with slots, doorbells, descriptors, a wire for both ways and completions.

    What holds units that a later stage wants is never kept back by a full queue, so that no two
    requests can wait for one another.
    """

    def step(name: str, *uses: dict[str, Any], **timing: Any) -> StageDict:
        made: StageDict = {"stage": "wire", "name": name, "latency": draw(TIMES), **timing}
        limits = {"interval": draw(TIMES), "depth": draw(FEW), "queue": "unlimited"}
        return {**made, **limits, **({"uses": list(uses)} if uses else {})}

    def batch() -> dict[str, Any]:
        size = draw(st.sampled_from((None, None, 2, 3, "unlimited")))
        return {} if size is None else {"batch": size}

    write = {"resource": "pcie", "as": "write"}
    read = {"resource": "pcie", "as": "read"}
    path = [
        step("post", {"resource": "slots", "until": "complete"}),
        step("doorbell", {**write, "to": "device", "bytes": "8 B"}, **batch()),
        step("fetch", {**read, "to": "device", "bytes": "64 B"}, **batch()),
        step("data", {**read, "to": "device", "bytes": "payload"}, when=["write"]),
        step("window", {"resource": "window", "until": "wire_back"}),
        clocked("nic", draw(st.integers(0, 9)), draw(st.integers(0, 6))),
        step("wire_out", {"resource": "wire", "bytes": "80 B"}),
        step("wire_back", {"resource": "wire", "bytes": "payload"}),
        step("answer", {**write, "to": "host", "bytes": "payload"}, when=["read"]),
        step("complete", {**write, "to": "host", "bytes": "64 B"}, **batch()),
    ]
    for stage in path[5:]:
        # They are passed while slots and windows are held, but take no more of either.
        stage["depth"] = draw(st.sampled_from((1, 4, "unlimited")))
    resources = {
        "pcie": draw(pcie()),
        "window": draw(channels()),
        "slots": {"kind": "pool", "capacity": draw(st.integers(1, 9)), "source": SOURCE},
        "wire": {
            "kind": "link",
            "bandwidth": "7 GB/s",
            "mtu": "1000 B",
            "header": "30 B",
            "source": SOURCE,
        },
    }
    return table(path, clocks={"nic": NIC}, resources=resources)
