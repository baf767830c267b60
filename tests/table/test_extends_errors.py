"""Tables that extend others wrongly. Each with the whole text of its error."""

from pathlib import Path

import pytest

from tests.table.broken import TITLE, error_of, write

OTHERS = {
    "base.yaml": """\
schema: 1
name: base
title: A base
messages: {read: {request: 64 B, response: payload}}
path:
  - {stage: doorbell, latency: 150 ns, source: {text: a test, kind: assumed}}
  - {stage: wire, latency: 100 ns, source: {text: a test, kind: assumed}}
  - {stage: memory, latency: 30 ns, source: {text: a test, kind: assumed}}
""",
    "circle.yaml": """\
schema: 1
name: circle
title: A circle table
extends: ./broken.yaml
""",
    "broken_base.yaml": """\
schema: 1
name: base
title: A base
messages: {read: {request: 64 B, response: payload}}
path:
  - {stage: doorbell, latency: 150, source: {text: a test, kind: assumed}}
  - {stage: wire, latency: 100 ns, source: {text: a test, kind: assumed}}
  - {stage: memory, latency: 30 ns, source: {text: a test, kind: assumed}}
""",
}

CASES = {
    "unknown name": (
        TITLE
        + """\
extends: pcie_nik
""",
        """\
broken.yaml:4:10: extends: there is no table 'pcie_nik'; expected one of {TABLES}, or a file such as ./pcie_nik.yaml; did you mean 'pcie_nic'?
""",  # noqa: E501
    ),
    "missing file": (
        TITLE
        + """\
extends: ./nowhere.yaml
""",
        """\
broken.yaml:4:10: extends: there is no file 'nowhere.yaml'; expected a shipped table's name, or a file seen from this one's directory
""",  # noqa: E501
    ),
    "extends no text": (
        TITLE
        + """\
extends: [base.yaml]
""",
        """\
broken.yaml:4:10: extends: a list is no table; expected a shipped table's name or a file, as in 'extends: pcie_nic'
""",  # noqa: E501
    ),
    "extends itself": (
        TITLE
        + """\
extends: ./broken.yaml
""",
        """\
broken.yaml:4:10: extends: the tables go in a circle: broken.yaml extends broken.yaml; expected a table that does not come back to this one
""",  # noqa: E501
    ),
    "circle": (
        TITLE
        + """\
extends: ./circle.yaml
""",
        """\
circle.yaml:4:10: extends: the tables go in a circle: broken.yaml extends circle.yaml extends broken.yaml; expected a table that does not come back to this one
""",  # noqa: E501
    ),
    "base is broken": (
        TITLE
        + """\
extends: ./broken_base.yaml
""",
        """\
broken_base.yaml:6:32: path[0] doorbell.latency: '150' has no unit; expected one of ps, ns, us, µs, ms, s, cycle or cycles, as in '150 ns' or '9 cycles'
""",  # noqa: E501
    ),
    "changes without extends": (
        TITLE
        + """\
messages: {read: {request: 64 B, response: payload}}
drop: [wire]
path:
  - {stage: wire, latency: 5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:5:1: table: 'drop' changes another table's path, but no table is extended; expected 'extends: NAME' beside it, or a 'path'
""",  # noqa: E501
    ),
    "path and extends": (
        TITLE
        + """\
extends: ./base.yaml
path:
  - {stage: wire, latency: 5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:5:1: table: 'path' and 'extends' are both given; expected a path of its own, or 'drop', 'replace' and 'insert'
""",  # noqa: E501
    ),
    "drop": (
        TITLE
        + """\
extends: ./base.yaml
drop: [dorbell, wire, wire, 3]
""",
        """\
broken.yaml:5:8: drop[0]: the extended table has no stage 'dorbell'; expected one of doorbell, wire or memory; did you mean 'doorbell'?
broken.yaml:5:23: drop[2]: stage 'wire' is dropped; expected one of doorbell or memory
broken.yaml:5:29: drop[3]: 3 is no name; expected a stage's name
""",  # noqa: E501
    ),
    "drop no list": (
        TITLE
        + """\
extends: ./base.yaml
drop: wire
""",
        """\
broken.yaml:5:7: drop: 'wire' is no list; expected for example 'drop: [doorbell]'
""",
    ),
    "drop and replace": (
        TITLE
        + """\
extends: ./base.yaml
drop: [wire]
replace:
  wire: {stage: wire, latency: 5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:5:8: drop[0]: stage 'wire' is dropped here and replaced at broken.yaml:7:3; expected one of the two
""",  # noqa: E501
    ),
    "replace": (
        TITLE
        + """\
extends: ./base.yaml
replace:
  wir: {stage: wire, latency: 5 ns, source: {text: a test, kind: assumed}}
  memory: 5
  wire: {stage: wire, name: other, latency: 5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:6:3: replace.wir: the extended table has no stage 'wir'; expected one of doorbell, wire or memory; did you mean 'wire'?
broken.yaml:7:11: replace.memory: 5 is no stage entry; expected for example 'replace: {wire: {stage: wire, latency: 80 ns, source: …}}'
broken.yaml:8:29: replace.wire.name: the stage would be renamed to 'other'; expected 'wire', or no name
""",  # noqa: E501
    ),
    "replace no mapping": (
        TITLE
        + """\
extends: ./base.yaml
replace: [wire]
""",
        """\
broken.yaml:5:10: replace: a list is no mapping; expected for example 'replace: {wire: {stage: wire, latency: 80 ns, source: …}}'
""",  # noqa: E501
    ),
    "replaced entry is broken": (
        TITLE
        + """\
extends: ./base.yaml
replace:
  wire: {stage: wire, latency: 5 nss, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:6:32: path[1] wire.latency: '5 nss' has the unknown unit 'nss'; expected one of ps, ns, us, µs, ms, s, cycle or cycles; did you mean 'ns'?
""",  # noqa: E501
    ),
    "insert": (
        TITLE
        + """\
extends: ./base.yaml
insert:
  - {before: wire, after: wire, stages: [{stage: wire, name: back, latency: 5 ns, source: {text: a test, kind: assumed}}]}
  - {befor: wire, stages: [{stage: wire, name: back, latency: 5 ns, source: {text: a test, kind: assumed}}]}
  - {after: wir, stages: [{stage: wire, name: back, latency: 5 ns, source: {text: a test, kind: assumed}}]}
  - {after: 3, stages: [{stage: wire, name: back, latency: 5 ns, source: {text: a test, kind: assumed}}]}
  - {after: wire}
  - {after: wire, stages: []}
  - wire
""",  # noqa: E501
        """\
broken.yaml:6:5: insert[0]: 'before' and 'after' are both given; expected one of the two, as in 'insert: [{after: wire, stages: [{stage: memory, latency: 30 ns, source: …}]}]'
broken.yaml:7:5: insert[1]: 'before' or 'after' is missing; expected one of the two, as in 'insert: [{after: wire, stages: [{stage: memory, latency: 30 ns, source: …}]}]'
broken.yaml:7:6: insert[1]: unknown key 'befor'; expected one of before, after or stages; did you mean 'before'?
broken.yaml:8:13: insert[2].after: the extended table has no stage 'wir'; expected one of doorbell, wire or memory; did you mean 'wire'?
broken.yaml:9:13: insert[3].after: 3 is no name; expected a stage's name
broken.yaml:10:5: insert[4]: 'stages' is missing; expected for example 'insert: [{after: wire, stages: [{stage: memory, latency: 30 ns, source: …}]}]'
broken.yaml:11:27: insert[5]: 'stages' holds no list of stages; expected for example 'insert: [{after: wire, stages: [{stage: memory, latency: 30 ns, source: …}]}]'
broken.yaml:12:5: insert[6]: 'wire' is no mapping; expected for example 'insert: [{after: wire, stages: [{stage: memory, latency: 30 ns, source: …}]}]'
""",  # noqa: E501
    ),
    "insert beside a dropped stage": (
        TITLE
        + """\
extends: ./base.yaml
drop: [wire]
insert:
  - {after: wire, stages: [{stage: wire, name: back, latency: 5 ns, source: {text: a test, kind: assumed}}]}
""",  # noqa: E501
        """\
broken.yaml:7:13: insert[0].after: stage 'wire' is dropped; expected one of doorbell or memory
""",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_it_says_what_is_wrong_and_where(tmp_path: Path, case: str) -> None:
    for name, text in OTHERS.items():
        write(tmp_path, name, text)
    text, expected = CASES[case]
    assert error_of(tmp_path, text) == expected
