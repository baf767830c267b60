"""Tables with a scheduler and an ordering engine, in both engines."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from emu.request import Operation
from emu.table import load
from tests.build import StageDict, delay, station, table
from tests.fast.whole import Load, both, marked
from tests.stages.dispatched import MESSAGES, engine, scheduler

#: Nothing answers in these, so nobody may wait for an answer.
SENDERS = ("openurma_tx", "ub_sender", "rc_sender")
SEEDS = 60


@pytest.mark.parametrize("name", SENDERS)
def test_senders_do_the_same(name: str) -> None:
    made = load(name)
    for seed in range(4):
        draw = Random(seed)
        posts: Load = [
            (at_ps, access._replace(initiator=access.initiator * draw.choice((1, 17))))
            for at_ps, access in marked(draw, made.operations, 200, draw.choice((4000, 40_000)))
            if access.service not in ("ROI", "") and not access.fence
        ]
        reference, compiled = both(made, posts)
        assert compiled.latency.count == len(posts) - sum(reference.dropped.values())


def dispatched(draw: Random, **more: Any) -> StageDict:
    """What a scheduler and an ordering engine have in common: turns, flits and times."""
    clock, is_scan = draw.choice((("nic", True), ("nic", False), (None, False)))
    unit = "cycles" if clock else "ns"
    made: StageDict = {
        "pick": "scan" if is_scan else "round_robin",
        "queues": draw.choice((1, 2, 3)) if is_scan else draw.choice((2, "unlimited")),
        "latency": f"{draw.choice((0, 1, 3))} {unit}",
        "interval": "1 cycle" if is_scan else f"{draw.choice((0, 1, 3))} {unit}",
        "until": draw.choice(("small", "far")),
        **more,
    }
    if clock is None:
        made["clock"] = None
    if draw.random() < 0.5:
        made["flit"] = "32 B"
    return made


def without_nothing(stage: StageDict) -> StageDict:
    """The entry without what is `None`."""
    return {key: value for key, value in stage.items() if value is not None}


def random_path(draw: Random) -> list[StageDict]:
    """A scheduler and an ordering engine, and a stage behind them that can't take it all."""
    depth = draw.choice((1, 3, "unlimited"))
    overflow = {} if depth == "unlimited" else {"overflow": draw.choice(("hold", "drop"))}
    first = scheduler(**dispatched(draw, name="turns", depth=depth, **overflow))
    tracking, strict = draw.choice(("count", "sequence")), draw.random() < 0.3
    second = engine(**dispatched(draw, name="order", tracking=tracking, strict=strict))
    stages = [without_nothing(one) for one in (first, second)]
    small = station(
        "small",
        f"{draw.choice((1, 20))} ns",
        interval=f"{draw.choice((0, 3))} ns",
        depth=draw.choice((1, 4)),
        queue=draw.choice((1, 3)),
        overflow=draw.choice(("hold", "drop")),
    )
    return [*draw.sample(stages, 2), small, delay("far", {"read": "40 ns", "other": "10 ns"})]


def test_random_paths_do_the_same() -> None:
    lost, held_ps = 0, 0
    for seed in range(SEEDS):
        draw = Random(seed)
        made = table(random_path(draw), messages=MESSAGES)
        operations = (Operation.READ, Operation.WRITE, Operation.FETCH_AND_ADD)
        reference, compiled = both(made, marked(draw, operations, 60, draw.choice((3000, 9000))))
        lost += sum(reference.dropped.values())
        held_ps += compiled.ledger.by_stage()["order"].get("ordering", 0)
    assert lost > SEEDS
    assert held_ps > 1000 * SEEDS
