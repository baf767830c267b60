"""Memory: what a request does to it, and who is told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.memory import Memory
from emu.path import Path
from emu.request import Operation, Request
from emu.trace.events import Event, Kind, Touched
from tests.build import delay, table
from tests.stages.requests import request

ALL_MESSAGES = {
    operation: {"request": "64 B", "response": "64 B"}
    for operation in ("read", "write", "send", "atomic", "load", "store")
}


def touch(memory: Memory, operation: Operation, address: int = 0, **marks: int) -> Request:
    made = request(operation, address)
    for name, value in marks.items():
        setattr(made, name, value)
    memory.touch(made, 0)
    return made


@pytest.mark.parametrize("operation", (Operation.WRITE, Operation.SEND, Operation.STORE))
def test_what_brings_a_value_makes_it_visible(operation: Operation) -> None:
    memory = Memory()
    brought = touch(memory, operation, operand=7)
    assert (memory.value(0, 0), memory.version(0, 0), brought.value) == (7, 1, None)


@pytest.mark.parametrize("operation", (Operation.READ, Operation.LOAD))
def test_what_reads_finds_what_is_there(operation: Operation) -> None:
    memory = Memory()
    assert touch(memory, operation).value == 0
    memory.write(0, 0, 5)
    assert touch(memory, operation).value == 5
    assert memory.version(0, 0) == 1


def test_a_fetch_and_add_finds_the_old_value_and_adds() -> None:
    memory = Memory()
    memory.write(0, 0, 2**64 - 1)
    assert touch(memory, Operation.FETCH_AND_ADD, operand=3).value == 2**64 - 1
    assert (memory.value(0, 0), memory.version(0, 0)) == (2, 2)


def test_a_compare_and_swap_writes_only_if_it_finds_what_it_compares_with() -> None:
    memory = Memory()
    swap = Operation.COMPARE_AND_SWAP
    assert touch(memory, swap, compare=1, operand=9).value == 0
    assert (memory.value(0, 0), memory.version(0, 0)) == (0, 0)
    assert touch(memory, swap, compare=0, operand=9).value == 0
    assert touch(memory, swap, compare=0, operand=8).value == 9
    assert (memory.value(0, 0), memory.version(0, 0)) == (9, 1)


def test_words_are_8_bytes_at_each_node() -> None:
    memory = Memory()
    touch(memory, Operation.WRITE, 15, operand=1)
    touch(memory, Operation.WRITE, 8, operand=2, destination=3)
    assert [memory.value(0, address) for address in (7, 8, 15, 16)] == [0, 1, 1, 0]
    assert memory.value(3, 8) == 2


def test_values_are_modulo_2_to_the_64() -> None:
    memory = Memory()
    memory.write(0, 0, 2**64 + 5)
    assert memory.value(0, 0) == 5


def test_an_action_is_called_once_when_its_request_has_touched() -> None:
    memory = Memory()
    made = request(Operation.WRITE)
    made.operand = 4
    seen: list[int] = []
    memory.when_touched(made, lambda: seen.append(memory.value(0, 0)))
    touch(memory, Operation.READ)
    assert seen == []
    memory.touch(made, 0)
    memory.touch(made, 0)
    assert seen == [4]


def test_who_watches_hears_of_what_became_visible_and_when() -> None:
    memory = Memory()
    heard: list[tuple[Request, int, int]] = []
    memory.on_visible = lambda *what: heard.append(what)
    read = touch(memory, Operation.READ)
    add = request(Operation.FETCH_AND_ADD, 16)
    memory.touch(add, 5)
    failed = touch(memory, Operation.COMPARE_AND_SWAP, compare=1)
    assert heard == [(add, 16, 5)]
    assert (read.value, failed.value) == (0, 0)


def test_a_listener_hears_what_is_sampled_and_what_becomes_visible() -> None:
    memory = Memory()
    path = Path(
        table([{"stage": "memory", "at": "target", "latency": "30 ns"}], messages=ALL_MESSAGES),
        memory=memory,
    )
    events: list[Event] = []
    kernel = path.kernel(lambda request: None, listener=events.append)
    for number, operation in enumerate(
        (Operation.WRITE, Operation.FETCH_AND_ADD, Operation.READ, Operation.COMPARE_AND_SWAP)
    ):
        kernel.submit(
            Request(number, operation, 8, 64, number, path.plan(operation, 8, 64), operand=3)
        )
    kernel.run()
    touched = [event for event in events if isinstance(event, Touched)]
    assert touched == [
        Touched(0, Kind.VISIBLE, 0, "memory", 0, 64, 3),
        Touched(1, Kind.SAMPLED, 1, "memory", 0, 64, 3),
        Touched(1, Kind.VISIBLE, 1, "memory", 0, 64, 6),
        Touched(2, Kind.SAMPLED, 2, "memory", 0, 64, 6),
        # It compares with 0, and leaves what it finds.
        Touched(3, Kind.SAMPLED, 3, "memory", 0, 64, 6),
    ]


@pytest.mark.parametrize("listen", (True, False))
def test_memory_is_touched_when_the_stage_accepts(listen: bool) -> None:
    memory = Memory()
    stages = [delay("there", "100 ns"), {"stage": "memory", "at": "target", "latency": "30 ns"}]
    path = Path(table(stages, messages=ALL_MESSAGES), memory=memory)
    events: list[Event] = []
    kernel = path.kernel(lambda request: None, listener=events.append if listen else None)
    plan = path.plan(Operation.WRITE, 8)
    kernel.submit(Request(0, Operation.WRITE, 8, 0, 0, plan, operand=1))
    kernel.run(until_ps=99_999)
    assert memory.value(0, 0) == 0
    kernel.run(until_ps=100_000)
    assert memory.value(0, 0) == 1


@given(
    st.lists(
        st.tuples(
            st.sampled_from(list(Operation)),
            st.integers(0, 31),
            st.integers(0, 2**64 - 1),
            st.integers(0, 3),
            st.integers(0, 1),
        )
    )
)
def test_as_a_list_of_words_does_it(steps: list[tuple[Operation, int, int, int, int]]) -> None:
    memory = Memory()
    words = {(node, word): 0 for node in (0, 1) for word in range(4)}
    writes = dict.fromkeys(words, 0)
    for operation, address, operand, compare, node in steps:
        place = (node, address // 8)
        found = words[place]
        made = touch(memory, operation, address, operand=operand, compare=compare, destination=node)
        if operation in (Operation.WRITE, Operation.SEND, Operation.STORE):
            words[place] = operand
        elif operation is Operation.FETCH_AND_ADD:
            words[place] = (found + operand) % 2**64
        elif operation is Operation.COMPARE_AND_SWAP and found == compare:
            words[place] = operand
        else:
            writes[place] -= 1
        writes[place] += 1
        brings = operation in (Operation.WRITE, Operation.SEND, Operation.STORE)
        assert made.value == (None if brings else found)
    assert {place: memory.value(place[0], place[1] * 8) for place in words} == words
    assert {place: memory.version(place[0], place[1] * 8) for place in words} == writes
