"""The compiled ways of different length, beside the reference's."""

from __future__ import annotations

from typing import Any

import pytest

from emu.fast.codes import SERVES_NOTHING
from emu.fast.multi_path import make_multi_path, multi_path_alarm, multi_path_arrive
from emu.memory import Memory
from emu.plan import Plan
from emu.random import Random
from emu.request import Operation
from stages.multi_path import MultiPath
from tests.fast.hosted import ALARM_RINGS, ARRIVE, HERE, Compiled, Reference, Told, play


def call(worlds: Any, told: int, r: int, what: int, first: int, second: int) -> None:
    world = worlds[0]
    if told == ARRIVE:
        multi_path_arrive(world, HERE, r)
    elif told == ALARM_RINGS:
        multi_path_alarm(world, HERE, what, first, second)


def played(latency: int, spread: int, seed: int) -> list[Any]:
    """Fifty requests, of which five come at once."""
    parameters: dict[str, Any] = {"latency": f"{latency} ps", "spread": f"{spread} ps"}
    actor = MultiPath(MultiPath.Parameters(**parameters))
    actor.start(Random(seed, "ways"))
    counterpart = Compiled(actor, make_multi_path, call, SERVES_NOTHING)
    reference = Reference(actor, Plan(Operation.READ, 8, 0, (), 0), Memory())
    return play(reference, counterpart, [Told(comes_ps=number // 5) for number in range(50)])


@pytest.mark.parametrize("latency", (0, 7))
@pytest.mark.parametrize("spread", (0, 3, 1000, 10**15))
def test_each_takes_the_way_that_the_reference_draws(latency: int, spread: int) -> None:
    let_go = played(latency, spread, 1)
    assert len(let_go) == 50
    times = {sum(time_ps for _, time_ps in parts) for *_, parts in let_go}
    assert len(times) == 1 if spread == 0 else len(times) > 2
    assert min(times) >= latency
    assert max(times) <= latency + spread


def test_another_seed_draws_other_ways() -> None:
    assert played(0, 1000, 1) != played(0, 1000, 2)
