"""`emu verify`: published figures, recomputed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer

from emu.cli import FAILED
from emu.cli.options import JsonOption, OptionError, nanoseconds, say_compiling
from emu.cli.output import print_json, print_table, print_text
from emu.verify import (
    Check,
    Compared,
    NotComparable,
    Verification,
    all_held,
    verify_openurma_cycles,
    verify_openurma_rows,
    verify_shipped,
)
from emu.verify.check import DEPARTURES, PS


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command()(verify)


def verify(
    openurma_rows: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.csv",
            help="Recompute the rows of a results file of OpenURMA's two-node simulator instead, "
            "each with its own parameters.",
        ),
    ] = None,
    addresses: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.csv",
            help="What the random workloads in it drew; without it, the draws that are shipped.",
        ),
    ] = None,
    openurma_cycles: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.jsonl",
            help="Run scenarios of OpenURMA's sender instead, and compare every stage and cycle.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Recompute every published figure that the project ships, and print where it differs.

    Those of `emu figure` are among them.

    Exits with 1 if one is off by more than its tolerance, or if nothing could be compared.

    Examples: emu verify; emu verify --openurma-rows results.csv --addresses addresses.csv
    """
    if openurma_cycles is not None:
        if openurma_rows is not None or addresses is not None:
            raise OptionError("--openurma-cycles with rows or addresses; expected it alone")
        _verify_cycles(openurma_cycles, as_json)
        return
    if openurma_rows is not None:
        found = [verify_openurma_rows(openurma_rows, addresses)]
    elif addresses is not None:
        raise OptionError("--addresses without --openurma-rows; expected the rows that drew them")
    else:
        found = verify_shipped(say_compiling)
    if as_json:
        print_json(summary(found))
    else:
        _print(found)
    if not all_held(found):
        raise typer.Exit(FAILED)


def _verify_cycles(file: Path, as_json: bool) -> None:
    compared = verify_openurma_cycles(file)
    if as_json:
        print_json(cycles_summary(compared))
    else:
        _print_cycles(file.name, compared)
    if any(one.difference for one in compared):
        raise typer.Exit(FAILED)


def cycles_summary(compared: Sequence[Compared]) -> dict[str, Any]:
    """Counts and failures in scenarios, for scripts.

    A departure is `[cycle, id]`, on the wire `[cycle]`.
    """
    failures = [(one, one.difference) for one in compared if one.difference is not None]
    return {
        "checked": len(compared),
        "matched": len(compared) - len(failures),
        "failures": [
            {
                "scenario": one.name,
                "line": one.line,
                "stage": difference.stage,
                "departure": difference.number,
                "expected": difference.expected,
                "got": difference.got,
            }
            for one, difference in failures
        ],
    }


def _print_cycles(name: str, compared: Sequence[Compared]) -> None:
    failures = [(one, one.difference) for one in compared if one.difference is not None]
    if failures:
        print_table(
            ("line", "scenario", "stage", "departure", "expected", "got"),
            [
                (
                    str(one.line),
                    one.name,
                    difference.stage,
                    str(difference.number),
                    _departure(difference.expected),
                    _departure(difference.got),
                )
                for one, difference in failures
            ],
            title=f"{name}: the first departure of each scenario that differs",
            left=3,
        )
        print_text()
    departures = sum(one.departures for one in compared)
    matched = sum(one.matched for one in compared)
    print_text(f"{matched} of {departures} departures are in their cycle")
    print_text(f"{len(compared) - len(failures)} of {len(compared)} scenarios match")


def _departure(departure: Sequence[int] | None) -> str:
    if departure is None:
        return "nothing"
    cycle, *whose = departure
    return f"cycle {cycle}" + (f", request {whose[0]}" if whose else "")


def summary(found: Iterable[Verification]) -> dict[str, Any]:
    """Counts and failures, for scripts; times are in whole picoseconds, all else in its unit."""
    checks = [check for one in found for check in one.checks]
    failures = [(one.title, check) for one in found for check in one.failures]
    return {
        "checked": len(checks),
        "matched": len(checks) - len(failures),
        "not_comparable": sum(len(one.not_comparable) for one in found),
        "failures": [
            {"file": title, "name": check.name, "source": check.source, **_numbers(check)}
            for title, check in failures
        ],
    }


def _numbers(check: Check) -> dict[str, Any]:
    numbers = {
        "expected": check.expected,
        "got": check.got,
        "difference": check.difference,
        "tolerance": check.tolerance,
    }
    if check.unit == PS:
        return {f"{key}_ps": round(number) for key, number in numbers.items()}
    return {"unit": check.unit, **{key: float(number) for key, number in numbers.items()}}


def _print(found: Sequence[Verification]) -> None:
    figures = [one for one in found if not one.is_rows]
    files = [one for one in found if one.is_rows and not _is_scenarios(one)]
    scenarios = [one for one in found if _is_scenarios(one)]
    if figures:
        _print_checks("Published figures", [check for one in figures for check in one.checks])
    if files:
        _print_files(files)
    if scenarios:
        _print_scenarios(scenarios)
    for one in [*files, *scenarios]:
        if one.failures:
            _print_checks(f"{one.title}: what is off", one.failures)
        _print_not_comparable(one)
    checks = sum(len(one.checks) for one in found)
    failures = sum(len(one.failures) for one in found)
    print_text(
        f"{checks - failures} of {checks} hold" + (f", {failures} are off" if failures else "")
    )
    for one in found:
        if one.is_empty:
            print_text(f"{one.title}: nothing was compared, so that nothing is verified", "bold")


def _print_checks(title: str, checks: Sequence[Check]) -> None:
    print_table(
        ("figure", "source", "expected", "got", "difference", "allowed", "unit", ""),
        [
            (
                check.name,
                check.source,
                _shown(check, check.expected),
                _shown(check, check.got),
                _shown(check, check.difference),
                "more" if check.is_beaten else _shown(check, check.tolerance),
                "ns" if check.unit == PS else check.unit,
                "" if check.ok else "off",
            )
            for check in checks
        ],
        title=title,
        left=2,
        strong_rows=[index for index, check in enumerate(checks) if not check.ok],
    )
    print_text()


def _shown(check: Check, number: Fraction) -> str:
    return nanoseconds(round(number)) if check.unit == PS else f"{float(number):.6g}"


def _print_files(files: Sequence[Verification]) -> None:
    print_table(
        ("file", "rows", "hold", "off", "not comparable", "largest difference"),
        [
            (
                one.title,
                str(len(one.checks) + len(one.not_comparable)),
                str(len(one.checks) - len(one.failures)),
                str(len(one.failures)),
                str(len(one.not_comparable)),
                nanoseconds(round(one.largest_difference)),
            )
            for one in files
        ],
        title="Mean latencies of OpenURMA's two-node simulator, row by row, in ns",
    )
    print_text()


def _is_scenarios(one: Verification) -> bool:
    return one.is_rows and any(check.unit == DEPARTURES for check in one.checks)


def _print_scenarios(files: Sequence[Verification]) -> None:
    print_table(
        ("file", "scenarios", "hold", "off", "departures"),
        [
            (
                one.title,
                str(len(one.checks)),
                str(len(one.checks) - len(one.failures)),
                str(len(one.failures)),
                str(sum(int(check.expected) for check in one.checks)),
            )
            for one in files
        ],
        title="Cycles in which headers leave each stage of OpenURMA's sender",
    )
    print_text()


def _print_not_comparable(one: Verification) -> None:
    by_reason: dict[str, list[NotComparable]] = {}
    for row in one.not_comparable:
        by_reason.setdefault(row.reason, []).append(row)
    for reason, rows in by_reason.items():
        print_text(f"{one.title}: not comparable, {reason}", style="bold")
        for row in rows:
            print_text(f"  {row.name}")
        print_text()
