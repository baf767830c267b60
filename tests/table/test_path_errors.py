"""Stages that do not go together. Each with the whole text of its error."""

from pathlib import Path

import pytest

from tests.table.broken import HEAD, error_of

CASES = {
    "duplicate name": (
        HEAD
        + """\
path:
  - {stage: wire, latency: 5 ns, source: {text: a test, kind: assumed}}
  - {stage: wire, latency: 5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:7:13: path[1] wire: the name 'wire' is taken by the stage at broken.yaml:6:5; expected another, as in 'name: wire_2'
""",  # noqa: E501
    ),
    "unknown resource": (
        HEAD
        + """\
resources: {tags: {kind: pool, capacity: 64}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: tag}, {resource: tags}], source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:8:52: path[0] wire.uses[0].resource: there is no resource 'tag'; expected one of the table's resources: tags; did you mean 'tags'?
""",  # noqa: E501
    ),
    "unused resource": (
        HEAD
        + """\
resources: {tags: {kind: pool, capacity: 64}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, bandwidth: 50 GB/s, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:5:13: resources: 'tags' is used by no stage; expected a stage with 'uses', or no such entry
""",  # noqa: E501
    ),
    "bad resource": (
        HEAD
        + """\
resources: {tags: {kind: pol, capacity: 0}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: tags}], source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:5:26: resources.tags.kind: 'pol' is not known here; expected pool, link, pcie or channels; did you mean 'pool'?
broken.yaml:5:41: resources.tags.capacity: 0 is no count; expected a whole number from 1 on, or 'unlimited'
""",  # noqa: E501
    ),
    "resource twice": (
        HEAD
        + """\
resources: {tags: {kind: pool, capacity: 64}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, uses: [{resource: tags}, {resource: tags}], source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:8:70: path[0] wire.uses[1].resource: a read takes 'tags' here and at uses[0] (broken.yaml:8:52); expected it once for each operation; 'when' tells them apart
""",  # noqa: E501
    ),
    "until before": (
        HEAD
        + """\
resources: {tags: {kind: pool, capacity: 64}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: wire, latency: 5 ns, source: {text: a test, kind: assumed}}
  - {stage: memory, latency: 5 ns, uses: [{resource: tags, until: wire}], source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:9:67: path[1] memory.uses[0].until: stage 'wire' comes before this one; expected this stage or a later one
""",  # noqa: E501
    ),
    "until nowhere": (
        HEAD
        + """\
resources: {tags: {kind: pool, capacity: 64}}
defaults: {queue: unlimited, depth: unlimited}
path:
  - {stage: memory, latency: 5 ns, uses: [{resource: tags, until: memry}], source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:8:67: path[0] memory.uses[0].until: there is no stage 'memry'; expected one of memory; did you mean 'memory'?
""",  # noqa: E501
    ),
    "arbitration": (
        HEAD
        + """\
path:
  - {stage: wire, latency: 5 ns, source: {text: a test, kind: assumed}}
  - {stage: memory, latency: 5 ns, depth: 4, queue: 4, arbitration: [wir, memory, wire, wire], source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:7:70: path[1] memory.arbitration[0]: no stage 'wir' comes before this one; expected one of wire; did you mean 'wire'?
broken.yaml:7:75: path[1] memory.arbitration[1]: no stage 'memory' comes before this one; expected one of wire
broken.yaml:7:89: path[1] memory.arbitration[3]: 'wire' is named twice; expected it once
""",  # noqa: E501
    ),
    "two turning points": (
        HEAD
        + """\
path:
  - {stage: memory, latency: 5 ns, source: {text: a test, kind: assumed}}
  - {stage: memory, name: again, latency: 5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:7:5: path[1] again: a read takes effect here and at path[0] memory (broken.yaml:6:5); expected one such stage for each operation; 'when' tells them apart
""",  # noqa: E501
    ),
    "other operations": (
        HEAD
        + """\
other_operations: ub_asinc
path:
  - {stage: wire, latency: 5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:5:19: other_operations: there is no table 'ub_asinc'; expected one of {TABLES}; did you mean 'ub_async'?
""",  # noqa: E501
    ),
    "other operations in a file": (
        HEAD
        + """\
other_operations: ./nowhere.yaml
path:
  - {stage: wire, latency: 5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:5:19: other_operations: there is no file './nowhere.yaml'; expected a shipped table's name, or a file seen from this one's directory
""",  # noqa: E501
    ),
    "several at once": (
        HEAD
        + """\
clocks: {nic: 322 MHz, spare: 1 GHz}
path:
  - {stage: wire, latncy: 5 ns, source: {text: a test, kind: assumed}}
  - {stage: memory, latency: 5, source: {text: a test, kind: assumed}}
  - {stage: nic_pipeline, clock: nic, latency: 9 ns, interval: 1 cycle, source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:5:24: clocks: 'spare' is used by no stage; expected a stage with 'clock', or no such entry
broken.yaml:7:5: path[0] wire: 'latency' is missing; expected for example 'latency: 150 ns'
broken.yaml:7:19: path[0] wire: unknown key 'latncy'; expected one of {KEYS}; did you mean 'latency'?
broken.yaml:8:30: path[1] memory.latency: '5' has no unit; expected one of ps, ns, us, µs, ms, s, cycle or cycles, as in '150 ns' or '9 cycles'
broken.yaml:9:5: path[2] nic_pipeline: 'queue' is missing; expected for example 'queue: 4' or 'queue: unlimited', here or in 'defaults'
broken.yaml:9:5: path[2] nic_pipeline: 'depth' is missing; expected for example 'depth: 9' or 'depth: unlimited', here or in 'defaults'
broken.yaml:9:48: path[2] nic_pipeline.latency: '9 ns' is no number of cycles, but the stage has a clock; expected for example '9 cycles', or no 'clock'
""",  # noqa: E501
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_it_says_what_is_wrong_and_where(tmp_path: Path, case: str) -> None:
    text, expected = CASES[case]
    assert error_of(tmp_path, text) == expected
