from hypothesis import given
from hypothesis import strategies as st

from emu.random import Random


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


@given(st.integers(0, 2**64 - 1), st.lists(st.integers(0, 300), max_size=4))
def test_many_bits_at_a_time_are_those_of_one_after_another(state: int, counts: list[int]) -> None:
    one, many = Random(1, "x"), Random(1, "x")
    one.state = many.state = state
    for count in counts:
        assert many.many_bits(count) == [one.bits() for _ in range(count)]
        assert many.state == one.state


def test_a_component_has_numbers_of_its_own() -> None:
    assert Random(1, "a").bits() == Random(1, "a").bits()
    assert len({Random(seed, name).bits() for seed in (1, 2) for name in "ab"}) == 4
