from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.errors import UnitError
from emu.time import PS_PER_S, Clock, Cycles, Picoseconds, format_time

MHZ_322 = Clock("nic", Fraction(PS_PER_S, 322_000_000))
MHZ_322_265625 = Clock("cmac", Fraction(PS_PER_S * 1_000_000, 322_265_625 * 1_000_000))

clocks = st.builds(
    Clock,
    st.just("any"),
    st.fractions(min_value=Fraction(1, 3), max_value=10**7, max_denominator=10**6),
    st.integers(-(10**6), 10**6),
)
edge_numbers = st.integers(-(10**12), 10**12)


@pytest.mark.parametrize(
    ("clock", "n", "expected_ps"),
    (
        (MHZ_322, 0, 0),
        (MHZ_322, 1, 3105),
        (MHZ_322, 2, 6211),
        (MHZ_322, 3, 9316),
        # 161 periods are half a microsecond, and not a picosecond less.
        (MHZ_322, 161, 500_000),
        (MHZ_322, 161 * 10**9, 500_000 * 10**9),
        (MHZ_322, 10**9, 3_105_590_062_111),
        (MHZ_322, 10**12, 3_105_590_062_111_801),
        (MHZ_322, -1, -3106),
        (MHZ_322_265625, 1, 3103),
        (MHZ_322_265625, 33, 102_400),
        (MHZ_322_265625, 10**9, 3_103_030_303_030),
        (MHZ_322_265625, 10**12, 3_103_030_303_030_303),
    ),
)
def test_edges_are_exact_however_far(clock: Clock, n: int, expected_ps: int) -> None:
    assert clock.edge(n) == expected_ps


@given(clocks, edge_numbers)
def test_an_edge_is_its_fraction_cut_once(clock: Clock, n: int) -> None:
    exact = clock.phase_ps + n * clock.period_ps
    assert clock.edge(n) <= exact < clock.edge(n) + 1


@given(clocks, st.integers(-(10**15), 10**15))
def test_the_edge_at_or_after_is_the_first_that_is_not_before(clock: Clock, at_ps: int) -> None:
    n = clock.edge_at_or_after(at_ps)
    assert clock.edge(n - 1) < at_ps <= clock.edge(n)


@given(clocks, st.integers(-(10**15), 10**15))
def test_the_edge_after_is_the_first_that_is_later(clock: Clock, at_ps: int) -> None:
    n = clock.edge_after(at_ps)
    assert clock.edge(n - 1) <= at_ps < clock.edge(n)


@given(clocks.filter(lambda clock: clock.period_ps >= 1), edge_numbers)
def test_an_edge_finds_its_own_number(clock: Clock, n: int) -> None:
    assert clock.edge_at_or_after(clock.edge(n)) == n
    assert clock.edge_after(clock.edge(n)) == n + 1
    assert clock.edge_after(clock.edge(n) - 1) == n


@given(clocks, st.integers(0, 10**12))
def test_a_span_is_the_time_of_so_many_cycles_cut_once(clock: Clock, cycles: int) -> None:
    exact = cycles * clock.period_ps
    assert clock.span(Cycles(cycles)) <= exact < clock.span(Cycles(cycles)) + 1


def test_a_span_does_not_depend_on_the_phase() -> None:
    assert Clock("late", Fraction(7, 2), phase_ps=3).span(Cycles(3)) == 10


def test_a_frequency_is_the_inverse_of_the_period() -> None:
    assert MHZ_322_265625.frequency_hz == 322_265_625
    assert Clock("slow", Fraction(3106)).frequency_hz == Fraction(PS_PER_S, 3106)


def test_times_add_up_and_cycles_add_up() -> None:
    assert Picoseconds(3) + Picoseconds(4) == Picoseconds(7)
    assert Cycles(3) + Cycles(4) == Cycles(7)
    assert Picoseconds(3) < Picoseconds(4)


CLOCK_NEEDED = " do not add up: cycles become time only through a named clock, Clock.span(cycles)"


def test_cycles_and_time_do_not_add_up() -> None:
    with pytest.raises(UnitError) as error:
        Picoseconds(150_000) + Cycles(9)
    assert str(error.value) == f"150 ns and 9 cycles{CLOCK_NEEDED}"
    with pytest.raises(UnitError) as error:
        Cycles(1) + Picoseconds(3)
    assert str(error.value) == f"1 cycle and 3 ps{CLOCK_NEEDED}"


def test_a_bare_number_has_no_unit_to_add() -> None:
    with pytest.raises(UnitError, match="3 ps and 5 do not add up"):
        Picoseconds(3) + 5
    with pytest.raises(UnitError, match="3 cycles and 5 do not add up"):
        Cycles(3) + 5


@pytest.mark.parametrize("other", (Cycles(3), 3))
def test_cycles_and_time_are_never_equal(other: object) -> None:
    assert Picoseconds(3) != other


@pytest.mark.parametrize(
    ("time_ps", "text"),
    (
        (0, "0 ps"),
        (1, "1 ps"),
        (999, "999 ps"),
        (1000, "1 ns"),
        (1001, "1.001 ns"),
        (3106, "3.106 ns"),
        (150_000, "150 ns"),
        (1_500_000, "1.5 us"),
        (2_221_801, "2.221801 us"),
        (10**9, "1 ms"),
        (10**12, "1 s"),
        (10**12 + 1, "1.000000000001 s"),
        (90 * 10**12, "90 s"),
        (-999, "-999 ps"),
        (-1500, "-1.5 ns"),
        (-(10**9), "-1 ms"),
    ),
)
def test_a_time_for_people(time_ps: int, text: str) -> None:
    assert format_time(time_ps) == text
    assert str(Picoseconds(time_ps)) == text
