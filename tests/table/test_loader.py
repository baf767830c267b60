"""Tables that are right: what they resolve to, and what depends on what they say."""

import json
from fractions import Fraction
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from emu.errors import UnitError
from emu.request import Operation
from emu.stage import Registry, Stage, parameters
from emu.table import TableError, load, table_names
from emu.time import Cycles, Picoseconds
from tests.table.broken import HEAD, TITLE, write
from tests.table.keepers import Idle

SOURCE = "source: {text: a test, kind: assumed}"
CLOCKED = f"""\
clocks: {{nic: 322 MHz, free: {{period: 3.106 ns, aligned: false}}}}
defaults: {{queue: 4, depth: 9, channel: registered, refill: next_edge}}
path:
  - {{stage: verb_post, latency: 50 ns, {SOURCE}}}
  - {{stage: nic_pipeline, clock: nic, latency: 9 cycles, interval: 1 cycle, {SOURCE}}}
  - stage: nic_pipeline
    name: endless
    clock: nic
    latency: 9 cycles
    interval: 1 cycle
    depth: unlimited
    queue: unlimited
    channel: bypass
    {SOURCE}
  - {{stage: nic_pipeline, name: free, clock: free, latency: 9 cycles, interval: 1 cycle, {SOURCE}}}
  - {{stage: wire, latency: {{other: 100 ns}}, bandwidth: 50 GB/s, {SOURCE}}}
"""
BASE = (
    TITLE.replace("broken", "base")
    + f"""\
description: A base
clocks: {{nic: 322 MHz}}
messages: {{read: {{request: 64 B, response: payload}}}}
defaults: {{queue: 4, depth: 9}}
path:
  - {{stage: doorbell, latency: 150 ns, {SOURCE}}}
  - {{stage: nic_pipeline, name: tx, clock: nic, latency: 9 cycles, interval: 1 cycle, {SOURCE}}}
  - {{stage: wire, latency: 100 ns, {SOURCE}}}
  - {{stage: memory, latency: 30 ns, {SOURCE}}}
"""
)
DERIVED = (
    TITLE
    + f"""\
extends: ./base.yaml
clocks: {{nic: 400 MHz}}
messages: {{write: {{request: payload, response: 8 B}}}}
defaults: {{depth: 3}}
drop: [doorbell]
replace:
  wire: {{stage: on_chip_bus, latency: 30 ns, {SOURCE}}}
insert:
  - {{before: tx, stages: [{{stage: verb_post, latency: 50 ns, {SOURCE}}}]}}
  - {{after: memory, stages: [{{stage: wire, name: back, latency: 100 ns, {SOURCE}}}]}}
"""
)


@pytest.mark.parametrize("name", table_names())
def test_every_shipped_table_loads(name: str) -> None:
    table = load(name)
    assert table.name == name
    assert table.operations
    assert Path(table.file).is_file()


def test_values_are_exact_and_typed(tmp_path: Path) -> None:
    table = load(write(tmp_path, "t.yaml", HEAD + CLOCKED))
    assert table.clocks["nic"].period_ps == Fraction(10**12, 322 * 10**6)
    assert not table.clocks["free"].aligned
    post, first, *_ = table.entries
    assert post.timing.latency == {"other": Picoseconds(50_000)}
    assert first.timing.latency == {"other": Cycles(9)}
    assert table.message(Operation.READ).request == 64
    assert table.operations == (Operation.READ,)
    assert first.where == f"{tmp_path}/t.yaml:9:5"


def test_defaults_hold_where_they_can(tmp_path: Path) -> None:
    entries = load(write(tmp_path, "t.yaml", HEAD + CLOCKED)).entries
    assert {one.name: (one.queue, one.channel, one.depth, one.refill) for one in entries} == {
        "verb_post": (None, "bypass", None, "at_once"),
        "nic_pipeline": (4, "registered", 9, "next_edge"),
        "endless": (None, "bypass", None, "at_once"),
        "free": (4, "bypass", 9, "at_once"),
        "wire": (4, "bypass", 9, "at_once"),
    }
    assert [one.name for one in entries if one.is_plain_delay] == ["verb_post"]


def test_a_derived_table_is_its_difference(tmp_path: Path) -> None:
    write(tmp_path, "base.yaml", BASE)
    table = load(write(tmp_path, "broken.yaml", DERIVED))
    names = [one.name for one in table.entries]
    assert names == ["verb_post", "tx", "wire", "memory", "back"]
    assert [one.timing.stage for one in table.entries][2] == "on_chip_bus"
    assert table.head.description == "A base"
    assert table.clocks["nic"].frequency_hz == 400 * 10**6
    assert table.operations == (Operation.READ, Operation.WRITE)
    assert (table.entries[1].queue, table.entries[1].depth) == (4, 3)
    assert table.entries[1].where == f"{tmp_path}/base.yaml:10:5"
    assert table.entries[2].where == f"{tmp_path}/broken.yaml:10:9"


def test_what_is_inherited_may_be_unused(tmp_path: Path) -> None:
    write(tmp_path, "base.yaml", BASE)
    text = TITLE + "extends: ./base.yaml\ndrop: [tx]\n"
    table = load(write(tmp_path, "broken.yaml", text))
    assert list(table.clocks) == ["nic"]


def test_a_shipped_table_is_found_from_a_file(tmp_path: Path) -> None:
    table = load(write(tmp_path, "t.yaml", TITLE + "extends: pcie_nic\n"))
    assert len(table.entries) == len(load("pcie_nic").entries)


def test_an_unknown_name_is_told_the_near_one() -> None:
    with pytest.raises(TableError) as caught:
        load("pcie_nik")
    said = str(caught.value)
    assert said.startswith("pcie_nik: there is no such table; expected one of ")
    assert said.endswith("or a file such as ./pcie_nik.yaml; did you mean 'pcie_nic'?")


def test_the_digest_is_of_what_a_table_says(tmp_path: Path) -> None:
    text = HEAD + CLOCKED
    digest = load(write(tmp_path, "a.yaml", text)).digest
    assert load(write(tmp_path, "b.yaml", "# more words\n" + text)).digest == digest
    assert load(tmp_path / "a.yaml", overrides=["verb_post.latency=51 ns"]).digest != digest
    assert len(digest) == 64


def test_problems_are_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = HEAD + CLOCKED.replace("9 cycles", "9").replace("50 ns", "50")
    with pytest.raises(TableError) as caught:
        load(write(tmp_path, "t.yaml", text))
    lines = [one.line for one in caught.value.problems]
    assert lines == [8, 9, 13, 19]
    assert json.dumps([str(one) for one in caught.value.problems])


@pytest.mark.parametrize(
    ("place", "what"),
    (
        ("no.such.module:Wire", "cannot be loaded: ModuleNotFoundError: No module named 'no'"),
        ("emu.time:Clock", "is not a subclass of emu.stage.Stage"),
        ("emu.actor:Actor", "is only a part of one: it lacks arrive"),
        (
            "tests.table.keepers:Undecorated",
            "has Parameters without @parameters of emu.stage",
        ),
    ),
)
def test_a_stage_that_cannot_be_loaded_is_told_where_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, what: str
) -> None:
    point = EntryPoint("wire", place, "emu.stages")
    monkeypatch.setattr("emu.table.parse.registry", lambda: Registry([point]))
    text = HEAD + f"path: [{{stage: wire, latency: 5 ns, {SOURCE}}}]\n"
    with pytest.raises(TableError) as caught:
        load(write(tmp_path, "t.yaml", text))
    assert str(caught.value) == (
        f"{tmp_path}/t.yaml:5:16: path[0] wire: stage 'wire' of an unknown distribution "
        f"({place}) {what}; expected a stage that works; 'emu stages' lists them"
    )


def test_a_broken_stage_disturbs_no_table_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = [
        EntryPoint("broken", "tests.table.keepers:Undecorated", "emu.stages"),
        EntryPoint("wire", "stages.wire:Wire", "emu.stages"),
    ]
    monkeypatch.setattr("emu.table.parse.registry", lambda: Registry(points))
    text = HEAD + f"path: [{{stage: wire, latency: 5 ns, {SOURCE}}}]\n"
    assert [one.name for one in load(write(tmp_path, "t.yaml", text)).entries] == ["wire"]


def test_an_actor_that_cannot_be_made_is_told_where_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Unmade(Idle):
        """Fails at once."""

        def __init__(self, parameters: Any) -> None:
            raise RuntimeError("boom")

    monkeypatch.setattr("emu.table.parse.registry", lambda: {"unmade": Unmade})
    text = HEAD + f"path: [{{stage: unmade, {SOURCE}}}]\n"
    with pytest.raises(TableError) as caught:
        load(write(tmp_path, "t.yaml", text))
    line = Unmade.__init__.__code__.co_firstlineno + 1
    assert str(caught.value) == (
        f"{tmp_path}/t.yaml:5:16: path[0] unmade: stage unmade: __init__ raises RuntimeError: boom "
        f"({__file__}:{line}); expected no exception, or an EmuError"
    )


def test_an_error_of_a_stage_as_a_whole_stands_at_its_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("emu.table.parse.registry", lambda: {"pair": Pair})
    text = HEAD + f"path: [{{stage: pair, latency: 5 ns, low: 3, high: 2, {SOURCE}}}]\n"
    with pytest.raises(TableError) as caught:
        load(write(tmp_path, "t.yaml", text))
    assert str(caught.value) == (
        f"{tmp_path}/t.yaml:5:8: path[0] pair: low is above high; expected low up to high"
    )


class Pair(Stage):
    """A stage whose parameters must fit one another."""

    @parameters
    class Parameters:
        """Two bounds."""

        low: int
        high: int

        def __post_init__(self) -> None:
            if self.low > self.high:
                raise UnitError("low is above high; expected low up to high")
