"""Crop: the part of a value change dump between two times, as a dump of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from emu.trace.whole_file import WholeFile

#: Ends the declarations of a dump.
_DECLARED = "$enddefinitions"


def crop(source: Path, target: Path, from_time: int, to_time: int) -> None:
    """Writes `target`: the values at `from_time`, and all changes up to `to_time`, both included.

    Times are in the unit of the dump, and stay what they are.
    """
    out = WholeFile(target)
    try:
        with source.open(encoding="utf-8", errors="replace") as lines:
            for line in cropped(lines, from_time, to_time):
                out.write(line)
    except BaseException:
        out.discard()
        raise
    out.close()


def cropped(lines: Iterable[str], from_time: int, to_time: int) -> Iterator[str]:
    """The lines of the part, each with its end; without the date, so that a run repeats itself."""
    lines = iter(lines)
    is_date = False
    for line in lines:
        is_date = is_date or line.startswith("$date")
        if not is_date:
            yield line
        is_date = is_date and "$end" not in line
        if line.startswith(_DECLARED):
            break
    values: dict[str, str] = {}
    is_inside = False
    for line in lines:
        if line.startswith("#"):
            time = int(line[1:])
            if time > to_time:
                break
            if time > from_time and not is_inside:
                is_inside = True
                yield from _start(from_time, values)
            if is_inside:
                yield line
        elif is_inside:
            yield line
        elif line.strip() and not line.startswith("$"):
            values[_identifier(line)] = line
    if not is_inside:
        yield from _start(from_time, values)
    yield f"#{to_time}\n"


def _start(time: int, values: dict[str, str]) -> Iterator[str]:
    yield f"#{time}\n"
    yield "$dumpvars\n"
    yield from values.values()
    yield "$end\n"


def _identifier(change: str) -> str:
    """Of which variable a change is: behind the value, or after a space where that is long."""
    change = change.strip()
    return change.split()[-1] if change[0] in "bBrRsS" else change[1:]
