"""What holds, and what verifies nothing."""

from __future__ import annotations

from fractions import Fraction

import pytest

from emu.verify import Check, Verification, all_held


def checks(*got: int) -> tuple[Check, ...]:
    return tuple(
        Check("a figure", "a test", Fraction(10), Fraction(one), Fraction(1)) for one in got
    )


@pytest.mark.parametrize(
    ("found", "expected"),
    (
        ([Verification("a", checks(10, 11))], True),
        ([Verification("a", checks(10, 12))], False),
        ([Verification("a", checks(10)), Verification("b", ())], True),
        ([Verification("a", checks(10)), Verification("b", checks(12))], False),
        ([Verification("a", checks(10)), Verification("b", (), is_rows=True)], False),
        ([Verification("a", ())], False),
        ([], False),
    ),
)
def test_what_holds(found: list[Verification], expected: bool) -> None:
    assert all_held(found) is expected
    assert all_held(iter(found)) is expected
