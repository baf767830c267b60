from fractions import Fraction
from typing import Any

import numba
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.fast.clock import clock_record, edge, edge_after, edge_at_or_after
from emu.time import PS_PER_S, Clock
from emu.units import parse_frequency, parse_period

PERIODS = (
    *(PS_PER_S / parse_frequency(text) for text in ("322 MHz", "322.265625 MHz", "1 GHz", "1 Hz")),
    *(PS_PER_S / parse_frequency(text) for text in ("333.333333 MHz", "644.53125 MHz", "3000 GHz")),
    parse_period("3.106 ns"),
)
#: From the first edges to 13 days.
times = st.one_of(st.integers(0, 10**5), st.integers(0, 2**60))


@numba.njit  # type: ignore[untyped-decorator]  # numba has no types
def asked(clocks: Any, time_ps: int) -> tuple[int, int, int]:
    at_or_after = edge_at_or_after(clocks[0], time_ps)
    return at_or_after, edge_after(clocks[0], time_ps), edge(clocks[0], at_or_after)


@st.composite
def clocks(draw: st.DrawFn) -> Clock:
    periods = st.one_of(
        st.sampled_from(PERIODS),
        st.fractions(Fraction(1, 3), 10**7, max_denominator=10**9),
    )
    return Clock("c", draw(periods), draw(st.one_of(st.just(0), st.integers(0, 10**7))))


def check(clock: Clock, time_ps: int) -> None:
    n = clock.edge_at_or_after(time_ps)
    expected = (n, clock.edge_after(time_ps), clock.edge(n))
    assert asked(clock_record(clock), time_ps) == expected


@given(clocks(), times)
def test_edges_are_those_of_the_reference(clock: Clock, time_ps: int) -> None:
    check(clock, time_ps)


@given(clocks(), times, st.integers(-1, 1))
def test_edges_around_an_edge(clock: Clock, time_ps: int, off_ps: int) -> None:
    check(clock, max(0, clock.edge(clock.edge_at_or_after(time_ps)) + off_ps))


@pytest.mark.parametrize("period", PERIODS)
@pytest.mark.parametrize("time_ps", (2**60 - 1, 2**60, 28_600_000_000, 28_700_000_000))
def test_edges_where_a_plain_product_would_not_fit(period: Fraction, time_ps: int) -> None:
    check(Clock("c", period, 700), time_ps)
    check(Clock("c", period), time_ps)


def test_a_record_has_the_period_in_lowest_terms() -> None:
    made = clock_record(Clock("nic", PS_PER_S / parse_frequency("322 MHz"), 5))[0]
    names = ("phase_ps", "numerator", "denominator", "whole", "rest")
    assert [int(made[name]) for name in names] == [5, 500_000, 161, 3105, 95]
    most_n = int(made["plain_n"])
    assert (most_n + 1) * 500_000 > 2**63 - 1 >= most_n * 500_000
    most = (int(made["plain_ps"]) + 1) * 161
    assert most + 500_000 > 2**63 - 1 >= most - 161 + 500_000
