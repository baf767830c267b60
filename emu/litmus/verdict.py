"""What a mode says of the outcomes that were seen, and of those that were not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from emu.litmus.count import Counted, Values
from emu.litmus.schema import NONE


class Verdict(StrEnum):
    """What a mode says of an outcome; `UNNAMED` ones are forbidden too."""

    ALLOWED = "allowed"
    FORBIDDEN = "forbidden"
    NOT_HERE = "not_here"
    UNNAMED = "unnamed"


@dataclass(frozen=True)
class Row:
    """One outcome as it was observed; `first` is the first schedule that had it."""

    outcome: str
    values: Values
    count: int
    first: int
    verdict: Verdict

    @property
    def ok(self) -> bool:
        """Whether it may be there."""
        return self.verdict is Verdict.ALLOWED


@dataclass(frozen=True)
class Judged:
    """The outcomes of one mode, in the order of the file, and the allowed ones that are missing."""

    counted: Counted
    rows: tuple[Row, ...]
    missing: tuple[str, ...]

    @property
    def is_enough(self) -> bool:
        """Whether so many schedules were run that none that is allowed should be missing."""
        return self.counted.schedules >= self.counted.test.spec.schedules

    @property
    def wrong(self) -> tuple[Row, ...]:
        """What was seen and should not have been."""
        return tuple(row for row in self.rows if not row.ok)

    @property
    def ok(self) -> bool:
        """Whether the mode holds."""
        return not self.wrong and not (self.missing and self.is_enough)


def judge(counted: Counted) -> Judged:
    """Names and judges what was seen."""
    spec = counted.test.spec
    rows = tuple(sorted(_rows(counted), key=lambda row: _place(counted, row)))
    seen = {row.outcome for row in rows}
    missing = tuple(name for name in spec.modes[counted.mode].allowed if name not in seen)
    return Judged(counted, rows, missing)


def said(counted: Counted, values: Values) -> str:
    """An outcome as text: `seen_flag=1 seen_data=0`."""
    named = zip(counted.test.observed, values, strict=True)
    return " ".join(f"{key}={NONE if value is None else value}" for key, value in named)


def _rows(counted: Counted) -> Iterator[Row]:
    test = counted.test
    mode = test.spec.modes[counted.mode]
    verdicts = {
        **dict.fromkeys(mode.allowed, Verdict.ALLOWED),
        **dict.fromkeys(mode.forbidden, Verdict.FORBIDDEN),
        **dict.fromkeys(mode.not_here, Verdict.NOT_HERE),
    }
    for values, seen in counted.seen.items():
        name = test.named(dict(zip(test.observed, values, strict=True)))
        verdict = Verdict.UNNAMED if name is None else verdicts[name]
        yield Row(name or "", values, seen.count, seen.first, verdict)


def _place(counted: Counted, row: Row) -> tuple[int, list[int]]:
    names = [*counted.test.spec.outcomes, ""]
    # What found nothing comes before any value.
    return names.index(row.outcome), [-1 if value is None else value for value in row.values]
