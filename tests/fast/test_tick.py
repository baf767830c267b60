from fractions import Fraction
from typing import Any

import numba
import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from emu.fast.clock import clock_record
from emu.fast.tick import TICK, move_by, move_to, set_tick, time_after
from emu.time import PS_PER_S, Clock
from emu.units import parse_frequency

Ticks = np.ndarray[Any, Any]

clocks = st.builds(
    Clock,
    st.just("c"),
    st.one_of(
        st.sampled_from([PS_PER_S / parse_frequency(f"{f} MHz") for f in ("322", "333.333333")]),
        st.fractions(1, 2**30, max_denominator=2**31),
        st.fractions(1, 2**50, max_denominator=2**11),
    ),
    st.integers(0, 10**6),
)


@numba.njit  # type: ignore[untyped-decorator]  # numba has no types
def tick_at(clocks: Any, n: int, ticks: Any) -> None:
    set_tick(ticks[0], clocks[0], n)


@numba.njit  # type: ignore[untyped-decorator]  # numba has no types
def moved_to(clocks: Any, ticks: Any, time_ps: int) -> None:
    move_to(ticks[0], clocks[0], time_ps)


@numba.njit  # type: ignore[untyped-decorator]  # numba has no types
def moved_by(clocks: Any, ticks: Any, cycles: int, whole_ps: int, rest: int) -> int:
    after_ps = time_after(ticks[0], clocks[0], whole_ps, rest)
    move_by(ticks[0], clocks[0], cycles, whole_ps, rest)
    return int(after_ps)


def at(clock: Clock, n: int) -> tuple[int, int, int]:
    """The edge and what was cut of its time."""
    exact_ps = n * clock.period_ps
    rest = (exact_ps - exact_ps.__floor__()) * clock.period_ps.denominator
    return n, clock.edge(n), int(rest)


def made(clock: Clock, n: int) -> Ticks:
    ticks = np.zeros(1, TICK)
    tick_at(clock_record(clock), n, ticks)
    return ticks


def told(ticks: Ticks) -> tuple[int, int, int]:
    return int(ticks[0]["n"]), int(ticks[0]["time_ps"]), int(ticks[0]["rest"])


def first_edge(clock: Clock, time_ps: int) -> int:
    """An edge at about a time, counted from 0."""
    return max(0, clock.edge_at_or_after(time_ps))


@given(clocks, st.integers(0, 2**59))
def test_a_tick_is_an_edge(clock: Clock, time_ps: int) -> None:
    n = first_edge(clock, time_ps)
    assert told(made(clock, n)) == at(clock, n)


@given(clocks, st.integers(0, 2**59), st.one_of(st.integers(1, 2**31 + 5), st.integers(1, 2**59)))
@example(Clock("c", Fraction(2**31 + 1, 2**31)), 2**59 + 1, 2**31)
@example(Clock("c", Fraction(2**31 + 1, 2**31)), 2**59 + 1, 2**31 + 1)
def test_a_tick_moves_to_the_first_edge_from_a_time_on(
    clock: Clock, from_ps: int, ahead_ps: int
) -> None:
    n = first_edge(clock, from_ps)
    ticks = made(clock, n)
    to_ps = clock.edge(n) + ahead_ps
    moved_to(clock_record(clock), ticks, to_ps)
    assert told(ticks) == at(clock, clock.edge_at_or_after(to_ps))


@given(clocks, st.integers(0, 2**59), st.integers(0, 1000))
def test_a_tick_moves_by_cycles(clock: Clock, from_ps: int, cycles: int) -> None:
    n = first_edge(clock, from_ps)
    ticks = made(clock, n)
    whole_ps, rest = divmod(cycles * clock.period_ps.numerator, clock.period_ps.denominator)
    after_ps = moved_by(clock_record(clock), ticks, cycles, whole_ps, rest)
    assert told(ticks) == at(clock, n + cycles)
    assert after_ps == clock.edge(n + cycles)
