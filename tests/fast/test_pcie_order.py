"""The compiled order of PCIe, beside the reference's."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from emu.fast.codes import SERVES_NOTHING
from emu.fast.pcie_order import make_pcie_order, pcie_order_arrive, pcie_order_passed
from emu.memory import Memory
from emu.plan import Plan
from emu.request import Operation
from stages.pcie_order import PcieOrder
from tests.fast.hosted import ARRIVE, HERE, Compiled, Reference, Told, play

READ, WRITE, SEND = Operation.READ, Operation.WRITE, Operation.SEND


def call(worlds: Any, told: int, r: int, what: int, first: int, second: int) -> None:
    world = worlds[0]
    if told == ARRIVE:
        pcie_order_arrive(world, HERE, r)
    else:
        pcie_order_passed(world, HERE, r)


def both(relaxed: list[str] | None) -> tuple[Reference, Compiled]:
    actor = PcieOrder(PcieOrder.Parameters(until="until", relaxed=relaxed))  # type: ignore[arg-type]  # words that the tests choose
    return (
        Reference(actor, Plan(READ, 8, 0, (), 0), Memory()),
        Compiled(actor, make_pcie_order, call, SERVES_NOTHING),
    )


def story(seed: int) -> list[Told]:
    """Requests of all operations that come at few times to two hosts."""
    draw = Random(seed)
    spread = draw.choice((4, 20, 60))
    return [
        Told(
            draw.choice(list(Operation)),
            destination=draw.randrange(2),
            comes_ps=draw.randrange(spread),
            away_ps=draw.randrange(spread),
        )
        for _ in range(draw.randrange(1, 60))
    ]


@pytest.mark.parametrize("relaxed", (None, ["write"], ["atomic", "send"], ["compare_and_swap"]))
def test_it_lets_go_what_the_reference_does_when_that_does(relaxed: list[str] | None) -> None:
    waited = 0
    for seed in range(150):
        told = story(seed)
        let_go = play(*both(relaxed), told, seed)
        assert len(let_go) == len(told)
        waited += sum(bool(parts) for *_, parts in let_go)
    assert waited > 150


def test_reads_push_writes_and_writes_pass_reads() -> None:
    told = [
        Told(WRITE, comes_ps=0, away_ps=20),
        Told(READ, comes_ps=1, away_ps=50),
        Told(WRITE, comes_ps=2, away_ps=5),
        Told(READ, comes_ps=3),
        Told(SEND, destination=1, comes_ps=3),
    ]
    assert play(*both(None), told) == [
        (0, 0, 0, ()),
        (3, 4, 3, ()),
        (20, 1, 20, (("ordering", 19),)),
        (20, 2, 20, (("ordering", 18),)),
        (25, 3, 25, (("ordering", 22),)),
    ]


def test_what_is_relaxed_passes() -> None:
    told = [Told(SEND, comes_ps=0, away_ps=90), Told(WRITE, comes_ps=1)]
    assert play(*both(["write"]), told) == [(0, 0, 0, ()), (1, 1, 1, ())]
