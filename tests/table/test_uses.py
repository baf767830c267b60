"""What is right in resources and their uses, and what it resolves to."""

from pathlib import Path

import pytest

from emu.table import load
from emu.table.report import describe_table
from emu.table.schema import Channels, Link, Pcie, Pool
from tests.table.broken import HEAD, TITLE, write
from tests.table.everything import EVERYTHING
from tests.table.keepers import Keeper, with_keepers

SOURCE = "source: {text: a test, kind: assumed}"
BOTH = (
    TITLE
    + """\
messages: {read: {request: 64 B, response: payload}, write: {request: payload, response: 8 B}}
resources: {tags: {kind: pool, capacity: 4}}
defaults: {queue: unlimited, depth: unlimited}
path:
"""
)
RIGHT = {
    "given back before": (
        "uses: [{resource: tags}]",
        "uses: [{resource: tags, until: z}]",
    ),
    "held by others only": (
        "when: [read], uses: [{resource: tags, until: z}]",
        "when: [write], uses: [{resource: tags, until: z}]",
    ),
    "held by operations that do not use it again": (
        "uses: [{resource: tags, when: [read], until: z}]",
        "uses: [{resource: tags, when: [write]}]",
    ),
    "twice in a stage, apart by operation": (
        "uses: [{resource: tags, when: [read], for: 5 ns}, {resource: tags, when: [write]}]",
        "depth: 1",
    ),
}


@pytest.mark.parametrize("case", RIGHT)
def test_a_unit_is_taken_where_none_is_held(tmp_path: Path, case: str) -> None:
    first, second = RIGHT[case]
    text = BOTH + "".join(
        f"  - {{stage: wire, name: {name}, latency: 5 ns, {keys}{SOURCE}}}\n"
        for name, keys in (("x", f"{first}, "), ("y", f"{second}, "), ("z", ""))
    )
    assert len(load(write(tmp_path, "t.yaml", text)).entries) == 3


def test_everything_resolves(tmp_path: Path) -> None:
    table = load(write(tmp_path, "t.yaml", EVERYTHING))
    kinds = [type(resource) for resource in table.head.resources.values()]
    assert kinds == [Pool, Pool, Link, Pcie, Channels]
    assert {
        one.name: (one.queue, one.depth, one.batch, one.timing.overflow) for one in table.entries
    } == {
        "verb_post": (2, 4, 1, "drop"),
        "descriptor_build": (8, 4, 16, "error"),
        "doorbell": (8, 4, 1, None),
        "nic_pipeline": (8, 4, None, None),
        "completion": (None, None, 1, None),
    }
    uses = table.entries[0].timing.uses
    assert uses is not None
    assert [(use.until, use.for_) for use in uses] == [("completion", None), (None, 100_000)]


def test_everything_is_described(tmp_path: Path) -> None:
    described = describe_table(load(write(tmp_path, "t.yaml", EVERYTHING)))
    assert {one["name"]: one["text"] for one in described["resources"]} == {
        "slots": "pool of 32 for each initiator",
        "tags": "pool of unlimited",
        "fibre": "link of 50 GB/s, packets of 4096 B, header 26 B",
        "pcie": (
            "PCIe Gen3 x8, payload 256 B, read request 512 B, completion boundary 64 B, header "
            "26 B, tags 64, credits 84 non-posted and unlimited posted, back after 500 ns"
        ),
        "window": "transport channels, groups (4), window 16",
    }
    assert {one["name"]: one["parameters"] for one in described["resources"]} == {
        "slots": {"capacity": "32", "per": "initiator"},
        "tags": {"capacity": "unlimited", "per": "none"},
        "fibre": {"bandwidth": "50 GB/s", "mtu": "4096 B", "header": "26 B"},
        "pcie": {
            "generation": "3",
            "lanes": "8",
            "payload": "256 B",
            "read_request": "512 B",
            "completion_boundary": "64 B",
            "header": "26 B",
            "tags": "64",
            "nonposted_credits": "84",
            "posted_credits": "unlimited",
            "credit_return": "500 ns",
        },
        "window": {"sharing": "groups", "groups": "4", "window": "16"},
    }
    assert {
        one["name"]: (one["uses"], one["batch"], one["overflow"]) for one in described["path"]
    } == {
        "verb_post": (["slots until completion", "window for 100 ns (write)"], "1", "drop"),
        "descriptor_build": ([], "16", "error"),
        "doorbell": (
            ["pcie to read 64 B to device (read)", "pcie to write payload to device (write)"],
            "1",
            "hold",
        ),
        "nic_pipeline": (["fibre for payload", "tags"], "unlimited", "hold"),
        "completion": ([], "1", "hold"),
    }


def test_an_actor_takes_its_own_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("emu.table.parse.registry", with_keepers)
    text = HEAD + (
        "defaults: {queue: 4}\n"
        "path:\n"
        f"  - {{stage: wire, latency: 5 ns, depth: 4, {SOURCE}}}\n"
        "  - {stage: keeper, bandwidth: 50 GB/s, window: unlimited, arbitration: [wire],\n"
        f"     {SOURCE}}}\n"
    )
    table = load(write(tmp_path, "t.yaml", text), overrides=["keeper.mtu=1 KiB"])
    entry = table.entries[1]
    assert entry.stage is Keeper
    assert entry.timing.bandwidth is None
    assert (entry.queue, entry.depth) == (None, None)
    assert entry.parameters.mtu == 1024
    described = describe_table(table)["path"][1]
    assert described["timing"] == {
        "arbitration": "wire",
        "bandwidth": "50 GB/s",
        "mtu": "1024 B",
        "window": "unlimited",
    }
    assert (described["keeps_own_time"], described["plain_delay"]) == (True, False)
