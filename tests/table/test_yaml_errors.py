"""Files that are not YAML, or not as a table allows it. Each with its whole error text."""

from pathlib import Path

import pytest

from tests.table.broken import HEAD, error_of

CASES = {
    "empty file": (
        """\
""",
        """\
broken.yaml:1:1: YAML: the file is empty; expected a timing table in YAML
""",
    ),
    "comment only": (
        """\
# nothing
""",
        """\
broken.yaml:1:1: YAML: the file is empty; expected a timing table in YAML
""",
    ),
    "list at the top": (
        """\
- a
- b
""",
        """\
broken.yaml:1:1: YAML: the file holds a list; expected a mapping of keys to values
""",
    ),
    "text at the top": (
        """\
pcie_nic
""",
        """\
broken.yaml:1:1: YAML: the file holds 'pcie_nic'; expected a mapping of keys to values
""",
    ),
    "tab in the indentation": (
        """\
schema: 1
clocks:
\tnic: 322 MHz
""",
        """\
broken.yaml:3:1: YAML: a tab stands where YAML allows only spaces; expected spaces
""",
    ),
    "two places": (
        """\
schema: 1
clocks: {nic: 322 MHz
path: []
""",
        """\
broken.yaml:3:5: YAML: while parsing a flow mapping: expected ',' or '}', but got ':' (it began at broken.yaml:2:9); expected valid YAML
""",  # noqa: E501
    ),
    "unclosed quote": (
        """\
schema: 1
title: 'no end
""",
        """\
broken.yaml:3:1: YAML: while scanning a quoted scalar: found unexpected end of stream (it began at broken.yaml:2:8); expected valid YAML
""",  # noqa: E501
    ),
    "mapping inside a line": (
        """\
schema: 1
title: a: b
""",
        """\
broken.yaml:2:9: YAML: mapping values are not allowed here; expected valid YAML
""",
    ),
    "undefined alias": (
        """\
schema: 1
title: *nothing
""",
        """\
broken.yaml:2:8: YAML: found undefined alias 'nothing'; expected valid YAML
""",
    ),
    "anchor twice": (
        """\
schema: &x 1
title: &x 2
""",
        """\
broken.yaml:2:8: YAML: this anchor is set twice, first at broken.yaml:1:9; expected once
""",
    ),
    "control character": (
        """\
schema: 1
title: \x01
""",
        """\
broken.yaml:2:8: YAML: character '\\x01' is not allowed in YAML; expected printable text
""",
    ),
    "duplicate key": (
        HEAD
        + """\
path:
  - {stage: wire, latency: 5 ns, latency: 6 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:6:34: YAML: the key 'latency' is given twice, first at broken.yaml:6:19; expected it once
""",  # noqa: E501
    ),
    "merge key": (
        HEAD
        + """\
path:
  - &wire {stage: wire, latency: 5 ns, source: {text: a test, kind: assumed}}
  - {<<: *wire, name: back, stage: wire, source: {text: a test, kind: assumed}, latency: 5 ns}
""",
        """\
broken.yaml:7:6: YAML: the merge key '<<' is not allowed; expected 'extends:' for a whole table, or an alias for a whole value
""",  # noqa: E501
    ),
    "anchor loop": (
        HEAD
        + """\
path: &path
  - *path
""",
        """\
broken.yaml:5:7: YAML: an anchor contains itself; expected a value that ends
""",
    ),
    "keys that are no text": (
        HEAD
        + """\
1: a
true: b
[a]: c
{a: b}: d
path:
  - {stage: wire, latency: 5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:5:1: YAML: the key 1 is no text; expected a word as the key
broken.yaml:6:1: YAML: the key true is no text; expected a word as the key
broken.yaml:7:1: YAML: a list is used as a key; expected a word as the key
broken.yaml:8:1: YAML: a mapping is used as a key; expected a word as the key
""",
    ),
    "tag": (
        HEAD
        + """\
path:
  - {stage: wire, latency: !!python/object:os.system 5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:6:28: YAML: the tag '!!python/object:os.system' is not allowed; expected a plain value
""",
    ),
    "own tag": (
        HEAD
        + """\
path:
  - {stage: wire, latency: !duration 5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:6:28: YAML: the tag '!duration' is not allowed; expected a plain value
""",
    ),
    "two documents": (
        HEAD
        + """\
path:
  - {stage: wire, latency: 5 ns, source: {text: a test, kind: assumed}}
---
schema: 1
""",
        """\
broken.yaml:8:1: YAML: a second document starts here; expected one document
""",
    ),
    "long number": (
        HEAD
        + """\
path:
  - {stage: wire, latency: 9999999999999999999999999999999999999999 ns, source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:6:28: YAML: the number is too long; expected at most 30 digits
""",
    ),
    "no value": (
        HEAD
        + """\
path:
  - {stage: wire, latency: , source: {text: , kind: assumed}}
""",
        """\
broken.yaml:6:27: path[0] wire.latency: there is no value; expected a value, or the key left out
broken.yaml:6:44: path[0] wire.source.text: there is no value; expected a value, or the key left out
""",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_it_says_what_is_wrong_and_where(tmp_path: Path, case: str) -> None:
    text, expected = CASES[case]
    assert error_of(tmp_path, text) == expected
