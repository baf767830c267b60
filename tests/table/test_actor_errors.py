"""Entries of actors: clock, units, and the stages they name. Each with its whole error."""

from pathlib import Path

import pytest

from tests.table.broken import HEAD, error_of
from tests.table.keepers import with_keepers

CASES = {
    "unknown clock": (
        HEAD
        + """\
clocks: {nic: 322 MHz, far: {period: 3 ns, aligned: false}}
path:
  - {stage: watcher, clock: nik, latency: 3 cycles, source: {text: a test, kind: assumed}}
  - {stage: wire, name: w, clock: far, latency: 2 cycles, interval: 1 cycle, depth: 4, queue: 4, source: {text: a test, kind: assumed}}
  - {stage: memory, latency: 5 ns, source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:5:10: clocks: 'nic' is used by no stage; expected a stage with 'clock', or no such entry
broken.yaml:7:29: path[0] watcher.clock: there is no clock 'nik'; expected one of the table's clocks: nic or far; did you mean 'nic'?
""",  # noqa: E501
    ),
    "clock without edges": (
        HEAD
        + """\
clocks: {far: {period: 3 ns, aligned: false}}
path:
  - {stage: watcher, clock: far, latency: 3 cycles, source: {text: a test, kind: assumed}}
  - {stage: memory, latency: 5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:7:29: path[0] watcher.clock: clock 'far' has no edges, and this stage decides on edges; expected a clock without 'aligned: false'
""",  # noqa: E501
    ),
    "no clock at all": (
        HEAD
        + """\
path:
  - {stage: watcher, clock: nic, latency: 3 cycles, source: {text: a test, kind: assumed}}
  - {stage: memory, latency: 5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:6:29: path[0] watcher.clock: there is no clock 'nic'; expected one of the table's clocks: nothing
""",  # noqa: E501
    ),
    "cycles without a clock": (
        HEAD
        + """\
path:
  - {stage: watcher, latency: 3 cycles, source: {text: a test, kind: assumed}}
  - {stage: memory, latency: 5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:6:31: path[0] watcher.latency: 3 cycles of which clock?; expected a 'clock', or a time such as '28 ns'
""",  # noqa: E501
    ),
    "time with a clock": (
        HEAD
        + """\
clocks: {nic: 322 MHz}
path:
  - {stage: watcher, clock: nic, latency: 3 ns, delay: 5 ns, source: {text: a test, kind: assumed}}
  - {stage: memory, latency: 5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:7:43: path[0] watcher.latency: '3 ns' is no number of cycles, but the stage has a clock; expected for example '9 cycles', or no 'clock'
""",  # noqa: E501
    ),
    "unknown watched stage": (
        HEAD
        + """\
path:
  - {stage: watcher, latency: 3 ns, until: memroy, source: {text: a test, kind: assumed}}
  - {stage: memory, latency: 5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:6:44: path[0] watcher.until: there is no stage 'memroy'; expected one of watcher or memory; did you mean 'memory'?
""",  # noqa: E501
    ),
    "watched stage before": (
        HEAD
        + """\
path:
  - {stage: memory, latency: 5 ns, source: {text: a test, kind: assumed}}
  - {stage: watcher, latency: 3 ns, until: memory, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:7:44: path[1] watcher.until: stage 'memory' comes before this one; expected this stage or a later one
""",  # noqa: E501
    ),
    "watched by its kind, not by its name": (
        HEAD
        + """\
path:
  - {stage: watcher, latency: 3 ns, until: memory, source: {text: a test, kind: assumed}}
  - {stage: memory, name: dram, latency: 5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:6:44: path[0] watcher.until: there is no stage 'memory'; expected one of watcher or dram
""",
    ),
    "always watches a stage that is not there": (
        HEAD
        + """\
path:
  - {stage: watches_memory, source: {text: a test, kind: assumed}}
  - {stage: wire, latency: 5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:6:13: path[0] watches_memory.stage: there is no stage 'memory'; expected one of watches_memory or wire; did you mean 'watches_memory'?
""",  # noqa: E501
    ),
    "announced by none": (
        HEAD
        + """\
path:
  - {stage: watcher, latency: 3 ns, after: scheduler, source: {text: a test, kind: assumed}}
  - {stage: memory, latency: 5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:6:44: path[0] watcher.after: there is no stage 'scheduler'; expected one of watcher or memory
""",  # noqa: E501
    ),
    "announced by itself": (
        HEAD
        + """\
path:
  - {stage: watcher, latency: 3 ns, after: watcher, source: {text: a test, kind: assumed}}
  - {stage: memory, latency: 5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:6:44: path[0] watcher.after: stage 'watcher' does not come before this one; expected an earlier stage
""",  # noqa: E501
    ),
    "announced by a later one": (
        HEAD
        + """\
path:
  - {stage: watcher, name: a, latency: 3 ns, after: b, source: {text: a test, kind: assumed}}
  - {stage: watcher, name: b, latency: 3 ns, source: {text: a test, kind: assumed}}
  - {stage: memory, latency: 5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:6:53: path[0] a.after: stage 'b' does not come before this one; expected an earlier stage
""",  # noqa: E501
    ),
    "announced by a stage without rules": (
        HEAD
        + """\
path:
  - {stage: watcher, name: a, latency: 3 ns, source: {text: a test, kind: assumed}}
  - {stage: memory, latency: 5 ns, source: {text: a test, kind: assumed}}
  - {stage: watcher, name: b, latency: 3 ns, after: memory, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:8:53: path[2] b.after: stage 'memory' has no rules of its own, and announces nothing; expected one of a
""",  # noqa: E501
    ),
    "announced by one that gives no numbers, while a later one does": (
        HEAD
        + """\
path:
  - {stage: watcher, name: a, latency: 3 ns, source: {text: a test, kind: assumed}}
  - {stage: numbers, name: b, latency: 3 ns, source: {text: a test, kind: assumed}}
  - {stage: memory, latency: 5 ns, source: {text: a test, kind: assumed}}
  - {stage: needs_numbers, latency: 3 ns, after: a, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:9:50: path[3] needs_numbers.after: stage 'a' gives requests no numbers, and no stage before it does; expected one of b
""",  # noqa: E501
    ),
    "nobody gives numbers": (
        HEAD
        + """\
path:
  - {stage: watcher, name: a, latency: 3 ns, source: {text: a test, kind: assumed}}
  - {stage: needs_numbers, latency: 3 ns, after: a, source: {text: a test, kind: assumed}}
  - {stage: memory, latency: 5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:7:50: path[1] needs_numbers.after: stage 'a' gives requests no numbers, and no stage before it does; expected a stage that gives them, before this one
""",  # noqa: E501
    ),
    "numbers may be given before they are announced": (
        HEAD
        + """\
path:
  - {stage: numbers, name: a, latency: 3 ns, source: {text: a test, kind: assumed}}
  - {stage: watcher, name: b, latency: 3 ns, source: {text: a test, kind: assumed}}
  - {stage: needs_numbers, latency: 3 ns, after: b, until: x, source: {text: a test, kind: assumed}}
  - {stage: memory, latency: 5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:8:60: path[2] needs_numbers.until: there is no stage 'x'; expected one of a, b, needs_numbers or memory
""",  # noqa: E501
    ),
    "clock and overflow where there is none": (
        HEAD
        + """\
clocks: {nic: 322 MHz}
path:
  - {stage: keeper, bandwidth: 50 GB/s, clock: nic, overflow: drop, source: {text: a test, kind: assumed}}
  - {stage: memory, latency: 5 ns, source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:7:41: path[0] keeper: 'clock' is given, but this stage keeps its own time; expected only its own parameters
broken.yaml:7:53: path[0] keeper: 'overflow' is given, but this stage keeps its own time; expected only its own parameters
""",  # noqa: E501
    ),
    "overflow that there is not": (
        HEAD
        + """\
path:
  - {stage: watcher, latency: 3 ns, overflow: wait, source: {text: a test, kind: assumed}}
  - {stage: memory, latency: 5 ns, source: {text: a test, kind: assumed}}
""",
        """\
broken.yaml:6:47: path[0] watcher.overflow: 'wait' is not known here; expected hold, drop or error
""",
    ),
    "all at once": (
        HEAD
        + """\
clocks: {nic: 322 MHz}
path:
  - {stage: watcher, clock: nci, latency: 3 ns, until: mem, queue: 4, source: {text: a test, kind: assumed}}
  - {stage: memory, latency: 5 ns, source: {text: a test, kind: assumed}}
""",  # noqa: E501
        """\
broken.yaml:5:10: clocks: 'nic' is used by no stage; expected a stage with 'clock', or no such entry
broken.yaml:7:29: path[0] watcher.clock: there is no clock 'nci'; expected one of the table's clocks: nic; did you mean 'nic'?
broken.yaml:7:43: path[0] watcher.latency: '3 ns' is no number of cycles, but the stage has a clock; expected for example '9 cycles', or no 'clock'
broken.yaml:7:56: path[0] watcher.until: there is no stage 'mem'; expected one of watcher or memory; did you mean 'memory'?
broken.yaml:7:61: path[0] watcher: 'queue' is given, but this stage keeps its own time; expected only its own parameters
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
