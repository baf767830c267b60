"""Timing that does not go together. Each with the whole text of its error."""

from pathlib import Path

import pytest

from tests.table.broken import HEAD, error_of

CASES = {
    "cycles without a clock": (
        HEAD
        + """\
path:
  - {stage: wire, latency: 9 cycles, interval: {read: 2 cycles}, depth: 4, queue: 4, beat: {bytes: 32 B, cost: 1 cycle}, source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:6:28: path[0] wire.latency: 9 cycles of which clock?; expected a 'clock', or a time such as '28 ns'
broken.yaml:6:55: path[0] wire.interval.read: 2 cycles of which clock?; expected a 'clock', or a time such as '28 ns'
broken.yaml:6:112: path[0] wire.beat.cost: 1 cycle of which clock?; expected a 'clock', or a time such as '28 ns'
""",  # noqa: E501
    ),
    "time on a clocked stage": (
        HEAD
        + """\
clocks: {nic: 322 MHz}
path:
  - {stage: nic_pipeline, clock: nic, latency: {read: 9 ns}, interval: 1 ns, depth: 9, queue: 4, beat: {bytes: 32 B, cost: 1 ns}, source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:7:55: path[0] nic_pipeline.latency.read: '9 ns' is no number of cycles, but the stage has a clock; expected for example '9 cycles', or no 'clock'
broken.yaml:7:72: path[0] nic_pipeline.interval: '1 ns' is no number of cycles, but the stage has a clock; expected for example '9 cycles', or no 'clock'
broken.yaml:7:124: path[0] nic_pipeline.beat.cost: '1 ns' is no number of cycles, but the stage has a clock; expected for example '9 cycles', or no 'clock'
""",  # noqa: E501
    ),
    "clocked without interval, depth, queue": (
        HEAD
        + """\
clocks: {nic: 322 MHz}
path:
  - {stage: nic_pipeline, clock: nic, latency: 9 cycles, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:7:5: path[0] nic_pipeline: 'interval' is missing; expected for a stage with a clock, as in 'interval: 2 cycles'
broken.yaml:7:5: path[0] nic_pipeline: 'queue' is missing; expected for example 'queue: 4' or 'queue: unlimited', here or in 'defaults'
broken.yaml:7:5: path[0] nic_pipeline: 'depth' is missing; expected for example 'depth: 9' or 'depth: unlimited', here or in 'defaults'
""",  # noqa: E501
    ),
    "bandwidth on a clocked stage": (
        HEAD
        + """\
clocks: {nic: 322 MHz}
path:
  - {stage: nic_pipeline, clock: nic, latency: 9 cycles, interval: 1 cycle, depth: 9, queue: 4, bandwidth: 50 GB/s, source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:7:97: path[0] nic_pipeline: 'bandwidth' is given, but a stage with a clock moves beats; expected 'beat', or no clock
""",  # noqa: E501
    ),
    "missing depth": (
        HEAD
        + """\
path:
  - {stage: wire, latency: 5 ns, interval: 5 ns, queue: unlimited, source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:6:5: path[0] wire: 'depth' is missing; expected for example 'depth: 9' or 'depth: unlimited', here or in 'defaults'
""",  # noqa: E501
    ),
    "missing queue": (
        HEAD
        + """\
defaults: {depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, bandwidth: 50 GB/s, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:7:5: path[0] wire: 'queue' is missing; expected for example 'queue: 4' or 'queue: unlimited', here or in 'defaults'
""",  # noqa: E501
    ),
    "unused clock": (
        HEAD
        + """\
clocks: {nic: 322 MHz}
path:
  - {stage: wire, latency: 5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:5:10: clocks: 'nic' is used by no stage; expected a stage with 'clock', or no such entry
""",
    ),
    "unknown clock": (
        HEAD
        + """\
clocks: {nic: 322 MHz}
path:
  - {stage: nic_pipeline, clock: nic, latency: 9 cycles, interval: 1 cycle, depth: 9, queue: 4, source: {text: a test, kind: assumed}}
  - {stage: nic_pipeline, name: back, clock: nik, latency: 9 cycles, interval: 1 cycle, depth: 9, queue: 4, source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:8:46: path[1] back.clock: there is no clock 'nik'; expected one of the table's clocks: nic; did you mean 'nic'?
""",  # noqa: E501
    ),
    "no clocks at all": (
        HEAD
        + """\
path:
  - {stage: nic_pipeline, clock: nic, latency: 9 cycles, interval: 1 cycle, depth: 9, queue: 4, source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:6:34: path[0] nic_pipeline.clock: there is no clock 'nic'; expected one of the table's clocks: nothing
""",  # noqa: E501
    ),
    "zero frequency": (
        HEAD
        + """\
clocks: {nic: 0 MHz}
path:
  - {stage: nic_pipeline, clock: nic, latency: 9 cycles, interval: 1 cycle, depth: 9, queue: 4, source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:5:15: clocks.nic: '0 MHz' is no frequency; expected more than zero, as in '322 MHz'
""",
    ),
    "frequency and period": (
        HEAD
        + """\
clocks: {nic: {frequency: 1 GHz, period: 1 ns}}
path:
  - {stage: nic_pipeline, clock: nic, latency: 9 cycles, interval: 1 cycle, depth: 9, queue: 4, source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:5:15: clocks.nic: 'frequency' and 'period' are both given; expected one of the two, as in 'frequency: 322 MHz'
""",  # noqa: E501
    ),
    "neither frequency nor period": (
        HEAD
        + """\
clocks: {nic: {phase: 1 ns}}
path:
  - {stage: nic_pipeline, clock: nic, latency: 9 cycles, interval: 1 cycle, depth: 9, queue: 4, source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:5:15: clocks.nic: 'frequency' or 'period' is missing; expected one of the two, as in 'frequency: 322 MHz'
""",  # noqa: E501
    ),
    "phase of a period": (
        HEAD
        + """\
clocks: {nic: {period: 3.106 ns, phase: 3.106 ns}}
path:
  - {stage: nic_pipeline, clock: nic, latency: 9 cycles, interval: 1 cycle, depth: 9, queue: 4, source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:5:41: clocks.nic.phase: the phase 3.106 ns is not less than a period; expected the time of the first edge from 0 on
""",  # noqa: E501
    ),
    "phase without edges": (
        HEAD
        + """\
clocks: {nic: {period: 3.106 ns, phase: 1 ns, aligned: false}}
path:
  - {stage: nic_pipeline, clock: nic, latency: 9 cycles, interval: 1 cycle, depth: 9, queue: 4, source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:5:34: clocks.nic: 'phase' is given, but a clock that is not aligned has no edges; expected no phase, or 'aligned: true'
""",  # noqa: E501
    ),
    "resolution with an aligned clock": (
        HEAD
        + """\
clocks: {nic: 322 MHz}
resolution: {step: 0 ns, round: down}
path:
  - {stage: nic_pipeline, clock: nic, latency: 9 cycles, interval: 1 cycle, depth: 9, queue: 4, source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:6:20: resolution.step: a step of zero rounds nothing; expected more than zero, as in 'step: 1 ns'
broken.yaml:8:34: path[0] nic_pipeline.clock: the table has a resolution, but clock 'nic' is aligned; expected a clock with 'aligned: false'
""",  # noqa: E501
    ),
    "registered and next_edge without edges": (
        HEAD
        + """\
path:
  - {stage: wire, latency: 5 ns, depth: 4, queue: 4, channel: registered, refill: next_edge, source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:6:63: path[0] wire.channel: 'registered' needs a clock with edges; expected 'bypass', or a clock that is aligned
broken.yaml:6:83: path[0] wire.refill: 'next_edge' needs a clock with edges; expected 'at_once', or a clock that is aligned
""",  # noqa: E501
    ),
    "next_edge without an end": (
        HEAD
        + """\
clocks: {nic: 322 MHz}
path:
  - {stage: nic_pipeline, clock: nic, latency: 9 cycles, interval: 1 cycle, depth: unlimited, queue: 4, refill: next_edge, source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:7:113: path[0] nic_pipeline.refill: 'next_edge' is of no use: the depth is unlimited; expected 'at_once', or a depth
""",  # noqa: E501
    ),
    "unused on a plain delay": (
        HEAD
        + """\
path:
  - {stage: wire, latency: 5 ns, queue: 4, channel: bypass, refill: at_once, depth: unlimited, source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:6:34: path[0] wire: 'queue' is of no use: without clock, interval, bandwidth, depth, batch and uses a stage takes any number of requests at once; expected no such key, or an 'interval' or 'depth' that limits it
broken.yaml:6:44: path[0] wire: 'channel' is of no use: without clock, interval, bandwidth, depth, batch and uses a stage takes any number of requests at once; expected no such key, or an 'interval' or 'depth' that limits it
broken.yaml:6:61: path[0] wire: 'refill' is of no use: without clock, interval, bandwidth, depth, batch and uses a stage takes any number of requests at once; expected no such key, or an 'interval' or 'depth' that limits it
broken.yaml:6:78: path[0] wire: 'depth: unlimited' is of no use: a stage without clock, interval, bandwidth, batch and uses takes any number of requests at once; expected no such key, or an 'interval' or 'depth' that limits it
""",  # noqa: E501
    ),
    "link keys without a link": (
        HEAD
        + """\
path:
  - {stage: wire, latency: 5 ns, cut_through: 64 B, mtu: 0 B, header: 26 B, beat: {bytes: 0 B, cost: 1 ns}, source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:6:34: path[0] wire: 'cut_through' is of no use without a bandwidth; expected for example 'bandwidth: 50 GB/s'
broken.yaml:6:53: path[0] wire: 'mtu' is of no use without a bandwidth; expected for example 'bandwidth: 50 GB/s'
broken.yaml:6:58: path[0] wire.mtu: a packet of no bytes carries nothing; expected for example '4096 B'
broken.yaml:6:63: path[0] wire: 'header' is of no use without a bandwidth; expected for example 'bandwidth: 50 GB/s'
broken.yaml:6:91: path[0] wire.beat.bytes: a beat of no bytes carries nothing; expected for example '32 B'
""",  # noqa: E501
    ),
    "beats that say too much, half, or nothing": (
        HEAD
        + """\
path:
  - {stage: wire, name: a, latency: 5 ns, beat: {bytes: 32 B, cost: 1 ns, latency: 1 ns}, source: {text: a test, kind: assumed}}
  - {stage: wire, name: b, latency: 5 ns, beat: {bytes: 32 B, interval: 1 ns}, source: {text: a test, kind: assumed}}
  - {stage: wire, name: c, latency: 5 ns, beat: {bytes: 32 B}, source: {text: a test, kind: assumed}}
  - {stage: wire, name: d, latency: 5 ns, beat: {bytes: 32 B, latency: 0 cycles, interval: 1 cycle}, source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:6:49: path[0] a.beat: a beat with cost and latency; expected 'cost' for both, or 'latency' and 'interval'
broken.yaml:7:49: path[1] b.beat: a beat with interval; expected 'cost' for both, or 'latency' and 'interval'
broken.yaml:8:49: path[2] c.beat: a beat that adds nothing; expected 'cost' for both, or 'latency' and 'interval'
broken.yaml:9:72: path[3] d.beat.latency: 0 cycles of which clock?; expected a 'clock', or a time such as '28 ns'
broken.yaml:9:92: path[3] d.beat.interval: 1 cycle of which clock?; expected a 'clock', or a time such as '28 ns'
""",  # noqa: E501
    ),
    "unused defaults": (
        HEAD
        + """\
defaults: {queue: 4, depth: 4, channel: registered, refill: next_edge}
path:
  - {stage: wire, latency: 5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:5:12: defaults: 'queue' is taken by no stage; expected a stage that takes it, or no such default
broken.yaml:5:22: defaults: 'depth' is taken by no stage; expected a stage that takes it, or no such default
broken.yaml:5:32: defaults: 'channel' is taken by no stage; expected a stage that takes it, or no such default
broken.yaml:5:53: defaults: 'refill' is taken by no stage; expected a stage that takes it, or no such default
""",  # noqa: E501
    ),
    "latency of another operation": (
        HEAD
        + """\
path:
  - {stage: wire, latency: {write: 5 ns, other: 5 ns}, source: {text: a test, kind: assumed}}
  - {stage: memory, latency: {write: 5 ns}, source: {text: a test, kind: assumed}}
  - {stage: wire, name: back, latency: {raed: 5 ns}, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:6:29: path[0] wire.latency: 'write' is of no use: no operation that passes here takes it; expected one of read
broken.yaml:7:30: path[1] memory.latency: there is no latency for read; expected one for each operation that passes here, or 'other'
broken.yaml:7:31: path[1] memory.latency: 'write' is of no use: no operation that passes here takes it; expected one of read
broken.yaml:8:41: path[2] back.latency.raed: 'raed' is no operation; expected read, write, send, fetch_and_add, compare_and_swap, load, store or atomic; did you mean 'read'?
""",  # noqa: E501
    ),
    "when for nobody": (
        HEAD
        + """\
path:
  - {stage: wire, latency: 5 ns, when: [write, atomic], source: {text: a test, kind: assumed}}
  - {stage: memory, latency: 5 ns, when: [], source: {text: a test, kind: assumed}}
  - {stage: wire, name: back, latency: 5 ns, when: [read, load], source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:6:40: path[0] wire.when: the table has no messages for write or atomic; expected an operation of this table: read
broken.yaml:7:42: path[1] memory.when: no operation is named; expected at least one, or no 'when'
broken.yaml:8:59: path[2] back.when[1]: 'load' is of no use: the table has no messages for it; expected one of read
""",  # noqa: E501
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_it_says_what_is_wrong_and_where(tmp_path: Path, case: str) -> None:
    text, expected = CASES[case]
    assert error_of(tmp_path, text) == expected
