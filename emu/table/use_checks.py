"""Cross checks of what one stage entry `uses`: keys, resources, and each use beside the rest."""

from __future__ import annotations

from collections.abc import Iterator

from emu.errors import did_you_mean, listed
from emu.request import OPERATION_GROUPS, Operation
from emu.table.entries import passing
from emu.table.errors import Location, Problem, problem
from emu.table.nodes import Node
from emu.table.parse import Draft, Parsed
from emu.table.resources import kind_of
from emu.table.schema import CARRIERS, POOLS, Use
from emu.table.shape import Shape
from emu.time import Cycles

#: Which keys a use can have, by the kind of its resource.
_KEYS = {
    "pool": ("resource", "when", "until", "plus", "for"),
    "channels": ("resource", "when", "until", "plus", "for"),
    "link": ("resource", "when", "bytes"),
    "pcie": ("resource", "when", "as", "to", "relaxed_ordering", "bytes"),
}
_NEEDED_OF_PCIE = ("as", "to")
_APART = "'when' tells them apart"


class UseChecks:
    """The checks of the uses of one entry; `places` says where in the path each stage stands."""

    def __init__(self, parsed: Parsed, draft: Draft, places: dict[str, int]) -> None:
        self._parsed = parsed
        self._draft = draft
        self._places = places
        timing = draft.timing
        self._uses = (timing.uses or []) if timing is not None else []
        self._kinds = [kind_of(parsed.root, use.resource) for use in self._uses]
        messages_known = "messages" not in parsed.broken and "when" not in draft.broken
        #: The operations that pass the entry; none where that can't be told.
        self._here = passing(parsed.head, timing) if messages_known else []

    def problems(self) -> Iterator[Problem]:
        """All problems of the uses."""
        for index, use in enumerate(self._uses):
            yield from self._resource(index, use)
            yield from self._keys(index, use)
            yield from self._relaxed(index, use)
            yield from self._until(index, use)
            yield from self._plus(index, use)
            yield from self._when(index, use)
            yield from self._beside_others(index, use)
        yield from self._beside_timing()

    def _node(self, index: int) -> Node:
        return self._draft.node.mapping["uses"].items[index]

    def _where(self, index: int, key: str = "") -> str:
        return f"{self._draft.where}.uses[{index}]" + (f".{key}" if key else "")

    def _at(self, index: int, key: str, what: str, expected: str, hint: str = "") -> Problem:
        node = self._node(index).mapping[key]
        return problem(node.at, self._where(index, key), what, expected, hint)

    def _resource_at(self, index: int) -> Location:
        return self._node(index).mapping["resource"].at

    def _resource(self, index: int, use: Use) -> Iterator[Problem]:
        section = self._parsed.root.get("resources")
        declared = section.mapping if section is not None else {}
        readable = section is None or isinstance(section.value, dict)
        if use.resource not in declared and readable:
            yield self._at(
                index,
                "resource",
                f"there is no resource '{use.resource}'",
                f"expected one of the table's resources: {listed(declared)}",
                did_you_mean(use.resource, declared),
            )

    def _keys(self, index: int, use: Use) -> Iterator[Problem]:
        """A use has the keys that go with the kind of its resource."""
        kind = self._kinds[index]
        if kind is None:
            return
        node = self._node(index)
        declared = (
            f"'{use.resource}' ({self._parsed.root.section('resources')[use.resource].key_at})"
        )
        for key, value in node.mapping.items():
            if key not in _KEYS[kind]:
                what = f"'{key}' is given, but {declared} is of kind {kind}"
                expected = f"expected only {', '.join(_KEYS[kind][:-1])} and {_KEYS[kind][-1]}"
                yield problem(value.key_at, self._where(index), what, expected)
        for key in _NEEDED_OF_PCIE if kind == "pcie" else ():
            if key not in node.mapping:
                expected = f"{Shape.of(Use).at([key]).expected}, since {declared} is of kind {kind}"
                yield problem(node.at, self._where(index), f"'{key}' is missing", expected)

    def _relaxed(self, index: int, use: Use) -> Iterator[Problem]:
        """Only a completion has something to pass: a link lets posted writes go in order."""
        if use.relaxed_ordering and use.as_ == "write" and self._kinds[index] in ("pcie", None):
            what = "'relaxed_ordering' is of no use: a link carries posted writes as they come"
            node = self._node(index).mapping["relaxed_ordering"]
            expected = "expected it of a read, or no such key"
            yield problem(node.key_at, self._where(index), what, expected)

    def _until(self, index: int, use: Use) -> Iterator[Problem]:
        lasts = self._kinds[index] in (*POOLS, None)  # else both keys are told as out of place
        if use.for_ is not None and use.until is not None and lasts:
            what = "'until' and 'for' are both given"
            yield problem(self._node(index).at, self._where(index), what, "expected one of the two")
        if use.for_ == 0:
            what = "what is held for no time holds up nobody"
            yield self._at(index, "for", what, "expected more than zero, as in '100 ns'")
        if use.until is None:
            return
        place = self._places.get(use.until)
        if place is None:
            hint = did_you_mean(use.until, self._places)
            what = f"there is no stage '{use.until}'"
            yield self._at(index, "until", what, f"expected one of {listed(self._places)}", hint)
        elif place < self._draft.index:
            what = f"stage '{use.until}' comes before this one"
            yield self._at(index, "until", what, "expected this stage or a later one")

    def _plus(self, index: int, use: Use) -> Iterator[Problem]:
        if use.plus is None or self._kinds[index] not in (*POOLS, None):
            return  # elsewhere the key is told as out of place
        if use.for_ is not None:
            what = "'for' and 'plus' are both given"
            yield problem(self._node(index).at, self._where(index), what, "expected one of the two")
        if use.plus.count == 0:
            what = "what is held no longer holds up nobody"
            yield self._at(index, "plus", what, "expected more than zero, or no 'plus'")
        timing = self._draft.timing
        has_clock = timing is not None and timing.clock is not None
        if isinstance(use.plus, Cycles) and not has_clock:
            what = "the stage has no clock whose cycles these could be"
            yield self._at(index, "plus", what, "expected a time, as in '10 ns'")

    def _when(self, index: int, use: Use) -> Iterator[Problem]:
        """Each word is of an operation that passes the entry."""
        if use.when is None:
            return
        if not use.when:
            what = "no operation is named"
            yield self._at(index, "when", what, "expected at least one, or no 'when'")
        for place, word in enumerate(use.when):
            if self._here and not any(one in self._here for one in OPERATION_GROUPS[word]):
                what = f"'{word}' is of no use: no such operation passes here"
                at = self._node(index).mapping["when"].items[place].at
                where = f"{self._where(index, 'when')}[{place}]"
                yield problem(at, where, what, f"expected one of {listed(self._here)}")

    def _operations(self, use: Use) -> list[Operation]:
        return [operation for operation in self._here if use.applies(operation)]

    def _beside_others(self, index: int, use: Use) -> Iterator[Problem]:
        """For one operation a stage uses one link at most, and each resource once."""
        for before in range(index):
            earlier = self._uses[before]
            both = [one for one in self._operations(use) if one in self._operations(earlier)]
            there = f"uses[{before}] ({self._resource_at(before)})"
            if not both:
                continue
            if self._carries(index) and self._carries(before):
                other = earlier.resource
                what = f"a {both[0]} goes by '{use.resource}' here and by '{other}' at {there}"
                expected = f"expected one link or PCIe for each operation; {_APART}"
            elif use.resource == earlier.resource:
                what = f"a {both[0]} takes '{use.resource}' here and at {there}"
                expected = f"expected it once for each operation; {_APART}"
            else:
                continue
            yield self._at(index, "resource", what, expected)
            return

    def _carries(self, index: int) -> bool:
        return self._kinds[index] in CARRIERS

    def _beside_timing(self) -> Iterator[Problem]:
        """A link takes the place of a bandwidth, and its times can't be rounded."""
        carriers = [index for index in range(len(self._uses)) if self._carries(index)]
        if not carriers:
            return
        first = carriers[0]
        name = self._uses[first].resource
        bandwidth = self._draft.node.get("bandwidth")
        if bandwidth is not None:
            what = (
                f"'bandwidth' is given, but the bytes go by '{name}' ({self._resource_at(first)})"
            )
            yield problem(bandwidth.key_at, self._draft.where, what, "expected one of the two")
        resolution = self._parsed.root.get("resolution")
        if resolution is not None:
            what = (
                f"the table has a resolution ({resolution.key_at}), but the time on '{name}' "
                "can't be rounded"
            )
            yield self._at(first, "resource", what, "expected no resolution, or a 'bandwidth' here")
