"""The one family of exceptions that this project raises on purpose."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class EmuError(Exception):
    """Root of every error that a user can meet; its text is complete as it stands."""


class RunError(EmuError):
    """A run that did not come to its end; what went in was read without fault."""


class UnitError(EmuError, ValueError):
    """A quantity that cannot be read, or two quantities that do not go together."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The hint `did you mean 'x'?` for the nearest known word, or nothing if none is near."""
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"did you mean '{near[0]}'?" if near else ""


def listed(words: Iterable[str]) -> str:
    """Words for a sentence: `a, b or c`; `nothing` where there are none."""
    items = list(words)
    if not items:
        return "nothing"
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} or {items[-1]}"
