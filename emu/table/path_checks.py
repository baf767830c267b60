"""Cross checks between the stages of a path: names, arbitration, where it turns."""

from __future__ import annotations

from collections.abc import Iterator

from emu.errors import did_you_mean, listed
from emu.table.entries import passing
from emu.table.errors import Problem, problem
from emu.table.parse import Draft, Parsed


def places(parsed: Parsed) -> dict[str, int]:
    """Where in the path each stage stands, by name; of two with one name, the first."""
    found: dict[str, int] = {}
    for draft in parsed.drafts:
        if draft.name is not None:
            found.setdefault(draft.name, draft.index)
    return found


def check_path(parsed: Parsed) -> Iterator[Problem]:
    """Problems that only the whole path shows."""
    names = places(parsed)
    for draft in parsed.drafts:
        if draft.name is None:
            continue
        first = parsed.drafts[names[draft.name]]
        if first is not draft:
            key = "name" if draft.node.get("name") is not None else "stage"
            yield problem(
                draft.at(key),
                draft.where,
                f"the name '{draft.name}' is taken by the stage at {first.node.at}",
                f"expected another, as in 'name: {draft.name}_2'",
            )
    for draft in parsed.drafts:
        yield from _arbitration(draft, names)
    yield from _turns(parsed)


def _arbitration(draft: Draft, places_by_name: dict[str, int]) -> Iterator[Problem]:
    names = draft.timing.arbitration if draft.timing is not None else None
    before = [name for name, place in places_by_name.items() if place < draft.index]
    for index, name in enumerate(names or []):
        where = f"{draft.where}.arbitration[{index}]"
        at = draft.at("arbitration", index)
        if name not in before:
            what = f"no stage '{name}' comes before this one"
            expected = f"expected one of {listed(before)}"
            yield problem(at, where, what, expected, did_you_mean(name, before))
        elif names is not None and name in names[:index]:
            yield problem(at, where, f"'{name}' is named twice", "expected it once")


def _turns_here(draft: Draft) -> bool:
    return draft.stage is not None and draft.stage.turns and "when" not in draft.broken


def _turns(parsed: Parsed) -> Iterator[Problem]:
    """The operation takes effect once: on no route is there a second stage that turns it."""
    turning = [draft for draft in parsed.drafts if _turns_here(draft)]
    for index, draft in enumerate(turning):
        for earlier in turning[:index]:
            there = passing(parsed.head, earlier.timing)
            both = [one for one in passing(parsed.head, draft.timing) if one in there]
            if both:
                yield problem(
                    draft.node.at,
                    draft.where,
                    f"a {both[0]} takes effect here and at {earlier.where} ({earlier.node.at})",
                    "expected one such stage for each operation; 'when' tells them apart",
                )
                break
