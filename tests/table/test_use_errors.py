"""Uses of resources that do not go together. Each with the whole text of its error."""

from pathlib import Path

import pytest

from tests.table.broken import HEAD, TITLE, error_of

CASES = {
    "keys of a link on a pool": (
        HEAD
        + """\
resources: {tags: {kind: pool, capacity: 64}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: tags, as: read, to: host, bytes: 64 B}], source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:8:58: path[0] wire.uses[0]: 'as' is given, but 'tags' (broken.yaml:5:13) is of kind pool; expected only resource, when, until, plus and for
broken.yaml:8:68: path[0] wire.uses[0]: 'to' is given, but 'tags' (broken.yaml:5:13) is of kind pool; expected only resource, when, until, plus and for
broken.yaml:8:78: path[0] wire.uses[0]: 'bytes' is given, but 'tags' (broken.yaml:5:13) is of kind pool; expected only resource, when, until, plus and for
""",  # noqa: E501
    ),
    "keys of a pool on a link": (
        HEAD
        + """\
resources: {fibre: {kind: link, bandwidth: 50 GB/s}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: fibre, until: wire, for: 5 ns, as: read, to: host}], source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:8:59: path[0] wire.uses[0]: 'until' is given, but 'fibre' (broken.yaml:5:13) is of kind link; expected only resource, when and bytes
broken.yaml:8:72: path[0] wire.uses[0]: 'for' is given, but 'fibre' (broken.yaml:5:13) is of kind link; expected only resource, when and bytes
broken.yaml:8:83: path[0] wire.uses[0]: 'as' is given, but 'fibre' (broken.yaml:5:13) is of kind link; expected only resource, when and bytes
broken.yaml:8:93: path[0] wire.uses[0]: 'to' is given, but 'fibre' (broken.yaml:5:13) is of kind link; expected only resource, when and bytes
""",  # noqa: E501
    ),
    "keys of a pool on transport channels": (
        HEAD
        + """\
resources: {window: {kind: channels, sharing: shared, window: 4}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: window, bytes: payload}], source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:8:60: path[0] wire.uses[0]: 'bytes' is given, but 'window' (broken.yaml:5:13) is of kind channels; expected only resource, when, until, plus and for
""",  # noqa: E501
    ),
    "pcie without its keys": (
        HEAD
        + """\
resources:
  pcie:
    {kind: pcie, generation: 3, lanes: 8, payload: 256 B, read_request: 512 B,
     completion_boundary: 64 B, header: 26 B, tags: 64, nonposted_credits: 84,
     posted_credits: 88, credit_return: 500 ns}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: pcie, until: wire, bytes: 64 B}], source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:12:41: path[0] wire.uses[0]: 'as' is missing; expected read or write, since 'pcie' (broken.yaml:6:3) is of kind pcie
broken.yaml:12:41: path[0] wire.uses[0]: 'to' is missing; expected host or device, since 'pcie' (broken.yaml:6:3) is of kind pcie
broken.yaml:12:58: path[0] wire.uses[0]: 'until' is given, but 'pcie' (broken.yaml:6:3) is of kind pcie; expected only resource, when, as, to, relaxed_ordering and bytes
""",  # noqa: E501
    ),
    "relaxed what": (
        HEAD
        + """\
resources:
  pcie:
    {kind: pcie, generation: 3, lanes: 8, payload: 256 B, read_request: 512 B,
     completion_boundary: 64 B, header: 26 B, tags: 64, nonposted_credits: 84,
     posted_credits: 88, credit_return: 500 ns}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: pcie, as: write, to: host, relaxed_ordering: true}], source: {text: a test, kind: assumed}}
  - {stage: memory, latency: 5 ns, uses: [{resource: pcie, as: read, to: host, relaxed_ordering: maybe}], source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:12:79: path[0] wire.uses[0]: 'relaxed_ordering' is of no use: a link carries posted writes as they come; expected it of a read, or no such key
broken.yaml:13:98: path[1] memory.uses[0].relaxed_ordering: 'maybe' does not fit; expected true or false
""",  # noqa: E501
    ),
    "pcie which way": (
        HEAD
        + """\
resources:
  pcie:
    {kind: pcie, generation: 3, lanes: 8, payload: 256 B, read_request: 512 B,
     completion_boundary: 64 B, header: 26 B, tags: 64, nonposted_credits: 84,
     posted_credits: 88, credit_return: 500 ns}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: pcie, as: reed, to: hots, bytes: 64}], source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:12:62: path[0] wire.uses[0].as: 'reed' is not known here; expected read or write; did you mean 'read'?
broken.yaml:12:72: path[0] wire.uses[0].to: 'hots' is not known here; expected host or device; did you mean 'host'?
broken.yaml:12:85: path[0] wire.uses[0].bytes: '64' has no unit; expected one of B, KiB, MiB, GiB, KB, kB, MB or GB, as in '64 B'
""",  # noqa: E501
    ),
    "unknown key of a use": (
        HEAD
        + """\
resources: {tags: {kind: pool, capacity: 64}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: tags, untl: wire}], source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:8:58: path[0] wire.uses[0]: unknown key 'untl'; expected one of resource, when, until, plus, for, as, to, relaxed_ordering or bytes; did you mean 'until'?
""",  # noqa: E501
    ),
    "use without a resource": (
        HEAD
        + """\
resources: {tags: {kind: pool, capacity: 64}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{until: wire}, {resource: tags}], source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:8:41: path[0] wire.uses[0]: 'resource' is missing; expected for example 'resource: tags'
""",
    ),
    "plus with for, of nothing, and in cycles of no clock": (
        HEAD
        + """\
resources: {tags: {kind: pool, capacity: 64}, slots: {kind: pool, capacity: 4}, places: {kind: pool, capacity: 4}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: tags, plus: 1 ns, for: 10 ns}], source: {text: a test, kind: assumed}}
  - {stage: memory, latency: 5 ns, uses: [{resource: slots, plus: 0 ns}], source: {text: a test, kind: assumed}}
  - {stage: completion, latency: 5 ns, uses: [{resource: places, plus: 2 cycles}], source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:8:41: path[0] wire.uses[0]: 'for' and 'plus' are both given; expected one of the two
broken.yaml:9:67: path[1] memory.uses[0].plus: what is held no longer holds up nobody; expected more than zero, or no 'plus'
broken.yaml:10:72: path[2] completion.uses[0].plus: the stage has no clock whose cycles these could be; expected a time, as in '10 ns'
""",  # noqa: E501
    ),
    "until and for": (
        HEAD
        + """\
resources: {tags: {kind: pool, capacity: 64}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: tags, until: wire, for: 10 ns}], source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:8:41: path[0] wire.uses[0]: 'until' and 'for' are both given; expected one of the two
""",
    ),
    "for no time": (
        HEAD
        + """\
resources: {tags: {kind: pool, capacity: 64}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: tags, for: 0 ns}], source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:8:63: path[0] wire.uses[0].for: what is held for no time holds up nobody; expected more than zero, as in '100 ns'
""",  # noqa: E501
    ),
    "for cycles": (
        HEAD
        + """\
resources: {tags: {kind: pool, capacity: 64}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: tags, for: 9 cycles}], source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:8:63: path[0] wire.uses[0].for: '9 cycles' has the unknown unit 'cycles'; expected one of ps, ns, us, µs, ms or s
""",  # noqa: E501
    ),
    "when of no use": (
        TITLE
        + """\
messages: {read: {request: 64 B, response: payload}, write: {request: payload, response: 8 B}}
resources: {tags: {kind: pool, capacity: 64}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, when: [read], latency: 5 ns, uses: [{resource: tags, when: [read, write, raed]}], source: {text: a test, kind: assumed}}
  - {stage: memory, when: [read], latency: 5 ns, uses: [{resource: tags, when: [atomic, write]}], source: {text: a test, kind: assumed}}
  - {stage: completion, latency: 5 ns, uses: [{resource: tags, when: []}], source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:8:92: path[0] wire.uses[0].when[2]: 'raed' is no operation; expected read, write, send, fetch_and_add, compare_and_swap, load, store or atomic; did you mean 'read'?
broken.yaml:9:81: path[1] memory.uses[0].when[0]: 'atomic' is of no use: no such operation passes here; expected one of read
broken.yaml:9:89: path[1] memory.uses[0].when[1]: 'write' is of no use: no such operation passes here; expected one of read
broken.yaml:10:70: path[2] completion.uses[0].when: no operation is named; expected at least one, or no 'when'
""",  # noqa: E501
    ),
    "two links for one operation": (
        HEAD
        + """\
resources: {fibre: {kind: link, bandwidth: 50 GB/s}, spare: {kind: link, bandwidth: 50 GB/s}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: fibre}, {resource: spare, when: [read]}], source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:8:71: path[0] wire.uses[1].resource: a read goes by 'spare' here and by 'fibre' at uses[0] (broken.yaml:8:52); expected one link or PCIe for each operation; 'when' tells them apart
""",  # noqa: E501
    ),
    "one link twice": (
        TITLE
        + """\
messages: {read: {request: 64 B, response: payload}, write: {request: payload, response: 8 B}}
resources:
  pcie:
    {kind: pcie, generation: 3, lanes: 8, payload: 256 B, read_request: 512 B,
     completion_boundary: 64 B, header: 26 B, tags: 64, nonposted_credits: 84,
     posted_credits: 88, credit_return: 500 ns}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: pcie, as: read, to: device, when: [write, read]}, {resource: pcie, as: write, to: host, when: [write]}], source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:12:113: path[0] wire.uses[1].resource: a write goes by 'pcie' here and by 'pcie' at uses[0] (broken.yaml:12:52); expected one link or PCIe for each operation; 'when' tells them apart
""",  # noqa: E501
    ),
    "a pool twice for one operation": (
        TITLE
        + """\
messages: {read: {request: 64 B, response: payload}, write: {request: payload, response: 8 B}}
resources: {tags: {kind: pool, capacity: 64}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: tags, when: [read, write]}, {resource: tags, when: [write]}], source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:8:91: path[0] wire.uses[1].resource: a write takes 'tags' here and at uses[0] (broken.yaml:8:52); expected it once for each operation; 'when' tells them apart
""",  # noqa: E501
    ),
    "bandwidth beside a link": (
        HEAD
        + """\
resources: {fibre: {kind: link, bandwidth: 50 GB/s}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, bandwidth: 50 GB/s, mtu: 4096 B, uses: [{resource: fibre}], source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:8:34: path[0] wire: 'bandwidth' is given, but the bytes go by 'fibre' (broken.yaml:8:85); expected one of the two
""",  # noqa: E501
    ),
    "mtu beside a link": (
        HEAD
        + """\
resources: {fibre: {kind: link, bandwidth: 50 GB/s}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, mtu: 4096 B, header: 26 B, cut_through: 64 B, uses: [{resource: fibre}], source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:8:34: path[0] wire: 'mtu' is of no use without a bandwidth; expected no such key: the link that it uses has its own
broken.yaml:8:47: path[0] wire: 'header' is of no use without a bandwidth; expected no such key: the link that it uses has its own
""",  # noqa: E501
    ),
    "cut_through beside a pool": (
        HEAD
        + """\
resources: {tags: {kind: pool, capacity: 64}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, cut_through: 64 B, uses: [{resource: tags}], source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:8:34: path[0] wire: 'cut_through' is of no use without a bandwidth; expected for example 'bandwidth: 50 GB/s'
""",  # noqa: E501
    ),
    "resolution beside a link": (
        HEAD
        + """\
resources: {fibre: {kind: link, bandwidth: 50 GB/s}}
resolution: {step: 1 ns, round: down}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: fibre}], source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:9:52: path[0] wire.uses[0].resource: the table has a resolution (broken.yaml:6:1), but the time on 'fibre' can't be rounded; expected no resolution, or a 'bandwidth' here
""",  # noqa: E501
    ),
    "taken while held until later": (
        HEAD
        + """\
resources: {tags: {kind: pool, capacity: 64}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: tags, until: memory}], source: {text: a test, kind: assumed}}
  - {stage: memory, latency: 5 ns, uses: [{resource: tags}], source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:9:54: path[1] memory.uses[0].resource: a read takes 'tags' here while it holds that of path[0] wire.uses[0] (broken.yaml:8:52) until 'memory'; expected it given back before, or another resource
""",  # noqa: E501
    ),
    "taken while held by a range that overlaps": (
        HEAD
        + """\
resources: {tags: {kind: pool, capacity: 64}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: tags, until: memory}], source: {text: a test, kind: assumed}}
  - {stage: on_chip_bus, latency: 5 ns, uses: [{resource: tags, until: completion}], source: {text: a test, kind: assumed}}
  - {stage: memory, latency: 5 ns, source: {text: a test, kind: assumed}}
  - {stage: completion, latency: 5 ns, uses: [{resource: tags}], source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:9:59: path[1] on_chip_bus.uses[0].resource: a read takes 'tags' here while it holds that of path[0] wire.uses[0] (broken.yaml:8:52) until 'memory'; expected it given back before, or another resource
broken.yaml:11:58: path[3] completion.uses[0].resource: a read takes 'tags' here while it holds that of path[1] on_chip_bus.uses[0] (broken.yaml:9:59) until 'completion'; expected it given back before, or another resource
""",  # noqa: E501
    ),
    "taken while held for a time": (
        HEAD
        + """\
resources: {window: {kind: channels, sharing: private, window: 4}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: window, for: 100 ns}], source: {text: a test, kind: assumed}}
  - {stage: memory, latency: 5 ns, uses: [{resource: window}], source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:9:54: path[1] memory.uses[0].resource: a read takes 'window' here while it holds that of path[0] wire.uses[0] (broken.yaml:8:52) for 100 ns; expected it given back before, or another resource
""",  # noqa: E501
    ),
    "taken while held by one operation": (
        TITLE
        + """\
messages: {read: {request: 64 B, response: payload}, write: {request: payload, response: 8 B}}
resources: {tags: {kind: pool, capacity: 64}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, when: [write], uses: [{resource: tags, until: memory}], source: {text: a test, kind: assumed}}
  - {stage: on_chip_bus, latency: 5 ns, when: [read], uses: [{resource: tags}], source: {text: a test, kind: assumed}}
  - {stage: memory, latency: 5 ns, uses: [{resource: tags}], source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:10:54: path[2] memory.uses[0].resource: a write takes 'tags' here while it holds that of path[0] wire.uses[0] (broken.yaml:8:67) until 'memory'; expected it given back before, or another resource
""",  # noqa: E501
    ),
    "uses of the wrong type": (
        HEAD
        + """\
resources: {tags: {kind: pool, capacity: 64}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: tags, source: {text: a test, kind: assumed}}
  - {stage: memory, latency: 5 ns, uses: [tags], source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:8:40: path[0] wire.uses: 'tags' does not fit; expected a list
broken.yaml:9:43: path[1] memory.uses[0]: 'tags' does not fit; expected a mapping
""",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_it_says_what_is_wrong_and_where(tmp_path: Path, case: str) -> None:
    text, expected = CASES[case]
    assert error_of(tmp_path, text) == expected
