from itertools import islice

from emu.random import Random
from emu.workload.access import Access
from emu.workload.choice import Constant, InTurn, Uniform
from emu.workload.stream import Slots, SteppingAddresses, Stream, staying, stepping
from tests.build import READ, WRITE


def test_each_property_has_its_choice() -> None:
    kinds = [(READ, 64), (WRITE, 4096)]
    stream = Stream(kinds, InTurn(2), SteppingAddresses(), InTurn(3), Constant(7))
    assert list(islice(stream, 4)) == [
        Access(READ, 64, 0, 0, 7),
        Access(WRITE, 4096, 64, 1, 7),
        Access(READ, 64, 4160, 2, 7),
        Access(WRITE, 4096, 4224, 0, 7),
    ]


def test_streams_share_choices_in_the_order_in_which_they_are_asked() -> None:
    addresses, destinations = Slots(InTurn(10), 64), InTurn(10)
    one, other = (
        Stream([(READ, 64)], Constant(0), addresses, Constant(initiator), destinations)
        for initiator in range(2)
    )
    asked = [next(stream) for stream in (one, other, other, one)]
    assert [access.address for access in asked] == [0, 64, 128, 192]
    assert [access.destination for access in asked] == [0, 1, 2, 3]


def test_draws_are_in_the_order_kind_initiator_address_destination() -> None:
    shared = Uniform(1000, Random(1, "x"))
    kinds = [(READ, number) for number in range(1000)]
    access = next(Stream(kinds, shared, Slots(shared, 64), shared, shared))
    kind, initiator, slot, destination = islice(Uniform(1000, Random(1, "x")), 4)
    assert access == Access(READ, kind, slot * 64, initiator, destination)


def test_so_many_and_without_end() -> None:
    stream = stepping(READ, 64, 2)
    assert list(stream) == [Access(READ, 64, 0), Access(READ, 64, 64)]
    assert list(stream) == []
    assert len(list(islice(stepping(READ, 64), 1000))) == 1000


def test_staying_at_one_address() -> None:
    assert list(islice(staying(WRITE, 8, 3), 2)) == [Access(WRITE, 8, 0, 3)] * 2
