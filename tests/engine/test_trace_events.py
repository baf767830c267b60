"""What the kernel tells of actors, batches and losses: each event with all that it says."""

from __future__ import annotations

from typing import Any

from emu.memory import Memory
from emu.path import Path
from emu.request import Operation, Request
from emu.trace.events import Event, Held, Kind, Left, Submitted, Touched
from tests.build import READ, Post, Run, StageDict, delay, posts, run, station, table
from tests.engine.resources import pcie, use, user
from tests.engine.shelf import Shelf, shelf


def made(path: list[StageDict], load: list[Post], **head: Any) -> Run:
    return run(table(path, stages={"shelf": Shelf}, **head), load)


def told(ran: Run, number: int, stage: str = "") -> list[Event]:
    return [one for one in ran.events if one.request == number and one.stage in (stage, "")]


def test_what_is_submitted_says_what_it_is() -> None:
    path = Path(table([delay("x", "1 ns")]))
    events: list[Event] = []
    kernel = path.kernel(lambda request: None, listener=events.append)
    plan = path.plan(READ, 64)
    marks = {"order": "SO", "service": "ROT", "fence": True}
    kernel.submit(Request(7, READ, 64, 0x40, 500, plan, 3, 5, operand=9, **marks))  # type: ignore[arg-type]
    kernel.run()
    assert events[0] == Submitted(
        500, Kind.SUBMITTED, 7, "", 3, "read", 64, 0x40, 5, "SO", "ROT", fence=True
    )
    # All that follows names its initiator too.
    assert {event.initiator for event in events} == {3}


def test_who_is_held_is_told_again_behind_another() -> None:
    path = [shelf("x", "1 ns", window=1, until="end"), delay("end", "9 ns")]
    ran = made(path, [Post(0, address=address) for address in (1, 2, 3)])
    # The lowest is chosen first, and then each time the lowest of the rest.
    assert told(ran, 2, "x")[1:-1] == [
        Event(0, Kind.ARRIVED, 2, "x"),
        Held(0, Kind.HELD, 2, "x", behind=0),
        Held(10_000, Kind.HELD, 2, "x", behind=1),
        Event(20_000, Kind.ACCEPTED, 2, "x"),
        Event(21_000, Kind.EMITTED, 2, "x"),
        Left(21_000, Kind.LEFT, 2, "x", parts=(("service", 1000), ("ordering", 20_000))),
    ]


def test_who_is_held_behind_the_same_is_not_told_again() -> None:
    path = [shelf("x", window=1, until="end"), delay("end", "9 ns")]
    # Each that comes makes the actor look again.
    ran = made(path, posts(0, 0, 1000, 2000))
    held = [event for event in ran.events if isinstance(event, Held)]
    assert [(one.time_ps, one.request, one.behind) for one in held] == [
        *((0, 1, 0), (1000, 2, 0), (2000, 3, 0)),
        *((9000, 2, 1), (9000, 3, 1), (18_000, 3, 2)),
    ]


def test_a_stay_that_ends_behind_a_full_queue_has_all_of_its_time() -> None:
    path = [shelf("x", "1 ns"), station("q", "10 ns", depth=1, queue=1)]
    ran = made(path, posts(0, 0, 0))
    left = [event for event in ran.events if isinstance(event, Left) and event.stage == "x"]
    assert left == [
        Left(1000, Kind.LEFT, 0, "x", parts=(("service", 1000),)),
        Left(1000, Kind.LEFT, 1, "x", parts=(("service", 1000),)),
        Left(11_000, Kind.LEFT, 2, "x", parts=(("service", 1000), ("backpressure", 10_000))),
    ]


def test_the_first_stay_begins_outside() -> None:
    path = [shelf("x", places=1, window=1, until="x", latency="4 ns")]
    left = [event for event in made(path, posts(0, 0, 0)).events if isinstance(event, Left)]
    parts = (("service", 4000), ("ordering", 4000), ("backpressure", 4000))
    assert left[-1] == Left(12_000, Kind.LEFT, 2, "x", parts=(parts[0], parts[2], parts[1]))


def test_what_an_actor_gives_up_has_not_left_it() -> None:
    ran = made([delay("a", "2 ns"), shelf("x", "3 ns")], [Post(0, address=5)])
    assert [(one.time_ps, one.kind) for one in told(ran, 0, "x")] == [
        (0, Kind.SUBMITTED),
        (2000, Kind.ARRIVED),
        (2000, Kind.ACCEPTED),
        (5000, Kind.DROPPED),
    ]


def test_what_a_full_queue_drops_has_left_where_it_was() -> None:
    path = [
        delay("a", "2 ns"),
        shelf("x", places=1, window=1, until="x", latency="9 ns", overflow="drop"),
    ]
    ran = made(path, posts(0, 0, 0))
    assert [event for event in ran.events if event.request == 2][-2:] == [
        Left(2000, Kind.LEFT, 2, "a", parts=(("service", 2000),)),
        Event(2000, Kind.DROPPED, 2, "x"),
    ]
    assert ran.requests[2].dropped_at == "x"


def test_each_of_a_batch_has_the_time_of_the_whole_stage() -> None:
    fetch = user("fetch", "100 ns", use("pcie", as_="read", to="device", bytes="8 B"), batch=2)
    ran = made([fetch], posts(0, 0), resources={"pcie": pcie()})
    # 20 B and 28 B for each of the two, and 100 ns in between.
    whole_ps = 2 * 20_000 + 100_000 + 2 * 28_000
    parts = (("service", 100_000), ("serialisation", 96_000))
    assert [event for event in ran.events if event.request == 1][1:] == [
        Event(0, Kind.ARRIVED, 1, "fetch"),
        Event(0, Kind.ACCEPTED, 1, "fetch"),
        Event(whole_ps, Kind.EMITTED, 1, "fetch"),
        Left(whole_ps, Kind.LEFT, 1, "fetch", parts=parts),
        Event(whole_ps, Kind.COMPLETED, 1, ""),
    ]


def test_values_are_told_at_the_stage_that_touches_memory() -> None:
    path = Path(
        table([delay("a", "2 ns"), {**delay("m", "5 ns"), "stage": "memory"}]), memory=Memory()
    )
    events: list[Event] = []
    kernel = path.kernel(lambda request: None, listener=events.append)
    write = Request(0, Operation.WRITE, 8, 16, 0, path.plan(Operation.WRITE, 8, 16), operand=7)
    read = Request(1, Operation.READ, 8, 16, 1000, path.plan(Operation.READ, 8, 16), initiator=4)
    kernel.submit(write)
    kernel.submit(read)
    kernel.run()
    assert [event for event in events if isinstance(event, Touched)] == [
        Touched(2000, Kind.VISIBLE, 0, "m", 0, 16, 7),
        Touched(3000, Kind.SAMPLED, 1, "m", 4, 16, 7),
    ]
    assert read.value == 7
