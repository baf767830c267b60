from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice

import pytest

from emu.random import Random
from emu.workload.choice import InTurn, Uniform, Weighted, Zipf

DRAWS = 40_000


def drawn(iterator: Iterator[int], count: int = DRAWS) -> list[int]:
    return list(islice(iterator, count))


def check_frequencies(numbers: list[int], expected: list[float]) -> None:
    """Each within five standard deviations of what is expected."""
    counts = Counter(numbers)
    assert set(counts) <= set(range(len(expected)))
    for number, share in enumerate(expected):
        deviation = (DRAWS * share * (1 - share)) ** 0.5
        assert abs(counts[number] - DRAWS * share) < 5 * deviation + 1e-9


def test_in_turn() -> None:
    assert drawn(InTurn(3), 7) == [0, 1, 2, 0, 1, 2, 0]


def test_by_round() -> None:
    assert drawn(InTurn(3, 2), 9) == [0, 0, 1, 1, 2, 2, 0, 0, 1]


def test_every_pair_has_its_turn() -> None:
    pairs = list(zip(InTurn(4), islice(InTurn(4, 4), 16), strict=False))
    assert len(set(pairs)) == 16


@pytest.mark.parametrize("count", (1, 2, 7, 100))
def test_uniform(count: int) -> None:
    check_frequencies(drawn(Uniform(count, Random(1, "x"))), [1 / count] * count)


@pytest.mark.parametrize("exponent", (0.0, 0.5, 0.99, 1.0, 2.0))
@pytest.mark.parametrize("count", (1, 8, 50))
def test_zipf(count: int, exponent: float) -> None:
    weights = [1 / (n + 1) ** exponent for n in range(count)]
    shares = [weight / sum(weights) for weight in weights]
    check_frequencies(drawn(Zipf(count, exponent, Random(1, "x"))), shares)


@pytest.mark.parametrize("weights", ([1], [3, 1], [1, 5, 2, 2]))
def test_weighted(weights: list[int]) -> None:
    shares = [weight / sum(weights) for weight in weights]
    check_frequencies(drawn(Weighted(weights, Random(1, "x"))), shares)


@pytest.mark.parametrize(
    "make",
    (
        lambda random: Uniform(1000, random),
        lambda random: Zipf(1000, 0.99, random),
        lambda random: Weighted([1] * 1000, random),
    ),
)
def test_the_seed_decides(make: Callable[[Random], Iterator[int]]) -> None:
    first = drawn(make(Random(1, "x")), 50)
    assert drawn(make(Random(1, "x")), 50) == first
    assert drawn(make(Random(2, "x")), 50) != first
    assert drawn(make(Random(1, "y")), 50) != first
