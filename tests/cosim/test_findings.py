"""Patterns in handshakes, findings and the table that follows, without a simulator."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.cosim.binding import read_binding
from emu.cosim.characterise.dispatch import Sawtooth, sawtooth_of
from emu.cosim.characterise.findings import Findings, findings_from_json
from emu.cosim.characterise.ports import roles_of
from emu.cosim.characterise.stream import limiter, repeating
from emu.cosim.characterise.table import table_text
from emu.cosim.characterise.writer import Measured
from emu.cosim.errors import CosimError
from emu.table import load
from emu.table.schema import Entry
from emu.time import Cycles
from tests.cosim.measured import BINDING, DMA


@given(st.lists(st.integers(1, 9), min_size=1, max_size=8), st.integers(2, 5), st.integers(0, 7))
def test_the_shortest_pattern_that_repeats_is_found(
    pattern: list[int], times: int, cut: int
) -> None:
    gaps = pattern * times + pattern[: min(cut, len(pattern))]
    found = repeating(gaps)
    assert found is not None
    assert len(found) <= len(pattern)
    assert [found[at % len(found)] for at in range(len(gaps))] == gaps


@pytest.mark.parametrize(
    ("gaps", "pattern"),
    (
        ([2, 2, 2], [2]),
        ([1, 3, 1, 3, 1], [1, 3]),
        ([1, 2, 3], None),
        ([5], None),
        ([], None),
    ),
)
def test_what_repeats_less_than_twice_is_no_pattern(
    gaps: list[int], pattern: list[int] | None
) -> None:
    assert repeating(gaps) == pattern


@given(st.integers(1, 6), st.integers(1, 4), st.integers(1, 30), st.integers(3, 40))
def test_a_limit_of_so_many_in_a_time_is_found(
    count: int, interval: int, more: int, length: int
) -> None:
    span = (count - 1) * interval + interval + more
    cycles = [at // count * span + at % count * interval for at in range(length)]
    expected = (count, span) if length >= count + 2 else None
    # One in a time has no faster start: it is an interval.
    assert limiter(cycles) == (None if count == 1 else expected)


@pytest.mark.parametrize("gaps", ((1, 1, 5, 1, 6), (1, 2, 4, 8, 16), (3, 3, 3)))
def test_other_acceptances_follow_no_limit(gaps: tuple[int, ...]) -> None:
    assert limiter([0, *accumulate(gaps)]) is None


def test_findings_come_back_from_json_with_what_could_not_be_told() -> None:
    findings = Findings()
    findings.found("depth", 4, "four")
    findings.found("latency_cycles", None, "varies", assumed=7)
    findings.notes.append("a note")
    said = findings.as_json()
    assert (said["depth"], said["latency_cycles"], said["interval_cycles"]) == (4, None, None)
    assert said["could_not_tell"] == {"latency_cycles": "varies"}
    again = findings_from_json(said)
    assert (again.values, again.words, again.notes) == (
        findings.values,
        findings.words,
        findings.notes,
    )
    assert list(again.lines()) == [
        "latency_cycles  unknown  varies",
        "depth                 4  four",
        "a note",
    ]
    assert (findings.assumed("depth"), findings.assumed("latency_cycles")) == (4, 7)


def test_a_table_says_what_was_measured_and_what_is_assumed(tmp_path: Path) -> None:
    findings = Findings()
    findings.found("latency_cycles", None, "varies", assumed=7)
    findings.found("interval_cycles", 2, "measured so")
    findings.found("depth", 4, "four")
    findings.found("refill_cycles", 3, "three later")
    findings.found("accept_cycles", 1, "one after valid")
    measured = Measured("2nd$top", "a simulator", {"W": 32}, 3106)
    file = tmp_path / "table.yaml"
    file.write_text(table_text(findings, measured), encoding="utf-8")
    table = load(file)
    (entry,) = table.entries
    assert (table.name, entry.name, entry.channel, entry.queue) == (
        "_2nd_top",
        "_2nd_top",
        "registered",
        1,
    )
    # A table's own places are free at once or at the next edge; a pool keeps them for longer.
    (use,) = entry.timing.uses or []
    assert (use.resource, str(use.plus), entry.depth) == ("places", "3 cycles", None)
    kinds = {name: source.kind for name, source in entry.timing.source.items()}
    assert (kinds["latency"], kinds["interval"], kinds["uses"]) == (
        "assumed",
        "measured",
        "measured",
    )
    assert entry.timing.source["latency"].text == "2nd$top (W=32) in a simulator: varies"


def test_the_roles_of_ports(tmp_path: Path) -> None:
    file = tmp_path / "dut.yaml"
    file.write_text(DMA, encoding="utf-8")
    roles = roles_of(read_binding(file))
    assert (roles.input, roles.output, roles.at_rest) == ("in", "out", ())
    assert roles.memory is not None
    assert (roles.memory.request, roles.memory.answer) == ("read", "data")
    more = "  more: {side: sink, valid: a, fields: {id: b}}\n"
    file.write_text(BINDING + more, encoding="utf-8")
    assert roles_of(read_binding(file)).at_rest == ("more",)
    file.write_text((BINDING + more).replace("  in:", "  into:"), encoding="utf-8")
    with pytest.raises(CosimError) as error:
        roles_of(read_binding(file))
    assert str(error.value) == (
        f"{file}: 2 ports of side sink: into or more; expected one, or one of the name 'in'"
    )
    # What answers the only output, so that a fence may go on, is no memory.
    answers = more.replace("more", "answers")
    pair = "memory: {far: {request: out, answer: answers, tag: id}}\n"
    file.write_text(BINDING + answers + pair, encoding="utf-8")
    roles = roles_of(read_binding(file))
    assert (roles.output, roles.memory, roles.at_rest) == ("out", None, ())
    assert roles.answers is not None
    assert (roles.answers.request, roles.answers.answer) == ("out", "answers")
    # Of two that answer it, it is not clear which: both are left alone.
    both = "  others: {side: sink, valid: f, fields: {id: g}}\n"
    second = pair.replace("}}\n", "}, near: {request: out, answer: others, tag: id}}\n")
    file.write_text(BINDING + answers + both + second, encoding="utf-8")
    roles = roles_of(read_binding(file))
    assert (roles.answers, roles.at_rest) == (None, ("answers", "others"))


# -- what tells requests apart ----------------------------------------------------------------


def scanned(least: int, queues: int, phase: int) -> Callable[[int], Awaitable[int | None]]:
    """What takes so long at least, until a scan that is at the first queue in a phase comes by."""

    async def span(at: int) -> int | None:
        return least + (phase - at) % queues

    return span


async def never(at: int) -> int | None:
    return None


async def at_odds(at: int) -> int | None:
    return (4, 6, 1, 5)[at % 4]


def sawtooth(span: Callable[[int], Awaitable[int | None]]) -> Sawtooth:
    return asyncio.run(sawtooth_of(span))


@given(st.integers(0, 9), st.integers(2, 40), st.integers(0, 39))
def test_a_scan_is_seen_by_how_long_it_takes_to_come_by(
    least: int, queues: int, phase: int
) -> None:
    found = sawtooth(scanned(least, queues, phase % queues))
    assert found == Sawtooth(least, queues, phase % queues)


def test_other_times_are_no_scan() -> None:
    assert sawtooth(scanned(3, 1, 0)) == Sawtooth(3, 1)
    assert sawtooth(never) == Sawtooth(None, None)
    assert sawtooth(at_odds).queues is None


def written(tmp_path: Path, findings: Findings) -> list[Entry]:
    """The path of the table that follows."""
    file = tmp_path / "table.yaml"
    measured = Measured("dut", "a simulator", {}, 3106)
    file.write_text(table_text(findings, measured), encoding="utf-8")
    return list(load(file).entries)


def test_a_table_of_what_goes_together(tmp_path: Path) -> None:
    findings = Findings()
    for key, value in (
        ("stage", "completion"),
        ("latency_cycles", 5),
        ("batch_interval_cycles", 3),
        ("batches", 2),
        ("refill", "next_edge"),
        ("waiting", 8),
    ):
        findings.found(key, value, "measured so")
    findings.found("batch", None, "all that can wait", assumed=8)
    front, stage = written(tmp_path, findings)
    assert (front.name, front.timing.latency, front.depth) == ("front", {"other": Cycles(1)}, 1)
    assert (stage.timing.stage, stage.depth, stage.queue, stage.batch, stage.refill) == (
        "completion",
        2,
        8,
        8,
        "next_edge",
    )
    kinds = {name: source.kind for name, source in stage.timing.source.items()}
    assert (kinds["batch"], kinds["interval"]) == ("assumed", "measured")


def test_tables_of_what_tells_requests_apart(tmp_path: Path) -> None:
    findings = Findings()
    for key, value in (
        ("stage", "scheduler"),
        ("latency_cycles", 2),
        ("interval_cycles", 1),
        ("queues", 4),
        ("depth", 3),
    ):
        findings.found(key, value, "measured so")
    findings.found("pick", None, "no turns", assumed="round_robin")
    (entry,) = written(tmp_path, findings)
    said = entry.parameters
    assert (entry.timing.stage, said.pick, said.queues, said.depth) == (
        "scheduler",
        "round_robin",
        4,
        3,
    )
    findings.found("stage", "ordering_engine", "measured so")
    findings.found("pick", "scan", "measured so")
    findings.found("tracking", "sequence", "measured so")
    findings.found("strict", True, "measured so")
    (entry,) = written(tmp_path, findings)
    said = entry.parameters
    assert (entry.timing.stage, said.pick, said.tracking, said.strict) == (
        "ordering_engine",
        "scan",
        "sequence",
        True,
    )
