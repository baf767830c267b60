"""The compiled stages that keep order behind the initiator, beside the reference's."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from emu.fast.blocks import contents
from emu.fast.codes import READ_CHECK, SERVES_NOTHING
from emu.fast.in_turn import (
    ORDER,
    make_channel_order,
    make_completion_order,
    make_read_check,
    make_target_order,
    order_alarm,
    order_arrive,
    order_coming,
    order_decide,
    order_passed,
)
from emu.fast.versions import touch_serve
from emu.memory import Memory
from emu.plan import Hop, Plan
from emu.request import Operation
from emu.station import Station
from stages.channel_order import ChannelOrder
from stages.completion_order import CompletionOrder
from stages.order.in_turn import InTurn
from stages.read_check import ReadCheck
from stages.target_order import TargetOrder
from tests.fast.hosted import (
    ALARM_RINGS,
    ARRIVE,
    COMING,
    HERE,
    PASSED,
    TOUCH,
    Compiled,
    Make,
    Reference,
    Told,
    play,
)

READ, WRITE, ADD = Operation.READ, Operation.WRITE, Operation.FETCH_AND_ADD


def call(worlds: Any, told: int, r: int, what: int, first: int, second: int) -> None:
    world = worlds[0]
    if told == COMING:
        order_coming(world, HERE, r)
    elif told == ARRIVE:
        order_arrive(world, HERE, r)
    elif told == PASSED:
        order_passed(world, HERE, r)
    elif told == ALARM_RINGS:
        order_alarm(world, HERE, what, first, second)
    elif told == TOUCH:
        touch_serve(world, r, -1)
    else:
        order_decide(world, HERE)


def made(kind: Any, **parameters: Any) -> InTurn:
    actor: InTurn = kind(kind.Parameters(since="since", **parameters))
    return actor


def both(kind: type[InTurn], make: Make, checked: bool = True, **parameters: Any) -> Any:
    """The actor twice, as both engines have it; behind it is a `read_check` if `checked`."""
    memory = Memory()
    check = made(ReadCheck, reread="7 ps") if checked else None
    behind = Hop("behind", "", 1, Station("behind", actor=check), 0, 0, 0, (), None)
    here = Hop("here", "", 0, Station("here"), 0, 0, 0, (), None)
    actor = made(kind, **parameters)
    actor.use_memory(memory)
    return (
        Reference(actor, Plan(READ, 8, 0, (here, behind), 0), memory),
        Compiled(actor, make, call, READ_CHECK if checked else SERVES_NOTHING),
    )


def target(latency: int = 3, early_reads: bool = False, checked: bool = True) -> Any:
    return both(
        *(TargetOrder, make_target_order, checked),
        until="behind",
        latency=f"{latency} ps",
        early_reads=early_reads,
    )


def check(reread: int = 7) -> Any:
    return both(ReadCheck, make_read_check, reread=f"{reread} ps")


def channel() -> Any:
    return both(ChannelOrder, make_channel_order)


def completions() -> Any:
    return both(CompletionOrder, make_completion_order)


def story(seed: int) -> list[Told]:
    """Requests of few initiators at few times, so that much is of one instant, and some are lost.

    A read of the target may touch memory before it comes, between writes of the same word.
    """
    draw = Random(seed)
    told = []
    spread = draw.choice((4, 20, 60))
    for number in range(draw.randrange(1, 40)):
        announced_ps = number * draw.randrange(2) + number
        touches_ps = announced_ps + draw.randrange(spread)
        comes_ps = touches_ps + draw.choice((0, 0, draw.randrange(spread)))
        told.append(
            Told(
                draw.choice((READ, READ, WRITE, ADD)),
                draw.choice(("SO", "SO", "RO", "NO")),
                draw.choice(("ROT", "ROT", "ROL", "UNO")),
                draw.randrange(2),
                draw.randrange(2),
                8 * draw.randrange(2),
                announced_ps=announced_ps,
                touches_ps=touches_ps,
                comes_ps=comes_ps if draw.randrange(8) else -1,
                away_ps=draw.randrange(spread),
            )
        )
    return sorted(told, key=lambda one: one.announced_ps)


@pytest.mark.parametrize(
    "made", (target, lambda: target(0), lambda: target(3, True), check, channel, completions)
)
def test_it_lets_go_what_the_reference_does_when_that_does(made: Any) -> None:
    waited = 0
    for seed in range(150):
        reference, counterpart = made()
        told = story(seed)
        let_go = play(reference, counterpart, told, seed)
        assert len(let_go) == sum(one.comes_ps >= 0 for one in told)
        waited += sum(bool(parts) for *_, parts in let_go)
        order = contents(counterpart.world[0]["orders"], ORDER)[0]
        assert order["repeated"] == getattr(reference.actor, "_repeated", 0)
        # Nothing is kept of those that are through.
        watched = counterpart.world[0]["watched_words"]["count"]
        assert (order["fresh"]["count"], watched, len(counterpart.slots)) == (0, 0, 0)
    assert waited > 100


def test_a_read_whose_word_was_written_since_is_made_again() -> None:
    reference, counterpart = check()
    early = Told(READ, announced_ps=1, touches_ps=5, comes_ps=6)
    before = Told(WRITE, "RO", announced_ps=0, touches_ps=10, comes_ps=20)
    assert play(reference, counterpart, [before, early]) == [
        (20, 0, 20, ()),
        (27, 1, 20, (("ordering", 14), ("service", 7))),
    ]
    assert contents(counterpart.world[0]["orders"], ORDER)[0]["repeated"] == 1


@pytest.mark.parametrize(
    ("other", "again"),
    (
        (Told(WRITE, "NO", touches_ps=6, comes_ps=7), True),
        (Told(WRITE, "NO", touches_ps=4, comes_ps=7), False),
        (Told(WRITE, "NO", address=8, touches_ps=6, comes_ps=7), False),
        (Told(WRITE, "NO", address=7, touches_ps=6, comes_ps=7), True),
        (Told(WRITE, "NO", destination=1, touches_ps=6, comes_ps=7), False),
        (Told(Operation.COMPARE_AND_SWAP, "NO", touches_ps=6, comes_ps=7), True),
        (Told(READ, touches_ps=6, comes_ps=7, announced_ps=3), False),
    ),
)
def test_what_makes_a_read_be_made_again(other: Told, again: bool) -> None:
    reference, counterpart = check()
    before = Told(READ, "RO", announced_ps=0, touches_ps=1, comes_ps=20)
    early = Told(READ, announced_ps=1, touches_ps=5, comes_ps=6)
    let_go = play(reference, counterpart, [before, early, other])
    assert (27 if again else 20) in [at_ps for at_ps, number, *_ in let_go if number == 1]


def test_in_one_instant_who_came_first_goes_first() -> None:
    reference, counterpart = completions()
    first = Told(initiator=0, announced_ps=0, comes_ps=50)
    others = [Told(initiator=number, announced_ps=0, comes_ps=50) for number in (1, 2)]
    held = [Told(initiator=number, announced_ps=1, comes_ps=9 - number) for number in (0, 1, 2)]
    let_go = play(reference, counterpart, [first, *others, *held])
    assert [number for _, number, *_ in let_go] == [0, 1, 2, 5, 4, 3]


@pytest.mark.parametrize(
    ("made", "told"),
    (
        # Without a number, or with one that has been passed by.
        (target, [Told(number=-1, announced_ps=0, comes_ps=1)]),
        (
            channel,
            [
                Told(service="ROL", number=3, announced_ps=0, comes_ps=9),
                Told(service="ROL", number=2, announced_ps=1, comes_ps=9),
            ],
        ),
        # Not announced.
        (target, [Told(comes_ps=1)]),
        (check, [Told(READ, touches_ps=0, comes_ps=1)]),
        # Early, and never checked.
        (
            lambda: target(early_reads=True, checked=False),
            [Told(READ, announced_ps=0, comes_ps=1)],
        ),
    ),
)
def test_what_is_wrong_for_the_reference_is_wrong(made: Any, told: list[Told]) -> None:
    reference, counterpart = made()
    assert play(reference, counterpart, told) == ["wrong"]
