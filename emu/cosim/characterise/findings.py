"""Findings: what was measured of a DUT, and what could not be told, with the reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

#: What is reported of every DUT, in this order.
KEYS = (
    "latency_cycles",
    "interval_cycles",
    "depth",
    "refill",
    "outstanding",
    "hold_from",
    "hold_until",
    "refill_cycles",
    "credits",
    "credit_return_cycles",
    "accept_cycles",
    "steady_interval_cycles",
    "waiting",
    "waiting_refill_cycles",
    "request_cycles",
    "request_interval_cycles",
    "answer_cycles",
    "answer_accept_cycles",
    "answer_interval_cycles",
    "answer_beat_cycles",
    "tag_return_cycles",
    "order",
    "settle_cycles",
    "stage",
    "batch",
    "batches",
    "batch_interval_cycles",
    "pick",
    "queues",
    "fence",
    "tracking",
    "strict",
    "unanswered",
)
UNLIMITED = "unlimited"
#: By how many cycles after a place became free it is taken, in a table's words.
REFILL = ("at_once", "next_edge")
Value = int | str | None


@dataclass
class Findings:
    """Key to its value, `None` where it is unknown; and what was said about it, in words."""

    values: dict[str, Value] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    #: What a table takes in place of what is unknown.
    _assumed: dict[str, Value] = field(default_factory=dict)

    def found(self, key: str, value: Value, words: str, *, assumed: Value = None) -> None:
        """A value and how it was found, or `None`, why it is not known, and what a table takes."""
        assert key in KEYS
        self.values[key] = value
        self.words[key] = words
        self._assumed[key] = assumed

    def assumed(self, key: str) -> Value:
        """The value, or where it is unknown what a table takes in its place."""
        value = self.values.get(key)
        return self._assumed.get(key) if value is None else value

    def number(self, key: str) -> int | None:
        """The value, if it is a number."""
        value = self.values.get(key)
        return value if isinstance(value, int) else None

    def as_json(self) -> dict[str, Any]:
        """All keys, and in words what could not be told."""
        unknown = {key: words for key, words in self.words.items() if self.values.get(key) is None}
        return {
            **{key: self.values.get(key) for key in KEYS},
            "words": dict(self.words),
            "could_not_tell": unknown,
            "notes": list(self.notes),
        }

    def lines(self) -> Iterator[str]:
        """The findings for people."""
        known = [key for key in KEYS if key in self.words]
        width = max(len(key) for key in known)
        cells = {key: _cell(self.values.get(key)) for key in known}
        widest = max(len(cell) for cell in cells.values())
        for key in known:
            yield f"{key.ljust(width)}  {cells[key].rjust(widest)}  {self.words[key]}"
        yield from self.notes


def findings_from_json(said: Mapping[str, Any]) -> Findings:
    """The findings that `as_json` gave."""
    return Findings(
        {key: said[key] for key in KEYS if key in said["words"]},
        dict(said["words"]),
        list(said["notes"]),
    )


def counted(number: int, what: str = "cycle") -> str:
    """`1 cycle`, `2 cycles`."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def refill(late_cycles: int) -> str | None:
    """How a table says that a place is taken so late; `None` where it can't."""
    return REFILL[late_cycles] if late_cycles in range(len(REFILL)) else None


def between(values: list[int]) -> str:
    """`between 2 and 5 cycles`, or the one."""
    low, high = min(values), max(values)
    return counted(low) if low == high else f"between {low} and {high} cycles"


def _cell(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "unknown" if value is None else str(value)
