"""Exit codes: 1 for a run that does not end well, 2 for input that can't be read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CIRCLE = """
schema: 1
name: circle
title: Two pools, taken in opposite order
defaults: {queue: unlimited, depth: unlimited}
resources:
  a: {kind: pool, capacity: 1}
  b: {kind: pool, capacity: 1}
messages:
  read: {request: 64 B, response: payload}
  write: {request: payload, response: 8 B}
path:
  - {stage: wire, name: r1, when: [read], latency: 10 ns, uses: [{resource: a, until: r2}],
     source: {text: "a test", kind: assumed}}
  - {stage: wire, name: w1, when: [write], latency: 10 ns, uses: [{resource: b, until: w2}],
     source: {text: "a test", kind: assumed}}
  - {stage: wire, name: r2, when: [read], latency: 10 ns, uses: [{resource: b}],
     source: {text: "a test", kind: assumed}}
  - {stage: wire, name: w2, when: [write], latency: 10 ns, uses: [{resource: a}],
     source: {text: "a test", kind: assumed}}
"""
MIX = "{kind: burst, mix: [{operation: read, bytes: 64 B}, {operation: write, bytes: 64 B}]}"


def emu(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "emu", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)


def test_a_circle_of_waits_is_told_and_exits_with_1(tmp_path: Path) -> None:
    (tmp_path / "circle.yaml").write_text(CIRCLE, "utf-8")
    ran = emu("run", "./circle.yaml", "--workload", MIX, "--requests", "20", folder=tmp_path)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "waits for a, held by" in ran.stderr
    assert "in a circle: " in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_table_that_is_not_there_exits_with_2(tmp_path: Path) -> None:
    ran = emu("run", "./circle.yaml", folder=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "circle.yaml" in ran.stderr
