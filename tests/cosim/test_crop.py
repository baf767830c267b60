"""Crop: the part of a dump between two times."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.cosim.crop import crop, cropped

HEAD = """\
$date
   today
$end
$timescale 1ps $end
$scope module top $end
$var wire 1 ! clk $end
$var wire 8 "x data [7:0] $end
$upscope $end
$enddefinitions $end
"""
DUMP = (
    HEAD
    + """\
#0
$dumpvars
0!
bx "x
$end
#5
1!
#10
0!
b101 "x
#15
1!
#20
0!
b110 "x
"""
)


def part(from_time: int, to_time: int) -> list[str]:
    """The changes of the part, without what is declared."""
    lines = list(cropped(DUMP.splitlines(keepends=True), from_time, to_time))
    text = "".join(lines)
    declared, _, changes = text.partition("$enddefinitions $end\n")
    assert "$date" not in declared
    assert "today" not in declared
    assert '$var wire 8 "x data [7:0] $end' in declared
    return changes.splitlines()


@pytest.mark.parametrize(
    ("window", "changes"),
    (
        (
            (7, 15),
            ["#7", "$dumpvars", "1!", 'bx "x', "$end", "#10", "0!", 'b101 "x', "#15", "1!", "#15"],
        ),
        (
            (10, 12),
            ["#10", "$dumpvars", "0!", 'b101 "x', "$end", "#12"],
        ),
        ((30, 40), ["#30", "$dumpvars", "0!", 'b110 "x', "$end", "#40"]),
        ((0, 4), ["#0", "$dumpvars", "0!", 'bx "x', "$end", "#4"]),
    ),
)
def test_a_part_begins_with_all_values_and_keeps_its_times(
    window: tuple[int, int], changes: list[str]
) -> None:
    assert part(*window) == changes


def at(lines: list[str], time: int) -> dict[str, str]:
    """The values after a time."""
    now, values = -1, {}
    for line in lines:
        if line.startswith("#"):
            now = int(line[1:])
        elif not line.startswith("$") and now <= time:
            name = line.split()[-1] if line.startswith("b") else line[1:]
            values[name] = line
    return values


@given(
    changes=st.lists(
        st.tuples(st.integers(0, 40), st.sampled_from("!%"), st.sampled_from("01xz")), max_size=30
    ),
    from_time=st.integers(0, 45),
    length=st.integers(0, 20),
)
def test_within_the_part_all_values_are_those_of_the_whole(
    changes: list[tuple[int, str, str]], from_time: int, length: int
) -> None:
    body: list[str] = ["#0", "$dumpvars", "x!", "x%", "$end"]
    for time, name, value in sorted(changes, key=lambda change: change[0]):
        body += [f"#{time}", f"{value}{name}"]
    whole = [f"{line}\n" for line in ["$enddefinitions $end", *body]]
    found = [line.strip() for line in cropped(whole, from_time, from_time + length)][1:]
    times = [int(line[1:]) for line in found if line.startswith("#")]
    assert times == sorted(times)
    assert (times[0], times[-1]) == (from_time, from_time + length)
    for time in range(from_time, from_time + length + 1):
        assert at(found, time) == at(body, time)


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    source, target = tmp_path / "a.vcd", tmp_path / "b.vcd"
    source.write_text(DUMP, encoding="utf-8")
    crop(source, target, 7, 15)
    lines = DUMP.splitlines(keepends=True)
    assert target.read_text(encoding="utf-8") == "".join(cropped(lines, 7, 15))
    assert sorted(tmp_path.iterdir()) == [source, target]
