from typing import Any

import pydantic
import pytest

from emu.time import Picoseconds
from stages.context_threshold import ContextThreshold
from tests.stages.requests import request


def served(**changes: Any) -> tuple[tuple[str, Picoseconds], ...]:
    """What one request finds, as parts of the breakdown."""
    given = {
        "connections": 1,
        "receivers": 1,
        "count": "qp",
        "limit": 512,
        "crossing": "500 ns",
        "access": "0 ns",
        **changes,
    }
    stage = ContextThreshold(ContextThreshold.Parameters(**given))
    found = stage.serve(request(), 0)
    if found is None:
        return ()
    assert not found.ends
    return found.parts  # type: ignore[return-value]


MISS = (("cache_miss", Picoseconds(500_000)),)


@pytest.mark.parametrize(
    ("count", "connections", "receivers", "limit", "missed"),
    (
        # n² · k
        ("qp", 22, 1, 512, False),
        ("qp", 23, 1, 512, True),
        ("qp", 16, 2, 512, False),
        ("qp", 1, 512, 512, False),
        ("qp", 1, 513, 512, True),
        # 2n + k
        ("jetty", 1023, 1, 2048, False),
        ("jetty", 1023, 2, 2048, False),
        ("jetty", 1023, 3, 2048, True),
        ("jetty", 1024, 1, 2048, True),
    ),
)
def test_costs_a_constant_beyond_the_limit(
    count: str, connections: int, receivers: int, limit: int, missed: bool
) -> None:
    found = served(count=count, connections=connections, receivers=receivers, limit=limit)
    assert found == (MISS if missed else ())


def test_crossing_and_access_add_up() -> None:
    found = served(limit=1, connections=2, crossing="30 ns", access="70 ns")
    assert found == (("cache_miss", Picoseconds(100_000)),)


@pytest.mark.parametrize("connections", (1, 1000))
def test_receivers_alone_are_counted_and_cost_software(connections: int) -> None:
    def found(receivers: int) -> Any:
        return served(
            count="receivers",
            limit=1,
            connections=connections,
            receivers=receivers,
            crossing="0 ns",
            access="200 ns",
        )

    assert found(1) == ()
    assert found(2) == (("service", Picoseconds(200_000)),)


def test_every_request_pays() -> None:
    given: Any = {
        "connections": 2,
        "receivers": 1,
        "count": "qp",
        "limit": 3,
        "crossing": "1 ns",
        "access": "0 ns",
    }
    stage = ContextThreshold(ContextThreshold.Parameters(**given))
    assert stage.serve(request(), 0) == stage.serve(request(), 10)


@pytest.mark.parametrize(
    "change", ({"connections": 0}, {"receivers": 0}, {"limit": 0}, {"count": "channels"})
)
def test_refuses_what_means_nothing(change: dict[str, Any]) -> None:
    with pytest.raises(pydantic.ValidationError):
        served(**change)
