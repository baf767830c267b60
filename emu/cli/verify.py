"""`emu verify`: published figures, recomputed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer

from emu.cli import FAILED
from emu.cli.options import JsonOption, OptionError, nanoseconds
from emu.cli.output import print_json, print_table, print_text
from emu.verify import (
    Check,
    NotComparable,
    Verification,
    all_held,
    verify_figures,
    verify_openurma_rows,
    verify_published,
)
from emu.verify.check import PS


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
    as_json: JsonOption = False,
) -> None:
    """Recompute every published figure that the project ships, and print where it differs.

    Those of `emu figure` are among them.

    Exits with 1 if one is off by more than its tolerance.

    Examples: emu verify; emu verify --openurma-rows results.csv --addresses addresses.csv
    """
    if openurma_rows is not None:
        found = [verify_openurma_rows(openurma_rows, addresses)]
    elif addresses is not None:
        raise OptionError("--addresses without --openurma-rows; expected the rows that drew them")
    else:
        found = [*verify_published(), *verify_figures()]
    if as_json:
        print_json(summary(found))
    else:
        _print(found)
    if not all_held(found):
        raise typer.Exit(FAILED)


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
    files = [one for one in found if one.is_rows]
    if figures:
        _print_checks("Published figures", [check for one in figures for check in one.checks])
    if files:
        _print_files(files)
    for one in files:
        if one.failures:
            _print_checks(f"{one.title}: rows that are off", one.failures)
        _print_not_comparable(one)
    checks = sum(len(one.checks) for one in found)
    failures = sum(len(one.failures) for one in found)
    print_text(
        f"{checks - failures} of {checks} hold" + (f", {failures} are off" if failures else "")
    )


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


def _print_not_comparable(one: Verification) -> None:
    by_reason: dict[str, list[NotComparable]] = {}
    for row in one.not_comparable:
        by_reason.setdefault(row.reason, []).append(row)
    for reason, rows in by_reason.items():
        print_text(f"{one.title}: not comparable, {reason}", style="bold")
        for row in rows:
            print_text(f"  {row.name}")
        print_text()
