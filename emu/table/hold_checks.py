"""Checks that no request takes a unit of what it still holds: it would wait for itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from emu.request import Operation
from emu.table.entries import passing
from emu.table.errors import Problem, problem
from emu.table.parse import Draft, Parsed
from emu.table.resources import kind_of
from emu.table.schema import POOLS, Use
from emu.time import format_time


@dataclass(frozen=True)
class _Held:
    """A unit that a request took, and the place in the path up to which it keeps it."""

    draft: Draft
    index: int
    use: Use
    until: int

    @property
    def where(self) -> str:
        return f"{self.draft.where}.uses[{self.index}]"

    @property
    def said(self) -> str:
        use = self.use
        at = self.draft.at("uses", self.index, "resource")
        how_long = (
            f"for {format_time(use.for_)}"
            if use.for_ is not None
            else f"until '{use.until or self.draft.name}'"
            + (f" plus {use.plus}" if use.plus is not None else "")
        )
        return f"{self.where} ({at}) {how_long}"


def check_holds(parsed: Parsed, places: dict[str, int]) -> Iterator[Problem]:
    """Problems of units held over several stages; `places` says where each stage stands."""
    if "messages" in parsed.broken:
        return
    told: set[tuple[int, int]] = set()
    for operation in passing(parsed.head):
        held: dict[str, _Held] = {}
        for taken in _taken(parsed, places, operation):
            name = taken.use.resource
            before = held.get(name)
            if before is not None and before.draft.index < taken.draft.index <= before.until:
                key = (taken.draft.index, taken.index)
                if key not in told:
                    told.add(key)
                    yield problem(
                        taken.draft.at("uses", taken.index, "resource"),
                        f"{taken.where}.resource",
                        f"a {operation} takes '{name}' here while it holds that of {before.said}",
                        "expected it given back before, or another resource",
                    )
            if before is None or before.until < taken.until:
                held[name] = taken


def _taken(parsed: Parsed, places: dict[str, int], operation: Operation) -> Iterator[_Held]:
    """What such a request takes of pools and channels, in the order of the path."""
    for draft in parsed.drafts:
        timing = draft.timing
        if timing is None or "when" in draft.broken:
            continue
        if operation not in passing(parsed.head, timing):
            continue
        for index, use in enumerate(timing.uses or []):
            if not use.applies(operation) or kind_of(parsed.root, use.resource) not in POOLS:
                continue
            # How far a request comes in a time is known only when it runs.
            is_timed = use.for_ is not None or use.plus is not None
            last = len(parsed.drafts) if is_timed else draft.index
            until = last if is_timed else places.get(use.until or "", last)
            yield _Held(draft, index, use, until)
