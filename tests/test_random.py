from itertools import islice

import pytest

from emu.random import FEW, MANY, Random


def test_the_sequence_is_that_of_splitmix64() -> None:
    random = Random(1, "x")
    random.state = 1234567
    # The first outputs for this state, as the generator's public test vectors have them.
    assert [random.bits() for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@pytest.mark.parametrize("state", (0, 1, 2**63, 2**64 - 1, 0x0123456789ABCDEF))
def test_a_stream_is_one_number_after_another(state: int) -> None:
    random = Random(1, "x")
    random.state = state
    count = FEW + 2 * MANY + 1
    numbers = list(islice(random.stream(), count))
    random.state = state
    assert numbers == [random.bits() for _ in range(count)]


def test_a_component_has_numbers_of_its_own() -> None:
    assert Random(1, "a").bits() == Random(1, "a").bits()
    assert len({Random(seed, name).bits() for seed in (1, 2) for name in "ab"}) == 4
