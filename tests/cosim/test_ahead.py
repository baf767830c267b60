"""Ahead: a model in a process of its own says what it says in this one."""

from __future__ import annotations

import os
from collections.abc import Callable
from multiprocessing import active_children

import pytest

from emu.cosim.ahead import CHUNK_CYCLES, Ahead
from emu.cosim.errors import CosimError
from emu.cosim.model import Handshakes, Model
from emu.cosim.stimulus import Pauses, Stimulus
from emu.errors import RunError
from tests.build import clocked, table


def make(requests: int = 2000, overflow: str = "hold") -> Callable[[], Model]:
    source = table([clocked("x", 3, depth=2, queue=1, overflow=overflow)])
    stimulus = Stimulus(requests=requests, offer=Pauses(80), ready=Pauses(50))
    return lambda: Model(source, stimulus, {"id": 16}, carry=sum, period_ps=1000)


def test_it_says_the_same_chunk_by_chunk() -> None:
    here = make()()
    with Ahead(make()) as ahead:
        for number in range(1, 9):
            chunk = ahead.next()
            assert chunk.handshakes == here.advance(number * CHUNK_CYCLES - 1)
            assert chunk.handshakes != Handshakes([], [], [], [])
            assert (chunk.is_over, chunk.dropped) == (here.is_over, 0)


def test_it_says_when_all_items_are_through() -> None:
    with Ahead(make(requests=10)) as ahead:
        first, second = ahead.next(), ahead.next()
    assert (first.is_over, len(first.handshakes.given)) == (True, 10)
    assert (second.is_over, second.handshakes) == (True, Handshakes([], [], [], []))


def test_what_goes_wrong_there_is_told_here() -> None:
    def broken() -> Model:
        raise CosimError("no such model")

    with Ahead(broken) as ahead, pytest.raises(RunError) as error:
        ahead.next()
    assert str(error.value) == "the emulator: no such model"


def test_a_process_that_is_gone_is_told() -> None:
    def gone() -> Model:
        os._exit(3)

    with Ahead(gone) as ahead, pytest.raises(RunError) as error:
        ahead.next()
    assert str(error.value) == "the process of the emulator has ended before its run"


def test_it_ends_with_the_block_however_far_it_is() -> None:
    before = set(active_children())
    with Ahead(make(requests=10**6)) as ahead:
        ahead.next()
        (process,) = set(active_children()) - before
    assert process.exitcode is not None
