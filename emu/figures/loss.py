"""Loss: what one lost packet of eight costs, by how it is made up for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from emu.breakdown import of_request, total
from emu.figures.measure import CHAPTER, NS, run_watched
from emu.figures.model import Figure, Point, Series
from emu.parts import ORDERING
from emu.request import Operation, Request
from emu.workload import Access, Timed

TABLE, LINK = "loss_link", "link"
SOURCE = f"{CHAPTER}, section on loss"
BY_HAND = f"{SOURCE}; by hand, with the flight, acknowledgement and timer that the table assumes"
VECTORS, VECTOR_BYTES, PACKET_BYTES = 4, 8192, 4096
PACKETS_EACH = VECTOR_BYTES // PACKET_BYTES
PACKETS = VECTORS * PACKETS_EACH
#: A packet at 50 GB/s; and what the table assumes: flight, acknowledgement, timer.
PACKET_PS, FLIGHT_PS, BACK_PS, TIMEOUT_PS = 81_920, 1_000_000, 1_000_000, 10_000_000
GO_BACK_N, SELECTIVE_REPEAT = "go_back_n", "selective_repeat"
NAMES = {GO_BACK_N: "go-back-N", SELECTIVE_REPEAT: "selective repeat"}


@dataclass(frozen=True)
class Outcome:
    """What became of the four vectors, in the order in which they were sent."""

    counts: dict[str, int]
    delivered_ns: Sequence[float]
    #: How long each was there and had to wait for an earlier one.
    held_ns: Sequence[float]


def send(recovery: str, lost: Sequence[int] = ()) -> Outcome:
    """Sends the vectors at once, and loses some packets, counted as they are sent."""
    requests: list[Request] = []
    driver = run_watched(
        TABLE,
        Timed((0, Access(Operation.WRITE, VECTOR_BYTES, 0)) for _ in range(VECTORS)),
        requests.append,
        overrides=[f"{LINK}.recovery={recovery}", f"{LINK}.loss={list(lost)}"],
    )
    requests.sort(key=lambda request: request.sequence)
    return Outcome(
        counts=driver.counts(LINK),
        delivered_ns=[request.completed_ps / NS for request in requests],
        held_ns=[total(of_request(request)).get(ORDERING, 0) / NS for request in requests],
    )


def packets_repeated(recovery: str, lost: int) -> int:
    """By hand: how many are sent again when one is lost, counted from 0.

    Of eight, all have been sent when the sender hears of the gap.
    """
    return PACKETS - lost if recovery == GO_BACK_N else 1


def delivered_ps(recovery: str, lost: int) -> int:
    """By hand: when the last vector is there.

    The packet behind the gap tells the sender of it; of the last packet, the timer does.
    """
    sent_ps = (lost + 1) * PACKET_PS
    told_ps = TIMEOUT_PS if lost == PACKETS - 1 else PACKET_PS + FLIGHT_PS + BACK_PS
    return sent_ps + told_ps + packets_repeated(recovery, lost) * PACKET_PS + FLIGHT_PS


def held_ps(lost: int) -> int:
    """By hand: how long selective repeat holds the last vector behind the gap."""
    if lost >= PACKETS - PACKETS_EACH:
        return 0
    return delivered_ps(SELECTIVE_REPEAT, lost) - (PACKETS * PACKET_PS + FLIGHT_PS)


def figure() -> Figure:
    """Each of the eight packets lost in turn, made up for in both ways."""
    lost = range(PACKETS)
    outcomes = {recovery: [send(recovery, [one]) for one in lost] for recovery in NAMES}
    whole = send(SELECTIVE_REPEAT)
    points = [
        Point(
            "one packet",
            "ns",
            PACKET_PS / NS,
            (whole.delivered_ns[-1] - whole.delivered_ns[0]) / (PACKETS - PACKETS_EACH),
            0.001,
            SOURCE,
        )
    ]
    for one in lost:
        for recovery in NAMES:
            points += _points(recovery, one, outcomes[recovery][one])
    return Figure(
        name="loss",
        title="One of eight packets of 4 KiB is lost: what is sent again",
        points=tuple(points),
        series=tuple(
            Series(name, lost, [one.counts["bytes_repeated"] for one in outcomes[recovery]])
            for recovery, name in NAMES.items()
        ),
        x_label="packet lost, from 0",
        y_label="bytes sent again",
    )


def _points(recovery: str, lost: int, outcome: Outcome) -> list[Point]:
    what = f"packet {lost} lost, {NAMES[recovery]}"
    sent = packets_repeated(recovery, lost) * PACKET_BYTES
    points = [
        Point(f"{what}: sent again", "B", sent, outcome.counts["bytes_repeated"], 0, SOURCE),
        Point(
            f"{what}: all delivered",
            "ns",
            delivered_ps(recovery, lost) / NS,
            outcome.delivered_ns[-1],
            0.001,
            BY_HAND,
        ),
    ]
    if recovery == SELECTIVE_REPEAT:
        behind, held = PACKETS - 1 - lost, outcome.counts["packets_held"]
        points += [
            Point(f"{what}: packets held", "packets", behind, held, 0, SOURCE),
            Point(
                f"{what}: last vector held",
                "ns",
                held_ps(lost) / NS,
                outcome.held_ns[-1],
                0.001,
                BY_HAND,
            ),
        ]
    return points
