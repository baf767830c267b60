"""Batches, overflow, and stages that keep their own time. Each with the whole text of its error."""

from pathlib import Path

import pytest

from tests.table.broken import HEAD, error_of
from tests.table.keepers import with_keepers

CASES = {
    "overflow of an unlimited queue": (
        HEAD
        + """\
defaults: {queue: unlimited}
path:
  - {stage: wire, latency: 5 ns, depth: 4, overflow: drop, source: {text: a test, kind: assumed}}
  - {stage: memory, latency: 5 ns, depth: 4, queue: unlimited, overflow: hold, source: {text: a test, kind: assumed}}
  - {stage: completion, latency: 5 ns, depth: 4, queue: 4, overflow: erorr, source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:7:44: path[0] wire: 'overflow: drop' is of no use: the queue is unlimited; expected a queue that can be full, or no such key
broken.yaml:8:64: path[1] memory: 'overflow: hold' is of no use: the queue is unlimited; expected a queue that can be full, or no such key
broken.yaml:9:70: path[2] completion.overflow: 'erorr' is not known here; expected hold, drop or error; did you mean 'error'?
""",  # noqa: E501
    ),
    "overflow of a plain delay": (
        HEAD
        + """\
path:
  - {stage: wire, latency: 5 ns, overflow: drop, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:6:34: path[0] wire: 'overflow' is of no use: without clock, interval, bandwidth, depth, batch and uses a stage takes any number of requests at once; expected no such key, or an 'interval' or 'depth' that limits it
""",  # noqa: E501
    ),
    "batch of one": (
        HEAD
        + """\
path:
  - {stage: wire, latency: 5 ns, batch: 1, depth: 4, queue: 4, source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:6:41: path[0] wire.batch: a batch of 1 is of no use; expected 2 or more, 'unlimited', or no 'batch'
""",  # noqa: E501
    ),
    "batch of none": (
        HEAD
        + """\
path:
  - {stage: wire, latency: 5 ns, batch: 0, depth: 4, queue: 4, source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:6:41: path[0] wire.batch: 0 is no count; expected a whole number from 1 on, or 'unlimited'
""",  # noqa: E501
    ),
    "batch without depth and queue": (
        HEAD
        + """\
path:
  - {stage: wire, latency: 5 ns, batch: 16, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:6:5: path[0] wire: 'queue' is missing; expected for example 'queue: 4' or 'queue: unlimited', here or in 'defaults'
broken.yaml:6:5: path[0] wire: 'depth' is missing; expected for example 'depth: 9' or 'depth: unlimited', here or in 'defaults'
""",  # noqa: E501
    ),
    "batch without a source": (
        HEAD
        + """\
path:
  - {stage: wire, latency: 5 ns, batch: 16, depth: unlimited, queue: unlimited, uses: [], source: {latency: {text: a test, kind: measured}}}
""",  # noqa: E501
        """\
broken.yaml:6:99: path[0] wire.source: 'batch' has no source; expected one for each number, or one for the whole entry
""",  # noqa: E501
    ),
    "use without a source": (
        HEAD
        + """\
resources: {slots: {kind: pool, capacity: 4}}
path:
  - {stage: wire, latency: 5 ns, depth: unlimited, queue: unlimited, uses: [{resource: slots, for: 5 ns}], source: {latency: {text: a test, kind: measured}}}
""",  # noqa: E501
        """\
broken.yaml:7:116: path[0] wire.source: 'uses' has no source; expected one for each number, or one for the whole entry
""",  # noqa: E501
    ),
    "an actor has no timing": (
        HEAD
        + """\
clocks: {nic: 322 MHz}
path:
  - {stage: keeper, clock: nic, latency: 5 ns, interval: 5 ns, beat: {bytes: 64 B, cost: 1 ns}, cut_through: 64 B, header: 26 B, depth: 4, refill: at_once, queue: 4, channel: bypass, overflow: drop, batch: 4, uses: [], bandwidth: 50 GB/s, source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:7:21: path[0] keeper: 'clock' is given, but this stage keeps its own time; expected only its own parameters
broken.yaml:7:33: path[0] keeper: 'latency' is given, but this stage keeps its own time; expected only its own parameters
broken.yaml:7:48: path[0] keeper: 'interval' is given, but this stage keeps its own time; expected only its own parameters
broken.yaml:7:64: path[0] keeper: 'beat' is given, but this stage keeps its own time; expected only its own parameters
broken.yaml:7:97: path[0] keeper: 'cut_through' is given, but this stage keeps its own time; expected only its own parameters
broken.yaml:7:116: path[0] keeper: 'header' is given, but this stage keeps its own time; expected only its own parameters
broken.yaml:7:130: path[0] keeper: 'depth' is given, but this stage keeps its own time; expected only its own parameters
broken.yaml:7:140: path[0] keeper: 'refill' is given, but this stage keeps its own time; expected only its own parameters
broken.yaml:7:157: path[0] keeper: 'queue' is given, but this stage keeps its own time; expected only its own parameters
broken.yaml:7:167: path[0] keeper: 'channel' is given, but this stage keeps its own time; expected only its own parameters
broken.yaml:7:184: path[0] keeper: 'overflow' is given, but this stage keeps its own time; expected only its own parameters
broken.yaml:7:200: path[0] keeper: 'batch' is given, but this stage keeps its own time; expected only its own parameters
broken.yaml:7:210: path[0] keeper: 'uses' is given, but this stage keeps its own time; expected only its own parameters
""",  # noqa: E501
    ),
    "an actor's own keys": (
        HEAD
        + """\
path:
  - {stage: keeper, bandwidth: 50, mtu: 4096 B, latncy: 5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:6:32: path[0] keeper.bandwidth: '50' has no unit; expected one of B/s, KB/s, MB/s, GB/s, TB/s, GiB/s, Mb/s, Gb/s or Tb/s, as in '50 GB/s'
broken.yaml:6:49: path[0] keeper: unknown key 'latncy'; expected one of stage, name, at, when, arbitration, source, bandwidth, mtu or window
""",  # noqa: E501
    ),
    "an actor's missing key": (
        HEAD
        + """\
path:
  - {stage: keeper, when: [write], source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:6:5: path[0] keeper: 'bandwidth' is missing; expected for example 'bandwidth: 50 GB/s'
broken.yaml:6:27: path[0] keeper.when: the table has no messages for write; expected an operation of this table: read
""",  # noqa: E501
    ),
    "a parameter with a shared name": (
        HEAD
        + """\
path:
  - {stage: clash, latency: 5 ns, depth: 4, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:6:5: path[0] clash: 'queue' is missing; expected for example 'queue: 4' or 'queue: unlimited', here or in 'defaults'
broken.yaml:6:13: path[0] clash: stage 'clash' has its own 'depth', but every entry has such a key; expected a stage that works; 'emu stages' lists them
""",  # noqa: E501
    ),
    "an actor with a shared name": (
        HEAD
        + """\
path:
  - {stage: actor_clash, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:6:13: path[0] actor_clash: stage 'actor_clash' has its own 'name', but every entry has such a key; expected a stage that works; 'emu stages' lists them
""",  # noqa: E501
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_it_says_what_is_wrong_and_where(
    tmp_path: Path, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("emu.table.parse.registry", with_keepers)
    text, expected = CASES[case]
    assert error_of(tmp_path, text) == expected
