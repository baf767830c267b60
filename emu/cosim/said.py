"""Said: what a command printed, cut down to what tells why it failed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

#: So many lines are shown.
SHOWN_LINES = 20
#: A line of cocotb's log, and those that go on with it; what of it says nothing of a failure.
_LOGGED = re.compile(r"\s*(-\.--|\d+\.\d+)ns (?P<level>[A-Z]+)\s+(?P<who>\S+)")
_GOES_ON = re.compile(r"\s{40}")
_ENDED = "cocotb expected it would shut down the simulation"
#: What GHDL says whenever it begins.
_BEGINS = ("loading VPI module ", "VPI module loaded!")


def said_in(log: Path) -> list[str]:
    """The lines of what a command said; none where it said nothing."""
    if not log.exists():
        return []
    return log.read_text(encoding="utf-8", errors="replace").splitlines()


def told(said: Sequence[str]) -> list[str]:
    """The lines that are shown of it: errors alone where it is long, or else the last."""
    lines = [line for block in _blocks(said) if not _is_noise(block) for line in block]
    lines = lines or list(said)
    if len(lines) > SHOWN_LINES:
        lines = _errors(lines)[:SHOWN_LINES] or lines[-SHOWN_LINES:]
    return [f"  {line}" for line in lines]


def _blocks(said: Sequence[str]) -> Iterator[list[str]]:
    """Each line; one of cocotb's log with those that go on with it."""
    block: list[str] = []
    for line in said:
        if block and _LOGGED.match(block[0]) and _GOES_ON.match(line):
            block.append(line)
            continue
        if block:
            yield block
        block = [line]
    if block:
        yield block


def _is_noise(block: Sequence[str]) -> bool:
    logged = _LOGGED.match(block[0])
    if logged is None:
        return block[0].startswith(_BEGINS)
    if logged["level"] in ("INFO", "DEBUG") or logged["who"] == "gpi":
        return True
    return any(_ENDED in line for line in block)


def _errors(lines: Sequence[str]) -> list[str]:
    """Those that are of errors, each with the indented ones that follow it."""
    found = []
    is_error = False
    for line in lines:
        is_error = "error" in line.lower() or (is_error and line.startswith((" ", "\t")))
        if is_error:
            found.append(line)
    return found
