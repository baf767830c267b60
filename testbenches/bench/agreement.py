"""Agreement: two models are compared for speed only where they model the same."""

from __future__ import annotations

from emu.report import Report
from testbenches.bench.simpy_model import Result, Step

#: What of a report says how it was made, and not what came out.
ABOUT = ("engine", "prevented", "wall_s")


class DisagreementError(Exception):
    """The two models do not model the same."""


def agree(report: Report, modelled: Result, path: list[Step]) -> None:
    """Check that both have the same mean latency alone, but for the waits for clock edges.

    Cutting edges to whole picoseconds may move each stage by one. `DisagreementError` otherwise.
    """
    aligned = report.parts.get("alignment", 0) / report.delivered
    difference = report.latency.mean() - modelled.mean_ps
    if abs(difference - aligned) > len(path):
        raise DisagreementError(
            f"alone, emu takes {report.latency.mean():.0f} ps and SimPy {modelled.mean_ps:.0f} ps; "
            f"expected {aligned:.0f} ps of alignment between them"
        )


def same(report: Report, other: Report) -> None:
    """Check that two reports say the same but for how they were made; else `DisagreementError`."""
    found, expected = report.as_json(), other.as_json()
    differ = [key for key in expected if key not in ABOUT and found[key] != expected[key]]
    if differ:
        raise DisagreementError(
            f"the {report.engine} and the {other.engine} engine differ in {', '.join(differ)}"
        )
