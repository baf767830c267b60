"""Quantities as text: each parser takes `"150 ns"` and the like, and refuses what is not exact."""

from __future__ import annotations

import re
from fractions import Fraction

from emu.errors import UnitError, did_you_mean, listed
from emu.time import PS_PER_S, Cycles, Duration, Picoseconds

TIME_UNITS_PS = {"ps": 1, "ns": 10**3, "us": 10**6, "µs": 10**6, "ms": 10**9, "s": PS_PER_S}
CYCLE_UNITS = ("cycle", "cycles")
RATE_UNITS_PER_S = {"/s": 1, "k/s": 10**3, "M/s": 10**6, "G/s": 10**9}
FREQUENCY_UNITS_HZ = {"Hz": 1, "kHz": 10**3, "MHz": 10**6, "GHz": 10**9}
BYTE_UNITS = {
    "B": 1,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "KB": 10**3,
    "kB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
}
BANDWIDTH_UNITS_BYTES_PER_S = {
    "B/s": Fraction(1),
    "KB/s": Fraction(10**3),
    "MB/s": Fraction(10**6),
    "GB/s": Fraction(10**9),
    "TB/s": Fraction(10**12),
    "GiB/s": Fraction(2**30),
    "Mb/s": Fraction(10**6, 8),
    "Gb/s": Fraction(10**9, 8),
    "Tb/s": Fraction(10**12, 8),
}

_QUANTITY = re.compile(r"\s*([+-]?)(\d+(?:\.\d+)?)\s*(\S.*?)?\s*")
#: K, M and G alone count as the powers of two that sizes mostly are.
_SHORT_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMG]?)")


def _quantity(text: object, units: dict[str, int] | dict[str, Fraction], what: str) -> Fraction:
    """The exact value of `text` in base units; `what` is an example for the error."""
    known = dict.fromkeys(units)
    if isinstance(text, bool) or not isinstance(text, (str, int)):
        raise UnitError(f"{text!r} is not a quantity; expected a number and a unit, as in '{what}'")
    match = _QUANTITY.fullmatch(str(text))
    if match is None:
        raise UnitError(f"'{text}' is not a quantity; expected a number and a unit, as in '{what}'")
    sign, digits, unit = match.groups()
    if unit is None:
        raise UnitError(f"'{text}' has no unit; expected one of {listed(known)}, as in '{what}'")
    if unit not in units:
        near = did_you_mean(unit, known)
        raise UnitError(
            f"'{text}' has the unknown unit '{unit}'; expected one of {listed(known)}"
            + (f"; {near}" if near else "")
        )
    if sign == "-" and Fraction(digits):
        raise UnitError(f"'{text}' is negative; expected zero or more, as in '{what}'")
    return Fraction(digits) * units[unit]


def parse_time(text: object) -> int:
    """Whole picoseconds in a time such as `3.106 ns`; `UnitError` if it is not whole."""
    value = _quantity(text, TIME_UNITS_PS, "150 ns")
    if value.denominator != 1:
        raise UnitError(
            f"'{text}' is not a whole number of picoseconds; expected at most 1 ps steps"
        )
    return int(value)


def parse_duration(text: object) -> Duration:
    """A `Picoseconds` or `Cycles` from text such as `150 ns` or `9 cycles`."""
    units = {**TIME_UNITS_PS, **dict.fromkeys(CYCLE_UNITS, 1)}
    value = _quantity(text, units, "150 ns' or '9 cycles")
    if str(text).rstrip().endswith(CYCLE_UNITS):
        if value.denominator != 1:
            raise UnitError(
                f"'{text}' is not a whole number of cycles; expected for example '9 cycles'"
            )
        return Cycles(int(value))
    return Picoseconds(parse_time(text))


def parse_frequency(text: object) -> Fraction:
    """Hertz, exact, from text such as `322.265625 MHz`; never zero."""
    value = _quantity(text, FREQUENCY_UNITS_HZ, "322 MHz")
    if value == 0:
        raise UnitError(f"'{text}' is no frequency; expected more than zero, as in '322 MHz'")
    return Fraction(value)


def parse_period(text: object) -> Fraction:
    """Picoseconds, exact and possibly a fraction, from text such as `3.106 ns`; never zero."""
    value = _quantity(text, TIME_UNITS_PS, "3.106 ns")
    if value == 0:
        raise UnitError(f"'{text}' is no period; expected more than zero, as in '3.106 ns'")
    return Fraction(value)


def parse_bytes(text: object) -> int:
    """Whole bytes from text such as `64 B` or `4 KiB`."""
    value = _quantity(text, BYTE_UNITS, "64 B")
    if value.denominator != 1:
        raise UnitError(f"'{text}' is not a whole number of bytes; expected for example '64 B'")
    return int(value)


def parse_size(text: str) -> int:
    """The same from the text of an option, where a number alone is bytes, and `64K` is 64 KiB."""
    match = _SHORT_SIZE.fullmatch(text.strip())
    if match is None:
        return parse_bytes(text)
    digits, letter = match.groups()
    return parse_bytes(f"{digits} {letter}iB" if letter else f"{digits} B")


def parse_bandwidth(text: object) -> Fraction:
    """Bytes a picosecond, exact, from text such as `50 GB/s` or `400 Gb/s`; never zero."""
    value = _quantity(text, BANDWIDTH_UNITS_BYTES_PER_S, "50 GB/s")
    if value == 0:
        raise UnitError(f"'{text}' is no bandwidth; expected more than zero, as in '50 GB/s'")
    return Fraction(value) / PS_PER_S


def parse_rate(text: object) -> Fraction:
    """Events a second, exact, from text such as `10 M/s`; never zero."""
    value = _quantity(text, RATE_UNITS_PER_S, "10 M/s")
    if value == 0:
        raise UnitError(f"'{text}' is no rate; expected more than zero, as in '10 M/s'")
    return Fraction(value)
