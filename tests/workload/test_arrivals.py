from fractions import Fraction
from itertools import islice

import pytest

from emu.random import Random
from emu.workload.access import Access
from emu.workload.arrivals import Arrivals, Poisson, at_fixed_rate
from emu.workload.stream import stepping
from tests.build import READ


@pytest.mark.parametrize(
    ("rate", "times"),
    (
        (10**9, [0, 1000, 2000, 3000]),
        (3 * 10**8, [0, 3333, 6666, 10_000]),
        (Fraction(1, 2), [0, 2 * 10**12, 4 * 10**12, 6 * 10**12]),
        (3 * 10**12, [0, 0, 0, 1, 1, 1, 2]),
    ),
)
def test_a_fixed_rate(rate: int | Fraction, times: list[int]) -> None:
    assert list(islice(at_fixed_rate(Fraction(rate)), len(times))) == times


def test_a_fixed_rate_never_drifts() -> None:
    times = at_fixed_rate(Fraction(3 * 10**8))
    assert next(islice(times, 3 * 10**5, None)) == 10**9


def test_poisson_has_the_mean_and_the_spread_of_its_kind() -> None:
    count = 40_000
    times = list(islice(Poisson(Fraction(10**7), Random(1, "x")), count))
    assert times == sorted(times)
    gaps = [b - a for a, b in zip([0, *times], times, strict=False)]
    mean = sum(gaps) / count
    # The standard deviation of an exponential distribution is its mean: 100 ns.
    assert abs(mean - 100_000) < 5 * 100_000 / count**0.5
    deviation = (sum((gap - mean) ** 2 for gap in gaps) / count) ** 0.5
    assert abs(deviation / mean - 1) < 0.05
    late = sum(gap > 300_000 for gap in gaps) / count
    assert abs(late - 0.0498) < 0.006


def test_the_seed_decides() -> None:
    first, again, other = (
        list(islice(Poisson(Fraction(10**7), Random(seed, "x")), 20)) for seed in (1, 1, 2)
    )
    assert first == again != other


def test_accesses_at_their_times() -> None:
    arrivals = Arrivals(at_fixed_rate(Fraction(10**9)), stepping(READ, 64, 2))
    assert list(arrivals) == [(0, Access(READ, 64, 0)), (1000, Access(READ, 64, 64))]
