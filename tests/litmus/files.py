"""Litmus tests for tests: small tables, and a file of instructions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from emu.litmus.model import LitmusTest
from emu.litmus.read import read_test

#: 100 ns there, 30 ns in memory, 100 ns back; any number at once, and nothing else.
DELAYS = """\
schema: 1
name: delays
title: Three delays
messages:
  read: {request: 64 B, response: payload}
  write: {request: payload, response: 8 B}
  send: {request: payload, response: 8 B}
  atomic: {request: 64 B, response: 8 B}
path:
  - stage: wire
    name: there
    at: initiator
    latency: 100 ns
    source: &test {text: a test, kind: assumed}
  - {stage: memory, at: target, latency: 30 ns, source: *test}
  - {stage: wire, name: back, at: target, latency: 100 ns, source: *test}
"""

#: A sender that hears of no answers, with a memory behind it.
UNANSWERED = """\
schema: 1
extends: ub_sender
name: unanswered
title: A sender whose answers come from outside
insert:
  - after: framer
    stages:
      - {stage: memory, at: target, latency: 30 ns, source: {text: a test, kind: assumed}}
"""

Program = Sequence[Any]


def document(
    programs: Mapping[str, Program],
    outcomes: Mapping[str, Any],
    *,
    locations: Mapping[str, int] | None = None,
    modes: Mapping[str, Any] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """A test as its file says it; thread n runs on node n, and what is observed is allowed.

    `locations` are names and nodes.
    """
    mode = {"title": "a mode", "tables": ["./delays.yaml"], "allowed": list(outcomes)}
    return {
        "schema": 1,
        "name": "under_test",
        "title": "A test under test",
        "locations": {
            name: {"node": node} for name, node in (locations or {"x": 1, "y": 1}).items()
        },
        "threads": {
            name: {"node": number, "initiator": number, "program": list(program)}
            for number, (name, program) in enumerate(programs.items())
        },
        "start": "0 ns",
        "gap": "0 ns",
        "outcomes": outcomes,
        "modes": modes or {"only_mode": mode},
        **more,
    }


def made(directory: Path, said: Mapping[str, Any]) -> LitmusTest:
    """The test that a document says, read from a file beside the small tables."""
    (directory / "delays.yaml").write_text(DELAYS, encoding="utf-8")
    (directory / "unanswered.yaml").write_text(UNANSWERED, encoding="utf-8")
    file = directory / "under_test.yaml"
    # JSON is YAML too.
    file.write_text(json.dumps(said), encoding="utf-8")
    return read_test(file)
