"""`--set`: where a value goes, and what is said of one that goes nowhere."""

from fractions import Fraction
from pathlib import Path

import pytest

from emu.table import TableError, load
from emu.table.overrides import is_for
from emu.table.schema import Link, Pcie, Pool, Table
from emu.time import Cycles, Picoseconds
from tests.table.broken import HEAD, error_of, write
from tests.table.everything import EVERYTHING

TABLE = (
    HEAD
    + """\
clocks: {nic: 322 MHz}
resources: {tags: {kind: pool, capacity: 64}}
defaults: {queue: unlimited, depth: 9}
path:
  - stage: wire
    name: out
    latency: 100 ns
    bandwidth: 50 GB/s
    source:
      latency: {text: a test, kind: measured}
      bandwidth: {text: a test, kind: measured}
  - stage: nic_pipeline
    clock: nic
    latency: 9 cycles
    interval: 1 cycle
    uses: [{resource: tags}]
    source: {text: a test, kind: assumed}
  - {stage: wire, name: back, latency: 100 ns, source: {text: a test, kind: assumed}}
"""
)


def loaded(directory: Path, *overrides: str) -> Table:
    return load(write(directory, "t.yaml", TABLE), overrides=overrides)


def test_by_name(tmp_path: Path) -> None:
    out, _, back = loaded(tmp_path, "out.latency=75 ns").entries
    assert out.timing.latency == {"other": Picoseconds(75_000)}
    assert back.timing.latency == {"other": Picoseconds(100_000)}


def test_by_stage(tmp_path: Path) -> None:
    out, _, back = loaded(tmp_path, "wire.latency='75 ns'").entries
    assert out.timing.latency == back.timing.latency == {"other": Picoseconds(75_000)}


def test_for_one_operation(tmp_path: Path) -> None:
    table = loaded(
        tmp_path, "messages.write={request: payload, response: 8 B}", "out.latency.read=1 ns"
    )
    latency = {"other": Picoseconds(100_000), "read": Picoseconds(1000)}
    assert table.entries[0].timing.latency == latency


def test_by_a_mapping(tmp_path: Path) -> None:
    out = loaded(tmp_path, "out.latency={read: 75 ns}").entries[0]
    assert out.timing.latency == {"read": Picoseconds(75_000)}


def test_deeper_and_new(tmp_path: Path) -> None:
    entry = loaded(
        tmp_path, "nic_pipeline.beat.bytes=32 B", "nic_pipeline.beat.cost=1 cycle"
    ).entries[1]
    assert entry.timing.beat is not None
    assert (entry.timing.beat.bytes, entry.timing.beat.cost) == (32, Cycles(1))


def test_clocks_resources_and_defaults(tmp_path: Path) -> None:
    table = loaded(tmp_path, "clocks.nic=400 MHz", "tags.capacity=8", "defaults.depth=unlimited")
    assert table.clocks["nic"].period_ps == Fraction(2500)
    tags = table.head.resources["tags"]
    assert isinstance(tags, Pool)
    assert tags.capacity == 8
    assert table.entries[1].depth is None


def test_a_part_of_a_clock_keeps_its_frequency(tmp_path: Path) -> None:
    clock = loaded(tmp_path, "clocks.nic.phase=1 ns").clocks["nic"]
    assert (int(clock.frequency_hz), clock.phase_ps) == (322 * 10**6, 1000)


def test_a_value_with_a_source_of_its_own_is_assumed(tmp_path: Path) -> None:
    source = loaded(tmp_path, "out.latency=75 ns").entries[0].timing.source
    assert (source["latency"].kind, source["latency"].text) == (
        "assumed",
        "--set out.latency=75 ns",
    )
    assert source["bandwidth"].kind == "measured"


def test_a_resource_with_sources_of_its_own(tmp_path: Path) -> None:
    path = write(tmp_path, "everything.yaml", EVERYTHING)
    table = load(path, overrides=["pcie.tags=128", "fibre.mtu=1 KiB"])
    pcie, fibre = table.head.resources["pcie"], table.head.resources["fibre"]
    assert isinstance(pcie, Pcie)
    assert isinstance(fibre, Link)
    assert (pcie.tags, fibre.mtu) == (128, 1024)
    assert pcie.source is not None
    assert (pcie.source["tags"].kind, pcie.source["tags"].text) == (
        "assumed",
        "--set pcie.tags=128",
    )


NAMES = "out, nic_pipeline, back, wire, tags, clocks, messages, resolution, defaults or resources"
PARAMETERS = (
    "at, clock, latency, interval, beat, bandwidth, cut_through, mtu, header, depth, refill, "
    "queue, channel, overflow, batch, uses or arbitration"
)
CASES = {
    "ot.latency=5 ns": (
        f"there is no stage, resource or section 'ot'; expected one of {NAMES}; did you mean 'out'?"
    ),
    "out.latncy=5 ns": (
        f"stage 'out' has no parameter 'latncy'; expected one of {PARAMETERS}; "
        "did you mean 'latency'?"
    ),
    "tags.capacty=5": (
        "resource 'tags' has no parameter 'capacty'; expected one of capacity or per; "
        "did you mean 'capacity'?"
    ),
    "tags.tags=5": "resource 'tags' has no parameter 'tags'; expected one of capacity or per",
    "tags.capacity.x=5": "'capacity' is 64; expected a mapping there, to set a part of it",
    "tags.capacity=0": (
        "resources.tags.capacity: 0 is no count; expected a whole number from 1 on, or 'unlimited'"
    ),
    "out.source=x": "'source' cannot be set; expected a parameter; change the table's file",
    "out": (
        "this names no parameter and value; expected NAME.PARAMETER=VALUE, as in "
        "'wire_out.latency=75 ns'"
    ),
    "out.bandwidth.x=5": "'bandwidth' is '50 GB/s'; expected a mapping there, to set a part of it",
    "out.latency=5": (
        "path[0] out.latency: '5' has no unit; expected one of ps, ns, us, µs, ms, s, cycle or "
        "cycles, as in '150 ns' or '9 cycles'"
    ),
    "nic_pipeline.latency=5 ns": (
        "path[1] nic_pipeline.latency: '5 ns' is no number of cycles, but the stage has a "
        "clock; expected for example '9 cycles', or no 'clock'"
    ),
    "clocks.nik=1 GHz": (
        "clocks: 'nik' is used by no stage; expected a stage with 'clock', or no such entry"
    ),
    "out.latency=": (
        "path[0] out.latency: there is no value; expected a value, or the key left out"
    ),
    "out.latency=a: b: c": ("YAML: mapping values are not allowed here; expected valid YAML"),
}


@pytest.mark.parametrize("text", CASES)
def test_a_wrong_text_is_told_at_itself(tmp_path: Path, text: str) -> None:
    assert error_of(tmp_path, TABLE, text) == f"--set {text}: {CASES[text]}\n"


def test_wrong_texts_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(TableError) as caught:
        loaded(tmp_path, "out.latency=5", "a.b=1", "clocks.nic=5")
    assert len(caught.value.problems) == 3


@pytest.mark.parametrize(
    ("text", "expected"),
    (
        ("out.latency=1 ns", True),
        ("wire.latency=1 ns", True),
        (" wire . latency = 1 ns", True),
        ("tags.capacity=1", True),
        ("clocks.nic=1 GHz", True),
        ("messages.read.request=1 B", True),
        ("resources.tags.capacity=1", True),
        ("defaults.depth=1", True),
        ("resolution={step: 1 ns, round: down}", True),
        ("doorbell.latency=1 ns", False),
        ("clocks.far=1 GHz", False),
        ("messages.write.request=1 B", False),
        ("resources.slots.capacity=1", False),
        # Told for what it is where it is applied.
        ("out", True),
    ),
)
def test_which_tables_a_text_is_for(tmp_path: Path, text: str, expected: bool) -> None:
    assert is_for(loaded(tmp_path), text) is expected
