"""Shared channels: the state that sharing saves, and what a light user pays behind a heavy one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import fmean

from emu.breakdown import of_request, total
from emu.figures.measure import CHAPTER, US, run_watched
from emu.figures.model import Figure, Point, Series
from emu.parts import RESOURCE
from emu.request import Operation, Request
from emu.state import groups, most_that_fit, private, shared
from emu.workload import Access

TABLE = "transport_channels"
SOURCE = f"{CHAPTER}, section on sharing transport"
DERIVED = f"{SOURCE}; waits by Little's law, from the table's window and round trip"
ENDPOINTS, DESTINATIONS = 64, 128
SIZE_BYTES = 256
#: What the table says.
WINDOW, ROUND_TRIP_US = 16, 2.0
#: Endpoint 0 keeps so many open, and each other endpoint one.
HEAVY = 128
#: Groups of endpoints that share a channel to each destination: from all in one to each by itself.
GROUPS = (1, 2, 4, 8, 16, 32, 64)
MEMORY_BYTES, MOST_GROUPS = 2 * 2**20, 11
#: Measured between these times; by the first all move in a steady circle.
FROM_PS, TO_PS = 100 * US, 500 * US


class HeavyAndLight:
    """All endpoints use one destination: one keeps many requests open, the others one each."""

    def posts(self) -> Iterator[tuple[int, Access]]:
        """The first requests, the heavy endpoint's before the others'."""
        for endpoint in [0] * HEAVY + list(range(1, ENDPOINTS)):
            yield 0, _access(endpoint)

    def answered(self, request: Request) -> Access:
        """Each endpoint posts its next request when one is answered."""
        return _access(request.initiator)


def _access(endpoint: int) -> Access:
    return Access(Operation.READ, SIZE_BYTES, 0, initiator=endpoint)


@dataclass(frozen=True)
class Light:
    """Means of the light endpoints: how long a request took, and waited for its channel."""

    latency_us: float
    waited_us: float


def light(count: int) -> Light:
    """What light endpoints meet with so many groups of endpoints."""
    sharing = {1: "shared", ENDPOINTS: "private"}.get(count, "groups")
    overrides = [f"channels.sharing={sharing}"]
    if sharing == "groups":
        overrides.append(f"channels.groups={count}")
    latencies_us: dict[int, list[float]] = {}
    waits_us: dict[int, list[float]] = {}

    def note(request: Request) -> None:
        if request.initiator and request.submitted_ps >= FROM_PS:
            parts = total(of_request(request))
            endpoint = request.initiator
            latencies_us.setdefault(endpoint, []).append(request.latency_ps / US)
            waited_ps = parts.get(f"{RESOURCE}channels", 0)
            waits_us.setdefault(endpoint, []).append(waited_ps / US)

    run_watched(TABLE, HeavyAndLight(), note, overrides=overrides, until_ps=TO_PS)
    return Light(
        latency_us=fmean(fmean(times) for times in latencies_us.values()),
        waited_us=fmean(fmean(times) for times in waits_us.values()),
    )


def expected_us(count: int) -> float:
    """By hand: a channel lets a window of requests by in a round trip, and who uses it shares that.

    Endpoint 0 has the others of its group behind it; the other groups are all alike.
    """
    members = ENDPOINTS // count
    beside_heavy = HEAVY + members - 1
    return (
        (members - 1) * _latency_us(beside_heavy) + (ENDPOINTS - members) * _latency_us(members)
    ) / (ENDPOINTS - 1)


def _latency_us(requests: int) -> float:
    return ROUND_TRIP_US * max(1.0, requests / WINDOW)


def figure() -> Figure:
    """State in bytes against the latency of the light endpoints, by groups."""
    state = {count: groups(ENDPOINTS, DESTINATIONS, count).bytes() for count in GROUPS}
    lights = {count: light(count) for count in GROUPS}
    fit = most_that_fit(lambda count: groups(ENDPOINTS, DESTINATIONS, count), MEMORY_BYTES)
    points = [
        Point(
            "private: state", "B", 8_929_280, private(ENDPOINTS, DESTINATIONS).bytes(), 0, SOURCE
        ),
        Point("shared: state", "B", 671_744, shared(ENDPOINTS, DESTINATIONS).bytes(), 0, SOURCE),
        Point("groups that fit in 2 MiB", "groups", MOST_GROUPS, fit, 0, SOURCE),
    ]
    for count, one in lights.items():
        name = {1: "shared", ENDPOINTS: "private"}.get(count, f"{count} groups")
        by_hand_us = expected_us(count)
        points += [
            Point(
                f"{name}: a light endpoint's request",
                "µs",
                by_hand_us,
                one.latency_us,
                0.01 * by_hand_us,
                DERIVED,
            ),
            Point(
                f"{name}: of which it waits for its channel",
                "µs",
                by_hand_us - ROUND_TRIP_US,
                one.waited_us,
                0.01 * by_hand_us,
                DERIVED,
            ),
        ]
    return Figure(
        name="shared-channel",
        title="64 endpoints, 128 destinations: state of transport channels, and what sharing costs",
        points=tuple(points),
        series=(
            Series(
                "light endpoints beside a heavy one",
                [state[count] / 2**20 for count in GROUPS],
                [lights[count].latency_us for count in GROUPS],
            ),
        ),
        x_label="state (MiB), from one shared channel a destination to private ones",
        y_label="mean latency of a light endpoint (µs)",
        x_log=True,
    )
