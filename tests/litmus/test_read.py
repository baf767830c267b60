"""Broken litmus files: what is said of them, and where."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from emu.errors import listed
from emu.litmus.read import read_test
from emu.table.catalog import table_names
from emu.table.errors import TableError
from tests.litmus.files import DELAYS

GOOD = """\
schema: 1
name: good
title: A good test
locations:
  x: {node: 1}
threads:
  a:
    node: 0
    initiator: 0
    program:
      - {post: write, at: x, value: 1, as: w}
      - {wait: w}
      - {post: read, at: x, as: r}
  b:
    node: 1
    initiator: 1
    program:
      - {local: read, at: x, as: seen}
start: 1 us
gap: 10 ns
outcomes:
  new: {r: 1}
  old: {r: 0}
modes:
  plain:
    title: as it comes
    tables: [./delays.yaml]
    set: [there.latency=50 ns]
    vary: {back.latency: {from: 1 ns, to: 2 ns}}
    marks: {w: {order: SO}}
    allowed: [new]
    forbidden: [old]
"""


def error_of(directory: Path, text: str) -> list[str]:
    """The lines of the error, without the directory."""
    (directory / "delays.yaml").write_text(DELAYS, encoding="utf-8")
    file = directory / "t.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(TableError) as caught:
        read_test(file)
    said = str(caught.value).replace(f"{directory}/", "").replace(listed(table_names()), "{TABLES}")
    return said.splitlines()


def test_a_good_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "delays.yaml").write_text(DELAYS, encoding="utf-8")
    file = tmp_path / "good.yaml"
    file.write_text(GOOD, encoding="utf-8")
    test = read_test(file)
    assert (test.spec.name, test.found, test.observed) == ("good", ("r", "seen"), ("r",))
    assert [one.thread for one in test.programs_in("plain")] == ["a", "b"]
    assert test.named({"r": 1}) == "new"
    assert test.named({"r": None}) is None


class Broken(NamedTuple):
    """What is changed in the good file, and the error."""

    old: str
    new: str
    error: str


BROKEN = {
    # -- words -------------------------------------------------------------------------------------
    "unknown key": Broken(
        "gap: 10 ns",
        "gap: 10 ns\ngaps: 1 ns",
        "t.yaml:21:1: test: unknown key 'gaps'; expected one of schema, name, title, "
        "description, schedules, locations, threads, start, gap, outcomes or modes; did you mean "
        "'gap'?",
    ),
    "missing": Broken(
        "start: 1 us\n",
        "",
        "t.yaml:1:1: test: 'start' is missing; expected for example 'start: 150 ns'",
    ),
    "no value": Broken(
        "start: 1 us",
        "start:",
        "t.yaml:19:7: test.start: there is no value; expected a value, or the key left out",
    ),
    "no unit": Broken(
        "gap: 10 ns",
        "gap: 10",
        "t.yaml:20:6: test.gap: '10' has no unit; expected one of ps, ns, us, µs, ms or s, as in "
        "'150 ns'",
    ),
    "no instruction": Broken(
        "{wait: w}",
        "{await: w}",
        "t.yaml:12:9: test.threads.a.program[1]: await is no instruction; expected one of post, "
        "wait, poll, local, consume, compute or flush, as in '{post: read, at: flag, as: seen}'; "
        "did you mean 'wait'?",
    ),
    "not even a mapping": Broken(
        "{wait: w}",
        "wait",
        "t.yaml:12:9: test.threads.a.program[1]: 'wait' is no instruction; expected one of post, "
        "wait, poll, local, consume, compute or flush, as in '{post: read, at: flag, as: seen}'",
    ),
    "two instructions in one": Broken(
        "{wait: w}",
        "{wait: w, compute: 1 ns}",
        "t.yaml:12:9: test.threads.a.program[1]: wait and compute are both here; expected an "
        "instruction for each",
    ),
    "a key of another instruction": Broken(
        "{wait: w}",
        "{wait: w, until: 1}",
        "t.yaml:12:19: test.threads.a.program[1]: unknown key 'until'; expected one of wait or "
        "only",
    ),
    "unknown operation": Broken(
        "post: read",
        "post: red",
        "t.yaml:13:16: test.threads.a.program[2].post: 'red' is no operation; expected read, "
        "write, send, fetch_and_add, compare_and_swap, load, store or atomic; did you mean "
        "'read'?",
    ),
    "a write without a value": Broken(
        "value: 1, as: w",
        "as: w",
        "t.yaml:11:9: test.threads.a.program[0]: a write without a 'value'; expected what it "
        "brings",
    ),
    "a read with a value": Broken(
        "at: x, as: r",
        "at: x, value: 3, as: r",
        "t.yaml:13:9: test.threads.a.program[2]: a read with a 'value'; expected it left out",
    ),
    "a swap without its comparison": Broken(
        "post: write",
        "post: compare_and_swap",
        "t.yaml:11:9: test.threads.a.program[0]: a compare_and_swap without a 'compare'; "
        "expected what it compares with",
    ),
    "a local read of nothing": Broken(
        "{local: read, at: x, as: seen}",
        "{local: read, at: x}",
        "t.yaml:18:9: test.threads.b.program[0]: a local read finds a value, and a local write "
        "brings one; expected '{local: read, at: data, as: seen}' or '{local: write, at: data, "
        "value: 1}'",
    ),
    "unknown mark": Broken(
        "{order: SO}",
        "{order: S0}",
        "t.yaml:30:24: test.modes.plain.marks.w.order: 'S0' is not known here; expected NO, RO "
        "or SO",
    ),
    "a range that goes down": Broken(
        "{from: 1 ns, to: 2 ns}",
        "{from: 3 ns, to: 2 ns}",
        "t.yaml:29:26: test.modes.plain.vary.back.latency: 3 ns to 2 ns is no range; expected "
        "two times or two numbers of cycles, the smaller first",
    ),
    "a range of two kinds": Broken(
        "{from: 1 ns, to: 2 ns}",
        "{from: 1 cycle, to: 2 ns}",
        "t.yaml:29:26: test.modes.plain.vary.back.latency: 1 cycle to 2 ns is no range; expected "
        "two times or two numbers of cycles, the smaller first",
    ),
    "no value of a condition": Broken(
        "new: {r: 1}",
        "new: {r: one}",
        "t.yaml:22:12: test.outcomes.new.r: 'one' is no value; expected a whole number from 0 "
        "on, 'none' where nothing was found, or a list of them",
    ),
    # -- what goes together ------------------------------------------------------------------------
    "one initiator twice": Broken(
        "initiator: 1",
        "initiator: 0",
        "t.yaml:16:16: test.threads.b.initiator: thread a is initiator 0 already; expected one "
        "of its own for each thread",
    ),
    "unknown location": Broken(
        "local: read, at: x",
        "local: read, at: xx",
        "t.yaml:18:27: test.threads.b.program[0].at: there is no location 'xx'; expected x; did "
        "you mean 'x'?",
    ),
    "a location with a name that is taken": Broken(
        "x: {node: 1}",
        "x: {node: 1}\n  seen: {node: 1}",
        "t.yaml:6:3: test.locations.seen: 'seen' stands for something else too; expected a name "
        "that labels nothing, and none of none, reused or all",
    ),
    "a far location as if it were near": Broken(
        "x: {node: 1}",
        "x: {node: 2}",
        "t.yaml:18:27: test.threads.b.program[0].at: 'x' is at node 2, and the thread runs on 1; "
        "expected a location of the thread's own node",
    ),
    "a label twice": Broken(
        "{wait: w}",
        "{post: read, at: x, as: w}",
        "t.yaml:12:33: test.threads.a.program[1].as: the label 'w' is taken; expected one of its "
        "own",
    ),
    "a label that stands for all": Broken(
        "as: seen",
        "as: all",
        "t.yaml:18:34: test.threads.b.program[0].as: the label 'all' is taken; expected one of "
        "its own",
    ),
    "a wait for what is not posted yet": Broken(
        "wait: w",
        "wait: r",
        "t.yaml:12:16: test.threads.a.program[1].wait: there is no label 'r'; expected w or all",
    ),
    "marks of what posts nothing": Broken(
        "marks: {w:",
        "marks: {seen:",
        "t.yaml:30:13: test.modes.plain.marks.seen: there is no label 'seen'; expected w, r or all",
    ),
    "an instruction of an unknown mode": Broken(
        "{wait: w}",
        "{wait: w, only: [plane]}",
        "t.yaml:12:25: test.threads.a.program[1].only: there is no mode 'plane'; expected plain; "
        "did you mean 'plain'?",
    ),
    "an outcome of what is not observed": Broken(
        "old: {r: 0}",
        "old: {rr: 0}",
        "t.yaml:23:9: test.outcomes.old.rr: there is no label or location 'rr'; expected r, "
        "seen, x or reused; did you mean 'r'?",
    ),
    "outcomes that are not apart": Broken(
        "old: {r: 0}",
        "old: {r: [0, 1], x: 0}",
        "t.yaml:23:8: test.outcomes.old: a run can have this outcome and 'new' at once; expected "
        "outcomes of which no two can be had at once",
    ),
    "alternatives that are not apart": Broken(
        "old: {r: 0}",
        "old: [{r: 0}, {x: 0}]",
        "t.yaml:23:17: test.outcomes.old[1]: a run can have this outcome and 'new' at once; "
        "expected outcomes of which no two can be had at once",
    ),
    "an outcome of which nothing is said": Broken(
        "    forbidden: [old]\n",
        "",
        "t.yaml:25:3: test.modes.plain: it does not say what becomes of old; expected each "
        "outcome under one of allowed, forbidden or not_here",
    ),
    "an outcome that is said twice": Broken(
        "forbidden: [old]",
        "forbidden: [old, new]",
        "t.yaml:32:22: test.modes.plain.forbidden[1]: 'new' is in 'allowed' already; expected "
        "each outcome once",
    ),
    "an unknown outcome": Broken(
        "forbidden: [old]",
        "forbidden: [old, olds]",
        "t.yaml:32:22: test.modes.plain.forbidden[1]: there is no outcome 'olds'; expected new "
        "or old; did you mean 'old'?",
    ),
    # -- tables ------------------------------------------------------------------------------------
    "no such table": Broken(
        "./delays.yaml",
        "ub_ordred",
        "t.yaml:27:14: test.modes.plain.tables[0]: there is no such table; expected one of "
        "{TABLES}, or a file such as ./ub_ordred.yaml; did you mean 'ub_ordered'?",
    ),
    "no such file": Broken(
        "./delays.yaml",
        "./other.yaml",
        "t.yaml:27:14: test.modes.plain.tables[0]: there is no such file; expected a timing "
        "table in YAML",
    ),
    "a table without the operation": Broken(
        "{post: read, at: x, as: r}",
        "{post: load, at: x, as: r}",
        "t.yaml:27:14: test.modes.plain.tables[0]: ./delays.yaml has no load, and thread a posts "
        "one; expected a table with write and load",
    ),
    "what no table has": Broken(
        "there.latency=50 ns",
        "ther.latency=50 ns",
        "t.yaml:28:11: test.modes.plain.set[0]: there is no stage, resource or section 'ther'; "
        "expected one of there, memory, back, wire, clocks, messages, resolution, defaults or "
        "resources; did you mean 'there'?",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_says_what_is_wrong_and_where(tmp_path: Path, name: str) -> None:
    old, new, error = BROKEN[name]
    assert old in GOOD
    assert error_of(tmp_path, GOOD.replace(old, new, 1)) == [error]


ON_DELAYS = """\
    tables: [./delays.yaml]
    set: [there.latency=50 ns]
    vary: {back.latency: {from: 1 ns, to: 2 ns}}
"""
MEMORY = "expected a table with a stage such as memory on its way"


def test_a_table_on_which_nothing_touches_memory(tmp_path: Path) -> None:
    text = GOOD.replace(ON_DELAYS, "    tables: [./delays.yaml, kv_direct]\n")
    assert error_of(tmp_path, text) == [
        (
            f"t.yaml:27:29: test.modes.plain.tables[1]: no stage of kv_direct lets a {operation} "
            f"touch memory, and thread a posts one; {MEMORY}"
        )
        for operation in ("write", "read")
    ]


def test_a_table_on_which_only_others_touch_memory(tmp_path: Path) -> None:
    writes = DELAYS.replace("stage: memory,", "stage: memory, when: [write],")
    (tmp_path / "writes.yaml").write_text(writes.replace("delays", "writes"), encoding="utf-8")
    text = GOOD.replace(ON_DELAYS, "    tables: [./writes.yaml]\n")
    assert error_of(tmp_path, text) == [
        (
            "t.yaml:27:14: test.modes.plain.tables[0]: no stage of ./writes.yaml lets a read touch "
            f"memory, and thread a posts one; {MEMORY}"
        )
    ]


def test_only_one_outcome_is_what_is_left_over(tmp_path: Path) -> None:
    text = GOOD.replace("new: {r: 1}", "new: otherwise").replace("old: {r: 0}", "old: otherwise")
    assert error_of(tmp_path, text) == [
        (
            "t.yaml:23:8: test.outcomes.old: 'new' is for what is left over already; expected one "
            "outcome 'otherwise'"
        )
    ]


def test_all_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    text = GOOD.replace("start: 1 us", "start: 1").replace("{wait: w}", "{wiat: w}")
    places = [line.split(" ")[0] for line in error_of(tmp_path, text)]
    assert places == ["t.yaml:12:9:", "t.yaml:19:8:"]


def test_a_file_that_is_not_there_or_no_mapping(tmp_path: Path) -> None:
    with pytest.raises(TableError) as caught:
        read_test(tmp_path / "none.yaml")
    assert str(caught.value) == (
        f"{tmp_path}/none.yaml: there is no such file; expected a litmus test in YAML"
    )
    assert error_of(tmp_path, "") == [
        "t.yaml:1:1: YAML: the file is empty; expected a litmus test in YAML"
    ]
    assert error_of(tmp_path, "- 1\n") == [
        "t.yaml:1:1: YAML: the file holds a list; expected a mapping of keys to values"
    ]
