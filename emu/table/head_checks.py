"""Cross checks of all but the stages: clocks, resources, messages, names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from emu.errors import did_you_mean, listed
from emu.table.catalog import is_file, is_file_name, is_shipped, table_names
from emu.table.entries import is_plain
from emu.table.errors import Problem, problem
from emu.table.nodes import Node
from emu.table.parse import Parsed
from emu.table.schema import Channels, ClockSpec
from emu.table.sources import check_sources
from emu.time import Clock


def good_clocks(parsed: Parsed) -> dict[str, Clock]:
    """The clocks of a table whose specification is complete."""
    return {name: spec.clock(name) for name, spec in parsed.head.clocks.items() if _complete(spec)}


def check_head(parsed: Parsed, path: Path) -> Iterator[Problem]:
    """Problems of clocks, resources, resolution, defaults, messages and names."""
    root = parsed.root
    for name, spec in parsed.head.clocks.items():
        yield from _clock(root.section("clocks")[name], spec, f"clocks.{name}")
    yield from _unused(parsed, "clocks", _clocks_used(parsed), "clock")
    yield from _unused(parsed, "resources", _resources_used(parsed), "uses")
    resolution = parsed.head.resolution
    if resolution is not None:
        node = root.mapping["resolution"]
        if resolution.step == 0:
            at = node.mapping["step"].at
            yield problem(at, "resolution.step", "a step of zero rounds nothing", _STEP)
        yield from check_sources(node, "resolution")
    for name, resource in parsed.head.resources.items():
        node = root.section("resources")[name]
        where = f"resources.{name}"
        yield from check_sources(node, where)
        if isinstance(resource, Channels):
            yield from _groups(node, resource, where)
    messages = root.get("messages")
    if messages is not None and messages.value == {}:
        expected = "expected an operation, as in 'read: {request: 64 B, response: payload}'"
        yield problem(messages.at, "messages", "there are no messages", expected)
    yield from _defaults(parsed)
    yield from _names(parsed, path)


_STEP = "expected more than zero, as in 'step: 1 ns'"


def _complete(spec: ClockSpec) -> bool:
    return (spec.frequency is None) != (spec.period is None)


def _clock(node: Node, spec: ClockSpec, where: str) -> Iterator[Problem]:
    if not _complete(spec):
        what = (
            "'frequency' and 'period' are both given"
            if spec.frequency is not None
            else "'frequency' or 'period' is missing"
        )
        expected = "expected one of the two, as in 'frequency: 322 MHz'"
        yield problem(node.at, where, what, expected)
    phase = node.get("phase")
    if phase is not None and not spec.aligned:
        what = "'phase' is given, but a clock that is not aligned has no edges"
        yield problem(phase.key_at, where, what, "expected no phase, or 'aligned: true'")
    elif phase is not None and _complete(spec) and spec.phase >= spec.clock("").period_ps:
        what = f"the phase {phase.value} is not less than a period"
        yield problem(
            phase.at, f"{where}.phase", what, "expected the time of the first edge from 0 on"
        )
    yield from check_sources(node, where)


def _groups(node: Node, channels: Channels, where: str) -> Iterator[Problem]:
    groups = node.get("groups")
    if channels.sharing == "groups" and groups is None:
        expected = "expected how many share out the initiators, as in 'groups: 4'"
        yield problem(node.at, where, "'groups' is missing", expected)
    elif channels.sharing != "groups" and groups is not None:
        what = f"'groups' is of no use: the channels are {channels.sharing}"
        yield problem(groups.key_at, where, what, "expected 'sharing: groups', or no such key")


def _clocks_used(parsed: Parsed) -> set[str]:
    return _names_in(draft.node.get("clock") for draft in parsed.drafts)


def _resources_used(parsed: Parsed) -> set[str]:
    lists = [draft.node.get("uses") for draft in parsed.drafts]
    return _names_in(
        use.get("resource") for uses in lists if uses is not None for use in uses.items
    )


def _names_in(nodes: Iterable[Node | None]) -> set[str]:
    return {node.value for node in nodes if node is not None and isinstance(node.value, str)}


def _unused(parsed: Parsed, section: str, used: set[str], key: str) -> Iterator[Problem]:
    """What is declared and not used; a table can't take back what it inherited, so that may be."""
    if any(key in draft.broken for draft in parsed.drafts):
        return  # what could not be read might use it
    for name, node in parsed.root.section(section).items():
        if name not in used and not parsed.document.inherited(node.at) and parsed.drafts:
            yield problem(
                node.key_at,
                section,
                f"'{name}' is used by no stage",
                f"expected a stage with '{key}', or no such entry",
            )


def _defaults(parsed: Parsed) -> Iterator[Problem]:
    """Defaults that no stage takes; inherited ones may be such."""
    clocks = good_clocks(parsed)
    timings = [draft.timing for draft in parsed.drafts if draft.timing is not None]
    places = [timing for timing in timings if not is_plain(timing)]
    edges = [one for one in places if one.clock in clocks and clocks[one.clock].aligned]
    for key, node in parsed.root.section("defaults").items():
        takers = edges if key in ("channel", "refill") else places
        taken = any(key not in timing.model_fields_set for timing in takers)
        if not taken and not parsed.document.inherited(node.at) and "defaults" not in parsed.broken:
            if any(draft.timing is None or draft.broken for draft in parsed.drafts):
                continue  # one of these might take it
            what = f"'{key}' is taken by no stage"
            expected = "expected a stage that takes it, or no such default"
            yield problem(node.key_at, "defaults", what, expected)


def _names(parsed: Parsed, path: Path) -> Iterator[Problem]:
    name = parsed.root.get("name")
    if (
        name is not None
        and "name" not in parsed.broken
        and is_shipped(path)
        and name.value != path.stem
    ):
        what = f"'{name.value}' is not the name of the file"
        yield problem(name.at, "name", what, f"expected '{path.stem}'")
    other = parsed.root.get("other_operations")
    if other is None or not isinstance(other.value, str) or not other.value:
        return
    if is_file_name(other.value):
        if not is_file(Path(other.at.file).parent / other.value):
            what = f"there is no file '{other.value}'"
            expected = "expected a shipped table's name, or a file seen from this one's directory"
            yield problem(other.at, "other_operations", what, expected)
    elif other.value not in table_names():
        yield problem(
            other.at,
            "other_operations",
            f"there is no table '{other.value}'",
            f"expected one of {listed(table_names())}",
            did_you_mean(other.value, table_names()),
        )
