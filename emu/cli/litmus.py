"""`emu litmus`: small programs over many schedules, and which outcomes a mode allows."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from emu.cli import FAILED, INTERRUPTED
from emu.cli.options import JsonOption, OptionError, nanoseconds
from emu.cli.output import print_json, print_table, print_text, several
from emu.errors import did_you_mean, listed
from emu.litmus.catalog import find, litmus_names
from emu.litmus.count import Count, command
from emu.litmus.listing import Trace, trace
from emu.litmus.model import LitmusTest
from emu.litmus.read import read_test
from emu.litmus.schema import NONE
from emu.litmus.verdict import Judged, Row, Verdict, judge, said
from emu.run import stopped_by_interrupt

#: With fewer schedules in all, starting processes takes longer than running them.
FEW_SCHEDULES = 5000
SEED = 1
#: How a row is marked where a mode says more than its word.
MARKS = {
    Verdict.FORBIDDEN: "FORBIDDEN",
    Verdict.NOT_HERE: "NOT EXPECTED HERE",
    Verdict.UNNAMED: "FORBIDDEN (the test does not name it)",
}


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command()(litmus)


def litmus(
    tests: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TEST]...",
            help="Shipped tests by name, or your own as files; without any, all that are shipped.",
            show_default=False,
        ),
    ] = None,
    schedules: Annotated[
        int | None,
        typer.Option(min=1, help="Schedules of each mode; without it, what each test asks for."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help=f"What all random numbers come from; {SEED} without it.")
    ] = None,
    mode: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only the modes of this name.")
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="How many processes; without it, one a core if it pays."),
    ] = None,
    numbers: Annotated[
        list[int] | None,
        typer.Option(
            "--trace",
            min=0,
            metavar="SCHEDULE",
            help="Run this schedule alone and print what happened; may be given several times.",
        ),
    ] = None,
    list_all: Annotated[bool, typer.Option("--list", help="List the tests and modes.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Run litmus tests: count the outcomes of many schedules, and judge them.

    Exits with 1 on an outcome that a mode forbids, and on one that it allows and that never came.

    Examples:

      emu litmus

      emu litmus message_passing --schedules 10000

      emu litmus message_passing --mode unordered --trace 17
    """
    of_counting = {"--schedules": schedules, "--workers": workers}
    if list_all:
        _refuse("--list", {**of_counting, "--seed": seed, "--trace": numbers or None})
    elif numbers:
        _refuse("--trace", of_counting)
    read = [read_test(find(name)) for name in tests or litmus_names()]
    chosen = [
        (test, name) for test in read for name in test.spec.modes if mode is None or name == mode
    ]
    if not chosen:
        known = list(dict.fromkeys(name for test in read for name in test.spec.modes))
        near = did_you_mean(str(mode), known)
        raise OptionError(
            f"--mode {mode}: no test has that mode; expected {listed(known)}"
            + (f"; {near}" if near else "")
        )
    if list_all:
        _list(chosen, as_json)
    elif numbers:
        if len(chosen) > 1:
            raise OptionError("--trace is of one test and one mode; expected both to be named")
        _traces(*chosen[0], SEED if seed is None else seed, numbers, as_json)
    else:
        _count(chosen, SEED if seed is None else seed, schedules, workers, as_json)


def _refuse(option: str, others: Mapping[str, object]) -> None:
    """An `OptionError` where others are given beside an option that has no use for them."""
    given = [name for name, value in others.items() if value is not None]
    if given:
        raise OptionError(f"{' and '.join(given)} beside {option}; expected {option} without")


def _list(chosen: list[tuple[LitmusTest, str]], as_json: bool) -> None:
    rows = [(test.spec.name, name, test.spec.modes[name].title) for test, name in chosen]
    if as_json:
        print_json([{"test": test, "mode": mode, "title": title} for test, mode, title in rows])
        return
    for test, mode, title in rows:
        print_text(f"{test} {mode}: {title}")


def _count(
    chosen: list[tuple[LitmusTest, str]],
    seed: int,
    schedules: int | None,
    workers: int | None,
    as_json: bool,
) -> None:
    total = sum(schedules or test.spec.schedules for test, _ in chosen)
    if workers is None:
        workers = 1 if total < FEW_SCHEDULES else os.cpu_count() or 1
    count = Count(chosen, seed, schedules)
    judged = []
    with stopped_by_interrupt(count.stop):
        for counted in count.run(workers):
            if not counted.schedules:
                continue
            one = judge(counted)
            judged.append(one)
            if not as_json:
                _print_mode(one)
    if as_json:
        print_json({"interrupted": count.is_stopping, "modes": [_as_json(one) for one in judged]})
    else:
        _print_sum(judged, len(chosen), count.is_stopping)
    if count.is_stopping:
        raise typer.Exit(INTERRUPTED)
    if not all(one.ok for one in judged):
        raise typer.Exit(FAILED)


def _print_mode(judged: Judged) -> None:
    counted = judged.counted
    spec = counted.test.spec
    mode = spec.modes[counted.mode]
    tables = listed(Path(name).stem for name in mode.tables)
    print_text(f"{spec.name}, {counted.mode}: {mode.title} (on {tables})", "bold")
    rows = [
        (row.outcome or "?", said(counted, row.values), str(row.count), _mark(row))
        for row in judged.rows
    ]
    rows += [(name, "", "0", _mark_of_missing(judged)) for name in judged.missing]
    rows += [(name, "", "0", "forbidden") for name in _absent(judged)]
    rows += [
        (name, "", "0", f"not here: {reason}")
        for name, reason in mode.not_here.items()
        if all(row.outcome != name for row in judged.rows)
    ]
    print_table(("outcome", "", "seen", ""), rows, left=4)
    _print_unkept(counted.test, counted.mode)
    for row in judged.wrong:
        print_text()
        print_text(f"{MARKS[row.verdict]}: {said(counted, row.values)}", "bold")
        _print_trace(counted.test, counted.mode, counted.seed, row.first)
    print_text()


def _print_unkept(test: LitmusTest, mode: str) -> None:
    """A line for each table that knows of none of the marks that the mode gives."""
    for table, labels in test.unkept_marks(mode).items():
        print_text(
            f"{', '.join(labels)}: with an order, a service mode or a fence, of which no stage of "
            f"{Path(table).stem} knows: nothing waits for that"
        )


def _absent(judged: Judged) -> list[str]:
    """What is forbidden, and was not seen."""
    mode = judged.counted.test.spec.modes[judged.counted.mode]
    seen = {row.outcome for row in judged.rows}
    return [name for name in mode.forbidden if name not in seen]


def _mark(row: Row) -> str:
    mark = MARKS.get(row.verdict)
    return row.verdict.value if mark is None else f"{mark}, first in schedule {row.first}"


def _mark_of_missing(judged: Judged) -> str:
    if judged.is_enough:
        return "allowed, NOT SEEN"
    return f"allowed, not seen: {judged.counted.schedules} schedules are too few to tell"


def _print_sum(judged: list[Judged], asked: int, interrupted: bool) -> None:
    if interrupted:
        print_text("interrupted: this is what had been counted by then", "bold")
    run = sum(one.counted.schedules for one in judged)
    wrong = sum(not one.ok for one in judged)
    text = f"{several(run, 'schedule')} of {several(len(judged), 'mode')}"
    if len(judged) < asked:
        text += f", of {asked}"
    hold = "does not hold" if wrong == 1 else "do not hold"
    print_text(text + (f": {wrong} {hold}" if wrong else ": all hold"))


def _as_json(judged: Judged) -> dict[str, Any]:
    counted = judged.counted
    mode = counted.test.spec.modes[counted.mode]
    return {
        "test": counted.test.spec.name,
        "mode": counted.mode,
        "tables": mode.tables,
        "seed": counted.seed,
        "schedules": counted.schedules,
        "ok": judged.ok,
        "outcomes": [
            {
                "name": row.outcome or None,
                "values": dict(zip(counted.test.observed, row.values, strict=True)),
                "count": row.count,
                "first_schedule": row.first,
                "verdict": row.verdict.value,
            }
            for row in judged.rows
        ],
        "not_seen": {"allowed": list(judged.missing), "forbidden": _absent(judged)},
        "not_here": mode.not_here,
        "unkept_marks": counted.test.unkept_marks(counted.mode),
    }


# -- one schedule ---------------------------------------------------------------------------------


def _traces(test: LitmusTest, mode: str, seed: int, numbers: list[int], as_json: bool) -> None:
    if as_json:
        print_json([_trace_as_json(test, mode, seed, number) for number in numbers])
        return
    for number in numbers:
        _print_trace(test, mode, seed, number)
    _print_unkept(test, mode)


def _print_trace(test: LitmusTest, mode: str, seed: int, number: int) -> None:
    found = trace(test, mode, seed, number)
    print_text(command(test, mode, seed, number))
    print_text(", ".join([f"on {found.group.table.head.name}", *found.group.timings]))
    print_table(
        ("ns", "who", "stage", ""),
        [(nanoseconds(line.time_ps), line.who, line.stage, line.what) for line in found.lines],
        left=4,
    )
    for reuse in found.reuses:
        print_text(reuse)
    print_text(_outcome(test, found), "bold")


def _outcome(test: LitmusTest, found: Trace) -> str:
    values = (f"{key}={NONE if v is None else v}" for key, v in found.outcome.items())
    return f"{test.named(found.outcome) or '?'}: {' '.join(values)}"


def _trace_as_json(test: LitmusTest, mode: str, seed: int, number: int) -> dict[str, Any]:
    found = trace(test, mode, seed, number)
    return {
        "test": test.spec.name,
        "mode": mode,
        "seed": seed,
        "schedule": number,
        "table": found.group.table.head.name,
        "timings": list(found.group.timings),
        "outcome": {"name": test.named(found.outcome), "values": dict(found.outcome)},
        "reuses": found.reuses,
        "unkept_marks": test.unkept_marks(mode),
        "trace": [
            {"time_ps": line.time_ps, "who": line.who, "stage": line.stage, "what": line.what}
            for line in found.lines
        ],
    }
