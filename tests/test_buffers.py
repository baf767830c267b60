"""Buffers: what is reported, and when it is not."""

from __future__ import annotations

from emu.buffers import Buffers
from emu.memory import Memory
from emu.request import Operation, Request
from emu.trace.events import Event, Kind
from emu.trace.teller import Teller
from tests.stages.requests import request

NODE, ADDRESS = 1, 64


class Receiver:
    """A buffer of two words, of which the first is watched, and another far from it."""

    def __init__(self) -> None:
        self.memory = Memory()
        self.events: list[Event] = []
        self.memory.teller = self.teller = Teller(self.events.append)
        self.buffers = Buffers(self.memory, [(NODE, ADDRESS), (NODE, 4096)])
        self._sent = 0

    def send(self, at_ps: int, address: int = ADDRESS, node: int = NODE) -> Request:
        made = request(Operation.SEND, address)
        made.sequence, made.destination, made.operand = self._sent, node, 1
        self._sent += 1
        # What a touch is told with is where the request is, and this one is nowhere.
        self.memory.teller = None
        self.memory.touch(made, at_ps)
        self.memory.teller = self.teller
        return made

    def consumed(self, since_ps: int, now_ps: int, address: int = ADDRESS) -> None:
        self.buffers.consumed(NODE, address, since_ps, now_ps)
        self.teller.tell()

    def reports(self) -> list[str]:
        return [str(reuse) for reuse in self.buffers.reuses]


def test_nothing_is_reported_of_what_was_consumed_before() -> None:
    receiver = Receiver()
    receiver.send(100)
    receiver.consumed(150, 200)
    receiver.send(200)
    assert receiver.reports() == []
    assert receiver.events == [Event(200, Kind.CONSUMED, 0, "", 0)]


def test_a_buffer_that_is_still_read_is_reported_with_the_end_of_the_reading() -> None:
    receiver = Receiver()
    receiver.send(100)
    receiver.send(1_000_500)
    receiver.consumed(1_000_000, 2_000_000)
    assert receiver.reports() == [
        (
            "buffer at node 1, address 0x40 written again by request 1 at 1.0005 us, before what "
            "request 0 brought was consumed (visible at 100 ps, consumed until 2 us)"
        )
    ]
    assert [(event.time_ps, event.request) for event in receiver.events] == [
        (2_000_000, 0),
        (2_000_000, 1),
    ]


def test_what_was_gone_when_the_reading_began_is_never_consumed() -> None:
    receiver = Receiver()
    receiver.send(100)
    receiver.send(199)
    receiver.consumed(200, 300)
    receiver.send(400)
    assert receiver.reports() == [
        (
            "buffer at node 1, address 0x40 written again by request 1 at 199 ps, before what "
            "request 0 brought was consumed (visible at 100 ps, never consumed)"
        )
    ]
    assert [event.request for event in receiver.events] == [1]


def test_each_buffer_is_by_itself() -> None:
    receiver = Receiver()
    receiver.send(100)
    receiver.send(100, 4096)
    receiver.consumed(100, 200)
    receiver.send(300)
    assert receiver.reports() == []
    receiver.send(300, 4096)
    assert [reuse.address for reuse in receiver.buffers.reuses] == [4096]


def test_other_words_and_nodes_are_no_buffers() -> None:
    receiver = Receiver()
    for address, node in ((ADDRESS + 8, NODE), (ADDRESS, NODE + 1)):
        receiver.send(1, address, node)
        receiver.send(2, address, node)
    assert receiver.reports() == []
    # The word counts, and not the byte in it.
    receiver.send(3, ADDRESS + 1)
    receiver.send(4, ADDRESS + 7)
    assert len(receiver.reports()) == 1


def test_an_empty_buffer_can_be_read() -> None:
    receiver = Receiver()
    receiver.consumed(0, 10)
    receiver.consumed(10, 20)
    assert (receiver.events, receiver.reports()) == ([], [])
