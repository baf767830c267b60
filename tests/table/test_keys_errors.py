"""Keys and values that the schema refuses. Each with the whole text of its error."""

from pathlib import Path

import pytest

from tests.table.broken import HEAD, error_of

CASES = {
    "typo in a key": (
        HEAD
        + """\
path:
  - {stage: wire, latncy: 5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:6:5: path[0] wire: 'latency' is missing; expected for example 'latency: 150 ns'
broken.yaml:6:19: path[0] wire: unknown key 'latncy'; expected one of {KEYS}; did you mean 'latency'?
""",  # noqa: E501
    ),
    "typo in the head": (
        HEAD
        + """\
clokcs: {}
path:
  - {stage: wire, latency: 5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:5:1: table: unknown key 'clokcs'; expected one of schema, name, title, description, source, clocks, messages, other_operations, resources, resolution, defaults, path, extends, drop, replace or insert; did you mean 'clocks'?
""",  # noqa: E501
    ),
    "missing head keys": (
        """\
title: ''
""",
        """\
broken.yaml:1:1: table: 'schema' is missing; expected 1
broken.yaml:1:1: table: 'name' is missing; expected for example 'name: pcie_nic'
broken.yaml:1:1: table: 'messages' is missing; expected for example 'messages: {read: {request: 64 B, response: payload}}'
broken.yaml:1:1: table: 'path' is missing; expected for example 'path: [{stage: wire, latency: 100 ns, source: …}]'
broken.yaml:1:8: title: is empty; expected for example 'title: RDMA NIC behind PCIe'
""",  # noqa: E501
    ),
    "wrong head values": (
        """\
schema: 2
name: a b
title: [x]
messages: {raed: {request: 64 B, response: 8 B}, write: {request: payload, response: 8}}
resolution: {step: 1 ns, round: donw}
path:
  - {stage: wire, latency: 5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:1:9: schema: 2 is not known here; expected 1
broken.yaml:2:7: name: 'a b' is not allowed; expected a word of letters, digits and _
broken.yaml:3:8: title: a list does not fit; expected for example 'title: RDMA NIC behind PCIe'
broken.yaml:4:12: messages.raed: 'raed' is no operation; expected read, write, send, fetch_and_add, compare_and_swap, load, store or atomic; did you mean 'read'?
broken.yaml:4:86: messages.write.response: '8' has no unit; expected one of B, KiB, MiB, GiB, KB, kB, MB or GB, as in '64 B'
broken.yaml:5:33: resolution.round: 'donw' is not known here; expected down, up or nearest; did you mean 'down'?
""",  # noqa: E501
    ),
    "no messages": (
        """\
schema: 1
name: broken
title: A broken table
messages: {}
path:
  - {stage: wire, latency: 5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:4:11: messages: there are no messages; expected an operation, as in 'read: {request: 64 B, response: payload}'
""",  # noqa: E501
    ),
    "empty path": (
        HEAD
        + """\
path: []
""",
        """\
broken.yaml:5:7: path: the path is empty; expected for example 'path: [{stage: wire, latency: 100 ns, source: …}]'
""",  # noqa: E501
    ),
    "path of the wrong type": (
        HEAD
        + """\
path: 7
""",
        """\
broken.yaml:5:7: path: 7 is no list of stages; expected for example 'path: [{stage: wire, latency: 100 ns, source: …}]'
""",  # noqa: E501
    ),
    "entry of the wrong type": (
        HEAD
        + """\
path: [wire]
""",
        """\
broken.yaml:5:8: path[0]: 'wire' is no stage entry; expected for example 'path: [{stage: wire, latency: 100 ns, source: …}]'
""",  # noqa: E501
    ),
    "wrong types": (
        HEAD
        + """\
path:
  - {stage: wire, latency: [5 ns], when: read, at: targt, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:6:28: path[0] wire.latency: a list is not a quantity; expected a number and a unit, as in '150 ns' or '9 cycles'
broken.yaml:6:42: path[0] wire.when: 'read' does not fit; expected a list
broken.yaml:6:52: path[0] wire.at: 'targt' is not known here; expected initiator or target; did you mean 'target'?
""",  # noqa: E501
    ),
    "missing unit": (
        HEAD
        + """\
path:
  - {stage: wire, latency: 5, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:6:28: path[0] wire.latency: '5' has no unit; expected one of ps, ns, us, µs, ms, s, cycle or cycles, as in '150 ns' or '9 cycles'
""",  # noqa: E501
    ),
    "negative time": (
        HEAD
        + """\
path:
  - {stage: wire, latency: -5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:6:28: path[0] wire.latency: '-5 ns' is negative; expected zero or more, as in '150 ns' or '9 cycles'
""",  # noqa: E501
    ),
    "unknown unit": (
        HEAD
        + """\
path:
  - {stage: wire, latency: 5 nss, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:6:28: path[0] wire.latency: '5 nss' has the unknown unit 'nss'; expected one of ps, ns, us, µs, ms, s, cycle or cycles; did you mean 'ns'?
""",  # noqa: E501
    ),
    "not whole picoseconds": (
        HEAD
        + """\
path:
  - {stage: wire, latency: 9.0001 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:6:28: path[0] wire.latency: '9.0001 ns' is not a whole number of picoseconds; expected at most 1 ps steps
""",  # noqa: E501
    ),
    "half a cycle": (
        HEAD
        + """\
path:
  - {stage: wire, latency: 9.5 cycles, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:6:28: path[0] wire.latency: '9.5 cycles' is not a whole number of cycles; expected for example '9 cycles'
""",  # noqa: E501
    ),
    "unknown stage": (
        HEAD
        + """\
path:
  - {stage: dorbell, latency: 5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:6:13: path[0] dorbell: unknown stage 'dorbell'; expected one of {STAGES}; did you mean 'doorbell'?
""",  # noqa: E501
    ),
    "missing stage": (
        HEAD
        + """\
path:
  - {latency: 5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:6:5: path[0]: 'stage' is missing; expected for example 'stage: wire'
""",
    ),
    "missing latency": (
        HEAD
        + """\
path:
  - {stage: wire, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:6:5: path[0] wire: 'latency' is missing; expected for example 'latency: 150 ns'
""",
    ),
    "missing source": (
        HEAD
        + """\
path:
  - {stage: wire, latency: 5 ns}
""",
        """\
broken.yaml:6:5: path[0] wire: 'source' is missing; expected for example 'source: {text: data sheet p. 3, kind: measured}'
""",  # noqa: E501
    ),
    "bad evidence": (
        HEAD
        + """\
path:
  - {stage: wire, latency: 5 ns, source: {text: a test, kind: asumed}}
""",
        """\
broken.yaml:6:63: path[0] wire.source.kind: 'asumed' is not known here; expected measured, derived or assumed; did you mean 'assumed'?
""",  # noqa: E501
    ),
    "source without a kind": (
        HEAD
        + """\
path:
  - {stage: wire, latency: 5 ns, source: {text: a test}}
""",
        """\
broken.yaml:6:42: path[0] wire.source: 'kind' is missing; expected measured, derived or assumed
""",
    ),
    "source as text": (
        HEAD
        + """\
path:
  - {stage: wire, latency: 5 ns, source: a test}
""",
        """\
broken.yaml:6:42: path[0] wire.source: 'a test' does not fit; expected for example 'source: {text: data sheet p. 3, kind: measured}'
""",  # noqa: E501
    ),
    "sources by parameter": (
        HEAD
        + """\
path:
  - stage: wire
    latency: 5 ns
    bandwidth: 50 GB/s
    depth: 4
    queue: 4
    source: {latency: {text: a test, kind: measured}, dpth: {text: a test, kind: measured}}
""",
        """\
broken.yaml:11:13: path[0] wire.source: 'bandwidth', 'depth' or 'queue' has no source; expected one for each number, or one for the whole entry
broken.yaml:11:55: path[0] wire.source: 'dpth' has a source but is not given; expected one of latency, bandwidth, depth or queue; did you mean 'depth'?
""",  # noqa: E501
    ),
    "own parameters": (
        HEAD
        + """\
path:
  - {stage: cpu_cache, policy: write_bak, line: 0 B, l1_lines: 0, l2_lines: many, l1_hit: 1, l2_hit: 4 ns, source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:6:5: path[0] cpu_cache: 'miss' is missing; expected for example 'miss: 150 ns'
broken.yaml:6:32: path[0] cpu_cache.policy: 'write_bak' is not known here; expected write_back, write_through or uncacheable; did you mean 'write_back'?
broken.yaml:6:49: path[0] cpu_cache.line: '0 B' is out of bounds; expected more than 0 B
broken.yaml:6:64: path[0] cpu_cache.l1_lines: 0 is out of bounds; expected more than 0
broken.yaml:6:77: path[0] cpu_cache.l2_lines: 'many' does not fit; expected a whole number
broken.yaml:6:91: path[0] cpu_cache.l1_hit: '1' has no unit; expected one of ps, ns, us, µs, ms or s, as in '150 ns'
""",  # noqa: E501
    ),
    "latency where the stage times itself": (
        HEAD
        + """\
path:
  - {stage: cpu_cache, latency: 5 ns, policy: uncacheable, line: 64 B, l1_lines: 1, l2_lines: 1, l1_hit: 1 ns, l2_hit: 4 ns, miss: 70 ns, source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:6:24: path[0] cpu_cache: 'latency' is given, but this stage times itself; expected only its own parameters
""",  # noqa: E501
    ),
    "aliased error once": (
        HEAD
        + """\
path:
  - {stage: wire, latency: 5 ns, source: &s {text: a test, kind: seen}}
  - {stage: memory, latency: 5 ns, source: *s}
""",
        """\
broken.yaml:6:66: path[0] wire.source.kind: 'seen' is not known here; expected measured, derived or assumed
""",  # noqa: E501
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_it_says_what_is_wrong_and_where(tmp_path: Path, case: str) -> None:
    text, expected = CASES[case]
    assert error_of(tmp_path, text) == expected
