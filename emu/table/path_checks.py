"""Cross checks between the stages of a path: names, resources, arbitration, where it turns."""

from __future__ import annotations

from collections.abc import Iterator

from emu.errors import did_you_mean, listed
from emu.table.entries import passing
from emu.table.errors import Problem, problem
from emu.table.parse import Draft, Parsed


def check_path(parsed: Parsed) -> Iterator[Problem]:
    """Problems that only the whole path shows."""
    places: dict[str, int] = {}
    for draft in parsed.drafts:
        if draft.name is None:
            continue
        first = parsed.drafts[places.setdefault(draft.name, draft.index)]
        if first is not draft:
            key = "name" if draft.node.get("name") is not None else "stage"
            yield problem(
                draft.at(key),
                draft.where,
                f"the name '{draft.name}' is taken by the stage at {first.node.at}",
                f"expected another, as in 'name: {draft.name}_2'",
            )
    for draft in parsed.drafts:
        yield from _uses(parsed, draft, places)
        yield from _arbitration(draft, places)
    yield from _turns(parsed)


def _uses(parsed: Parsed, draft: Draft, places: dict[str, int]) -> Iterator[Problem]:
    if draft.timing is None or not draft.timing.uses:
        return
    declared = list(parsed.root.section("resources"))
    seen: set[str] = set()
    for index, use in enumerate(draft.timing.uses):
        where = f"{draft.where}.uses[{index}]"
        at = draft.at("uses", index, "resource")
        if use.resource not in declared:
            yield problem(
                at,
                f"{where}.resource",
                f"there is no resource '{use.resource}'",
                f"expected one of the table's resources: {listed(declared)}",
                did_you_mean(use.resource, declared),
            )
        if use.resource in seen and use.when is None:
            what = f"'{use.resource}' is taken twice by one stage"
            yield problem(at, f"{where}.resource", what, "expected it once")
        seen.add(use.resource)
        if use.until is None:
            continue
        at = draft.at("uses", index, "until")
        place = places.get(use.until)
        if place is None:
            yield problem(
                at,
                f"{where}.until",
                f"there is no stage '{use.until}'",
                f"expected one of {listed(places)}",
                did_you_mean(use.until, places),
            )
        elif place < draft.index:
            what = f"stage '{use.until}' comes before this one"
            yield problem(at, f"{where}.until", what, "expected this stage or a later one")


def _arbitration(draft: Draft, places: dict[str, int]) -> Iterator[Problem]:
    names = draft.timing.arbitration if draft.timing is not None else None
    before = [name for name, place in places.items() if place < draft.index]
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
