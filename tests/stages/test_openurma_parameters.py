"""Stages that stand for a parameter of OpenURMA's two-node simulator."""

from typing import Any

import pydantic
import pytest

from emu.request import Operation
from emu.time import Picoseconds
from stages.channel_sharing import ChannelSharing
from stages.payload_dma import PayloadDma
from stages.strict_order import StrictOrder
from tests.stages.requests import request


@pytest.mark.parametrize("percent", (0, 1, 37, 100))
def test_the_first_of_every_hundred_ask_for_strict_order(percent: int) -> None:
    given: Any = {"percent": percent, "cost": "20 ns"}
    stage = StrictOrder(StrictOrder.Parameters(**given))
    paid = []
    for number in range(250):
        one = request()
        one.sequence = number
        served = stage.serve(one, 0)
        paid.append(served is not None)
        assert served is None or served.parts == (("service", Picoseconds(20_000)),)
    assert paid == [number % 100 < percent for number in range(250)]


@pytest.mark.parametrize(("jetties", "cost_ps"), ((1, 0), (2, 5_000), (1024, 5_115_000)))
def test_each_jetty_but_the_first_adds_its_cost(jetties: int, cost_ps: int) -> None:
    given: Any = {"jetties": jetties, "cost": "5 ns"}
    served = ChannelSharing(ChannelSharing.Parameters(**given)).serve(request(), 0)
    found = 0 if served is None else sum(duration.count for _, duration in served.parts)
    assert found == cost_ps


def test_refuses_what_means_nothing() -> None:
    sharing: Any = {"jetties": 0, "cost": "5 ns"}
    strict: Any = {"percent": 101, "cost": "20 ns"}
    with pytest.raises(pydantic.ValidationError):
        ChannelSharing.Parameters(**sharing)
    with pytest.raises(pydantic.ValidationError):
        StrictOrder.Parameters(**strict)


@pytest.mark.parametrize(
    ("inline", "size", "fetched"), (("64 B", 64, False), ("64 B", 65, True), (None, 1, True))
)
def test_a_payload_rides_in_the_descriptor_up_to_a_size(
    inline: str | None, size: int, fetched: bool
) -> None:
    given: Any = {} if inline is None else {"inline": inline}
    stage = PayloadDma(PayloadDma.Parameters(**given))
    assert stage.applies(Operation.WRITE, size) is fetched
