"""Dependencies: a recovery holds up what depends on it, or all that was posted after it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from emu.breakdown import of_request, total
from emu.figures.measure import CHAPTER, US, run_watched
from emu.figures.model import Figure, Point, Series
from emu.parts import ORDERING, SERIALISATION
from emu.request import Operation, Request
from emu.workload import Access, Timed

TABLE, LINK = "ordered_link", "link"
SOURCE = f"{CHAPTER}, sections on ordering"
BY_HAND = f"{SOURCE}; by hand, with the flight, the answer and the timer that the table assumes"

#: A writes data, B publishes it, C moves something else to another node: bytes at 50 GB/s.
NAMES = ("A", "B", "C")
BYTES = (1_000_000, 100_000, 100_000)
NODES = (0, 0, 1)
#: The same in picoseconds on the link; and what the table assumes: flight and answer, one each.
LINK_PS = (20_000_000, 2_000_000, 2_000_000)
THERE_AND_BACK_PS = 2_000_000
PACKET_BYTES, PACKET_PS = 4096, 81_920
#: The last packet of A, of 576 B, is the one that is lost.
LAST_PS = 11_520
#: Until it is sent again; 0 where nothing is lost.
TIMERS_US = (0, 5, 10, 20, 40)
TIMER_US = 10


@dataclass(frozen=True)
class Order:
    """The marks of the three, and so what waits for what."""

    name: str
    marks: tuple[str, str, str]

    @property
    def c_is_free(self) -> bool:
        """Whether C goes with A, and does not wait for B."""
        return self.marks[2] == "NO"


ORDERS = (Order("total order", ("SO", "SO", "SO")), Order("A before B alone", ("RO", "SO", "NO")))


@dataclass(frozen=True)
class Outcome:
    """Of A, B and C: when each was done, on the link for how long, and held for how long."""

    done_us: tuple[float, ...]
    link_us: tuple[float, ...]
    held_us: tuple[float, ...]


def post(order: Order, timer_us: int) -> Outcome:
    """Posts the three at once, and loses the last packet of A if a timer is to bring it back."""
    done: list[Request] = []
    accesses = [
        Access(Operation.WRITE, size_bytes, 0, 0, node, mark, "ROI")
        for size_bytes, node, mark in zip(BYTES, NODES, order.marks, strict=True)
    ]
    lost = [f"{LINK}.loss=[{_last_of_a(order)}]", f"{LINK}.timeout={timer_us} us"]
    run_watched(
        TABLE,
        Timed((0, access) for access in accesses),
        done.append,
        overrides=lost if timer_us else (),
    )
    done.sort(key=lambda request: request.sequence)
    parts = [total(of_request(request)) for request in done]
    return Outcome(
        done_us=tuple(request.completed_ps / US for request in done),
        link_us=tuple(one.get(SERIALISATION, 0) / US for one in parts),
        held_us=tuple(one.get(ORDERING, 0) / US for one in parts),
    )


def _last_of_a(order: Order) -> int:
    """Which packet is A's last, counted from 0 as they are sent; C's are among them if it is free.

    They take turns on the link, and C has fewer.
    """
    packets = [-(-size_bytes // PACKET_BYTES) for size_bytes in BYTES]
    return packets[0] - 1 + (packets[2] if order.c_is_free else 0)


def done_ps(order: Order, timer_us: int) -> tuple[int, int, int]:
    """By hand: when A, B and C are done."""
    again_ps = timer_us * US + LAST_PS if timer_us else 0
    if order.c_is_free:
        # As many packets of A as of C, by turns, and A first.
        turns = -(-BYTES[2] // PACKET_BYTES)
        c_ps = turns * PACKET_PS + LINK_PS[2] + THERE_AND_BACK_PS
        a_ps = LINK_PS[0] + LINK_PS[2] + again_ps + THERE_AND_BACK_PS
        return a_ps, a_ps + LINK_PS[1] + THERE_AND_BACK_PS, c_ps
    a_ps = LINK_PS[0] + again_ps + THERE_AND_BACK_PS
    b_ps = a_ps + LINK_PS[1] + THERE_AND_BACK_PS
    return a_ps, b_ps, b_ps + LINK_PS[2] + THERE_AND_BACK_PS


def figure() -> Figure:
    """The three under either order, over how long the recovery takes."""
    outcomes = {order: [post(order, timer_us) for timer_us in TIMERS_US] for order in ORDERS}
    alone = outcomes[ORDERS[0]][0]
    points = [
        Point(f"{name} on the link", "µs", LINK_PS[at] / US, alone.link_us[at], 1e-6, SOURCE)
        for at, name in enumerate(NAMES)
    ]
    for order in ORDERS:
        lossless, lossy = outcomes[order][0], outcomes[order][TIMERS_US.index(TIMER_US)]
        points += _points(order, lossless, lossy)
    return Figure(
        name="dependencies",
        title="A loses a packet, B publishes what A wrote, C has nothing to do with either",
        points=tuple(points),
        series=tuple(
            Series(f"{name}, {order.name}", TIMERS_US, [one.done_us[at] for one in outcomes[order]])
            for order in ORDERS
            for at, name in enumerate(NAMES)
        ),
        x_label="until A's lost packet is sent again (µs); 0: nothing is lost",
        y_label="done (µs)",
    )


def _points(order: Order, lossless: Outcome, lossy: Outcome) -> Iterator[Point]:
    expected_ps = done_ps(order, TIMER_US)
    for at, name in enumerate(NAMES):
        what, expected = f"{order.name}: {name} is done", expected_ps[at] / US
        yield Point(what, "µs", expected, lossy.done_us[at], 1e-6, BY_HAND)
    late_ps = expected_ps[2] - done_ps(order, 0)[2]
    late_us = lossy.done_us[2] - lossless.done_us[2]
    what = f"{order.name}: the recovery of A delays C"
    yield Point(what, "µs", late_ps / US, late_us, 1e-6, SOURCE)
    held_ps = 0 if order.c_is_free else expected_ps[1]
    what = f"{order.name}: C is held"
    yield Point(what, "µs", held_ps / US, lossy.held_us[2], 1e-6, BY_HAND)
