"""What order costs a sender: nothing where it need not wait, little once it need not any more."""

from __future__ import annotations

from emu.edge_run import EdgeRun
from emu.figures.measure import CHAPTER, OPENURMA, on_edges
from emu.figures.model import Figure, Point, Series
from emu.request import Operation
from emu.workload import Access

UB, RC = "ub_sender", "rc_sender"
LAST = "framer"
SCHEDULER, ENGINE, QUEUE_PAIR = "jetty_scheduler", "initiator_order", "queue_pair"

SERVICES = ("ROI", "ROT", "ROL", "UNO")
ORDERS = ("NO", "RO", "SO")
#: What an SO or a fence waits for: so many RO, or so many reads.
BEFORE = (1, 2, 3, 4)
#: The edge at which all answers come, when all that may go has gone.
ANSWERED = 100
REQUESTS = range(1, 9)
#: Cycles between the posts to one queue pair, and the one of them that is held.
GAP, HELD = 8, 3
#: An initiator that waits for ever, and those that have nothing to wait for.
WAITING, OTHERS = 9, 4
POSTED = 20

SECTION = f"{CHAPTER}, sections on ordering"
SENDER = f"{OPENURMA}, ub_sc_tx_latency.csv"
QUEUE_PAIR_FILE = f"{OPENURMA}, roce_sc_hol_blocking.csv"
#: In cycles: what a request takes alone, and what is left of that behind engine or scheduler.
ALONE, BEHIND_ENGINE, BEHIND_SCHEDULER = 24, 18, 23
#: What is allowed after an answer, and for the eight.
AFTER_ANSWER, ALL_EIGHT = 50, 78


def figure() -> Figure:
    """Each mode alone; what waits, after its answers; and what does not, beside one that does."""
    strict = [_after_answers(count, _access(order="SO"), "RO", ENGINE) for count in BEFORE]
    fenced = [_after_answers(count, _access(fence=True), "", SCHEDULER) for count in BEFORE]
    held, eight = _beside_one_that_is_held()
    in_time, with_one_held = _queue_pair("NO"), _queue_pair("SO")
    return Figure(
        name="ordering",
        title="Cycles of a sender until a request has left, with order in place",
        points=(
            *_alone_points(),
            *(
                _within(f"UB: SO ({n} RO before it)", BEHIND_ENGINE, AFTER_ANSWER, strict[n - 1])
                for n in BEFORE
            ),
            *(
                _within(
                    f"UB: fence ({n} before it)",
                    BEHIND_SCHEDULER,
                    AFTER_ANSWER,
                    fenced[n - 1],
                )
                for n in BEFORE
            ),
            Point("UB: the one that is held leaves", "", 0, held, 0, SECTION),
            Point("UB: others that leave beside it", "", len(REQUESTS), len(eight), 0, SECTION),
            _within("UB: the last of these", ALONE, ALL_EIGHT, max(eight, default=0)),
            *(
                Point(f"RC: request {n}", "cycles", 1 + GAP * n, in_time[n - 1], 0, QUEUE_PAIR_FILE)
                for n in REQUESTS
            ),
            Point(
                f"RC, request {HELD} held: how many leave before",
                "",
                HELD - 1,
                sum(edge < ANSWERED for edge in with_one_held),
                0,
                SECTION,
            ),
        ),
        series=(
            Series("UB: beside one that is held for ever", REQUESTS, eight),
            Series(f"RC: posted {GAP} cycles apart", REQUESTS, in_time),
            Series(f"RC: request {HELD} held until cycle {ANSWERED}", REQUESTS, with_one_held),
            Series("UB: SO behind so many RO, after their answers", BEFORE, strict),
            Series("UB: fence behind so many reads, after their answers", BEFORE, fenced),
        ),
        x_label="request, or how many it waits for",
        y_label="cycles after the first post, or after the answers",
    )


def _alone_points() -> tuple[Point, Point]:
    cycles = []
    for service in SERVICES:
        for order in ORDERS:
            run = on_edges(UB)
            run.post(0, _access(order=order, service=service))
            cycles += _left(run)
    return (
        Point("UB, each mode alone: the fastest", "cycles", ALONE, min(cycles), 0, SENDER),
        Point("UB, each mode alone: the slowest", "cycles", ALONE, max(cycles), 0, SENDER),
    )


def _after_answers(count: int, access: Access, before: str, stage: str) -> int:
    """Cycles after the answers to so many until a request that waits for them has left."""
    run = on_edges(UB)
    for _ in range(count):
        run.post(0, _access(order=before))
        run.answer(ANSWERED, stage, 0)
    run.post(0, access)
    return _left(run)[-1] - ANSWERED


def _beside_one_that_is_held() -> tuple[int, list[int]]:
    """How many leave that wait for ever; and when eight of others do, posted back to back."""
    run = on_edges(UB)
    waiting = [
        run.post(0, _access(order=order, initiator=WAITING)).sequence for order in ("RO", "SO")
    ]
    for number in range(len(REQUESTS)):
        run.post(POSTED, _access(order="NO", initiator=number % OTHERS))
    left = run.run()[LAST]
    held = sum(number == waiting[-1] for _, number in left)
    return held, [edge - POSTED for edge, number in left if number not in waiting]


def _queue_pair(order: str) -> list[int]:
    """When eight requests of a queue pair leave, the third of an order, behind an RO."""
    run = on_edges(RC)
    for number in REQUESTS:
        marks = {1: "RO", HELD: order}
        run.post(GAP * (number - 1), _access(order=marks.get(number, "NO")))
    run.answer(ANSWERED, QUEUE_PAIR, 0)
    return _left(run)


def _access(
    order: str = "", service: str = "", initiator: int = 0, *, fence: bool = False
) -> Access:
    return Access(Operation.READ, 64, 0, initiator, 0, order, service, fence)


def _left(run: EdgeRun) -> list[int]:
    return [edge for edge, _ in run.run()[LAST]]


def _within(name: str, least: int, most: int, cycles: int) -> Point:
    """From what the rest of the pipeline takes in any case, up to what is allowed."""
    half = (most - least) / 2
    return Point(f"{name}, {least} to {most}", "cycles", least + half, cycles, half, SECTION)
