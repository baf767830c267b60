from typing import Any

import pytest

from emu.fast.codes import CONSTANT, FAILED, P_CACHE_MISS, P_SERVICE
from emu.fast.constants import KINDS, constant_serve, make_constant
from emu.stage import Stage
from stages.channel_sharing import ChannelSharing
from stages.context_threshold import ContextThreshold
from stages.strict_order import StrictOrder
from tests.fast.serving import Compiled, Kind, check, request

CONSTANTS = Kind(constant_serve, make_constant, KINDS)
REQUESTS = [request(sequence=number) for number in range(250)]


def threshold(**changes: Any) -> Stage:
    given: Any = {
        "connections": 30,
        "receivers": 1,
        "count": "qp",
        "limit": 899,
        "crossing": "400 ns",
        "access": "100 ns",
        **changes,
    }
    return ContextThreshold(ContextThreshold.Parameters(**given))


def sharing(jetties: int, cost: Any = "7 ns") -> Stage:
    return ChannelSharing(ChannelSharing.Parameters(jetties=jetties, cost=cost))


def strict(percent: int, cost: Any = "40 ns") -> Stage:
    return StrictOrder(StrictOrder.Parameters(percent=percent, cost=cost))


def costs_ps(stage: Stage) -> list[int]:
    """What each request pays, and that the reference says the same."""
    return [row[0] for row in check(CONSTANTS, lambda: stage, REQUESTS)]


def test_every_request_pays_beyond_the_limit() -> None:
    rows = check(CONSTANTS, threshold, REQUESTS)
    assert set(rows) == {(500_000, 500_000, 0, 0, 0, 3, 0, P_CACHE_MISS, 500_000)}
    assert costs_ps(threshold(limit=900)) == [0] * 250


def test_finding_a_receiver_is_service() -> None:
    rows = check(CONSTANTS, lambda: threshold(count="receivers", receivers=900), REQUESTS)
    assert {row[7] for row in rows} == {P_SERVICE}


def test_each_other_jetty_costs() -> None:
    assert costs_ps(sharing(4)) == [21_000] * 250
    assert costs_ps(sharing(1)) == [0] * 250


@pytest.mark.parametrize("percent", (0, 1, 30, 100))
def test_the_first_of_every_hundred_pay_for_their_order(percent: int) -> None:
    assert costs_ps(strict(percent)) == [
        40_000 if number % 100 < percent else 0 for number in range(250)
    ]


def test_a_cost_of_nothing_is_charged_all_the_same() -> None:
    rows = check(CONSTANTS, lambda: strict(100, "0 ns"), REQUESTS[:1])
    assert rows == [(0, 0, 0, 0, 0, 3, 0, P_SERVICE, 0)]


def test_a_time_at_a_stage_that_counts_cycles_is_a_fault() -> None:
    compiled = Compiled(CONSTANTS, sharing(2), clock=True)
    assert compiled.code == CONSTANT
    assert compiled.answers(REQUESTS[:1]) == [(0, 0, 0, 0, FAILED, 0, 0, 0, 0)]
    compiled.give_back()
