"""What is said where requests ask for an order that no stage keeps."""

from __future__ import annotations

from emu.cli.output import print_text
from emu.report import Report


def print_unkept_marks(report: Report) -> None:
    """Says how many marks had no effect; nothing where all had."""
    if report.unkept_marks:
        print_text(
            f"{report.unkept_marks} with an order, a service mode or a fence, of which no stage "
            f"of {report.table} knows: nothing waited for that"
        )
