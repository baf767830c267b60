from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.errors import UnitError
from emu.time import Cycles, Duration, Picoseconds
from emu.units import (
    parse_bandwidth,
    parse_bytes,
    parse_duration,
    parse_frequency,
    parse_period,
    parse_size,
    parse_time,
)

TIME_UNITS = "ps, ns, us, µs, ms or s"
DURATION_UNITS = "ps, ns, us, µs, ms, s, cycle or cycles"
BYTE_UNITS = "B, KiB, MiB, GiB, KB, kB, MB or GB"
FREQUENCY_UNITS = "Hz, kHz, MHz or GHz"
BANDWIDTH_UNITS = "B/s, KB/s, MB/s, GB/s, TB/s, GiB/s, Mb/s, Gb/s or Tb/s"


@pytest.mark.parametrize(
    ("text", "expected_ps"),
    (
        ("0 ns", 0),
        ("1 ps", 1),
        ("150 ns", 150_000),
        ("150ns", 150_000),
        ("  150  ns ", 150_000),
        ("+150 ns", 150_000),
        ("3.106 ns", 3106),
        ("0.001 ns", 1),
        ("-0 ns", 0),
        ("2 us", 2_000_000),
        ("2 µs", 2_000_000),
        ("1.5 ms", 1_500_000_000),
        ("1 s", 10**12),
        ("0.1 s", 10**11),
    ),
)
def test_times(text: str, expected_ps: int) -> None:
    assert parse_time(text) == expected_ps


@given(st.integers(0, 10**18))
def test_a_decimal_time_loses_nothing(time_ps: int) -> None:
    whole, rest = divmod(time_ps, 1000)
    assert parse_time(f"{whole}.{rest:03} ns") == time_ps


@pytest.mark.parametrize(
    ("text", "expected"),
    (
        ("150 ns", Picoseconds(150_000)),
        ("1 s", Picoseconds(10**12)),
        ("9 cycles", Cycles(9)),
        ("1 cycle", Cycles(1)),
        ("0 cycles", Cycles(0)),
        ("9.0 cycles ", Cycles(9)),
    ),
)
def test_durations(text: str, expected: Duration) -> None:
    assert parse_duration(text) == expected


@pytest.mark.parametrize(
    ("text", "expected_hz"),
    (
        ("322 MHz", 322_000_000),
        ("322.265625 MHz", 322_265_625),
        ("1 GHz", 10**9),
        ("1 kHz", 1000),
        ("0.5 Hz", Fraction(1, 2)),
    ),
)
def test_frequencies(text: str, expected_hz: Fraction) -> None:
    assert parse_frequency(text) == expected_hz


def test_a_period_may_be_a_fraction_of_a_picosecond() -> None:
    assert parse_period("3.106 ns") == 3106
    assert parse_period("0.0033 ns") == Fraction(33, 10)


@pytest.mark.parametrize(
    ("text", "expected"),
    (
        ("0 B", 0),
        ("64 B", 64),
        ("4 KiB", 4096),
        ("0.5 KiB", 512),
        ("1 MiB", 2**20),
        ("2 GiB", 2**31),
        ("1 kB", 1000),
        ("1 KB", 1000),
        ("1 MB", 10**6),
        ("1 GB", 10**9),
    ),
)
def test_bytes(text: str, expected: int) -> None:
    assert parse_bytes(text) == expected
    assert parse_size(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    (
        ("64", 64),
        (" 64 ", 64),
        ("0", 0),
        ("4K", 4096),
        ("0.5 K", 512),
        ("64K", 65536),
        ("1G", 2**30),
    ),
)
def test_sizes_of_options_need_no_unit_and_may_have_a_short_one(text: str, expected: int) -> None:
    assert parse_size(text) == expected
    with pytest.raises(UnitError):
        parse_bytes(text)


@pytest.mark.parametrize("text", ("", "-4", "1.5", "0.3K", "4k", "4T", "K", "64 parsec"))
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(UnitError):
        parse_size(text)


@pytest.mark.parametrize(
    ("text", "bytes_per_s"),
    (
        ("50 GB/s", 50 * 10**9),
        ("400 Gb/s", 50 * 10**9),
        ("1 B/s", 1),
        ("1 KB/s", 10**3),
        ("1 MB/s", 10**6),
        ("1 TB/s", 10**12),
        ("1 GiB/s", 2**30),
        ("1 Mb/s", 125_000),
        ("1 Tb/s", 125 * 10**9),
        ("0.1 Gb/s", 12_500_000),
    ),
)
def test_bandwidths(text: str, bytes_per_s: int) -> None:
    assert parse_bandwidth(text) == Fraction(bytes_per_s, 10**12)


ERRORS: list[tuple[Callable[[object], object], object, str]] = [
    (parse_time, "150", f"'150' has no unit; expected one of {TIME_UNITS}, as in '150 ns'"),
    (parse_time, 150, f"'150' has no unit; expected one of {TIME_UNITS}, as in '150 ns'"),
    (parse_time, 1.5, "1.5 is not a quantity; expected a number and a unit, as in '150 ns'"),
    (
        parse_time,
        "150 nsec",
        f"'150 nsec' has the unknown unit 'nsec'; expected one of {TIME_UNITS}; did you mean 'ns'?",
    ),
    (
        parse_time,
        "9 cycles",
        f"'9 cycles' has the unknown unit 'cycles'; expected one of {TIME_UNITS}",
    ),
    (
        parse_time,
        "1e3 ns",
        f"'1e3 ns' has the unknown unit 'e3 ns'; expected one of {TIME_UNITS}",
    ),
    (parse_time, "-1 ns", "'-1 ns' is negative; expected zero or more, as in '150 ns'"),
    (
        parse_time,
        "0.0001 ns",
        "'0.0001 ns' is not a whole number of picoseconds; expected at most 1 ps steps",
    ),
    *(
        (
            parse_time,
            wrong,
            f"{shown} is not a quantity; expected a number and a unit, as in '150 ns'",
        )
        for wrong, shown in (
            ("fast", "'fast'"),
            ("", "''"),
            (".5 ns", "'.5 ns'"),
            ("--1 ns", "'--1 ns'"),
            (True, "True"),
            (None, "None"),
            ([1], "[1]"),
            (float("nan"), "nan"),
        )
    ),
    (
        parse_duration,
        "9",
        f"'9' has no unit; expected one of {DURATION_UNITS}, as in '150 ns' or '9 cycles'",
    ),
    (
        parse_duration,
        "9 cycels",
        (
            f"'9 cycels' has the unknown unit 'cycels'; expected one of {DURATION_UNITS}; "
            "did you mean 'cycles'?"
        ),
    ),
    (
        parse_duration,
        "1.5 cycles",
        "'1.5 cycles' is not a whole number of cycles; expected for example '9 cycles'",
    ),
    (
        parse_duration,
        "-9 cycles",
        "'-9 cycles' is negative; expected zero or more, as in '150 ns' or '9 cycles'",
    ),
    (
        parse_duration,
        "0.5 ps",
        "'0.5 ps' is not a whole number of picoseconds; expected at most 1 ps steps",
    ),
    (
        parse_duration,
        None,
        "None is not a quantity; expected a number and a unit, as in '150 ns' or '9 cycles'",
    ),
    (
        parse_frequency,
        "322",
        f"'322' has no unit; expected one of {FREQUENCY_UNITS}, as in '322 MHz'",
    ),
    (
        parse_frequency,
        "322 Mhz",
        (
            f"'322 Mhz' has the unknown unit 'Mhz'; expected one of {FREQUENCY_UNITS}; "
            "did you mean 'MHz'?"
        ),
    ),
    (
        parse_frequency,
        "0 MHz",
        "'0 MHz' is no frequency; expected more than zero, as in '322 MHz'",
    ),
    (
        parse_frequency,
        "-1 MHz",
        "'-1 MHz' is negative; expected zero or more, as in '322 MHz'",
    ),
    (parse_period, "0 ns", "'0 ns' is no period; expected more than zero, as in '3.106 ns'"),
    (
        parse_period,
        "322 MHz",
        f"'322 MHz' has the unknown unit 'MHz'; expected one of {TIME_UNITS}",
    ),
    (parse_bytes, "64", f"'64' has no unit; expected one of {BYTE_UNITS}, as in '64 B'"),
    (parse_bytes, 64, f"'64' has no unit; expected one of {BYTE_UNITS}, as in '64 B'"),
    (
        parse_bytes,
        "0.3 B",
        "'0.3 B' is not a whole number of bytes; expected for example '64 B'",
    ),
    (parse_bytes, "-4 B", "'-4 B' is negative; expected zero or more, as in '64 B'"),
    (
        parse_bandwidth,
        "50 GB",
        (
            f"'50 GB' has the unknown unit 'GB'; expected one of {BANDWIDTH_UNITS}; "
            "did you mean 'GB/s'?"
        ),
    ),
    (
        parse_bandwidth,
        "0 GB/s",
        "'0 GB/s' is no bandwidth; expected more than zero, as in '50 GB/s'",
    ),
    (
        parse_bandwidth,
        "50",
        f"'50' has no unit; expected one of {BANDWIDTH_UNITS}, as in '50 GB/s'",
    ),
]


@pytest.mark.parametrize(("parse", "text", "message"), ERRORS)
def test_what_is_wrong_is_said(
    parse: Callable[[object], object], text: object, message: str
) -> None:
    with pytest.raises(UnitError) as error:
        parse(text)
    assert str(error.value) == message


@given(st.text(max_size=12))
def test_no_text_at_all_ends_in_anything_but_a_unit_error(text: str) -> None:
    for parse in (parse_time, parse_duration, parse_frequency, parse_bytes, parse_bandwidth):
        with suppress(UnitError):
            parse(text)
