"""What commands said, cut down to what tells why they failed."""

from __future__ import annotations

from pathlib import Path

from emu.cosim.said import SHOWN_LINES, said_in, told


def test_what_is_short_is_shown_as_it_is(tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert said_in(log) == []
    log.write_text("a.sv:2: syntax error\nI give up.\n", encoding="utf-8")
    assert told(said_in(log)) == ["  a.sv:2: syntax error", "  I give up."]


def test_errors_are_shown_without_the_warnings_around_them() -> None:
    missing = ["%Error-MODMISSING: e3.sv:12:3: Cannot find 'foo'", "   12 |   foo u();"]
    warning = ["%Warning-WIDTH: e3.sv:9:3: Operator", "    9 |   a = b;"]
    said = [*missing, *warning * SHOWN_LINES, "%Error: Exiting due to 1 error(s)"]
    assert told(said) == [f"  {line}" for line in (*missing, said[-1])]


def test_without_an_error_the_last_lines_are_shown() -> None:
    said = [f"line {number}" for number in range(SHOWN_LINES + 5)]
    assert told(said) == [f"  {line}" for line in said[5:]]


def test_what_a_log_says_of_each_run_is_left_out() -> None:
    on = " " * 58
    said = [
        "loading VPI module 'cocotb.so'",
        "     -.--ns INFO     gpi      ../gpi/GpiCommon.cpp:242  in gpi_load_users   Loaded",
        "VPI module loaded!",
        "ghdl:error: bound check failure at counter.vhd:15",
        "      13.98ns WARNING  cocotb.regression   lockstep failed",
        f"{on}SimFailure: cocotb expected it would shut down the simulation, but",
        "      13.98ns INFO     cocotb.regression   ****",
        f"{on}** TESTS=1 PASS=0 FAIL=1",
    ]
    assert told(said) == ["  ghdl:error: bound check failure at counter.vhd:15"]
    # What else went wrong inside is not left out.
    crash = ["      13.98ns WARNING  cocotb.regression   lockstep failed", f"{on}KeyError: 3"]
    assert told([*said[:3], *crash]) == [f"  {line}" for line in crash]
