"""Documents whose examples are tested: what stands in a block is what a file or a command holds."""

from __future__ import annotations

import re

#: A comment that says what the block behind it is: its kind, and a name or a command.
_BLOCK = re.compile(r"<!-- (\w+)(?:: (.+?))? -->\n```\w+\n(.*?)```", re.DOTALL)


def all_blocks(document: str) -> list[tuple[str, str, str]]:
    """Kind, name and text of each block, in order."""
    return _BLOCK.findall(document)


def blocks(document: str, kind: str) -> list[tuple[str, str]]:
    """Name and text of each block of a kind."""
    return [(name, text) for found, name, text in all_blocks(document) if found == kind]


def trimmed(text: str) -> list[str]:
    """Lines without what is not seen."""
    return [line.rstrip() for line in text.strip().splitlines()]
