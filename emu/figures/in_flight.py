"""Rate against the requests in flight: how many it takes to fill a link."""

from __future__ import annotations

from emu.figures.measure import CHAPTER, closed, least, millions_per_s
from emu.figures.model import Figure, Point, Series
from emu.request import Operation

TABLE = "bdp_link"
SIZE_BYTES = 256
ROUND_TRIP_US = 2
#: 50 GB/s in requests of this size.
CEILING = 195.3125
LAST_LINEAR, FIRST_FLAT = 390, 391
OUTSTANDING = (1, 50, 100, 150, 200, 250, 300, 350, LAST_LINEAR, FIRST_FLAT, 450, 600)
SOURCE = f"{CHAPTER}, section on requests in flight"


def figure() -> Figure:
    """Linear up to 390 requests, flat from 391 on."""
    rates = {outstanding: _rate(outstanding) for outstanding in OUTSTANDING}
    linear = [
        Point(
            name=f"{outstanding} in flight",
            unit="M/s",
            expected=outstanding / ROUND_TRIP_US,
            measured=rates[outstanding],
            tolerance=outstanding / ROUND_TRIP_US * 0.001,
            source=SOURCE,
        )
        for outstanding in (100, 300, LAST_LINEAR)
    ]
    flat = [
        Point(f"{outstanding} in flight", "M/s", CEILING, rates[outstanding], 0.001, SOURCE)
        for outstanding in (FIRST_FLAT, 450, 600)
    ]
    fewest = least(1, OUTSTANDING[-1], lambda count: _rate(count) > CEILING * 0.9995)
    full = Point("fewest that fill the link", "requests", FIRST_FLAT, fewest, 0, SOURCE)
    return Figure(
        name="in-flight",
        title="Reads of 256 B over 50 GB/s and a round trip of 2 µs",
        points=(*linear, *flat, full),
        series=(Series(TABLE, OUTSTANDING, [rates[n] for n in OUTSTANDING]),),
        x_label="requests in flight",
        y_label="million requests a second",
    )


def _rate(outstanding: int) -> float:
    """Over whole round trips, since that many come back in each."""
    requests = outstanding * max(3, 600 // outstanding) + 1
    return millions_per_s(
        closed(TABLE, Operation.READ, SIZE_BYTES, outstanding=outstanding, requests=requests)
    )
