"""Resources that are wrong by themselves. Each with the whole text of its error."""

from pathlib import Path

import pytest

from tests.table.broken import HEAD, error_of

CASES = {
    "no kind": (
        HEAD
        + """\
resources: {it: {capacity: 64}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: it}], source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:5:17: resources.it: 'kind' is missing; expected pool, link, pcie or channels
""",
    ),
    "unknown kind": (
        HEAD
        + """\
resources: {it: {kind: pipe, capacity: 64}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: it}], source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:5:24: resources.it.kind: 'pipe' is not known here; expected pool, link, pcie or channels; did you mean 'pcie'?
""",  # noqa: E501
    ),
    "kind of the wrong type": (
        HEAD
        + """\
resources: {it: {kind: [pool], capacity: 64}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: it}], source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:5:24: resources.it.kind: a list is not known here; expected pool, link, pcie or channels
""",
    ),
    "kind left empty": (
        HEAD
        + """\
resources: {it: {kind: , capacity: 64}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: it}], source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:5:23: resources.it.kind: there is no value; expected a value, or the key left out
""",
    ),
    "no mapping": (
        HEAD
        + """\
resources: {it: 64}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: it}], source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:5:17: resources.it: 64 does not fit; expected a mapping, as in '{kind: pool, capacity: 64}'
""",  # noqa: E501
    ),
    "near kind and what is wrong besides": (
        HEAD
        + """\
resources: {it: {kind: lnik, bandwidth: 50, mtu: 4 KiB}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: it}], source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:5:24: resources.it.kind: 'lnik' is not known here; expected pool, link, pcie or channels; did you mean 'link'?
broken.yaml:5:41: resources.it.bandwidth: '50' has no unit; expected one of B/s, KB/s, MB/s, GB/s, TB/s, GiB/s, Mb/s, Gb/s or Tb/s, as in '50 GB/s'
""",  # noqa: E501
    ),
    "unknown key of a pool": (
        HEAD
        + """\
resources: {it: {kind: pool, capacty: 64}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: it}], source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:5:17: resources.it: 'capacity' is missing; expected for example 'capacity: 64'
broken.yaml:5:30: resources.it: unknown key 'capacty'; expected one of kind, capacity, per or source; did you mean 'capacity'?
""",  # noqa: E501
    ),
    "key of another kind": (
        HEAD
        + """\
resources: {it: {kind: pool, capacity: 64, tags: 3}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: it}], source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:5:44: resources.it: unknown key 'tags'; expected one of kind, capacity, per or source
""",
    ),
    "a key that is called as a kind": (
        HEAD
        + """\
resources: {it: {kind: link, link: {bandwidth: 50 GB/s}}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: it}], source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:5:17: resources.it: 'bandwidth' is missing; expected for example 'bandwidth: 50 GB/s'
broken.yaml:5:30: resources.it: unknown key 'link'; expected one of kind, bandwidth, mtu, header or source
""",  # noqa: E501
    ),
    "per what": (
        HEAD
        + """\
resources: {it: {kind: pool, capacity: 64, per: initator}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: it}], source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:5:49: resources.it.per: 'initator' is not known here; expected initiator or destination; did you mean 'initiator'?
""",  # noqa: E501
    ),
    "link": (
        HEAD
        + """\
resources: {it: {kind: link, bandwidth: 0 GB/s, mtu: 0 B, header: 26}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: it}], source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:5:41: resources.it.bandwidth: '0 GB/s' is no bandwidth; expected more than zero, as in '50 GB/s'
broken.yaml:5:54: resources.it.mtu: '0 B' is out of bounds; expected more than 0 B
broken.yaml:5:67: resources.it.header: '26' has no unit; expected one of B, KiB, MiB, GiB, KB, kB, MB or GB, as in '64 B'
""",  # noqa: E501
    ),
    "pcie without keys": (
        HEAD
        + """\
resources: {it: {kind: pcie}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: it, as: read, to: host}], source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:5:17: resources.it: 'generation' is missing; expected for example 'generation: 3'
broken.yaml:5:17: resources.it: 'lanes' is missing; expected 1, 2, 4, 8, 12, 16 or 32
broken.yaml:5:17: resources.it: 'payload' is missing; expected for example 'payload: 256 B'
broken.yaml:5:17: resources.it: 'read_request' is missing; expected for example 'read_request: 512 B'
broken.yaml:5:17: resources.it: 'completion_boundary' is missing; expected for example 'completion_boundary: 64 B'
broken.yaml:5:17: resources.it: 'header' is missing; expected for example 'header: 64 B'
broken.yaml:5:17: resources.it: 'tags' is missing; expected for example 'tags: 64'
broken.yaml:5:17: resources.it: 'nonposted_credits' is missing; expected for example 'nonposted_credits: 84'
broken.yaml:5:17: resources.it: 'posted_credits' is missing; expected for example 'posted_credits: 88'
broken.yaml:5:17: resources.it: 'credit_return' is missing; expected for example 'credit_return: 500 ns'
""",  # noqa: E501
    ),
    "pcie out of bounds": (
        HEAD
        + """\
resources: {it: {kind: pcie, generation: 7, lanes: x8, payload: 0 B, read_request: 0 B, completion_boundary: 0 B, header: -26 B, tags: 0, nonposted_credits: many, posted_credits: 1.5, credit_return: 5 cycles}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: it, as: read, to: host}], source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:5:42: resources.it.generation: 7 is out of bounds; expected at most 6
broken.yaml:5:52: resources.it.lanes: 'x8' does not fit; expected 1, 2, 4, 8, 12, 16 or 32
broken.yaml:5:65: resources.it.payload: 0 B is none that PCIe has; expected 128 B, 256 B, 512 B, 1024 B, 2048 B or 4096 B
broken.yaml:5:84: resources.it.read_request: 0 B is none that PCIe has; expected 128 B, 256 B, 512 B, 1024 B, 2048 B or 4096 B
broken.yaml:5:110: resources.it.completion_boundary: 0 B is none that PCIe has; expected 64 B or 128 B
broken.yaml:5:123: resources.it.header: '-26 B' is negative; expected zero or more, as in '64 B'
broken.yaml:5:136: resources.it.tags: 0 is no count; expected a whole number from 1 on, or 'unlimited'
broken.yaml:5:158: resources.it.nonposted_credits: 'many' is no count; expected a whole number from 1 on, or 'unlimited'
broken.yaml:5:180: resources.it.posted_credits: '1.5' is no count; expected a whole number from 1 on, or 'unlimited'
broken.yaml:5:200: resources.it.credit_return: '5 cycles' has the unknown unit 'cycles'; expected one of ps, ns, us, µs, ms or s
""",  # noqa: E501
    ),
    "pcie that cannot exist": (
        HEAD
        + """\
resources: {it: {kind: pcie, generation: 4, lanes: 7, payload: 100 B, read_request: 8 KiB, completion_boundary: 63 B, header: 26 B, tags: 8, nonposted_credits: 8, posted_credits: 8, credit_return: 5 ns}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: it, as: read, to: host}], source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:5:52: resources.it.lanes: 7 is none that PCIe has; expected 1, 2, 4, 8, 12, 16 or 32
broken.yaml:5:64: resources.it.payload: 100 B is none that PCIe has; expected 128 B, 256 B, 512 B, 1024 B, 2048 B or 4096 B
broken.yaml:5:85: resources.it.read_request: 8192 B is none that PCIe has; expected 128 B, 256 B, 512 B, 1024 B, 2048 B or 4096 B
broken.yaml:5:113: resources.it.completion_boundary: 63 B is none that PCIe has; expected 64 B or 128 B
""",  # noqa: E501
    ),
    "channels": (
        HEAD
        + """\
resources: {it: {kind: channels, sharing: grups, window: 0}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: it}], source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:5:43: resources.it.sharing: 'grups' is not known here; expected private, shared or groups; did you mean 'groups'?
broken.yaml:5:58: resources.it.window: 0 is no count; expected a whole number from 1 on, or 'unlimited'
""",  # noqa: E501
    ),
    "groups of how many": (
        HEAD
        + """\
resources: {it: {kind: channels, sharing: groups, window: 4}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: it}], source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:5:17: resources.it: 'groups' is missing; expected how many share out the initiators, as in 'groups: 4'
""",  # noqa: E501
    ),
    "groups of no channels": (
        HEAD
        + """\
resources: {it: {kind: channels, sharing: groups, groups: 0, window: 4}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: it}], source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:5:59: resources.it.groups: 0 is out of bounds; expected at least 1
""",
    ),
    "groups of no use": (
        HEAD
        + """\
resources: {it: {kind: channels, sharing: private, groups: 4, window: 4}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: it}], source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:5:52: resources.it: 'groups' is of no use: the channels are private; expected 'sharing: groups', or no such key
""",  # noqa: E501
    ),
    "sources by parameter": (
        HEAD
        + """\
resources: {it: {kind: link, bandwidth: 50 GB/s, header: 26 B, source: {bandwidth: {text: a, kind: measured}, mtu: {text: a, kind: measured}}}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: it}], source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:5:72: resources.it.source: 'header' has no source; expected one for each number, or one for the whole entry
broken.yaml:5:111: resources.it.source: 'mtu' has a source but is not given; expected one of kind, bandwidth or header
""",  # noqa: E501
    ),
    "name of a resource": (
        HEAD
        + """\
resources: {a b: {kind: pol}, it: {kind: pool, capacity: 4}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: it}], source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:5:13: resources.a b: the name 'a b' is not allowed; expected a word of letters, digits and _
broken.yaml:5:13: resources: 'a b' is used by no stage; expected a stage with 'uses', or no such entry
broken.yaml:5:25: resources.a b.kind: 'pol' is not known here; expected pool, link, pcie or channels; did you mean 'pool'?
""",  # noqa: E501
    ),
    "list of resources": (
        HEAD
        + """\
resources: [it]
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: it}], source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:5:12: resources: a list does not fit; expected a mapping
""",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_it_says_what_is_wrong_and_where(tmp_path: Path, case: str) -> None:
    text, expected = CASES[case]
    assert error_of(tmp_path, text) == expected
