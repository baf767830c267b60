from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.histogram import Histogram, bucket_of

#: Small ones, those near a power of two, and some beyond what 64 bits hold.
values = st.one_of(
    st.integers(0, 5000),
    st.integers(0, 2**80),
    st.builds(lambda power, off: max(0, 2**power + off), st.integers(0, 70), st.integers(-2, 2)),
)


def filled(numbers: list[int]) -> Histogram:
    histogram = Histogram()
    for number in numbers:
        histogram.add(number)
    return histogram


@given(st.lists(values, min_size=1, max_size=60), st.integers(1, 1000))
def test_a_percentile_is_within_a_thousandth_of_the_exact(
    numbers: list[int], per_mille: int
) -> None:
    rank = max(1, -(-len(numbers) * per_mille // 1000))
    exact = sorted(numbers)[rank - 1]
    found = filled(numbers).percentile(per_mille)
    assert abs(found - exact) * 1000 <= exact


@given(st.lists(values, min_size=1, max_size=60))
def test_sum_mean_and_largest_are_exact(numbers: list[int]) -> None:
    histogram = filled(numbers)
    assert histogram.count == len(numbers)
    assert histogram.sum == sum(numbers)
    assert histogram.largest == max(numbers)
    assert histogram.mean() == float(Fraction(sum(numbers), len(numbers)))


@pytest.mark.parametrize("value", (0, 1, 2047, 2048, 2_221_801, 2**63 + 1, 10**30 + 7))
def test_of_equal_values_every_percentile_is_that_value(value: int) -> None:
    histogram = filled([value] * 7)
    assert {histogram.percentile(rank) for rank in (1, 500, 990, 999, 1000)} == {value}


@pytest.mark.parametrize(
    ("per_mille", "expected"),
    ((1, 1), (500, 500), (501, 501), (990, 990), (999, 999), (1000, 1000)),
)
def test_a_percentile_is_the_smallest_that_so_many_do_not_exceed(
    per_mille: int, expected: int
) -> None:
    assert filled(list(range(1000, 0, -1))).percentile(per_mille) == expected


def test_of_few_values_a_high_percentile_is_the_largest() -> None:
    assert [filled([10, 20, 30]).percentile(rank) for rank in (333, 334, 667, 999)] == [
        10,
        20,
        30,
        30,
    ]


@given(values, values)
def test_a_larger_value_is_never_in_a_lower_bucket(one: int, other: int) -> None:
    assert bucket_of(min(one, other)) <= bucket_of(max(one, other))


@given(st.integers(0, 2**70))
def test_a_bucket_is_less_than_a_thousandth_of_its_values_wide(value: int) -> None:
    width = value // 1024
    assert bucket_of(value + width + 1) > bucket_of(value)


def test_nothing_has_no_percentile() -> None:
    with pytest.raises(ValueError, match="no percentile of nothing"):
        Histogram().percentile(500)
