"""The grammar of `--vary`: NAME=, then values and ranges, separated by commas.

* `size=8,64,4K`: values; 4K is 4 KiB
* `size=8..64K:x2`: from 8 B up to 64 KiB, each twice the one before
* `outstanding=1,16..64:+16`: 1, 16, 32, 48, 64
* `wire.latency=100 ns..1 us:x2`: texts such as tables have, in the unit of the first
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction

from emu.errors import EmuError, did_you_mean, listed
from emu.request import OPERATION_GROUPS
from emu.sweep.axis import AXES, LEAST, OPERATION, Axis, Value
from emu.sweep.errors import SweepError
from emu.units import (
    BANDWIDTH_UNITS_BYTES_PER_S,
    BYTE_UNITS,
    CYCLE_UNITS,
    FREQUENCY_UNITS_HZ,
    TIME_UNITS_PS,
    parse_size,
)

#: More values than this are a slip of the pen.
MOST_VALUES = 1_000_000

STEP = "expected xFACTOR or +STEP after it, as in '8..64K:x2' or '16..64:+16'"
EXAMPLE = "expected NAME=VALUES, as in 'size=8..64K:x2' or 'wire.latency=50 ns,100 ns'"

#: Units that can be reckoned into one another.
KINDS: tuple[dict[str, Fraction], ...] = tuple(
    {unit: Fraction(factor) for unit, factor in units.items()}
    for units in (
        {"": 1},
        TIME_UNITS_PS,
        dict.fromkeys(CYCLE_UNITS, 1),
        BYTE_UNITS,
        FREQUENCY_UNITS_HZ,
        BANDWIDTH_UNITS_BYTES_PER_S,
    )
)

_QUANTITY = re.compile(r"(\d+(?:\.\d+)?)\s*(\D*)")


class _BadValueError(Exception):
    """What is wrong with one value; the axis is added by whoever reads it."""


def read_axes(texts: Iterable[str]) -> tuple[Axis, ...]:
    """The axes that these texts describe; `SweepError` with all that is wrong with any of them."""
    axes: list[Axis] = []
    problems: list[str] = []
    for text in texts:
        name, equals, values = (part.strip() for part in text.partition("="))
        if not equals or not name or not values:
            problems.append(f"--vary {text}: this names no axis and values; {EXAMPLE}")
        elif name not in AXES and "." not in name:
            hint = did_you_mean(name, AXES)
            problems.append(
                f"--vary {text}: '{name}' is no axis; expected "
                f"{listed((*AXES, 'NAME.PARAMETER'))}" + (f"; {hint}" if hint else "")
            )
        elif name in [axis.name for axis in axes]:
            problems.append(f"--vary {text}: {name} is varied twice; expected each axis once")
        else:
            found: list[Value] = []
            for item in _items(values):
                try:
                    found += _values(name, item)
                except _BadValueError as bad:
                    problems.append(f"--vary {text}: {bad}")
            twice = _first_repeated(found)
            if twice is not None:
                problems.append(f"--vary {text}: {twice} is there twice; expected each value once")
            axes.append(Axis(name, tuple(found)))
    if problems:
        raise SweepError("\n".join(problems))
    return tuple(axes)


def read_number(text: str) -> tuple[Fraction, str] | None:
    """The number and the unit of a text such as `100 ns`; `None` if it is something else."""
    match = _QUANTITY.fullmatch(text.strip())
    return (Fraction(match[1]), match[2].strip()) if match else None


def _items(text: str) -> Iterator[str]:
    """The texts between the commas, those inside brackets apart; runs of blanks become one."""
    depth = start = 0
    for at, letter in enumerate(text):
        depth += (letter in "[{") - (letter in "]}")
        if letter == "," and depth == 0:
            yield " ".join(text[start:at].split())
            start = at + 1
    yield " ".join(text[start:].split())


def _values(name: str, item: str) -> list[Value]:
    first, dots, rest = item.partition("..")
    if dots:
        last, _, step = rest.partition(":")
        return _range(name, item, first.strip(), last.strip(), step.strip())
    return [_value(name, item)]


def _value(name: str, text: str) -> Value:
    if not text:
        raise _BadValueError("there is nothing between two commas; expected a value")
    if name in LEAST:
        return _whole(name, text, _number(name, text)[0])
    if name == OPERATION and text not in OPERATION_GROUPS:
        hint = did_you_mean(text, OPERATION_GROUPS)
        raise _BadValueError(
            f"'{text}' is no operation; expected {listed(OPERATION_GROUPS)}"
            + (f"; {hint}" if hint else "")
        )
    return text


def _number(name: str, text: str) -> tuple[Fraction, str]:
    """A number and its unit; sizes are reckoned into bytes, and have none."""
    if name == "size":
        try:
            return Fraction(parse_size(text)), ""
        except EmuError as error:
            raise _BadValueError(str(error)) from error
    number = read_number(text)
    if number is None or (name in LEAST and number[1]):
        kind = "whole number" if name in LEAST else "number with its unit"
        raise _BadValueError(f"'{text}' is no {kind}; expected one, as in '{_example(name)}'")
    return number


def _example(name: str) -> str:
    return f"{name}=16" if name in LEAST else f"{name}=100 ns"


def _whole(name: str, text: str, number: Fraction) -> int:
    if number.denominator != 1:
        raise _BadValueError(f"{name} {text} is not whole; expected a whole number")
    if number < LEAST[name]:
        raise _BadValueError(f"{name} {text} is too small; expected {LEAST[name]} or more")
    return int(number)


def _range(name: str, item: str, first: str, last: str, step: str) -> list[Value]:
    """All values of `FIRST..LAST:xFACTOR` or `FIRST..LAST:+STEP`, the last one if it is met."""
    if name == OPERATION:
        raise _BadValueError(f"'{item}' is a range; expected operations, as in 'op=read,write'")
    how, by = step[:1], step[1:].strip()
    if how not in ("x", "+") or not by:
        raise _BadValueError(f"'{item}' has {f'the step {step!r}' if step else 'no step'}; {STEP}")
    ends = [_number(name, first), _number(name, last)]
    if how == "x":
        unit_size, start, end = _in_one_unit(item, ends)
        plus, times = Fraction(0), _factor(by)
    else:
        unit_size, start, end, plus = _in_one_unit(item, [*ends, _number(name, by)])
        times = Fraction(1)
    if start * times + plus <= start:
        raise _BadValueError(
            f"'{item}' never gets anywhere; expected a step above 0, or a factor above 1 and a "
            "start above 0"
        )
    if end < start:
        raise _BadValueError(f"'{item}' ends before it starts; expected the lesser value first")
    if plus and (end - start) // plus >= MOST_VALUES:
        raise _BadValueError(f"'{item}' has over {MOST_VALUES} values; expected fewer")
    unit = "cycles" if ends[0][1] == "cycle" else ends[0][1]
    values: list[Value] = []
    at = start
    while at <= end:
        text = _decimal(at / unit_size, item)
        values.append(_whole(name, text, at) if name in LEAST else f"{text} {unit}".rstrip())
        at = at * times + plus
    return values


def _factor(text: str) -> Fraction:
    number = read_number(text)
    if number is None or number[1]:
        raise _BadValueError(f"'{text}' is no factor; {STEP}")
    return number[0]


def _in_one_unit(item: str, numbers: list[tuple[Fraction, str]]) -> list[Fraction]:
    """The size of the first number's unit, then all the numbers, in the least unit of the kind."""
    units = [unit for _, unit in numbers]
    for kind in KINDS:
        if all(unit in kind for unit in units):
            return [kind[units[0]], *(number * kind[unit] for number, unit in numbers)]
    known = [unit for kind in KINDS for unit in kind if unit]
    for unit in units:
        if unit and unit not in known:
            hint = did_you_mean(unit, known)
            raise _BadValueError(
                f"'{item}' has the unknown unit '{unit}'; expected one of {listed(known)}"
                + (f"; {hint}" if hint else "")
            )
    raise _BadValueError(
        f"'{item}' has units of several kinds; expected one kind, as in '100 ns..1 us:+100 ns'"
    )


def _decimal(number: Fraction, item: str) -> str:
    """A number as tables have it, exact."""
    if number.denominator == 1:
        return str(number)
    digits = 0
    while number.denominator != 1 and digits < 12:
        number *= 10
        digits += 1
    if number.denominator != 1:
        raise _BadValueError(
            f"'{item}' gives values without an exact decimal; expected another step"
        )
    text = str(number).rjust(digits + 1, "0")
    return f"{text[:-digits]}.{text[-digits:]}"


def _first_repeated(values: list[Value]) -> Value | None:
    seen: set[Value] = set()
    for value in values:
        if value in seen:
            return value
        seen.add(value)
    return None
