"""Filter: which events of a trace are wanted."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from emu.errors import EmuError, did_you_mean, listed
from emu.trace.events import Event, Kind

if TYPE_CHECKING:
    from emu.trace.header import Header

_REQUESTS = re.compile(r"(\d{1,18})(?:\.\.(\d{1,18}))?")


class FilterError(EmuError):
    """A filter that cannot be read, or that no event could pass."""


@dataclass(frozen=True, slots=True)
class Filter:
    """An event passes if all that is given holds for it; both ends of a range belong to it.

    1. `from_ps`, `to_ps`: it is in this window.
    2. `requests`: its request is in one of these ranges; all of that request's events pass.
    3. `initiators`: its request is of one of these.
    4. `stages`: it is at one of these, or is the beginning or the end of its request.
    """

    from_ps: int = 0
    to_ps: int | None = None
    requests: tuple[tuple[int, int], ...] = ()
    initiators: tuple[int, ...] = ()
    stages: tuple[str, ...] = ()

    def passes(self, event: Event) -> bool:
        """Whether the event is wanted."""
        if event.time_ps < self.from_ps:
            return False
        if self.to_ps is not None and event.time_ps > self.to_ps:
            return False
        if self.initiators and event.initiator not in self.initiators:
            return False
        is_elsewhere = event.stage and event.stage not in self.stages
        if self.stages and is_elsewhere and event.kind is not Kind.DROPPED:
            return False
        if not self.requests:
            return True
        return any(first <= event.request <= last for first, last in self.requests)

    def count(self, requests: int) -> int | None:
        """How many of so many requests pass; `None` where only the run can tell."""
        if self.from_ps or self.to_ps is not None or self.initiators:
            return None
        if not self.requests:
            return requests
        count = reached = 0
        for first, last in sorted(self.requests):
            beyond = min(last + 1, requests)
            count += max(0, beyond - max(first, reached))
            reached = max(reached, beyond)
        return count

    def as_json(self) -> dict[str, Any]:
        """What is given, by the names of the options that say so."""
        found: dict[str, Any] = {}
        if self.from_ps:
            found["from_ps"] = self.from_ps
        if self.to_ps is not None:
            found["to_ps"] = self.to_ps
        if self.requests:
            found["request"] = [
                str(first) if first == last else f"{first}..{last}" for first, last in self.requests
            ]
        if self.initiators:
            found["initiator"] = list(self.initiators)
        if self.stages:
            found["stage"] = list(self.stages)
        return found

    def check_stages(self, header: Header) -> None:
        """`FilterError` where the trace has no such stage."""
        names = [stage.name for stage in header.stages]
        for name in self.stages:
            if name not in names:
                near = did_you_mean(name, names)
                raise FilterError(
                    f"--stage {name}: {header.table} has no such stage; expected {listed(names)}"
                    + (f"; {near}" if near else "")
                )


def read_requests(texts: Iterable[str]) -> tuple[tuple[int, int], ...]:
    """First and last request of each range: `7`, or `100..199`, of which both ends belong to it."""
    return tuple(_range(text) for text in texts)


def _range(text: str) -> tuple[int, int]:
    match = _REQUESTS.fullmatch(text.strip())
    if match is None:
        raise FilterError(
            f"--request {text}: this names no requests; expected a number or a range, as in "
            "'7' or '100..199'"
        )
    first = int(match[1])
    last = int(match[2]) if match[2] else first
    if last < first:
        raise FilterError(f"--request {text}: the range is empty; expected its smaller end first")
    return first, last
